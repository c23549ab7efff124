//! A report as a page: one file that asks for nothing else, runs nothing but its own script, and
//! reads the same without it. Templates place values and escape them; what is computed is computed
//! here.

mod axis;
mod chart;
mod details;
mod hashes;
mod lanes;
mod needs;
mod room;
mod tables;

use minijinja::{AutoEscape, Environment};
use serde::Serialize;

use crate::domain::attention::Standing;
use crate::domain::report::Report;
use crate::render::report::words::{many, moment, usd, window};
use crate::render::text::one_line;

use hashes::{SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH};
use room::Room;

/// The templates, of which the first is the page.
const TEMPLATES: [(&str, &str); 6] = [
    ("report.html", include_str!("../../pages/report.html")),
    ("parts.html", include_str!("../../pages/parts.html")),
    ("needs.html", include_str!("../../pages/needs.html")),
    ("lanes.html", include_str!("../../pages/lanes.html")),
    ("tables.html", include_str!("../../pages/tables.html")),
    ("goal.html", include_str!("../../pages/goal.html")),
];

/// Everything that the templates place.
#[derive(Debug, Serialize)]
struct Page {
    style: &'static str,
    style_hash: &'static str,
    script: &'static str,
    script_hash: &'static str,
    title: String,
    project: String,
    window: String,
    figures: Vec<Figure>,
    #[serde(flatten)]
    needs: needs::Needs,
    #[serde(flatten)]
    lanes: lanes::Lanes,
    #[serde(flatten)]
    tables: tables::Tables,
    details: Vec<details::Goal>,
    made_of: MadeOf,
}

/// A number at the top.
#[derive(Debug, Serialize)]
struct Figure {
    link: &'static str,
    hot: bool,
    number: String,
    what: String,
    but: String,
}

#[derive(Debug, Serialize)]
struct MadeOf {
    program: String,
    lines: String,
    tips: Vec<String>,
    head: Option<String>,
    at: String,
    findings: String,
    left_out: String,
    redacted: &'static str,
}

/// The page.
///
/// # Errors
/// A template is not what it should be.
pub fn page(report: &Report) -> Result<String, minijinja::Error> {
    let mut templates = Environment::empty();
    templates.set_auto_escape_callback(|_| AutoEscape::Html);
    templates.add_filter("length", minijinja::filters::length);
    templates.add_filter("safe", minijinja::filters::safe);
    for (name, text) in TEMPLATES {
        templates.add_template(name, text)?;
    }
    let mut room = Room::new();
    let page = Page {
        style: STYLE,
        style_hash: STYLE_HASH,
        script: SCRIPT,
        script_hash: SCRIPT_HASH,
        title: title(report),
        project: one_line(&report.made_of.project),
        window: window(&report.window),
        figures: figures(report),
        needs: needs::Needs::of(report),
        lanes: lanes::Lanes::of(report),
        tables: tables::Tables::of(report),
        details: report
            .goals
            .iter()
            .map(|goal| details::Goal::of(goal, report, &mut room))
            .collect(),
        made_of: made_of(report),
    };
    templates
        .get_template("report.html")?
        .render(minijinja::value::Serde(page))
}

/// What an element on the page is called that tells of this goal.
fn anchor(id: &str) -> String {
    format!("g-{id}")
}

fn title(report: &Report) -> String {
    let project = one_line(&report.made_of.project);
    let needs = many(report.needs.len() as u64, "decision");
    format!("{project}: {needs}, {} completed", report.figures.completed)
}

fn figures(report: &Report) -> Vec<Figure> {
    let it = &report.figures;
    let figure = |link, number: String, what: String, but: String| Figure {
        link,
        hot: false,
        number,
        what,
        but,
    };
    let outside = match it.completed_outside_the_gate {
        0 => String::new(),
        number => format!("{number} outside the gate"),
    };
    let after = match it.cost_usd_after_objection {
        0.0 => String::new(),
        sum => format!("{} after an objection", usd(sum)),
    };
    let standing = |names: &[Standing]| {
        let fits = report
            .standings
            .iter()
            .filter(|(standing, _)| names.contains(standing));
        fits.map(|(_, number)| number).sum::<u64>()
    };
    let quiet = match standing(&[Standing::Quiet]) {
        0 => String::new(),
        number => format!("{number} quiet"),
    };
    let audits = match it.audits {
        0 => "no audit had a result".to_owned(),
        all => format!("of {} objected", many(all, "audit")),
    };
    let needs = report.needs.len();
    vec![
        Figure {
            hot: needs > 0,
            ..figure(
                "#needs",
                needs.to_string(),
                if needs == 1 { "needs you" } else { "need you" }.into(),
                String::new(),
            )
        },
        figure(
            "#completed",
            it.completed.to_string(),
            "completed".into(),
            outside,
        ),
        figure(
            "#objections",
            it.objections.to_string(),
            audits,
            String::new(),
        ),
        figure(
            "#lanes",
            standing(&[Standing::Live, Standing::Auditing]).to_string(),
            "worked on now".into(),
            quiet,
        ),
        figure("#cost", usd(it.cost_usd), "recorded".into(), after),
        figure(
            "#commits",
            it.commits.to_string(),
            if it.commits == 1 { "commit" } else { "commits" }.into(),
            String::new(),
        ),
    ]
}

fn made_of(report: &Report) -> MadeOf {
    let it = &report.made_of;
    MadeOf {
        program: it.program.clone(),
        lines: many(it.lines, "line"),
        tips: it.tips.iter().map(ToString::to_string).collect(),
        head: it
            .head
            .as_deref()
            .map(|head| one_line(head).chars().take(12).collect()),
        at: moment(&it.at),
        findings: match it.findings {
            0 => "Reading found nothing wrong.".to_owned(),
            found => format!("Reading found {}: see goal doctor.", many(found, "problem")),
        },
        left_out: match report.left_out.ended_before {
            0 => String::new(),
            goals => format!(" {} ended before this time.", many(goals, "goal")),
        },
        redacted: match it.redacted {
            true => " Words of people and agents are left out.",
            false => "",
        },
    }
}

#[cfg(test)]
mod tests;
