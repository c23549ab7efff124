//! A plan whose items become goals of their own. Tasks wait only for tasks of the same goal, so what an item
//! waits for in another one is said in words.

use std::collections::BTreeMap;

use super::json::details;
use crate::domain::task::spec::TaskGiven;

/// What was said in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue {
    /// What each goal waits for, as constraints of it.
    pub constraints: Vec<Vec<String>>,
    /// For the reader of the plan.
    pub remarks: Vec<String>,
}

/// Takes out of these items what each waits for in others of them, and in `ended` ones, which hold
/// nothing up any more.
pub fn apart(items: &mut [TaskGiven], ended: &[TaskGiven]) -> Queue {
    let mut titles = BTreeMap::new();
    for item in items.iter() {
        name(item, &mut titles);
    }
    let mut over = BTreeMap::new();
    for item in ended {
        name(item, &mut over);
    }
    let named = |id: &String| match over.contains_key(id) {
        true => None,
        false => Some(titles.get(id).unwrap_or(id).clone()),
    };
    let mut queue = Queue::default();
    for item in items {
        let after = std::mem::take(&mut item.after);
        let first: Vec<String> = after.iter().filter_map(&named).collect();
        for title in &first {
            queue.remarks.push(format!(
                "`{}` is to wait for `{title}`, which a constraint of its goal says",
                item.title
            ));
        }
        let constraints = first.iter();
        let constraints = constraints.map(|title| format!("Begin when `{title}` is done."));
        queue.constraints.push(constraints.collect());
        let mut own = BTreeMap::new();
        for task in &item.tasks {
            name(task, &mut own);
        }
        for task in &mut item.tasks {
            say(task, &own, &named, &mut queue.remarks);
        }
    }
    queue
}

/// Says in the details of a task what it waits for elsewhere.
fn say(
    task: &mut TaskGiven,
    own: &BTreeMap<String, String>,
    named: &impl Fn(&String) -> Option<String>,
    remarks: &mut Vec<String>,
) {
    let after = std::mem::take(&mut task.after).into_iter();
    let (here, elsewhere): (Vec<String>, Vec<String>) = after.partition(|id| own.contains_key(id));
    task.after = here;
    for title in elsewhere.iter().filter_map(named) {
        let sentence = format!("Begin when `{title}` is done.");
        task.details = details(&[task.details.as_deref(), Some(&sentence)]);
        remarks.push(format!(
            "`{}` is to wait for `{title}`, which is in another goal, so only its details say so",
            task.title
        ));
    }
    for below in &mut task.tasks {
        say(below, own, named, remarks);
    }
}

/// The titles of a task and of those below it, by the ids that they have in their plan.
fn name(task: &TaskGiven, titles: &mut BTreeMap<String, String>) {
    if let Some(id) = task.own_id.as_ref().or(task.id.as_ref()) {
        titles.insert(id.clone(), task.title.clone());
    }
    for below in &task.tasks {
        name(below, titles);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_another_goal_says_so_in_words() {
        let given = |id: &str, after: &[&str], tasks: Vec<TaskGiven>| TaskGiven {
            title: format!("do {id}"),
            own_id: Some(id.into()),
            after: after.iter().map(|it| (*it).to_owned()).collect(),
            tasks,
            ..TaskGiven::default()
        };
        let mut items = [
            given("1", &["0"], vec![given("1.1", &[], vec![])]),
            given(
                "2",
                &["1", "0"],
                vec![
                    given("2.1", &["1.1", "0"], vec![]),
                    given("2.2", &["2.1"], vec![]),
                ],
            ),
        ];
        let queue = apart(&mut items, &[given("0", &[], vec![])]);
        let begin = |title: &str| format!("Begin when `{title}` is done.");
        assert_eq!(queue.constraints, [vec![], vec![begin("do 1")]]);
        let [one, two] = &items[1].tasks[..] else {
            panic!("{items:?}");
        };
        assert_eq!(one.details, Some(begin("do 1.1")));
        assert_eq!(
            (&one.after[..], &two.after[..]),
            (&[][..], &["2.1".into()][..])
        );
        assert!(items.iter().all(|item| item.after.is_empty()));
        assert_eq!(queue.remarks.len(), 2, "{:?}", queue.remarks);
    }
}
