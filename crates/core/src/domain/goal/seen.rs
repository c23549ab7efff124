//! What the writer of a line had before it, and what becomes of acts that had not seen each other. A line
//! that had seen everything finds the goal as it stands.

use std::sync::Arc;

use crate::domain::causal::sight::{Seat, Sight};
use crate::domain::event::Event;
use crate::domain::event::settlement::{GoalSettled, SettledKind};
use crate::domain::goal::beside::Beside;
use crate::domain::goal::chain::{Chain, Completion};
use crate::domain::goal::contest::{Choice, Contest, ContestAct, ContestKind};
use crate::domain::goal::contract::Contract;
use crate::domain::goal::state::Goal;
use crate::domain::goal::status::Status;
use crate::domain::id::EventId;
use crate::domain::line::LineRef;

impl Goal {
    /// Before a line counts: what all have seen by now need not be kept apart any more.
    pub(super) fn come_to(&mut self, seat: &Seat<'_>) {
        if self.beside.as_ref().is_some_and(|it| it.is_known(seat)) {
            self.forget_branches(seat.sight());
        }
        if !seat.is_calm() && self.beside.is_none() {
            let before = Beside::of(
                seat,
                self.contract.clone(),
                self.status,
                self.frontier().collect(),
                self.chain.clone(),
                self.contest.as_deref().cloned(),
            );
            self.beside = Some(Box::new(before));
        }
    }

    /// After the last line: whatever comes has seen all of it.
    pub(in crate::domain) fn forget_branches(&mut self, sight: Option<&Sight>) {
        if let Some(beside) = self.beside.take() {
            let tips = beside.all_tips(sight).into_iter();
            self.revised_beside = tips.filter(|it| Some(*it) != self.revision).collect();
            self.contest = beside.whole_contest(sight).map(Box::new);
        }
    }

    fn beside(&self, seat: &Seat<'_>) -> Option<&Beside> {
        self.beside.as_deref().filter(|_| !seat.is_calm())
    }

    fn beside_mut(&mut self, seat: &Seat<'_>) -> Option<&mut Beside> {
        self.beside.as_deref_mut().filter(|_| !seat.is_calm())
    }

    pub(super) fn contract_for(&self, seat: &Seat<'_>) -> &Contract {
        let beside = self.beside(seat);
        beside.map_or(&self.contract, |beside| beside.contract(seat))
    }

    pub(super) fn chain_for(&self, seat: &Seat<'_>) -> &Chain {
        let beside = self.beside(seat);
        beside.map_or(&self.chain, |beside| beside.chain(seat))
    }

    /// The status as the writer of this line saw it.
    pub(in crate::domain) fn status_for(&self, seat: &Seat<'_>) -> Status {
        let beside = self.beside(seat);
        beside.map_or(self.status, |beside| beside.status(seat))
    }

    pub(super) fn is_approved_for(&self, seat: &Seat<'_>) -> bool {
        self.is_approved() && self.status_for(seat) == Status::Complete
    }

    /// A line of the gate, which is judged by what its writer had seen.
    pub(super) fn take_link(&mut self, event: &Event, seat: &Seat<'_>) {
        let mut chain = self.chain_for(seat).clone();
        let frontier = || match self.beside(seat) {
            Some(beside) => beside.frontier(seat),
            None => self.frontier().collect(),
        };
        chain.take(event, seat.line, frontier);
        self.put_chain(seat, chain);
    }

    /// The completion that ends the chain which its writer had seen. One result completes once.
    pub(super) fn complete(&mut self, event: &Event, seat: &Seat<'_>) -> Completion {
        let frontier: Vec<LineRef> = match self.beside(seat) {
            Some(beside) => beside.frontier(seat),
            None => self.frontier().collect(),
        };
        let mut chain = self.chain_for(seat).clone();
        let completion = chain.complete(event, seat.line, &frontier);
        self.put_chain(seat, chain);
        completion
    }

    fn put_chain(&mut self, seat: &Seat<'_>, mut chain: Chain) {
        if let Some(beside) = self.beside_mut(seat) {
            beside.put_chain(seat.mark(), chain.clone());
        }
        // An audit of another branch goes on beside it.
        chain.keep_begun(&self.chain, |line| seat.sees(line));
        self.chain = chain;
    }

    /// This line moves the revision.
    pub(super) fn revise(&mut self, seat: &Seat<'_>) {
        self.revision = Some(seat.line);
        match self.beside_mut(seat) {
            Some(beside) => beside.put_move(seat.mark()),
            None => self.revised_beside.clear(),
        }
    }

    pub(super) fn set_contract(&mut self, seat: &Seat<'_>, contract: Contract) {
        if let Some(beside) = self.beside_mut(seat) {
            beside.put_contract(seat.mark(), contract.clone());
        }
        self.contract = contract;
    }

    pub(super) fn set_status(&mut self, seat: &Seat<'_>, status: Status) {
        match self.beside_mut(seat) {
            Some(beside) => beside.put_status(seat.mark(), status),
            None => self.status = status,
        }
        self.find_status(seat);
    }

    /// After a line that others had not seen: which status follows from all of them.
    fn find_status(&mut self, seat: &Seat<'_>) {
        if let Some(beside) = self.beside(seat) {
            let (status, end) = beside.stands(seat.sight());
            let completion = end.map(|end| end.completion.clone());
            self.status = status;
            if let Some(completion) = completion {
                self.completion = completion;
            }
        }
    }

    /// An act that may not go together with those that its writer had not seen.
    pub(super) fn act(
        &mut self,
        act: ContestAct,
        seat: &Seat<'_>,
        status: Status,
        completion: Option<Completion>,
    ) {
        if self.beside(seat).is_none() {
            return;
        }
        let choice = Arc::new(Choice {
            line: seat.line,
            id: seat.id().unwrap_or(EventId::ZERO),
            act,
            contract: self.contract_for(seat).clone(),
            status,
            completion,
        });
        if let Some(beside) = self.beside_mut(seat) {
            beside.put_act(seat, choice);
        }
        self.find_status(seat);
    }

    /// What does not go together of all that the writer of this line had seen.
    fn contest_for(&self, seat: &Seat<'_>) -> Option<Contest> {
        match self.beside(seat) {
            Some(beside) => beside.contest(seat),
            None => self.contest.as_deref().cloned(),
        }
    }

    /// The status of an act that goes on with the goal, whatever was in doubt then.
    pub(super) fn going_on(&self, seat: &Seat<'_>) -> Status {
        let contest = self.contest_for(seat);
        match contest.is_some_and(|it| it.kind() == ContestKind::Completion) {
            true => Status::Active,
            false => self.status_for(seat),
        }
    }

    /// The user acts on the goal: what they have seen of a contest is settled by that.
    pub(super) fn settle_by_act(&mut self, seat: &Seat<'_>) {
        let Some(seen) = self.contest_for(seat) else {
            return;
        };
        match self.beside_mut(seat) {
            Some(beside) => beside.put_settled(seat.mark()),
            None => self.contest = None,
        }
        if seen.kind() == ContestKind::Completion {
            self.completion = None;
            self.ended_at = None;
            self.set_status(seat, Status::Active);
        }
    }

    /// The user chose what holds of what does not go together.
    pub(super) fn settle(&mut self, settled: &GoalSettled, seat: &Seat<'_>) {
        let taken = settled.take;
        let Some(taken) = taken.filter(|_| settled.kind == SettledKind::Contest) else {
            return;
        };
        let seen = self.contest_for(seat);
        let mut known = seen.iter().flat_map(|it| &it.choices);
        let known = known.find(|it| it.id == taken);
        let known = known.or_else(|| self.beside(seat)?.act_of(taken));
        let Some(choice) = known.cloned() else {
            return;
        };
        let ends = seen.is_some_and(|it| it.ends());
        match self.beside_mut(seat) {
            Some(beside) => beside.put_settled(seat.mark()),
            None => self.contest = None,
        }
        self.revise(seat);
        self.set_contract(seat, choice.contract.clone());
        self.completion.clone_from(&choice.completion);
        let status = match (ends, &choice.completion) {
            (true, Some(_)) => Status::Complete,
            (true, None) => choice.status,
            (false, _) => self.status_for(seat),
        };
        self.set_status(seat, status);
        if status.is_open() {
            self.ended_at = None;
        }
        self.act(choice.act, seat, status, choice.completion.clone());
    }
}
