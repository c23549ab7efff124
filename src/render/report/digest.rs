//! A report in at most 25 lines for a terminal: what happened, what waits, what came back.

use crate::domain::attention::Need;
use crate::domain::objections::CameBack;
use crate::domain::report::{GoalReport, Report};
use crate::render::amounts::{lasted, usd};
use crate::render::columns::{BAD, BOLD, DIM, fit, padded, styled};
use crate::render::marks::of_need;
use crate::render::report::words::{about, approval, completed, is_proven, through, when, window};
use crate::render::text::count;

/// The most needs, objections that came back and completed goals: with them a digest has 25 lines.
const NEEDS: usize = 5;
const CAME_BACK: usize = 2;
const COMPLETED: usize = 3;
/// Columns of a title, of what waits and why, and of a line.
const TITLE: usize = 20;
const KIND: usize = 12;
const REASON: usize = 28;
const WIDTH: usize = 78;

/// The digest.
pub fn digest(report: &Report) -> String {
    // Its line takes the place of one of the needs.
    let most = NEEDS - usize::from(!report.figures.through.is_empty());
    let made_of = &report.made_of;
    let head = styled(&fit(&made_of.project, TITLE), BOLD);
    let mut lines = vec![
        format!("{head}  {}", styled(&window(&report.window), DIM)),
        String::new(),
    ];
    let needs = report.needs.iter().take(most).map(|it| need(it, report));
    let more = report.needs.len().saturating_sub(most);
    match report.needs.len() {
        0 => lines.push("Nothing waits for you.".to_owned()),
        all => lines.push(styled(&format!("{} for you", waits(all)), BOLD)),
    }
    lines.extend(needs.map(|line| format!("  {line}")));
    if more > 0 {
        lines.push(styled(&format!("  and {more} more: goal inbox"), DIM));
    }
    lines.push(String::new());
    lines.extend(figures(report));
    let came_back = report.objections.iter().take(CAME_BACK);
    let came_back = came_back.map(|it| objection(it, report));
    section(
        &mut lines,
        "Objections that came back",
        came_back.collect(),
        report.objections.len().saturating_sub(CAME_BACK),
    );
    let done = completed(report);
    let some = done.iter().take(COMPLETED).map(|goal| ended(goal, report));
    section(
        &mut lines,
        "Completed",
        some.collect(),
        done.len().saturating_sub(COMPLETED),
    );
    lines.push(String::new());
    lines.push(styled(&foot(report), DIM));
    lines.join("\n") + "\n"
}

/// A title and lines below it; nothing where there are none.
fn section(lines: &mut Vec<String>, title: &str, content: Vec<String>, more: usize) {
    if content.is_empty() {
        return;
    }
    lines.push(String::new());
    let more = match more {
        0 => String::new(),
        more => styled(&format!(", and {more} more"), DIM),
    };
    lines.push(format!("{}{more}", styled(title, BOLD)));
    lines.extend(content.into_iter().map(|line| format!("  {line}")));
}

fn waits(number: usize) -> String {
    match number {
        1 => "1 thing waits".to_owned(),
        many => format!("{many} things wait"),
    }
}

/// What waits, about what, why, and for how long.
fn need(it: &Need, report: &Report) -> String {
    let kind = padded(of_need(it.kind).word, KIND);
    let title = padded(&fit(&about(it, report), TITLE), TITLE);
    let since = it.since.as_deref().map(|at| lasted(at, &report.window.to));
    let reason = padded(&fit(it.gist(), REASON), REASON);
    format!("{kind}  {title}  {reason}  {}", since.unwrap_or_default())
}

fn figures(report: &Report) -> Vec<String> {
    let it = &report.figures;
    let mut done = vec![format!("{} completed", it.completed)];
    if it.completed_outside_the_gate > 0 {
        let outside = format!("{} of them outside the gate", it.completed_outside_the_gate);
        done.push(styled(&outside, BAD));
    }
    if it.given_up > 0 {
        done.push(format!("{} given up", it.given_up));
    }
    done.push(format!("{} created", it.created));
    let mut work = vec![match it.audits {
        0 => "no audits".to_owned(),
        all => format!("{} of {} objected", it.objections, count(all, "audit")),
    }];
    if it.without_verdict > 0 {
        work.push(format!("{} without a verdict", it.without_verdict));
    }
    work.push(count(it.runs, "run"));
    work.push(count(it.commits, "commit"));
    let mut lines = vec![done.join(", "), work.join(", ")];
    if it.cost_usd > 0.0 {
        let after = match it.cost_usd_after_objection {
            0.0 => String::new(),
            after => format!(", {} of it after an objection", usd(after)),
        };
        lines.push(format!("{} recorded{after}", usd(it.cost_usd)));
    }
    lines.extend(through(it).map(|line| fit(&line, WIDTH)));
    let standings = report.standings.iter();
    let standings = standings.map(|(standing, number)| format!("{number} {standing}"));
    let standings: Vec<String> = standings.collect();
    lines.push(match standings.is_empty() {
        true => "no goal is open".to_owned(),
        false => format!("now {}", standings.join(", ")),
    });
    lines
}

fn objection(it: &CameBack, report: &Report) -> String {
    let stands = match &it.settled_at {
        Some(at) => styled(&format!("settled {}", when(at, report)), DIM),
        None => styled("open", BAD),
    };
    let title = padded(&fit(&it.title, TITLE), TITLE);
    format!(
        "{}×  {title}  {}  {stands}",
        it.at.len(),
        fit(it.about(), 32)
    )
}

fn ended(goal: &GoalReport, report: &Report) -> String {
    let at = goal.ended_at.as_deref().map(|at| when(at, report));
    let by = match is_proven(goal) {
        true => approval(goal),
        false => styled(&approval(goal), BAD),
    };
    let again = match goal.objections() {
        0 => String::new(),
        objections => format!(", after {}", count(objections as u64, "objection")),
    };
    format!(
        "{}  {}  {by}{again}",
        at.unwrap_or_default(),
        padded(&fit(&goal.title, TITLE), TITLE)
    )
}

fn foot(report: &Report) -> String {
    let made_of = &report.made_of;
    let tip = made_of.tips.iter().map(ToString::to_string);
    let tips: Vec<String> = tip.map(|tip| tip[..12].to_owned()).collect();
    let tip = match &tips[..] {
        [] => String::new(),
        tips => format!(", tip {}", tips.join(" ")),
    };
    let made = format!("{} of the ledger{tip}", count(made_of.lines, "line"));
    fit(&format!("{made}; page: goal report --html FILE"), WIDTH)
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::render::columns::unstyled;
    use crate::render::report::testing::report;

    #[test]
    fn a_digest_has_at_most_25_lines_of_a_screen_s_width() {
        for goals in [0, 1, 2, 40, 400] {
            let text = unstyled(&digest(&report(goals)));
            assert!(text.lines().count() <= 25, "{text}");
            for line in text.lines() {
                assert!(line.width() <= 80, "{} {line}", line.width());
            }
        }
    }

    #[test]
    fn decisions_stand_first_and_what_does_not_fit_is_counted() {
        let text = unstyled(&digest(&report(14)));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2], "7 things wait for you");
        assert!(
            lines[3].starts_with("  question      Goal 1 </script><"),
            "{text}"
        );
        assert!(lines[3].ends_with("  8 h 00 min"), "{text}");
        // One fewer, since hosts passed something on, which has a line of its own.
        assert_eq!(lines[7], "  and 3 more: goal inbox");
        assert!(
            text.contains("\n3 lines of the user through </script><"),
            "{text}"
        );
        assert!(text.contains("\nnow 7 quiet\n"), "{text}");
        assert!(text.contains("\nCompleted, and 4 more\n"), "{text}");
        assert!(!text.contains('\u{202e}'));
    }
}
