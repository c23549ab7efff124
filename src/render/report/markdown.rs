//! A report as Markdown, for a pull request or a chat. What people and agents wrote is escaped: it
//! makes no heading, link, image or mark-up.

use crate::domain::report::{GoalReport, Report};
use crate::domain::task::done::TasksDone;
use crate::render::amounts::{lasted, usd};
use crate::render::clock::moment;
use crate::render::list::counts;
use crate::render::marks::{of_goal, of_judgement, of_need};
use crate::render::report::words::{
    about, approval, completed, first_line, is_proven, through, when, window,
};
use crate::render::text::{count, one_line, short};

/// Most bytes of a text in a cell.
const CELL: usize = 200;

/// The report.
pub fn markdown(report: &Report) -> String {
    let mut text = format!(
        "# {}\n\n{}.\n",
        plain(&report.made_of.project),
        window(&report.window)
    );
    text.push_str(&figures(report));
    text.push_str(&needs(report));
    text.push_str(&objections(report));
    text.push_str(&approvals(report));
    text.push_str(&goals(report));
    text.push_str(&costs(report));
    text.push_str(&commits(report));
    text.push_str(&foot(report));
    text
}

fn figures(report: &Report) -> String {
    let it = &report.figures;
    let outside = match it.completed_outside_the_gate {
        0 => String::new(),
        number => format!(", **{number} outside the gate**"),
    };
    let audits = match it.audits {
        0 => "no audits".to_owned(),
        all => format!("{} of {} objected", it.objections, count(all, "audit")),
    };
    let through = through(it).map(|said| format!("- {}\n", plain(&said)));
    let through = through.unwrap_or_default();
    format!(
        "\n- {} completed{outside}; {} given up, {} created\n- {audits}, {} without a verdict\n\
         - {} recorded, {} of it after an objection\n- {}, {}\n{through}- now {}\n",
        it.completed,
        it.given_up,
        it.created,
        it.without_verdict,
        usd(it.cost_usd),
        usd(it.cost_usd_after_objection),
        count(it.runs, "run"),
        count(it.commits, "commit"),
        counts(&it.goals),
    )
}

fn needs(report: &Report) -> String {
    let rows = report.needs.iter().map(|it| {
        let since = it.since.as_deref().map(|at| lasted(at, &report.window.to));
        vec![
            of_need(it.kind).word.to_owned(),
            plain(&about(it, report)),
            plain(it.gist()),
            since.unwrap_or_default(),
        ]
    });
    table("What waits for you", &["what", "about", "why", "for"], rows)
}

fn objections(report: &Report) -> String {
    let rows = report.objections.iter().map(|it| {
        let at: Vec<String> = it.at.iter().map(|at| when(at, report)).collect();
        let stands = it.settled_at.as_deref().map(|at| when(at, report));
        let stands = stands.map_or_else(|| "**open**".to_owned(), |at| format!("settled {at}"));
        vec![
            format!("{}×", it.at.len()),
            plain(it.about()),
            plain(&it.title),
            at.join(", "),
            stands,
        ]
    });
    let heads = ["times", "objection", "goal", "when", "now"];
    table("Objections that came back", &heads, rows)
}

fn approvals(report: &Report) -> String {
    let rows = completed(report).into_iter().map(|goal| {
        let audit = goal.audits.last().filter(|_| is_proven(goal));
        let evidence = audit.map(|it| it.evidence.iter().map(|it| plain(it)));
        let evidence = evidence.map(|it| it.collect::<Vec<_>>().join(", "));
        vec![
            goal.ended_at.as_deref().map(moment).unwrap_or_default(),
            plain(&goal.title),
            plain(&approval(goal)),
            evidence
                .filter(|it| !it.is_empty())
                .unwrap_or_else(|| "none given".to_owned()),
            audit
                .map(|it| plain(&first_line(&it.report)))
                .unwrap_or_default(),
            goal.audits.len().to_string(),
        ]
    });
    let heads = [
        "at",
        "goal",
        "approval",
        "evidence",
        "the auditor's first line",
        "audits",
    ];
    table(
        "Completed: who approved what, on which evidence",
        &heads,
        rows,
    )
}

fn goals(report: &Report) -> String {
    let rows = report.goals.iter().map(|goal| {
        let TasksDone { done, all: tasks } = goal.tasks_done;
        let tasks = if tasks > 0 {
            format!("{done}/{tasks}")
        } else {
            String::new()
        };
        let proof = goal.proof.as_ref();
        let verdicts = goal.audits.iter();
        let verdicts = verdicts.map(|it| of_judgement(it.verdict, proof).word);
        let audits: Vec<&str> = verdicts.collect();
        let score = goal
            .scores
            .last()
            .map(|it| format!("{:.2}", f64::from(it.score)));
        vec![
            of_goal(goal.standing, goal.status).word.to_owned(),
            plain(&goal.title),
            goal.contract
                .owner
                .as_deref()
                .map(plain)
                .unwrap_or_default(),
            tasks,
            score.unwrap_or_default(),
            audits.join(", "),
            usd(goal.usd()),
            took(goal, report),
        ]
    });
    let heads = [
        "status", "goal", "owner", "tasks", "score", "audits", "cost", "took",
    ];
    table("Goals", &heads, rows)
}

/// From its creation to its end, or to now.
fn took(goal: &GoalReport, report: &Report) -> String {
    let end = goal.ended_at.as_ref().unwrap_or(&report.window.to);
    lasted(&goal.created_at, end)
}

fn costs(report: &Report) -> String {
    let rows = report.owners.iter().map(|it| {
        vec![
            it.owner
                .as_deref()
                .map_or_else(|| "nobody".to_owned(), plain),
            usd(it.cost_usd),
            usd(it.cost_usd_after_objection),
            it.completed.to_string(),
            it.objections.to_string(),
        ]
    });
    let heads = [
        "owner",
        "cost",
        "after an objection",
        "completed",
        "objections",
    ];
    table("Cost", &heads, rows)
}

fn commits(report: &Report) -> String {
    let rows = report.commits.iter().map(|it| {
        vec![
            moment(&it.at),
            it.id.chars().take(10).collect(),
            plain(&it.author),
            plain(&it.subject),
            format!("+{} −{}", it.insertions, it.deletions),
        ]
    });
    let heads = ["at", "commit", "author", "subject", "lines"];
    table("Commits", &heads, rows)
}

fn foot(report: &Report) -> String {
    let made_of = &report.made_of;
    let tips: Vec<String> = made_of.tips.iter().map(|it| format!("`{it}`")).collect();
    let left_out = report.left_out;
    let left_out = match left_out.ended_before + left_out.too_many {
        0 => String::new(),
        goals => format!("; {} not told of", count(goals, "goal")),
    };
    let tip = match &tips[..] {
        [] => String::new(),
        tips => format!(", tip {}", tips.join(", ")),
    };
    let (lines, program) = (count(made_of.lines, "line"), &made_of.program);
    format!("\nMade of {lines} of the ledger{tip}{left_out}. goal {program}\n")
}

/// A table below its title; nothing where it has no rows.
fn table(title: &str, heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let rows: String = rows
        .map(|row| format!("| {} |\n", row.join(" | ")))
        .collect();
    if rows.is_empty() {
        return rows;
    }
    let lines = "| --- ".repeat(heads.len());
    format!(
        "\n## {title}\n\n| {} |\n{lines}|\n{rows}",
        heads.join(" | ")
    )
}

/// Text that somebody wrote, on one line, which says what it says and nothing else.
fn plain(text: &str) -> String {
    let text = short(&one_line(text), CELL);
    let mut plain = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        match c {
            '&' => plain.push_str("&amp;"),
            '<' => plain.push_str("&lt;"),
            // What would make an address a link, or call somebody.
            ':' if after.starts_with("//") => plain.push_str(":<!-- -->"),
            '.' if plain.to_lowercase().ends_with("www") => plain.push_str("<!-- -->."),
            '@' => plain.push_str("@<!-- -->"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '#' | '|' | '!' | '~' | '>' | '$' => {
                plain.extend(['\\', c]);
            }
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_make_no_markup() {
        let hostile = "# <img src=x>\n| [a](https://evil) `x` @ann www.evil \u{202e}";
        assert_eq!(
            plain(hostile),
            "\\# &lt;img src=x\\> \\| \\[a\\](https:<!-- -->//evil) \\`x\\` @<!-- -->ann \
             www<!-- -->.evil \u{fffd}"
        );
    }
}
