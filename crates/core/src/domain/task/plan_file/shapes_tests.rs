//! Shapes of real plans, written anew: what is ticked is done, nothing vanishes without a word, and a
//! number is the plan's own. Each is read as it is, and with all its boxes ticked.

use super::*;
use crate::domain::task::spec::TaskGiven;

const SHAPES: &str = include_str!("../../../../../../fixtures/plans/shapes.txt");

struct Shape<'a> {
    path: &'a str,
    format: &'a str,
    text: &'a str,
}

fn shapes() -> Vec<Shape<'static>> {
    let parts = SHAPES.split("%% ").skip(1);
    let shape = |part: &'static str| {
        let (head, text) = part.split_once('\n').unwrap();
        let (path, format) = head.rsplit_once(' ').unwrap();
        Shape { path, format, text }
    };
    parts.map(shape).collect()
}

fn flat<'a>(tasks: &'a [TaskGiven], all: &mut Vec<&'a TaskGiven>) {
    for task in tasks {
        all.push(task);
        flat(&task.tasks, all);
    }
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// What stands behind each box that is no code and no quote.
fn boxed(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let lines = text.lines().filter(|line| {
        fenced ^= line.trim_start().starts_with("```");
        !fenced && !line.starts_with("      ")
    });
    let mark = |line: &&str| !line.trim_start().starts_with(['>', '/']);
    let titles = lines.filter(mark).filter_map(|line| {
        let (before, title) = line.split_once("] ").or_else(|| line.split_once("]* "))?;
        let open = ["[ ", "[x", "[todo"].iter().any(|it| before.ends_with(it));
        open.then_some(title.trim())
    });
    titles.collect()
}

#[test]
fn what_people_write_comes_in_as_it_stands() {
    for Shape { path, format, text } in shapes() {
        let ticked = text.replace("[ ]", "[x]").replace("[todo]", "[x]");
        for (text, finished) in [(text, false), (&*ticked, true)] {
            let source = Source { path, text };
            let found = formats::of(&source);
            assert_eq!(found.name, format, "{path}");
            let plan = read_as(&source, found).unwrap();
            let mut all = Vec::new();
            flat(&plan.tasks, &mut all);
            let leaves: Vec<_> = all.iter().filter(|task| task.tasks.is_empty()).collect();
            let open = leaves.iter().filter(|task| task.standing().is_open());
            let open: Vec<&str> = open.map(|task| &*task.title).collect();
            assert!(!finished || open.is_empty(), "{path}: {open:?}");
            let boxes = boxed(text);
            assert!(!boxes.is_empty(), "{path}");
            let mut said: Vec<String> = all.iter().map(|task| letters(&task.title)).collect();
            said.extend(plan.left_out.iter().map(|left| letters(&left.text)));
            for title in &boxes {
                let wanted = letters(title.split("](").next().unwrap());
                let is_said = |it: &String| {
                    !it.is_empty() && (it.starts_with(&wanted) || wanted.ends_with(it))
                };
                assert!(said.iter().any(is_said), "{path}: {title}: {said:?}");
            }
            // A number at a box is the id of that task, or of none.
            for title in &boxes {
                let (number, rest) = title.split_once(' ').unwrap_or((title, ""));
                let number = number.trim_end_matches('.');
                let mut named = all.iter().filter(|it| it.own_id.as_deref() == Some(number));
                let means = |it: &&TaskGiven| letters(&it.title).ends_with(&letters(rest));
                let first = number.starts_with(|c: char| c.is_ascii_digit());
                assert!(
                    !first || named.clone().count() == 0 || named.any(means),
                    "{path}: {title}"
                );
            }
        }
    }
    assert!(shapes().len() >= 24);
}
