//! What was done to a goal by writers that did not know of each other: what each of them had before
//! it. Kept until a line has seen all of it; a ledger that is one chain has none.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::causal::sight::{Mark, Reach, Seat, Sight};
use crate::domain::goal::chain::Chain;
use crate::domain::goal::contest::{Choice, Contest, ContestAct};
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
    contracts: Vec<(Mark, Contract)>,
    /// The statuses that the open goal got, and apart from them those by which it ended.
    statuses: Vec<(Mark, Status)>,
    ends: Vec<(Mark, Status)>,
    /// Lines that moved the revision.
    moves: Vec<Mark>,
    /// How far the gate's chain had come.
    chains: Vec<(Mark, Chain)>,
    /// Acts that others may not go together with.
    acts: Vec<(Mark, Arc<Choice>)>,
    /// By strand, where those are of which a later one stands for the earlier ones.
    strands: BTreeMap<u32, Vec<usize>>,
    /// Where those are that say which tasks there are: for these no later one stands.
    of_tasks: Vec<usize>,
    /// One of them completed the goal.
    is_completed: bool,
    /// Lines by which the user settled what they had seen.
    settled: Vec<Mark>,
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
            ends: Vec::new(),
            moves: Vec::new(),
            chains: Vec::new(),
            acts: Vec::new(),
            strands: BTreeMap::new(),
            of_tasks: Vec::new(),
            is_completed: false,
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
        let seen = self.moves.iter().filter(|it| seat.saw(**it));
        self.tips(seat.sight(), seen.copied().collect())
    }

    /// The lines that moved the revision and that no later one of them has seen.
    pub(super) fn all_tips(&self, sight: Option<&Sight>) -> Vec<LineRef> {
        self.tips(sight, self.moves.clone())
    }

    fn tips(&self, sight: Option<&Sight>, moves: Vec<Mark>) -> Vec<LineRef> {
        let (Some(sight), false) = (sight, moves.is_empty()) else {
            return self.revision.clone();
        };
        let (mut reach, mut tips) = (Reach::of(sight), Vec::new());
        for mark in moves.into_iter().rev() {
            if !reach.has(mark) {
                tips.push(mark.line);
                reach.add(mark);
            }
        }
        tips.reverse();
        tips
    }

    /// The status as the writer of this line saw it.
    pub(super) fn status(&self, seat: &Seat<'_>) -> Status {
        // Only an end can be in doubt.
        let ended = self.ends.iter().any(|(mark, _)| seat.saw(*mark));
        let contest = ended.then(|| self.contest(seat)).flatten();
        let saw = |mark| seat.saw(mark);
        self.standing(seat.sight(), saw, contest.as_ref()).0
    }

    /// The status that follows from all lines so far, and the act that ended the goal.
    pub(super) fn stands(&self, sight: Option<&Sight>) -> (Status, Option<&Choice>) {
        // Only a completion can be in doubt.
        let contest = match self.has_completion() {
            true => self.whole_contest(sight),
            false => None,
        };
        let (status, end) = self.standing(sight, |_| true, contest.as_ref());
        let end = end.and_then(|end| self.acts.iter().rfind(|(it, _)| it.line == end));
        (status, end.map(|(_, it)| &**it))
    }

    /// The first end in the order stands, unless it is a completion that is in doubt; where there is
    /// none, the latest status does. Ends that the user has settled do not count.
    fn standing(
        &self,
        sight: Option<&Sight>,
        counts: impl Fn(Mark) -> bool,
        contest: Option<&Contest>,
    ) -> (Status, Option<LineRef>) {
        let is_settled = |mark: Mark| {
            let mut settled = self.settled.iter().filter(|it| counts(**it));
            settled.any(|it| {
                let seat = Seat::of(it.line, sight);
                it.line != mark.line && seat.saw(mark)
            })
        };
        let is_seen = |line| sight.is_none_or(|sight| counts(sight.mark(line)));
        let in_doubt = |line: LineRef| contest.is_some_and(|it| it.doubts(line, is_seen));
        let ends = self.ends.iter();
        let mut ends = ends.filter(|(mark, _)| counts(*mark) && !is_settled(*mark));
        let Some(first) = ends.next() else {
            let latest = self.statuses.iter().rfind(|(mark, _)| counts(*mark));
            return (latest.map_or(self.status, |(_, status)| *status), None);
        };
        let mut all = std::iter::once(first).chain(ends);
        match all.find(|(mark, _)| !in_doubt(mark.line)) {
            Some((mark, status)) => (*status, Some(mark.line)),
            None => (Status::Blocked, Some(first.0.line)),
        }
    }

    /// What does not go together of all that the writer of this line had seen.
    pub(super) fn contest(&self, seat: &Seat<'_>) -> Option<Contest> {
        self.contest_of(seat.sight(), |mark| seat.saw(mark))
    }

    /// What does not go together of all lines so far.
    pub(super) fn whole_contest(&self, sight: Option<&Sight>) -> Option<Contest> {
        self.contest_of(sight, |_| true)
    }

    /// Of the acts that count: those that no later one of their branch stands for, and that the user has
    /// not settled, where they do not go together.
    fn contest_of(&self, sight: Option<&Sight>, counts: impl Fn(Mark) -> bool) -> Option<Contest> {
        let sight = sight?;
        let counts_at = |at: &usize| counts(self.acts[*at].0);
        // Whoever has seen a line of a strand has seen those before it there.
        let latest = self.strands.values().filter_map(|places| {
            let seen = places.partition_point(counts_at);
            places.get(seen.checked_sub(1)?).copied()
        });
        let mut places: Vec<usize> = latest.collect();
        if self.has_completion() {
            places.extend(self.of_tasks.iter().copied().filter(counts_at));
        }
        places.sort_unstable();
        let before = self.contest.iter().flat_map(|it| &it.choices);
        let before = before.map(|it| (sight.mark(it.line), it));
        let acts = places.into_iter().map(|at| &self.acts[at]);
        let acts = before.chain(acts.map(|(mark, act)| (*mark, act)));
        let acts: Vec<_> = acts.collect();
        let settled = self.settled.iter().rev().filter(|it| counts(**it));
        let mut settled = settled.copied().peekable();
        let (mut by_user, mut by_later) = (Reach::of(sight), Reach::of(sight));
        let mut live = Vec::new();
        for (mark, act) in acts.into_iter().rev() {
            while let Some(later) = settled.next_if(|it| it.line > mark.line) {
                by_user.add(later);
            }
            // Neither a contract nor a completion says to others which tasks there are.
            let is_replaceable = act.act != ContestAct::Tasks;
            let is_replaced = is_replaceable && by_later.has(mark);
            if !is_replaced && !by_user.has(mark) {
                live.push(Arc::clone(act));
            }
            if is_replaceable {
                by_later.add(mark);
            }
        }
        live.reverse();
        let mut contest = Contest { choices: live };
        contest.drop_what_agrees().then_some(contest)
    }

    pub(super) fn put_contract(&mut self, mark: Mark, contract: Contract) {
        self.contracts.push((mark, contract));
    }

    pub(super) fn put_status(&mut self, mark: Mark, status: Status) {
        match status.is_open() {
            true => self.statuses.push((mark, status)),
            false => self.ends.push((mark, status)),
        }
    }

    pub(super) fn put_move(&mut self, mark: Mark) {
        if self.moves.last() != Some(&mark) {
            self.moves.push(mark);
        }
    }

    pub(super) fn put_chain(&mut self, mark: Mark, chain: Chain) {
        self.chains.push((mark, chain));
    }

    pub(super) fn put_settled(&mut self, mark: Mark) {
        self.settled.push(mark);
    }

    pub(super) fn put_act(&mut self, seat: &Seat<'_>, act: Arc<Choice>) {
        let at = self.acts.len();
        match act.act {
            ContestAct::Tasks => self.of_tasks.push(at),
            _ => self.strands.entry(seat.strand()).or_default().push(at),
        }
        self.is_completed |= act.act == ContestAct::Completion;
        self.acts.push((seat.mark(), act));
    }

    /// Whether one of the acts completed the goal.
    fn has_completion(&self) -> bool {
        let mut before = self.contest.iter().flat_map(|it| &it.choices);
        self.is_completed || before.any(|act| act.act == ContestAct::Completion)
    }

    /// The act of the line with this id.
    pub(super) fn act_of(&self, id: EventId) -> Option<&Arc<Choice>> {
        let before = self.contest.iter().flat_map(|it| &it.choices);
        let mut acts = self.acts.iter().map(|(_, act)| act).chain(before);
        acts.find(|it| it.id == id)
    }
}

/// The latest that the writer of a line had seen.
fn seen<'b, T>(of_lines: &'b [(Mark, T)], seat: &Seat<'_>) -> Option<&'b T> {
    let mut latest = of_lines.iter().rev();
    latest.find(|(mark, _)| seat.saw(*mark)).map(|(_, it)| it)
}
