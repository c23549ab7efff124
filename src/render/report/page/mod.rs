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

use minijinja::{AutoEscape, Environment, Value, context};

use crate::domain::attention::Standing;
use crate::domain::report::Report;
use crate::render::amounts::usd;
use crate::render::clock::moment;
use crate::render::report::words::window;
use crate::render::text::{count, one_line};

use hashes::{SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH};
use room::Room;

/// What made a page, as it says near its beginning.
pub const GENERATOR: &str = "goal report";

/// The templates, of which the first is the page.
const TEMPLATES: [(&str, &str); 6] = [
    ("report.html", include_str!("../../pages/report.html")),
    ("parts.html", include_str!("../../pages/parts.html")),
    ("needs.html", include_str!("../../pages/needs.html")),
    ("lanes.html", include_str!("../../pages/lanes.html")),
    ("tables.html", include_str!("../../pages/tables.html")),
    ("goal.html", include_str!("../../pages/goal.html")),
];

/// The page. Each part of it says as a map what its template places.
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
    let details = report.goals.iter();
    let details = details.map(|goal| details::details(goal, report, &mut room));
    let own = context! {
        generator => GENERATOR,
        style => STYLE,
        style_hash => STYLE_HASH,
        script => SCRIPT,
        script_hash => SCRIPT_HASH,
        title => title(report),
        project => one_line(&report.made_of.project),
        window => window(&report.window),
        figures => figures(report),
        details => details.collect::<Vec<_>>(),
        made_of => made_of(report),
    };
    let (needs, lanes) = (needs::needs(report), lanes::lanes(report));
    let page = context! { ..own, ..needs, ..lanes, ..tables::tables(report) };
    templates.get_template("report.html")?.render(page)
}

/// What an element on the page is called that tells of this goal.
fn anchor(id: &str) -> String {
    format!("g-{id}")
}

fn title(report: &Report) -> String {
    let project = one_line(&report.made_of.project);
    let needs = count(report.needs.len() as u64, "decision");
    format!("{project}: {needs}, {} completed", report.figures.completed)
}

/// The numbers at the top.
fn figures(report: &Report) -> Vec<Value> {
    let it = &report.figures;
    let outside = match it.completed_outside_the_gate {
        0 => String::new(),
        number => format!("{number} outside the gate"),
    };
    let after = match it.cost_usd_after_objection {
        0.0 => String::new(),
        sum => format!("{} after an objection", usd(sum)),
    };
    let standing = |names: &[Standing]| {
        let standings = report.standings.iter();
        let fits = standings.filter(|(standing, _)| names.contains(standing));
        fits.map(|(_, number)| number).sum::<u64>()
    };
    let quiet = match standing(&[Standing::Quiet]) {
        0 => String::new(),
        number => format!("{number} quiet"),
    };
    let audits = match it.audits {
        0 => "no audit had a result".to_owned(),
        all => format!("of {} objected", count(all, "audit")),
    };
    let needs = report.needs.len();
    let need = if needs == 1 { "needs you" } else { "need you" };
    let done = it.completed;
    let live = standing(&[Standing::Live, Standing::Auditing]);
    let commits = if it.commits == 1 { "commit" } else { "commits" };
    vec![
        context! { link => "#needs", hot => needs > 0, number => needs, what => need },
        context! { link => "#completed", number => done, what => "completed", but => outside },
        context! { link => "#objections", number => it.objections, what => audits },
        context! { link => "#lanes", number => live, what => "worked on now", but => quiet },
        context! { link => "#cost", number => usd(it.cost_usd), what => "recorded", but => after },
        context! { link => "#commits", number => it.commits, what => commits },
    ]
}

fn made_of(report: &Report) -> Value {
    let it = &report.made_of;
    let head = it.head.as_deref().map(one_line);
    context! {
        program => it.program.clone(),
        lines => count(it.lines, "line"),
        tips => it.tips.iter().map(ToString::to_string).collect::<Vec<_>>(),
        head => head.map(|head| head.chars().take(12).collect::<String>()),
        at => moment(&it.at),
        findings => match it.findings {
            0 => "Reading found nothing wrong.".to_owned(),
            found => format!("Reading found {}: see goal doctor.", count(found, "problem")),
        },
        left_out => match report.left_out.ended_before {
            0 => String::new(),
            goals => format!(" {} ended before this time.", count(goals, "goal")),
        },
        redacted => match it.redacted {
            true => " Words of people and agents are left out.",
            false => "",
        },
    }
}

#[cfg(test)]
mod tests;
