//! Findings as they are collected, and those about state that need the ids of lines, which replay never
//! computes.
//!
//! Of each kind the first hundred are kept and the others counted,
//! so that a file of nothing but blank lines takes no more room than a good one.

use std::collections::BTreeMap;
use std::ops::Deref;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::goal::chain::Audited;
use crate::domain::goal::state::{Goal, Status};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::state::State;

/// The completions outside the gate, in order of the ledger: an error in a line of ours,
/// information in others' (docs/ledger-format.md#reading). `id` reads the id of a line.
pub fn unaudited<E>(
    state: &State,
    id: impl Fn(LineRef) -> Result<EventId, E>,
) -> Result<Vec<Diagnostic>, E> {
    let mut found = Vec::new();
    for goal in state.goals.in_turn(|status| status == Status::Complete) {
        if let (Some(Audited::None), Some(completion)) = (goal.audited(&id)?, &goal.completion) {
            found.push((
                completion.line,
                unaudited_completion(&goal, completion.ours),
            ));
        }
    }
    found.sort_by_key(|(line, _)| *line);
    let placed = found
        .into_iter()
        .map(|(line, finding)| finding.at(line.number, line.offset));
    Ok(placed.collect())
}

/// That agents' hosts passed on acts of the user, where they did: one remark, whatever their number.
pub fn through_hosts(state: &State) -> Option<Diagnostic> {
    let passed_on = &state.passed_on;
    (!passed_on.is_empty()).then(|| {
        let which = passed_on.said();
        let what = match passed_on.lines() {
            1 => "1 line in which the user acts".to_owned(),
            many => format!("{many} lines in which the user acts"),
        };
        Diagnostic::new(
            Code::UserActViaAgent,
            format!("{what} came through an agent's host: {which}"),
            "`goal log --by user` names the host beside each; see whether they are yours",
        )
    })
}

fn unaudited_completion(goal: &Goal, ours: bool) -> Diagnostic {
    let severity = if ours {
        Severity::Error
    } else {
        Severity::Information
    };
    Diagnostic::new(
        Code::UnauditedCompletion,
        format!(
            "goal {} is complete, but no audit of its last revision approved that",
            goal.id
        ),
        "history stands; if the work is in doubt, set a new goal that checks it",
    )
    .weighing(severity)
}

/// Of one kind so many are listed.
pub const LISTED: u64 = 100;

/// Findings, in the order in which they were made or sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Findings {
    listed: Vec<Diagnostic>,
    /// How many there are of each kind, listed or not; kinds in order of their first finding.
    kinds: Vec<CountedFindings>,
    /// Listed however many of its kind there are.
    #[serde(skip)]
    sought: Option<(Code, u64)>,
}

/// How many findings there are of one code and weight.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NotListed")]
#[schemars(
    description = "Findings of one kind that are counted and not listed: of each kind the first hundred are."
)]
pub struct CountedFindings {
    pub code: Code,
    pub severity: Severity,
    pub count: u64,
}

impl Findings {
    /// None yet. One with this code at this line will be listed in any case.
    pub fn seeking(code: Code, line: u64) -> Findings {
        Findings {
            sought: Some((code, line)),
            ..Findings::default()
        }
    }

    /// Adds a finding.
    pub fn push(&mut self, finding: Diagnostic) {
        let kind = self.kind(finding.code, finding.severity);
        kind.count += 1;
        let is_listed = kind.count <= LISTED;
        let place = finding.line.map(|line| (finding.code, line));
        if is_listed || place.is_some() && place == self.sought {
            self.listed.push(finding);
        }
    }

    /// Adds findings of one kind: the first of them, and how many there are in all.
    pub fn extend_counted(&mut self, first: impl IntoIterator<Item = Diagnostic>, count: u64) {
        let mut left = count;
        let mut kind = None;
        for finding in first {
            left = left.saturating_sub(1);
            kind = Some((finding.code, finding.severity));
            self.push(finding);
        }
        if let Some((code, severity)) = kind {
            self.kind(code, severity).count += left;
        }
    }

    /// How many findings there are, those that are not listed among them.
    pub fn all(&self) -> u64 {
        self.kinds.iter().map(|kind| kind.count).sum()
    }

    /// What is counted and not listed.
    pub fn not_listed(&self) -> Vec<CountedFindings> {
        let rest = self.kinds.iter().map(|kind| CountedFindings {
            count: kind.count - kind.among(&self.listed),
            ..kind.clone()
        });
        rest.filter(|kind| kind.count > 0).collect()
    }

    /// The findings that stand at lines of the ledger. A kind stands there or nowhere.
    pub fn on_lines(&self) -> Findings {
        let mut found = self.clone();
        found.listed.retain(|finding| finding.line.is_some());
        let Findings { listed, kinds, .. } = &mut found;
        kinds.retain(|kind| kind.among(listed) > 0);
        found
    }

    /// The findings without those that are settled, and how many those are. Of a code `so_many` are
    /// settled in all: where more than the listed ones are, those are among the ones only counted.
    pub fn without<E>(
        mut self,
        is_settled: impl Fn(&Diagnostic) -> Result<bool, E>,
        so_many: impl Fn(Code) -> u64,
    ) -> Result<(Findings, u64), E> {
        let before = self.all();
        let mut listed = Vec::with_capacity(self.listed.len());
        let counted = self.not_listed();
        for finding in std::mem::take(&mut self.listed) {
            match is_settled(&finding)? {
                true => self.kind(finding.code, finding.severity).count -= 1,
                false => listed.push(finding),
            }
        }
        for kind in counted {
            let taken = LISTED - kind.among(&listed);
            let more = so_many(kind.code).saturating_sub(taken).min(kind.count);
            self.kind(kind.code, kind.severity).count -= more;
        }
        self.listed = listed;
        let left = self.all();
        Ok((self, before - left))
    }

    /// Says of those that are settled that nothing is left to do about them. How many those are.
    pub fn tell_settled<E>(
        &mut self,
        is_settled: impl Fn(&Diagnostic) -> Result<bool, E>,
    ) -> Result<u64, E> {
        let mut settled = 0;
        for finding in &mut self.listed {
            if is_settled(finding)? {
                "nothing: you have settled it, and only `--strict` still lists it"
                    .clone_into(&mut finding.hint);
                settled += 1;
            }
        }
        Ok(settled)
    }

    /// Lets `weigh` change how much listed findings weigh.
    pub fn weigh_anew<E>(
        &mut self,
        weigh: impl Fn(&mut Diagnostic) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut listed = std::mem::take(&mut self.listed);
        for finding in &mut listed {
            let before = finding.severity;
            weigh(finding)?;
            if finding.severity != before {
                self.kind(finding.code, before).count -= 1;
                self.kind(finding.code, finding.severity).count += 1;
            }
        }
        self.listed = listed;
        Ok(())
    }

    /// Puts the listed ones in another order; equal ones stay as they are.
    pub fn sort_by_key<K: Ord>(&mut self, key: impl Fn(&Diagnostic) -> K) {
        self.listed.sort_by_key(key);
    }

    /// Puts them in the order of their lines in the file, and the kinds in that of their first ones.
    pub(in crate::domain) fn put_in_file_order(&mut self) {
        self.listed.sort_by_key(|finding| finding.line);
        let listed = &self.listed;
        self.kinds.sort_by_key(|kind| {
            let is_of = |it: &Diagnostic| (it.code, it.severity) == (kind.code, kind.severity);
            listed.iter().position(is_of)
        });
    }

    /// The listed findings, and how many there are besides.
    pub fn into_parts(self) -> (Vec<Diagnostic>, Vec<CountedFindings>) {
        let rest = self.not_listed();
        (self.listed, rest)
    }

    fn kind(&mut self, code: Code, severity: Severity) -> &mut CountedFindings {
        let is_it = |it: &CountedFindings| it.code == code && it.severity == severity;
        let at = self.kinds.iter().position(is_it);
        let at = at.unwrap_or_else(|| {
            let count = 0;
            self.kinds.push(CountedFindings {
                code,
                severity,
                count,
            });
            self.kinds.len() - 1
        });
        &mut self.kinds[at]
    }
}

impl CountedFindings {
    fn is_of(&self, finding: &Diagnostic) -> bool {
        finding.code == self.code && finding.severity == self.severity
    }

    /// How many of these findings are of this kind.
    fn among(&self, findings: &[Diagnostic]) -> u64 {
        findings.iter().filter(|it| self.is_of(it)).count() as u64
    }
}

impl Extend<Diagnostic> for Findings {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, findings: I) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}

impl FromIterator<Diagnostic> for Findings {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(findings: I) -> Findings {
        let mut found = Findings::default();
        found.extend(findings);
        found
    }
}

/// The listed ones.
impl Deref for Findings {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.listed
    }
}

/// How many findings of each weight there are, listed or not.
pub fn by_severity(listed: &[Diagnostic], rest: &[CountedFindings]) -> BTreeMap<Severity, u64> {
    let mut counts = BTreeMap::new();
    for finding in listed {
        *counts.entry(finding.severity).or_default() += 1;
    }
    for kind in rest {
        *counts.entry(kind.severity).or_default() += kind.count;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::unaudited;
    use crate::domain::diagnostic::Severity;
    use crate::domain::testing::Ledger;

    #[test]
    fn the_weight_depends_on_whose_line_completes() {
        let ledger = Ledger::default()
            .theirs(r#"{"type":"goal_created","goalId":"a","objective":"o","sisyphus":false,"autoContinue":true,"at":"t"}"#)
            .theirs(r#"{"type":"goal_created","goalId":"b","objective":"o","sisyphus":false,"autoContinue":true,"at":"t"}"#)
            .theirs(r#"{"type":"goal_completed","goalId":"b","at":"t"}"#)
            .ours(r#"{"type":"goal_completed","goalId":"a","at":"t"}"#);
        let (state, _) = ledger.replay();
        let found = unaudited(&state, |line| Ok::<_, ()>(ledger.id(line))).unwrap();
        let places: Vec<_> = found.iter().map(|d| (d.line, d.severity)).collect();
        assert_eq!(
            places,
            [(Some(3), Severity::Information), (Some(4), Severity::Error)]
        );
    }
}

#[cfg(test)]
mod found_tests {
    use super::*;

    fn finding(code: Code, line: u64) -> Diagnostic {
        Diagnostic::new(code, "m", "h").at(line, 0)
    }

    #[test]
    fn of_each_kind_a_hundred_are_listed_and_all_are_counted() {
        let mut found = Findings::default();
        for line in 1..=250 {
            found.push(finding(Code::UntidyLine, line));
        }
        found.push(finding(Code::MalformedLine, 251));
        found.push(finding(Code::UntidyLine, 252).weighing(Severity::Error));
        assert_eq!((found.len(), found.all()), (102, 252));
        assert_eq!(found[99].line, Some(100));
        let rest = found.not_listed();
        let CountedFindings {
            code,
            severity,
            count,
        } = rest[0];
        assert_eq!(
            (code, severity, count),
            (Code::UntidyLine, Severity::Information, 150)
        );
        assert_eq!(rest.len(), 1);
        let counts = by_severity(&found, &rest);
        assert_eq!(counts[&Severity::Information], 250);
        assert_eq!(counts[&Severity::Error], 2);
    }

    #[test]
    fn of_findings_that_were_counted_before_the_first_are_enough() {
        let all: Findings = (1..=250)
            .map(|line| finding(Code::BrokenLink, line))
            .collect();
        let mut counted = Findings::default();
        counted.extend_counted(
            (1..=LISTED).map(|line| finding(Code::BrokenLink, line)),
            250,
        );
        counted.extend_counted([], 0);
        assert_eq!(counted, all);
    }

    #[test]
    fn what_is_no_line_of_the_ledger_is_left_out_with_its_count() {
        let mut found: Findings = (1..=160)
            .map(|line| finding(Code::UnknownEvent, line))
            .collect();
        found.push(Diagnostic::new(Code::DocumentStale, "m", "h"));
        assert_eq!((found.all(), found.on_lines().all()), (161, 160));
        assert_eq!(found.on_lines().len() as u64, LISTED);
    }

    #[test]
    fn what_is_settled_is_neither_listed_nor_counted() {
        let found: Findings = (1..=150)
            .map(|line| finding(Code::MalformedLine, line))
            .collect();
        let without = |settled: u64| {
            let is_settled = |it: &Diagnostic| Ok::<_, ()>(it.line <= Some(settled));
            let (left, gone) = found.clone().without(is_settled, |_| settled).unwrap();
            let rest: u64 = left.not_listed().iter().map(|it| it.count).sum();
            (left.len(), rest, left.all(), gone)
        };
        assert_eq!(without(0), (100, 50, 150, 0));
        assert_eq!(without(1), (99, 50, 149, 1));
        assert_eq!(without(120), (0, 30, 30, 120));
        assert_eq!(without(150), (0, 0, 0, 150));
    }
}
