//! What was done to a goal by writers that did not know of each other: what each of them had before
//! it. Kept until a line has seen all of it; a ledger that is one chain has none.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::causal::ancestry::{Ancestry, LineInGraph, LineMark, Reach};
use crate::domain::causal::tips::Tips;
use crate::domain::cost::budget::Limits;
use crate::domain::goal::chain::Chain;
use crate::domain::goal::contest::{Choice, Contest, ContestAct};
use crate::domain::goal::contract::Contract;
use crate::domain::goal::status::Status;
use crate::domain::goal::status_acts::{StatusAct, StatusAndPause, Statuses};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;

/// A goal's latest lines, of which not each had seen all before it, in the order of replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ConcurrentActs {
    /// How many joins stand before them ([`LineInGraph::joined`]).
    joined: u32,
    /// What all of their writers had before them.
    contract: Contract,
    revision: Vec<LineRef>,
    chain: Chain,
    contest: Option<Contest>,
    /// What the contract became.
    contracts: Vec<(LineMark, Contract)>,
    /// The statuses that the open goal got, and apart from them those by which it ended.
    statuses: Statuses,
    ends: Vec<(LineMark, Status)>,
    /// Lines that moved the revision.
    moves: Vec<LineMark>,
    /// How far the gate's chain had come.
    chains: Vec<(LineMark, Chain)>,
    /// Acts that others may not go together with.
    acts: Vec<(LineMark, Arc<Choice>)>,
    /// By lane, where those are of which a later one stands for the earlier ones.
    lanes: BTreeMap<u32, Vec<usize>>,
    /// Where those are that say which tasks there are: for these no later one stands.
    of_tasks: Vec<usize>,
    /// One of them completed the goal.
    is_completed: bool,
    /// Lines by which the user settled what they had seen.
    settled: Vec<LineMark>,
    /// The budgets that no other one of them has seen.
    budgets: Tips<Limits>,
}

impl ConcurrentActs {
    /// What all writers had before they parted; `revision` is the frontier of it.
    pub(super) fn of(
        in_graph: &LineInGraph<'_>,
        contract: Contract,
        status_and_pause: StatusAndPause,
        revision: Vec<LineRef>,
        chain: Chain,
        contest: Option<Contest>,
    ) -> ConcurrentActs {
        ConcurrentActs {
            joined: in_graph.joined(),
            contract,
            revision,
            chain,
            contest,
            contracts: Vec::new(),
            statuses: Statuses::after(status_and_pause),
            ends: Vec::new(),
            moves: Vec::new(),
            chains: Vec::new(),
            acts: Vec::new(),
            lanes: BTreeMap::new(),
            of_tasks: Vec::new(),
            is_completed: false,
            settled: Vec::new(),
            budgets: Tips::default(),
        }
    }

    /// Whether this line and all behind it have seen all that is here.
    pub(super) fn is_known(&self, in_graph: &LineInGraph<'_>) -> bool {
        in_graph.is_linear() || in_graph.joined() > self.joined
    }

    /// Finds out what the writer of this line had seen, before anything is asked about it.
    pub(super) fn look_from(&mut self, in_graph: &LineInGraph<'_>) {
        self.statuses.look_from(in_graph);
    }

    /// The contract as the writer of this line saw it.
    pub(super) fn contract(&self, in_graph: &LineInGraph<'_>) -> &Contract {
        seen(&self.contracts, in_graph).unwrap_or(&self.contract)
    }

    /// How far the gate's chain had come for the writer of this line.
    pub(super) fn chain(&self, in_graph: &LineInGraph<'_>) -> &Chain {
        seen(&self.chains, in_graph).unwrap_or(&self.chain)
    }

    /// The frontier that the writer of this line saw.
    pub(super) fn frontier(&self, in_graph: &LineInGraph<'_>) -> Vec<LineRef> {
        let seen = self.moves.iter().filter(|it| in_graph.saw(**it));
        self.tips(in_graph.ancestry(), seen.copied().collect())
    }

    /// The lines that moved the revision and that no later one of them has seen.
    pub(super) fn all_tips(&self, ancestry: Option<&Ancestry>) -> Vec<LineRef> {
        self.tips(ancestry, self.moves.clone())
    }

    fn tips(&self, ancestry: Option<&Ancestry>, moves: Vec<LineMark>) -> Vec<LineRef> {
        let (Some(ancestry), false) = (ancestry, moves.is_empty()) else {
            return self.revision.clone();
        };
        let (mut reach, mut tips) = (Reach::of(ancestry), Vec::new());
        for mark in moves.into_iter().rev() {
            if !reach.has(mark) {
                tips.push(mark.line);
                reach.add(mark);
            }
        }
        tips.reverse();
        tips
    }

    /// How the goal stood for the writer of this line.
    pub(super) fn status_and_pause(&self, in_graph: &LineInGraph<'_>) -> StatusAndPause {
        // Only an end can be in doubt.
        let ended = self.ends.iter().any(|(mark, _)| in_graph.saw(*mark));
        let contest = ended.then(|| self.contest(in_graph)).flatten();
        let saw = |mark| in_graph.saw(mark);
        match self.end(in_graph.ancestry(), saw, contest.as_ref()) {
            Some((status, _)) => StatusAndPause::of(status),
            None => self.statuses.seen(in_graph).clone(),
        }
    }

    /// How the goal stands by all lines so far, and the act that ended it.
    pub(super) fn overall(&self, ancestry: Option<&Ancestry>) -> (StatusAndPause, Option<&Choice>) {
        // Only a completion can be in doubt.
        let contest = match self.has_completion() {
            true => self.whole_contest(ancestry),
            false => None,
        };
        let Some((status, end)) = self.end(ancestry, |_| true, contest.as_ref()) else {
            return (self.statuses.overall().clone(), None);
        };
        let end = self.acts.iter().rfind(|(it, _)| it.line == end);
        (StatusAndPause::of(status), end.map(|(_, it)| &**it))
    }

    /// Of each limit the smallest of the budgets that had not seen each other; nothing where none was
    /// set.
    pub(super) fn limits(&self) -> Option<Limits> {
        self.budgets.all().cloned().reduce(Limits::smaller)
    }

    /// The first end in the order stands, unless it is a completion that is in doubt. Ends that the user
    /// has settled do not count. Nothing where there is none.
    fn end(
        &self,
        ancestry: Option<&Ancestry>,
        counts: impl Fn(LineMark) -> bool,
        contest: Option<&Contest>,
    ) -> Option<(Status, LineRef)> {
        let is_settled = |mark: LineMark| {
            let mut settled = self.settled.iter().filter(|it| counts(**it));
            settled.any(|it| {
                let in_graph = LineInGraph::of(it.line, ancestry);
                it.line != mark.line && in_graph.saw(mark)
            })
        };
        let is_seen = |line| ancestry.is_none_or(|ancestry| counts(ancestry.mark(line)));
        let in_doubt = |line: LineRef| contest.is_some_and(|it| it.doubts(line, is_seen));
        let ends = self.ends.iter();
        let mut ends = ends.filter(|(mark, _)| counts(*mark) && !is_settled(*mark));
        let first = ends.next()?;
        let mut all = std::iter::once(first).chain(ends);
        Some(match all.find(|(mark, _)| !in_doubt(mark.line)) {
            Some((mark, status)) => (*status, mark.line),
            None => (Status::Blocked, first.0.line),
        })
    }

    /// What does not go together of all that the writer of this line had seen.
    pub(super) fn contest(&self, in_graph: &LineInGraph<'_>) -> Option<Contest> {
        self.contest_of(in_graph.ancestry(), |mark| in_graph.saw(mark))
    }

    /// What does not go together of all lines so far.
    pub(super) fn whole_contest(&self, ancestry: Option<&Ancestry>) -> Option<Contest> {
        self.contest_of(ancestry, |_| true)
    }

    /// Of the acts that count: those that no later one of their branch stands for, and that the user has
    /// not settled, where they do not go together.
    fn contest_of(
        &self,
        ancestry: Option<&Ancestry>,
        counts: impl Fn(LineMark) -> bool,
    ) -> Option<Contest> {
        let ancestry = ancestry?;
        let counts_at = |at: &usize| counts(self.acts[*at].0);
        // Whoever has seen a line of a lane has seen those before it there.
        let latest = self.lanes.values().filter_map(|places| {
            let seen = places.partition_point(counts_at);
            places.get(seen.checked_sub(1)?).copied()
        });
        let mut places: Vec<usize> = latest.collect();
        if self.has_completion() {
            places.extend(self.of_tasks.iter().copied().filter(counts_at));
        }
        places.sort_unstable();
        let before = self.contest.iter().flat_map(|it| &it.choices);
        let before = before.map(|it| (ancestry.mark(it.line), it));
        let acts = places.into_iter().map(|at| &self.acts[at]);
        let acts = before.chain(acts.map(|(mark, act)| (*mark, act)));
        let acts: Vec<_> = acts.collect();
        let settled = self.settled.iter().rev().filter(|it| counts(**it));
        let mut settled = settled.copied().peekable();
        let (mut by_user, mut by_later) = (Reach::of(ancestry), Reach::of(ancestry));
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

    pub(super) fn put_contract(&mut self, mark: LineMark, contract: Contract) {
        self.contracts.push((mark, contract));
    }

    pub(super) fn put_status(
        &mut self,
        in_graph: &LineInGraph<'_>,
        status_and_pause: StatusAndPause,
        act: StatusAct,
    ) {
        match status_and_pause.status.is_open() {
            true => self.statuses.put(in_graph, status_and_pause, act),
            false => self.ends.push((in_graph.mark(), status_and_pause.status)),
        }
    }

    pub(super) fn put_limits(&mut self, in_graph: &LineInGraph<'_>, limits: Limits) {
        self.budgets.add(in_graph, limits);
    }

    pub(super) fn put_move(&mut self, mark: LineMark) {
        if self.moves.last() != Some(&mark) {
            self.moves.push(mark);
        }
    }

    pub(super) fn put_chain(&mut self, mark: LineMark, chain: Chain) {
        self.chains.push((mark, chain));
    }

    pub(super) fn put_settled(&mut self, mark: LineMark) {
        self.settled.push(mark);
    }

    pub(super) fn put_act(&mut self, in_graph: &LineInGraph<'_>, act: Arc<Choice>) {
        let at = self.acts.len();
        match act.act {
            ContestAct::Tasks => self.of_tasks.push(at),
            _ => self.lanes.entry(in_graph.lane()).or_default().push(at),
        }
        self.is_completed |= act.act == ContestAct::Completion;
        self.acts.push((in_graph.mark(), act));
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
fn seen<'b, T>(of_lines: &'b [(LineMark, T)], in_graph: &LineInGraph<'_>) -> Option<&'b T> {
    let mut latest = of_lines.iter().rev();
    latest
        .find(|(mark, _)| in_graph.saw(*mark))
        .map(|(_, it)| it)
}
