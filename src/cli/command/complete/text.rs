//! Audits as people read them, in full.

use std::collections::BTreeSet;

use crate::domain::goal::signed::Signature;
use crate::domain::passed_on::host;
use crate::domain::verdict::Verdict;
use crate::ops::audits::Audit;
use crate::render::acted::acted;
use crate::render::audit::{AuditRow, reason, unreported};
use crate::render::changes::{counted, listed};
use crate::render::columns::{fit, within};
use crate::render::proof::{completion, seals};
use crate::render::text::{clean, command_line, count, cut, one_line};

/// A report is shown up to so many bytes; `--json` has all of it.
const REPORT: usize = 2_000;

/// Most changed files that are listed of an audit.
const FILES: usize = 5;

/// Widest title, in columns.
const TITLE: usize = 100;

/// Columns before a value.
const VALUE: usize = 12;

/// Every audit in full, in lines of so many columns, where that is known; of several goals with the title of
/// each.
pub fn in_full(audits: &[Audit], columns: Option<usize>) -> String {
    let goals: BTreeSet<_> = audits.iter().map(|it| &it.goal_id).collect();
    let columns = columns.unwrap_or(usize::MAX);
    let blocks = audits.iter();
    let blocks: Vec<String> = blocks
        .map(|it| block(it, goals.len() > 1, columns))
        .collect();
    blocks.join("\n")
}

/// An audit as a row of a table.
pub fn row(audit: &Audit) -> AuditRow {
    let (result, started) = (audit.result.as_ref(), audit.started.as_ref());
    AuditRow {
        goal_id: audit.goal_id.clone(),
        title: audit.title.clone(),
        line: audit.line,
        at: audit.at.clone(),
        verdict: result.map(|it| it.verdict),
        cause: result.and_then(|it| it.cause.clone()),
        millis: result.and_then(|it| it.duration_ms),
        auditor: started
            .and_then(|it| it.command.clone())
            .unwrap_or_default(),
        report: result.map_or_else(String::new, |it| it.report.clone()),
    }
}

fn block(audit: &Audit, is_titled: bool, columns: usize) -> String {
    let (id, number) = (&audit.goal_id, audit.line);
    let whose = if audit.ours { "" } else { ", by another tool" };
    let mut text = String::new();
    if is_titled {
        text = format!("{}\n", fit(&audit.title, columns.min(TITLE)));
    }
    let head = format!("Goal {id}, line {number}, {}{whose}", one_line(&audit.at));
    text += &within(&head, columns);
    let mut row = |name: &str, value: &str| {
        let value = within(&one_line(value), columns.saturating_sub(VALUE));
        for (at, line) in value.lines().enumerate() {
            let name = if at == 0 { name } else { "" };
            text += &format!("  {name:<9} {line}\n");
        }
    };
    if let Some(request) = &audit.request {
        row("claim", request.summary.as_deref().unwrap_or("none"));
        for evidence in request.evidence.iter().flatten() {
            row("evidence", evidence);
        }
        if let (Some(by), Some(_)) = (audit.by, host(audit.by, audit.via.as_deref())) {
            row("by", &format!("the {}", acted(by, audit.via.as_deref())));
        }
    }
    match &audit.started {
        None => row("auditor", "was not started"),
        Some(started) => {
            let command = started.command.as_deref().unwrap_or_default();
            let source = started.config_source.as_deref().unwrap_or("not recorded");
            row("auditor", &format!("{} ({source})", command_line(command)));
        }
    }
    let tree = audit.started.as_ref().filter(|_| audit.elsewhere);
    if let Some(path) = tree.and_then(|started| started.tree_path.as_deref()) {
        row("tree", &format!("{path}, which is not this work tree"));
    }
    for changed in &audit.changed {
        let (path, since) = (&changed.path, changed.since);
        let said = format!("{path} changed after the audit at line {since}");
        row("changed", &said);
    }
    let changes = audit.started.as_ref().filter(|_| audit.ours);
    match changes.map(|started| started.changes.as_ref()) {
        None => {}
        Some(None) => row(
            "files",
            "not compared with the state when the contract was confirmed",
        ),
        Some(Some(changes)) => {
            row("files", &counted(changes));
            for file in listed(changes, FILES) {
                row("", &file);
            }
        }
    }
    row("verdict", &verdict(audit));
    row("seals", &seals(&audit.proof));
    if audit.signature.is_some_and(|it| it != Signature::Valid) {
        row("signed", &completion(&audit.proof, false, None));
    } else if let Some(signer) = &audit.signer {
        row("signed", &format!("by {signer}"));
    }
    let report = audit
        .result
        .as_ref()
        .map_or("", |result| result.report.trim());
    if !report.is_empty() {
        row("report", &count(report.lines().count() as u64, "line"));
        for line in cut(&clean(report), REPORT).lines() {
            text += &within(&format!("    {line}"), columns);
        }
    }
    text
}

fn verdict(audit: &Audit) -> String {
    let Some(result) = &audit.result else {
        return "none yet".to_owned();
    };
    let took = match result.duration_ms {
        Some(millis) => format!(" after {}.{} s", millis / 1000, millis % 1000 / 100),
        None => String::new(),
    };
    let report = unreported(result.verdict, &result.report);
    let ended = if audit.completed {
        "; it completed the goal"
    } else {
        ""
    };
    let why = reason(audit.ours, result.verdict, result.cause.as_ref());
    let name = match result.verdict {
        Verdict::Approved if !audit.proof.is_proven() => "an unproven approval",
        Verdict::Approved => "approved",
        Verdict::Disapproved => "disapproved",
        Verdict::Error => "no verdict",
    };
    format!("{name}{report}{took}: {why}{ended}")
}
