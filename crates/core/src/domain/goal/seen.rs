//! What the writer of a line had before it, and what becomes of acts that had not seen each other. A line
//! that had seen everything finds the goal as it stands.

use std::sync::Arc;

use crate::domain::causal::ancestry::{Ancestry, LineInGraph};
use crate::domain::event::Event;
use crate::domain::event::ledger::{GoalSettled, SettledKind};
use crate::domain::goal::chain::{Chain, Completion};
use crate::domain::goal::concurrent::ConcurrentActs;
use crate::domain::goal::contest::{Choice, Contest, ContestAct, ContestKind};
use crate::domain::goal::contract::Contract;
use crate::domain::goal::state::Goal;
use crate::domain::goal::status::Status;
use crate::domain::goal::status_acts::{StatusAct, StatusAndPause};
use crate::domain::id::EventId;
use crate::domain::line::LineRef;

impl Goal {
    /// Before a line counts: what all have seen by now need not be kept apart any more.
    pub(super) fn come_to(&mut self, in_graph: &LineInGraph<'_>) {
        if self.beside.as_ref().is_some_and(|it| it.is_known(in_graph)) {
            self.forget_branches(in_graph.ancestry());
        }
        if !in_graph.is_linear() && self.beside.is_none() {
            let before = ConcurrentActs::of(
                in_graph,
                self.contract.clone(),
                self.status_and_pause(),
                self.frontier().collect(),
                self.chain.clone(),
                self.contest.as_deref().cloned(),
            );
            self.beside = Some(Box::new(before));
        }
        if let Some(beside) = self.beside_mut(in_graph) {
            beside.look_from(in_graph);
        }
    }

    fn status_and_pause(&self) -> StatusAndPause {
        StatusAndPause {
            status: self.status,
            pause: self.pause.clone(),
        }
    }

    /// After the last line: whatever comes has seen all of it.
    pub(in crate::domain) fn forget_branches(&mut self, ancestry: Option<&Ancestry>) {
        if let Some(beside) = self.beside.take() {
            let tips = beside.all_tips(ancestry).into_iter();
            self.revised_beside = tips.filter(|it| Some(*it) != self.revision).collect();
            self.contest = beside.whole_contest(ancestry).map(Box::new);
            if let Some(limits) = beside.limits() {
                self.cost.limits = limits;
            }
        }
    }

    fn beside(&self, in_graph: &LineInGraph<'_>) -> Option<&ConcurrentActs> {
        self.beside.as_deref().filter(|_| !in_graph.is_linear())
    }

    fn beside_mut(&mut self, in_graph: &LineInGraph<'_>) -> Option<&mut ConcurrentActs> {
        self.beside.as_deref_mut().filter(|_| !in_graph.is_linear())
    }

    pub(super) fn contract_for(&self, in_graph: &LineInGraph<'_>) -> &Contract {
        let beside = self.beside(in_graph);
        beside.map_or(&self.contract, |beside| beside.contract(in_graph))
    }

    pub(super) fn chain_for(&self, in_graph: &LineInGraph<'_>) -> &Chain {
        let beside = self.beside(in_graph);
        beside.map_or(&self.chain, |beside| beside.chain(in_graph))
    }

    /// The status as the writer of this line saw it.
    pub(in crate::domain) fn status_for(&self, in_graph: &LineInGraph<'_>) -> Status {
        let beside = self.beside(in_graph);
        beside.map_or(self.status, |beside| {
            beside.status_and_pause(in_graph).status
        })
    }

    pub(super) fn is_approved_for(&self, in_graph: &LineInGraph<'_>) -> bool {
        self.is_approved() && self.status_for(in_graph) == Status::Complete
    }

    /// A line of the gate, which is judged by what its writer had seen.
    pub(super) fn record_gate_line(&mut self, event: &Event, in_graph: &LineInGraph<'_>) {
        let mut chain = self.chain_for(in_graph).clone();
        let frontier = || match self.beside(in_graph) {
            Some(beside) => beside.frontier(in_graph),
            None => self.frontier().collect(),
        };
        chain.take(event, in_graph.line, frontier);
        self.put_chain(in_graph, chain);
    }

    /// The completion that ends the chain which its writer had seen. One result completes once.
    pub(super) fn complete(&mut self, event: &Event, in_graph: &LineInGraph<'_>) -> Completion {
        let frontier: Vec<LineRef> = match self.beside(in_graph) {
            Some(beside) => beside.frontier(in_graph),
            None => self.frontier().collect(),
        };
        let mut chain = self.chain_for(in_graph).clone();
        let completion = chain.complete(event, in_graph.line, &frontier);
        self.put_chain(in_graph, chain);
        completion
    }

    fn put_chain(&mut self, in_graph: &LineInGraph<'_>, mut chain: Chain) {
        if let Some(beside) = self.beside_mut(in_graph) {
            beside.put_chain(in_graph.mark(), chain.clone());
        }
        // An audit of another branch goes on beside it.
        chain.keep_begun(&self.chain, |line| in_graph.sees(line));
        self.chain = chain;
    }

    /// This line moves the revision.
    pub(super) fn revise(&mut self, in_graph: &LineInGraph<'_>) {
        self.revision = Some(in_graph.line);
        match self.beside_mut(in_graph) {
            Some(beside) => beside.put_move(in_graph.mark()),
            None => self.revised_beside.clear(),
        }
    }

    pub(super) fn set_contract(&mut self, in_graph: &LineInGraph<'_>, contract: Contract) {
        if let Some(beside) = self.beside_mut(in_graph) {
            beside.put_contract(in_graph.mark(), contract.clone());
        }
        self.contract = contract;
    }

    pub(super) fn set_status(
        &mut self,
        in_graph: &LineInGraph<'_>,
        status_and_pause: StatusAndPause,
        act: StatusAct,
    ) {
        if let Some(beside) = self.beside_mut(in_graph) {
            beside.put_status(in_graph, status_and_pause, act);
            self.find_status(in_graph);
            return;
        }
        self.status = status_and_pause.status;
        self.pause = status_and_pause.pause;
    }

    /// After a line that others had not seen: how the goal stands by all of them.
    fn find_status(&mut self, in_graph: &LineInGraph<'_>) {
        if let Some(beside) = self.beside(in_graph) {
            let (status_and_pause, end) = beside.overall(in_graph.ancestry());
            let completion = end.map(|end| end.completion.clone());
            self.status = status_and_pause.status;
            self.pause = status_and_pause.pause;
            if let Some(completion) = completion {
                self.completion = completion;
            }
        }
    }

    /// The user's limits were set, and do not replace those that their writer had not seen.
    pub(super) fn keep_limits(&mut self, in_graph: &LineInGraph<'_>) {
        let limits = self.cost.limits.clone();
        if let Some(beside) = self.beside_mut(in_graph) {
            beside.put_limits(in_graph, limits);
        }
    }

    /// An act that may not go together with those that its writer had not seen.
    pub(super) fn act(
        &mut self,
        act: ContestAct,
        in_graph: &LineInGraph<'_>,
        status: Status,
        completion: Option<Completion>,
    ) {
        if self.beside(in_graph).is_none() {
            return;
        }
        let choice = Arc::new(Choice {
            line: in_graph.line,
            id: in_graph.id().unwrap_or(EventId::ZERO),
            act,
            contract: self.contract_for(in_graph).clone(),
            status,
            completion,
        });
        if let Some(beside) = self.beside_mut(in_graph) {
            beside.put_act(in_graph, choice);
        }
        self.find_status(in_graph);
    }

    /// What does not go together of all that the writer of this line had seen.
    fn contest_for(&self, in_graph: &LineInGraph<'_>) -> Option<Contest> {
        match self.beside(in_graph) {
            Some(beside) => beside.contest(in_graph),
            None => self.contest.as_deref().cloned(),
        }
    }

    /// The status of an act that goes on with the goal, whatever was in doubt then.
    pub(super) fn going_on(&self, in_graph: &LineInGraph<'_>) -> Status {
        let contest = self.contest_for(in_graph);
        match contest.is_some_and(|it| it.kind() == ContestKind::Completion) {
            true => Status::Active,
            false => self.status_for(in_graph),
        }
    }

    /// The user acts on the goal: what they have seen of a contest is settled by that.
    pub(super) fn settle_by_act(&mut self, in_graph: &LineInGraph<'_>) {
        let Some(seen) = self.contest_for(in_graph) else {
            return;
        };
        match self.beside_mut(in_graph) {
            Some(beside) => beside.put_settled(in_graph.mark()),
            None => self.contest = None,
        }
        if seen.kind() == ContestKind::Completion {
            self.completion = None;
            self.ended_at = None;
            self.set_status(
                in_graph,
                StatusAndPause::of(Status::Active),
                StatusAct::GoesOn,
            );
        }
    }

    /// The user chose what holds of what does not go together.
    pub(super) fn settle(&mut self, settled: &GoalSettled, in_graph: &LineInGraph<'_>) {
        let taken = settled.take;
        let Some(taken) = taken.filter(|_| settled.kind == SettledKind::Contest) else {
            return;
        };
        let seen = self.contest_for(in_graph);
        let mut known = seen.iter().flat_map(|it| &it.choices);
        let known = known.find(|it| it.id == taken);
        let known = known.or_else(|| self.beside(in_graph)?.act_of(taken));
        let Some(choice) = known.cloned() else {
            return;
        };
        let ends = seen.is_some_and(|it| it.ends());
        match self.beside_mut(in_graph) {
            Some(beside) => beside.put_settled(in_graph.mark()),
            None => self.contest = None,
        }
        self.revise(in_graph);
        self.set_contract(in_graph, choice.contract.clone());
        self.completion.clone_from(&choice.completion);
        let status = match (ends, &choice.completion) {
            (true, Some(_)) => Status::Complete,
            (true, None) => choice.status,
            (false, _) => self.status_for(in_graph),
        };
        // What was not about the end leaves the status to those that set it.
        if ends {
            let act = StatusAct::of(status, false);
            self.set_status(in_graph, StatusAndPause::of(status), act);
        }
        if status.is_open() {
            self.ended_at = None;
        }
        self.act(choice.act, in_graph, status, choice.completion.clone());
    }
}
