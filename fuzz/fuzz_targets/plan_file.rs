//! A plan file: reading never panics, and nothing comes of it that the text does not hold.
#![no_main]

use goal_core::domain::task::plan_file::{FORMATS, Source, formats, read_as};
use goal_core::domain::task::spec::{TaskGiven, definitions, depth};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source { path: "", text };
    for format in &FORMATS {
        let _ = read_as(&source, format);
    }
    let format = formats::of(&source);
    let Ok(plan) = read_as(&source, format) else {
        return;
    };
    if format.name != "markdown" {
        return;
    }
    let mut titles = Vec::new();
    collect(&plan.tasks, &mut titles);
    assert!(!titles.is_empty());
    // A list item or heading needs a mark and a line of its own, or stands behind one on it.
    assert!(titles.len() + plan.left_out.len() <= text.len(), "{plan:?}");
    let words = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count();
    let held: usize = titles.iter().map(|title| words(title)).sum();
    // An entity is a few characters that become at most two.
    assert!(held <= text.len(), "{plan:?}");
    for title in &titles {
        assert_eq!(title.trim(), *title);
        assert!(!title.is_empty() && !title.contains('\n'), "{title:?}");
    }
    let defined = definitions(&plan.tasks);
    assert!(depth(&defined.tasks) <= 64);
    assert!(defined.outcomes.len() <= titles.len());
    // Without a box nothing became of anything.
    if !text.contains('[') {
        assert!(defined.outcomes.is_empty(), "{plan:?}");
    }
    // Reading the plan as we would write it comes to the same.
    let again = written(&plan.tasks, 0);
    let source = Source {
        path: "",
        text: &again,
    };
    let again = read_as(&source, formats::of(&source)).map(|plan| shape(&plan.tasks));
    if titles.iter().all(|title| title.chars().all(char::is_alphanumeric)) {
        assert_eq!(again, Ok(shape(&plan.tasks)));
    }
});

fn collect<'a>(tasks: &'a [TaskGiven], titles: &mut Vec<&'a str>) {
    for task in tasks {
        titles.push(&task.title);
        collect(&task.tasks, titles);
    }
}

fn written(tasks: &[TaskGiven], level: usize) -> String {
    let one = |task: &TaskGiven| {
        let mark = if task.done { "x" } else { " " };
        let below = written(&task.tasks, level + 1);
        format!("{}- [{mark}] {}\n{below}", "  ".repeat(level), task.title)
    };
    tasks.iter().map(one).collect()
}

/// Titles, marks and nesting.
fn shape(tasks: &[TaskGiven]) -> String {
    let one = |task: &TaskGiven| format!("{}{}({})", task.done, task.title, shape(&task.tasks));
    tasks.iter().map(one).collect()
}
