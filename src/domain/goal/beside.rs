//! What was done to a goal by writers that did not know of each other: what each of them had before
//! it. Kept until a line has seen all of it; a ledger that is one chain has none.

use std::sync::Arc;

use crate::domain::causal::sight::Seat;
use crate::domain::goal::chain::Chain;
use crate::domain::goal::contest::{Choice, Contest};
use crate::domain::goal::contract::Contract;
use crate::domain::goal::status::Status;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;

/// A goal's latest lines, of which not each had seen all before it, in the order of replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// How many joins stand before them ([`Seat::joined`]).
    joined: u32,
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
    /// Acts that others may not go together with, and whether a later one of their branch stands for
    /// them.
    acts: Vec<(Arc<Choice>, bool)>,
    /// Lines by which the user settled what they had seen.
    settled: Vec<LineRef>,
}

impl Beside {
    /// What all writers had before they parted; `revision` is the frontier of it.
    pub(super) fn of(
        seat: &Seat<'_>,
        contract: Contract,
        status: Status,
        revision: Vec<LineRef>,
        chain: Chain,
        contest: Option<Contest>,
    ) -> Beside {
        Beside {
            joined: seat.joined(),
            contract,
            status,
            revision,
            chain,
            contest,
            contracts: Vec::new(),
            statuses: Vec::new(),
            moves: Vec::new(),
            chains: Vec::new(),
            acts: Vec::new(),
            settled: Vec::new(),
        }
    }

    /// Whether this line and all behind it have seen all that is here.
    pub(super) fn is_known(&self, seat: &Seat<'_>) -> bool {
        seat.is_calm() || seat.joined() > self.joined
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
    pub(super) fn status(&self, seat: &Seat<'_>) -> Status {
        let mut ends = self.statuses.iter().filter(|(_, it)| !it.is_open());
        // Only an end can be in doubt.
        let ended = ends.any(|(line, _)| seat.sees(*line));
        let contest = ended.then(|| self.contest(seat)).flatten();
        let sees = |line| seat.sees(line);
        self.standing(seat, sees, contest.as_ref()).0
    }

    /// The status that follows from all lines so far, and the act that ended the goal.
    pub(super) fn stands(
        &self,
        seat: &Seat<'_>,
        contest: Option<&Contest>,
    ) -> (Status, Option<&Choice>) {
        let (status, end) = self.standing(seat, |_| true, contest);
        let end = end.and_then(|end| self.acts.iter().rfind(|(it, _)| it.line == end));
        (status, end.map(|(it, _)| &**it))
    }

    /// The first end in the order stands, unless it is a completion that is in doubt; where there is
    /// none, the latest status does. Ends that the user has settled do not count.
    fn standing(
        &self,
        seat: &Seat<'_>,
        counts: impl Fn(LineRef) -> bool,
        contest: Option<&Contest>,
    ) -> (Status, Option<LineRef>) {
        let is_settled = |line: LineRef| {
            let mut settled = self.settled.iter().filter(|it| counts(**it));
            settled.any(|it| *it != line && seat.has_seen(*it, line))
        };
        let in_doubt = |line: LineRef| contest.is_some_and(|it| it.doubts(line, &counts));
        let statuses = || self.statuses.iter().filter(|(line, _)| counts(*line));
        let mut ends = statuses().filter(|(line, status)| !status.is_open() && !is_settled(*line));
        let Some(first) = ends.next() else {
            let mut open = statuses().rev().filter(|(_, status)| status.is_open());
            return (open.next().map_or(self.status, |(_, status)| *status), None);
        };
        let mut all = std::iter::once(first).chain(ends);
        match all.find(|(line, _)| !in_doubt(*line)) {
            Some((line, status)) => (*status, Some(*line)),
            None => (Status::Blocked, Some(first.0)),
        }
    }

    /// What does not go together of all that the writer of this line had seen.
    pub(super) fn contest(&self, seat: &Seat<'_>) -> Option<Contest> {
        let is_settled = |line: LineRef| {
            let mut settled = self.settled.iter().filter(|it| seat.sees(**it));
            settled.any(|it| *it > line && seat.has_seen(*it, line))
        };
        let before = self.contest.iter().flat_map(|it| &it.choices);
        let acts = self.acts.iter().map(|(act, _)| act);
        let seen = before.chain(acts).filter(|it| seat.sees(it.line));
        let mut live: Vec<&Arc<Choice>> = Vec::new();
        for it in seen.collect::<Vec<_>>().into_iter().rev() {
            let stands_for_it = |later: &&Arc<Choice>| {
                later.act.replaces(it.act) && seat.has_seen(later.line, it.line)
            };
            if !live.iter().any(stands_for_it) && !is_settled(it.line) {
                live.push(it);
            }
        }
        let mut contest = Contest {
            choices: live.into_iter().rev().cloned().collect(),
        };
        contest.drop_what_agrees().then_some(contest)
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
    pub(super) fn act_of(&self, id: EventId) -> Option<&Arc<Choice>> {
        let before = self.contest.iter().flat_map(|it| &it.choices);
        let mut acts = self.acts.iter().map(|(act, _)| act).chain(before);
        acts.find(|it| it.id == id)
    }

    /// Takes an act, and gives back those that it does not go together with: of several on one branch
    /// only those that no later one stands for.
    pub(super) fn act(&mut self, act: Arc<Choice>, seat: &Seat<'_>) -> Vec<Arc<Choice>> {
        let settles = self.settled.last() == Some(&act.line);
        let mut against = Vec::new();
        for (it, is_old) in self.acts.iter_mut().filter(|(_, is_old)| !is_old) {
            if seat.sees(it.line) {
                *is_old = settles || act.act.replaces(it.act);
            } else if it.conflicts(&act) {
                against.push(Arc::clone(it));
            }
        }
        self.acts.push((act, false));
        against
    }
}

/// The latest that the writer of a line had seen.
fn seen<'b, T>(of_lines: &'b [(LineRef, T)], seat: &Seat<'_>) -> Option<&'b T> {
    let mut latest = of_lines.iter().rev();
    latest.find(|(line, _)| seat.sees(*line)).map(|(_, it)| it)
}
