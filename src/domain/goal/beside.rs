//! What was done to a goal by writers that did not know of each other: what each of them had before
//! it. Kept until a line has seen all of it; a ledger that is one chain has none.

use serde::{Deserialize, Serialize};

use crate::domain::causal::Seat;
use crate::domain::goal::chain::Chain;
use crate::domain::goal::contest::{Choice, Contest, ContestAct};
use crate::domain::goal::contract::Contract;
use crate::domain::goal::outline::Outline;
use crate::domain::goal::status::Status;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;

/// A goal's latest lines, of which not each had seen all before it, in the order of replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// What all of their writers had before them.
    contract: Contract,
    status: Status,
    revision: Vec<LineRef>,
    chain: Chain,
    contest: Option<Contest>,
    /// What the contract became.
    contracts: Vec<(LineRef, Contract)>,
    statuses: Vec<(LineRef, Status)>,
    /// Lines that moved the revision.
    moves: Vec<LineRef>,
    /// How far the gate's chain had come.
    chains: Vec<(LineRef, Chain)>,
    /// Acts that others may not go together with.
    acts: Vec<Choice>,
    /// Lines by which the user settled what they had seen.
    settled: Vec<LineRef>,
}

impl Beside {
    pub(super) fn of(goal: &Outline) -> Beside {
        Beside {
            contract: goal.contract.clone(),
            status: goal.status,
            revision: goal.frontier().collect(),
            chain: goal.chain.clone(),
            contest: goal.contest.as_deref().cloned(),
            contracts: Vec::new(),
            statuses: Vec::new(),
            moves: Vec::new(),
            chains: Vec::new(),
            acts: Vec::new(),
            settled: Vec::new(),
        }
    }

    /// The contract as the writer of this line saw it.
    pub(super) fn contract(&self, seat: &Seat<'_>) -> &Contract {
        seen(&self.contracts, seat).unwrap_or(&self.contract)
    }

    /// How far the gate's chain had come for the writer of this line.
    pub(super) fn chain(&self, seat: &Seat<'_>) -> &Chain {
        seen(&self.chains, seat).unwrap_or(&self.chain)
    }

    /// The frontier that the writer of this line saw.
    pub(super) fn frontier(&self, seat: &Seat<'_>) -> Vec<LineRef> {
        let mut frontier: Vec<LineRef> = Vec::new();
        for line in self.moves.iter().rev().filter(|line| seat.sees(**line)) {
            if !frontier.iter().any(|later| seat.has_seen(*later, *line)) {
                frontier.push(*line);
            }
        }
        if frontier.is_empty() {
            return self.revision.clone();
        }
        frontier.reverse();
        frontier
    }

    /// The status as the writer of this line saw it.
    pub(super) fn status(&self, seat: &Seat<'_>, contest: Option<&Contest>) -> Status {
        let choices = contest.map_or(&[][..], |it| &it.choices);
        let choices = choices.iter().filter(|it| seat.sees(it.line)).cloned();
        let contest = Contest {
            choices: choices.collect(),
        };
        self.standing(seat, |line| seat.sees(line), &contest).0
    }

    /// The status that follows from all lines so far, and the act that ended the goal.
    pub(super) fn stands(
        &self,
        seat: &Seat<'_>,
        contest: Option<&Contest>,
    ) -> (Status, Option<&Choice>) {
        let nothing = Contest::default();
        let (status, end) = self.standing(seat, |_| true, contest.unwrap_or(&nothing));
        let end = end.and_then(|end| self.acts.iter().rfind(|it| it.line == end));
        (status, end)
    }

    /// The first end in the order stands, unless it is a completion that is in doubt; where there is
    /// none, the latest status does.
    fn standing(
        &self,
        seat: &Seat<'_>,
        counts: impl Fn(LineRef) -> bool,
        contest: &Contest,
    ) -> (Status, Option<LineRef>) {
        let is_settled = |line: LineRef| {
            let mut settled = self.settled.iter().filter(|it| counts(**it));
            settled.any(|it| *it != line && seat.has_seen(*it, line))
        };
        let statuses = self.statuses.iter();
        let statuses: Vec<_> = statuses
            .filter(|(line, _)| counts(*line) && !is_settled(*line))
            .collect();
        let ends = || statuses.iter().filter(|(_, status)| !status.is_open());
        if let Some((line, end)) = ends().find(|(line, _)| !contest.doubts(*line)) {
            return (*end, Some(*line));
        }
        match (ends().next(), statuses.last()) {
            (Some((line, _)), _) => (Status::Blocked, Some(*line)),
            (None, Some((_, status))) => (*status, None),
            (None, None) => (self.status, None),
        }
    }

    pub(super) fn put_contract(&mut self, line: LineRef, contract: Contract) {
        self.contracts.push((line, contract));
    }

    pub(super) fn put_status(&mut self, line: LineRef, status: Status) {
        self.statuses.push((line, status));
    }

    pub(super) fn put_move(&mut self, line: LineRef) {
        if self.moves.last() != Some(&line) {
            self.moves.push(line);
        }
    }

    pub(super) fn put_chain(&mut self, line: LineRef, chain: Chain) {
        self.chains.push((line, chain));
    }

    pub(super) fn put_settled(&mut self, line: LineRef) {
        self.settled.push(line);
    }

    /// The act of the line with this id.
    pub(super) fn act_of(&self, id: EventId) -> Option<&Choice> {
        let before = self.contest.iter().flat_map(|it| &it.choices);
        self.acts.iter().chain(before).find(|it| it.id == id)
    }

    /// Takes an act, and gives back those that it does not go together with: of several on one branch
    /// only the last.
    pub(super) fn act(&mut self, act: Choice, seat: &Seat<'_>) -> Vec<Choice> {
        let is_old = |it: &Choice| {
            let later = self.acts.iter().filter(|later| later.line > it.line);
            let mut later = later.filter(|later| later.act != ContestAct::Tasks);
            later.any(|later| seat.has_seen(later.line, it.line))
        };
        let unseen = self.acts.iter().filter(|it| !seat.sees(it.line));
        let against = unseen.filter(|it| it.conflicts(&act) && !is_old(it));
        let against = against.cloned().collect();
        self.acts.push(act);
        against
    }
}

/// The latest that the writer of a line had seen.
fn seen<'b, T>(of_lines: &'b [(LineRef, T)], seat: &Seat<'_>) -> Option<&'b T> {
    let mut latest = of_lines.iter().rev();
    latest.find(|(line, _)| seat.sees(*line)).map(|(_, it)| it)
}
