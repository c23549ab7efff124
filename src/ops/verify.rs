//! Verifying: every line read, every link checked, straight from the file
//! (docs/design/ledger.md#verification).

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::findings::{CountedFindings, Findings, through_hosts, unaudited};
use crate::domain::id::EventId;
use crate::domain::seal::KeyId;
use crate::ledger::chain::{BrokenLink, ChainReport, LinePlace, Listed, Reach};
use crate::ops::attested::ApprovalChecker;
use crate::ops::call::Call;
use crate::ops::drop;
use crate::ops::elsewhere::audited_elsewhere;
use crate::ops::evidence::Evidence;
use crate::ops::failure::Failure;
use crate::snapshot::Snapshot;
use crate::transaction::{Latest, stamp_of};
use crate::workspace::gate::{Gate, Signers};

/// What is to be verified beyond the file itself.
#[derive(Debug, Clone, Default)]
pub struct VerifyOptions {
    /// A tip that was kept elsewhere.
    pub tip: Option<EventId>,
    /// Lines without a link, and lines that no link covers or reaches, are findings too.
    pub strict: bool,
    /// Whose signatures count, in place of what the user trusts here.
    pub gate: Option<Gate>,
    /// A tip that was kept elsewhere: what its links reach was there before, and needs no signature.
    pub since: Option<EventId>,
    /// Keys of machines that count in this call, and the names of those machines.
    pub keys: BTreeMap<KeyId, String>,
    /// Every completion must be proven.
    pub proven: bool,
}

/// The outcome of `verify`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    /// Id of the last line of ours: what to keep elsewhere as an anchor.
    pub tip: Option<EventId>,
    /// Lines of the file, blank ones included.
    pub lines: u64,
    /// Lines of ours whose link holds.
    pub linked: u64,
    /// Lines that a later line of ours links to: changing them breaks that link.
    pub covered: u64,
    /// Links that hold but do not name the line right before, as merges and appends of other
    /// programs leave them.
    pub jumps: u64,
    /// With `--tip`, if it is in the history: its line.
    pub anchor_line: Option<u64>,
    /// With `--tip`, if it is in the history: how many lines before it it does not reach.
    pub unreached: Option<u64>,
    /// How many findings the user has settled: they are not among these, but for `strict`, and
    /// then so many of the listed ones.
    pub settled: u64,
    pub findings: Vec<Diagnostic>,
    /// Of each kind the first hundred are listed; so many there are besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_listed: Vec<CountedFindings>,
}

/// Reads the whole ledger and checks it. Uses no cache and writes nothing.
///
/// # Errors
/// The system refuses to read it. What is wrong with its content are findings.
pub fn verify(call: &Call, wanted: VerifyOptions) -> Result<Verified, Failure> {
    let (_, verified) = look(call, wanted, None)?;
    Ok(verified)
}

/// The project, and the finding with this code at this line, whether or not the user has settled
/// it.
pub fn finding_at(
    call: &Call,
    code: Code,
    line: u64,
) -> Result<(Snapshot, Option<Diagnostic>), Failure> {
    let (snapshot, verified) = look(call, VerifyOptions::default(), Some((code, line)))?;
    let mut findings = verified.findings.into_iter();
    let found = findings.find(|it| it.code == code && it.line == Some(line));
    Ok((snapshot, found))
}

/// With `strict`, and for what is `sought`, what the user has settled is among the findings.
fn look(
    call: &Call,
    wanted: VerifyOptions,
    sought: Option<(Code, u64)>,
) -> Result<(Snapshot, Verified), Failure> {
    let paths = &call.workspace.paths;
    let stamp = stamp_of(&call.workspace);
    let snapshot = Snapshot::read(&paths.uncached())?;
    let chain = snapshot.chain()?;
    let report = chain.report();
    let reach = wanted.tip.and_then(|tip| chain.reach(tip));
    let lost = [wanted.tip, wanted.since].into_iter().flatten();
    let lost: BTreeSet<EventId> = lost.filter(|tip| chain.reach(*tip).is_none()).collect();
    let before = wanted.since.map(|since| chain.behind(&[since].into()));

    let mut findings = match sought {
        Some((code, line)) => snapshot.seek(code, line)?,
        None => snapshot.diagnostics.on_lines(),
    };
    findings.extend(unaudited(&snapshot.state, |line| snapshot.id(line))?);
    findings.extend(through_hosts(&snapshot.state));
    findings.extend(audited_elsewhere(&call.workspace, &snapshot)?);
    if let Some((Code::BrokenLink, line)) = sought {
        findings.extend(chain.broken_at(line).as_ref().map(broken_link));
    }
    let evidence = Evidence::of(&call.workspace, &snapshot)?.accepting(&snapshot, &wanted.keys)?;
    evidence.find(&snapshot, &mut findings)?;
    findings.extend(drop::waiting(&snapshot, &evidence.settled(&snapshot)?)?);
    // Whoever names the signers trusts nothing of the project, and so nobody's word that something
    // is settled.
    let trusting = wanted.gate.is_none();
    let list = wanted.gate.as_ref().and_then(|gate| gate.trusted.as_ref());
    findings.extend(list.and_then(|list| changeable(call, list)));
    let gate = wanted.gate.unwrap_or_else(|| Gate::of(&call.workspace));
    let attester = ApprovalChecker::with_gate(evidence, gate);
    if wanted.proven {
        findings.extend(attester.unproven_completions(&snapshot, before.as_ref())?);
    }
    findings.extend(attester.unsigned_completions(&snapshot, before.as_ref())?);
    findings.extend_counted(report.broken.iter().map(broken_link), report.broken.count);
    findings.extend(Latest::of(stamp, &snapshot)?.finding(&call.workspace, &snapshot));
    findings.extend(lost.into_iter().map(|tip| {
        Diagnostic::new(
            Code::TipNotFound,
            format!("the tip {tip} is not in the history"),
            "the ledger was wound back, rewritten or replaced after that tip was kept: look for \
             its earlier version in version control",
        )
    }));
    if wanted.strict {
        strict(&report, reach.as_ref(), &mut findings);
    }
    // What concerns the whole file first, then in the order of its lines.
    findings.sort_by_key(|finding| finding.line);
    let mut settled = 0;
    if trusting && sought.is_none() {
        let by_user = attester.evidence().settled(&snapshot)?;
        if wanted.strict {
            settled = findings.tell_settled(|it| snapshot.is_settled(it, &by_user))?;
        } else {
            (findings, settled) = snapshot.unsettled(findings, &by_user)?;
        }
    }
    let (findings, not_listed) = findings.into_parts();
    let verified = Verified {
        tip: report.tip,
        settled,
        lines: snapshot.extent.lines,
        linked: report.linked,
        covered: report.covered,
        jumps: report.jumps,
        anchor_line: reach.as_ref().map(|reach| reach.place.number),
        unreached: reach.map(|reach| reach.unreached.count),
        findings,
        not_listed,
    };
    Ok((snapshot, verified))
}

/// The finding of a broken link.
pub fn broken_link(broken: &BrokenLink) -> Diagnostic {
    Diagnostic::new(
        Code::BrokenLink,
        format!("links to {}, which is no earlier line", broken.prev),
        "the line before it was changed, removed or moved: compare the ledger file with its last \
         committed version, if goals are committed",
    )
    .at(broken.place.number, broken.place.offset)
}

/// A list of signers that whoever changes the project can change, unless the user trusted it as it is.
fn changeable(call: &Call, list: &Signers) -> Option<Diagnostic> {
    let trusted = Gate::of(&call.workspace).trusted;
    let is_trusted = trusted.is_some_and(|trusted| trusted.text == list.text);
    let open = !is_trusted && list.is_inside(&call.workspace.root.path);
    open.then(|| {
        Diagnostic::new(
            Code::SignersInProject,
            format!(
                "the list of signers `{}` lies in the project: whoever works on the project, an \
                 agent too, can put a key of their own there",
                list.path
            ),
            "keep the list where only people write, or trust it as it is with `goal trust`",
        )
    })
}

fn strict(report: &ChainReport, reach: Option<&Reach>, findings: &mut Findings) {
    let mut each = |code, places: &Listed<LinePlace>, message: &str, hint: &str| {
        let of =
            |place: &LinePlace| Diagnostic::new(code, message, hint).at(place.number, place.offset);
        findings.extend_counted(places.iter().map(of), places.count);
    };
    each(
        Code::UnlinkedLine,
        &report.unlinked,
        "has no link to the line before it: another program wrote it, or it is damaged",
        "nothing to fix in the file; leave `--strict` to projects in which only `goal` writes",
    );
    each(
        Code::UncoveredLine,
        &report.uncovered,
        "no later link covers it: it could be changed unnoticed",
        "compare it with version control; the next command covers only the last line",
    );
    if let Some(reach) = reach {
        each(
            Code::UnreachedLine,
            &reach.unreached,
            "stands before the given tip, whose links do not reach it: it is not proven untouched",
            "compare it with version control",
        );
    }
}
