//! Shapes of real plans, written anew, and what each is read as. In those of plain boxes, what is ticked is
//! done, nothing vanishes without a word, and a number is the plan's own: each is read as it is, and
//! with all its boxes ticked.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::*;
use crate::domain::task::checkbox;
use crate::domain::task::spec::{Decomposition, TaskGiven};

const SHAPES: &str = include_str!("../../../../../../fixtures/plans/shapes.txt");

struct Shape<'a> {
    path: &'a str,
    format: &'a str,
    is_odd: bool,
    text: String,
    expected: &'a str,
}

impl<'a> Shape<'a> {
    fn of(part: &'a str) -> Shape<'a> {
        let (head, rest) = part.split_once('\n').unwrap();
        let (written, expected) = rest.split_once("\n%=").unwrap();
        let begins = head.rfind('.').unwrap();
        let begins = begins + head[begins..].find(' ').unwrap();
        let mut words = head[begins..].split_whitespace();
        let format = words.next().unwrap();
        let mut text = written.replace('→', "\t") + "\n";
        let mut is_odd = false;
        for word in words {
            match word {
                "crlf" => text = text.replace('\n', "\r\n"),
                "cr" => text = text.replace('\n', "\r"),
                "bom" => text.insert(0, '\u{feff}'),
                "no-end" => text.truncate(text.trim_end().len()),
                "odd" => is_odd = true,
                other => panic!("{head}: {other}"),
            }
        }
        Shape {
            path: &head[..begins],
            format,
            is_odd,
            text,
            expected,
        }
    }

    fn read(&self, text: &str) -> Plan {
        let source = Source {
            path: self.path,
            text,
        };
        let found = formats::of(&source);
        assert_eq!(found.name, self.format, "{}", self.path);
        read_as(&source, found).unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }
}

fn shapes() -> Vec<Shape<'static>> {
    let parts = SHAPES.split("\n%% ").skip(1);
    parts.map(Shape::of).collect()
}

/// The plan as the file of shapes has it.
fn compact(plan: &Plan) -> String {
    let mut text = String::new();
    if let Some(title) = &plan.title {
        let _ = writeln!(text, "# {title}");
    }
    if plan.decomp == Some(Decomposition::Or) {
        text.push_str("any\n");
    }
    tree(&plan.tasks, "", &mut text);
    for left in &plan.left_out {
        let shown = left.text.replace('\n', "\n  ");
        let _ = writeln!(text, "out {}: {shown}", left.line);
    }
    for remark in &plan.remarks {
        let _ = writeln!(text, "note: {remark}");
    }
    if !plan.reserved.is_empty() {
        let numbers: Vec<&str> = plan.reserved.iter().map(String::as_str).collect();
        let _ = writeln!(text, "not {}", numbers.join(", "));
    }
    text
}

fn tree(tasks: &[TaskGiven], indent: &str, text: &mut String) {
    for task in tasks {
        let status = task.standing();
        let mark = match checkbox::mark(status) {
            " " if status.is_open() && status != TaskStatus::Pending => status.name(),
            mark => mark,
        };
        let id = task.own_id.as_deref().map(|id| format!("<{id}> "));
        let (id, title) = (id.unwrap_or_default(), &task.title);
        let _ = writeln!(text, "{indent}[{mark}] {id}{title}");
        let below = format!("{indent}  ");
        if task.decomp == Some(Decomposition::Or) {
            let _ = writeln!(text, "{below}any");
        }
        for (name, said) in [
            ("after", Some(task.after.join(", "))),
            ("why", task.reason.clone()),
            (
                "criteria",
                task.success_criteria.as_ref().map(|it| it.join("; ")),
            ),
        ] {
            if let Some(said) = said.filter(|said| !said.is_empty()) {
                let _ = writeln!(text, "{below}{name} {said}");
            }
        }
        for line in task.details.iter().flat_map(|details| details.lines()) {
            let _ = writeln!(text, "{}", format!("{below}> {line}").trim_end());
        }
        tree(&task.tasks, &below, text);
    }
}

#[test]
fn each_shape_is_read_as_it_is_meant() {
    let mut others = String::new();
    for shape in shapes() {
        let plan = compact(&shape.read(&shape.text));
        if plan.trim() != shape.expected.trim() {
            let _ = writeln!(others, "\n%% {}\n%=\n{plan}", shape.path);
        }
    }
    assert!(others.is_empty(), "these are read otherwise:\n{others}");
    assert!(shapes().len() >= 100);
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
fn boxed(text: &str) -> Vec<Cow<'_, str>> {
    let mut fenced = false;
    let lines = text.lines().filter(|line| {
        let text = line.trim_start();
        fenced ^= text.starts_with("```") || text.starts_with("~~~");
        !fenced && !line.starts_with("      ")
    });
    let mark = |line: &&str| !line.trim_start().starts_with(['>', '/']);
    let titles = lines.filter(mark).filter_map(|line| {
        let (before, title) = line.split_once("] ").or_else(|| line.split_once("]* "))?;
        let open = ["[ ", "[x", "[todo"].iter().any(|it| before.ends_with(it));
        open.then(|| without_order(title.trim()))
    });
    titles.collect()
}

#[test]
fn what_people_write_comes_in_as_it_stands() {
    for shape in shapes().into_iter().filter(|shape| !shape.is_odd) {
        let path = shape.path;
        let text = shape.text.replace('\r', "\n");
        let ticked = text.replace("[ ]", "[x]").replace("[todo]", "[x]");
        let ticked = ticked.replace("[~]", "[x]").replace("[-]", "[x]");
        for (text, finished) in [(&*text, false), (&*ticked, true)] {
            let plan = shape.read(text);
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
                // Without its id, and with the lines that follow.
                let rest = letters(title.split_once(' ').map_or("", |(_, rest)| rest));
                let is_said = |it: &String| {
                    let has_rest = !rest.is_empty() && it.starts_with(&rest);
                    !it.is_empty() && (it.starts_with(&wanted) || wanted.ends_with(it) || has_rest)
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
}
