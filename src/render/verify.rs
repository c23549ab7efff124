//! `goal verify` as people read it.

use crate::domain::diagnostic::Diagnostic;
use crate::domain::found::Kind;
use crate::domain::id::EventId;
use crate::render::findings::{findings, tally};
use crate::render::text::count;

/// What was verified.
#[derive(Debug, Clone, Copy)]
pub struct Figures<'a> {
    pub tip: Option<EventId>,
    pub lines: u64,
    pub covered: u64,
    pub jumps: u64,
    /// With a tip that is in the history: its line, and how many before it it does not reach.
    pub anchor: Option<(u64, u64)>,
    /// How many findings the user has settled, which are among these only for `strict`.
    pub settled: u64,
    pub strict: bool,
    pub findings: &'a [Diagnostic],
    /// How many there are of each kind besides.
    pub not_listed: &'a [Kind],
}

/// The whole report.
pub fn verify(figures: &Figures<'_>) -> String {
    let lines = count(figures.lines, "line");
    let tip = match figures.tip {
        Some(tip) => format!("tip: {tip}\n"),
        None => "tip: none, no line is linked\n".to_owned(),
    };
    let jumps = match figures.jumps {
        0 => String::new(),
        jumps => format!(
            "{} not to the line right before (merges, other programs)\n",
            count(jumps, "link")
        ),
    };
    let anchor = match figures.anchor {
        None => String::new(),
        Some((line, 0)) => {
            format!("the given tip is line {line}; every line before it is proven untouched\n")
        }
        Some((line, unreached)) => format!(
            "the given tip is line {line}; its links do not reach {} before it\n",
            count(unreached, "line")
        ),
    };
    let how = match figures.strict {
        true => "listed all the same for `--strict`",
        false => "not listed: `--strict` shows them",
    };
    let settled = match figures.settled {
        0 => String::new(),
        settled => format!("{} settled by the user, {how}\n", count(settled, "finding")),
    };
    format!(
        "{lines}, {} covered by links: {}\n{tip}{jumps}{anchor}{settled}{}",
        figures.covered,
        tally(figures.findings, figures.not_listed),
        findings(figures.findings, figures.not_listed)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_ledger_reads_in_two_lines() {
        let mut figures = Figures {
            tip: Some(EventId::ZERO),
            lines: 3,
            covered: 2,
            jumps: 0,
            anchor: None,
            settled: 0,
            strict: false,
            findings: &[],
            not_listed: &[],
        };
        let tip = format!("tip: {}\n", EventId::ZERO);
        assert_eq!(
            verify(&figures),
            format!("3 lines, 2 covered by links: no findings\n{tip}")
        );
        figures.jumps = 1;
        figures.anchor = Some((3, 1));
        assert_eq!(
            verify(&figures),
            format!(
                "3 lines, 2 covered by links: no findings\n{tip}1 link not to the line right \
                 before (merges, other programs)\nthe given tip is line 3; its links do not \
                 reach 1 line before it\n"
            )
        );
    }
}
