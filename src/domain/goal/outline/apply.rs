//! Goals in outline: how an event changes one, and what is odd about it.

use crate::domain::actor::{Actor, TREE_KEY};
use crate::domain::causal::sight::Seat;
use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::event::{GoalCreated, GoalTweaked};
use crate::domain::event_header::{Effect, EventHeader};
use crate::domain::goal::chain::Completion;
use crate::domain::goal::contest::ContestAct;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::outline::Outline;
use crate::domain::goal::status::{ContractSource, Keeper, Status};
use crate::domain::line::LineRef;
use crate::domain::line_index::LineIndex;

impl Outline {
    /// Whether an event changes the goal. One goal has one keeper: of a goal that is ours, lines of
    /// other programs change nothing, but that they may stop it or say what it cost: nobody is
    /// harmed by that.
    pub(in crate::domain) fn heeds(&self, event: &EventHeader<'_>) -> bool {
        event.is_ours() || self.keeper == Keeper::Theirs || self.is_held_up_by(event)
    }

    /// Whether the event can only hold the goal up. One that rests keeps the reason that it has.
    fn is_held_up_by(&self, event: &EventHeader<'_>) -> bool {
        match event.effect {
            Effect::Paused { .. } | Effect::Blocked => self.status == Status::Active,
            Effect::Aborted(_) | Effect::Ended(_) | Effect::Spent => true,
            _ => false,
        }
    }

    /// Whether a line that changes nothing waits for the user's word: it says that something of
    /// the goal changed.
    pub(in crate::domain) fn waits_with(&self, event: &EventHeader<'_>) -> bool {
        self.status.is_open() && claims_something(event) && !self.heeds(event)
    }

    /// Whether the event is our creation of a goal of which so far other programs told: then what
    /// they wrote of it does not count. A goal that we took over from them stays as it is.
    pub(in crate::domain) fn is_replaced_by(&self, event: &EventHeader<'_>) -> bool {
        creates(event) && !self.claims.is_empty()
    }

    /// Applies one event to the goal it names. `existed` is false when this event made the goal
    /// implicit. What is noteworthy comes back, with its place.
    pub(in crate::domain) fn apply(
        &mut self,
        existed: bool,
        event: &EventHeader<'_>,
        seat: Seat<'_>,
    ) -> Vec<Diagnostic> {
        let line = seat.line;
        let mut findings = Vec::new();
        if self.is_replaced_by(event) {
            let anew = Outline {
                events: self.events,
                ..Outline::implicit(self.id.clone(), self.ordinal, event.at)
            };
            let before = std::mem::replace(self, anew);
            findings.extend(before.claims.iter().map(|it| before.replaced(it)));
        }
        let odd = self.note_odd(existed, event, &seat);
        findings.extend(odd.map(|it| it.at(line.number, line.offset)));
        self.take(event, &seat);
        findings
    }

    fn take(&mut self, event: &EventHeader<'_>, seat: &Seat<'_>) {
        let line = seat.line;
        if !self.heeds(event) {
            // It is history, and changes nothing.
            self.events += 1;
            return;
        }
        if !event.is_ours() && self.keeper == Keeper::Theirs && claims_something(event) {
            self.claims.push(line);
        }
        self.come_to(seat);
        self.remember(event, line);
        match &event.effect {
            // History: the latest verdict is shown even when it came too late to matter, but not in
            // place of the approval by which the goal is complete.
            Effect::Judged { .. } if self.is_approved_for(seat) => {}
            Effect::Judged { .. } => self.take_link(event, seat),
            Effect::Created(created) if !self.created => self.create(created, event, seat),
            Effect::Settled(settled) if is_users(event) => self.settle(settled, seat),
            _ if self.status_for(seat).is_open() => self.change(event, seat),
            _ => {}
        }
    }

    fn note_odd(
        &self,
        existed: bool,
        event: &EventHeader<'_>,
        seat: &Seat<'_>,
    ) -> Option<Diagnostic> {
        let id = &self.id;
        let is_creation = matches!(event.effect, Effect::Created(_));
        if self.waits_with(event) {
            return Some(self.foreign_line(event.name));
        }
        if is_creation && self.created {
            return Some(self.second_creation(creates(event)));
        }
        if !existed && !is_creation {
            return Some(Diagnostic::new(
                Code::MissingCreation,
                format!("goal {id} has events but was never created"),
                format!("its document is used if there is one; adopt it with `goal adopt {id}`"),
            ));
        }
        // A document is moved, a run stops and its last turn is charged once the goal is over.
        let expected = is_creation
            || matches!(
                event.effect,
                Effect::Aftermath | Effect::Spent | Effect::Settled(_)
            );
        let status = self.status_for(seat);
        (!status.is_open() && !expected).then(|| {
            let (name, status) = (event.name, status.name());
            Diagnostic::new(
                Code::EventAfterTerminal,
                format!("{name} after goal {id} had ended as {status}"),
                "nothing to do: it stays in the history, the status is final",
            )
        })
    }

    /// Another program may create a goal twice, and two branches may both import one. Our own
    /// creation is made once: one of the two is an imitation.
    fn second_creation(&self, ours: bool) -> Diagnostic {
        let id = &self.id;
        let (weight, hint) = match ours {
            true => (
                Severity::Error,
                "no status or contract was reset; the user compares both lines with version \
                 control, and takes note of it with `goal settle --finding`",
            ),
            false => (
                Code::DuplicateCreation.severity(),
                "nothing to do: no status or contract was reset",
            ),
        };
        Diagnostic::new(
            Code::DuplicateCreation,
            format!("goal {id} is created a second time; the second creation is ignored"),
            hint,
        )
        .weighing(weight)
    }

    /// A line of another program that our creation, which stands after it, replaces.
    fn replaced(&self, line: LineRef) -> Diagnostic {
        let id = &self.id;
        Diagnostic::new(
            Code::ForeignLine,
            format!(
                "another program wrote of goal {id} before it was created here: that does not count"
            ),
            format!("the user looks at it and decides: `goal settle {id}`"),
        )
        .weighing(Severity::Error)
        .at(line.number, line.offset)
    }

    /// No program but ours writes about a goal that was created here: such a line is an imitation
    /// or an accident. The tool that a goal was taken over from may still hold it.
    fn foreign_line(&self, name: &str) -> Diagnostic {
        let id = &self.id;
        let (weight, whose) = match self.created_by_us {
            true => (Severity::Error, "was created here"),
            false => (Severity::Warning, "was taken over"),
        };
        Diagnostic::new(
            Code::ForeignLine,
            format!("{name} by another program: goal {id} {whose}, so nothing of it changes"),
            format!("the user looks at it and decides: `goal settle {id}`"),
        )
        .weighing(weight)
    }

    /// What every event of a goal leaves, whatever it is.
    fn remember(&mut self, event: &EventHeader<'_>, line: LineRef) {
        // A proposal that waits for the user does not take the goal over from its tool.
        if event.is_ours() && !matches!(event.effect, Effect::Draft(_)) {
            self.keeper = Keeper::Ours;
        }
        self.latest = Some(line);
        self.revision.get_or_insert(line);
        put(&mut self.updated_at, event.at);
        self.events += 1;
        let Some(session) = event.session.filter(|it| !it.starts_with(TREE_KEY)) else {
            return;
        };
        let worker = self.worker.get_or_insert_default();
        put(&mut worker.session, session);
        worker.by = event.by;
        worker.via = event.via.map(str::to_owned);
        put(&mut worker.at, event.at);
    }

    fn change(&mut self, event: &EventHeader<'_>, seat: &Seat<'_>) {
        if let Effect::Tweaked(tweaked) = &event.effect {
            self.tweak(tweaked, event, seat);
        }
        if event.effect.defines() {
            self.revise(seat);
        }
        if let Effect::Defined = event.effect {
            self.act(ContestAct::Tasks, seat, self.going_on(seat), None);
        }
        if let Effect::Requested { .. } | Effect::Begun { .. } = event.effect {
            self.take_link(event, seat);
        }
        let completion = match event.effect {
            Effect::Completed => Some(self.complete(event, seat)),
            _ => None,
        };
        if let Some(status) = event.effect.status() {
            self.stand(status, completion, event, seat);
        }
    }

    /// A status that is what it was moves no revision.
    fn stand(
        &mut self,
        status: Status,
        completion: Option<Completion>,
        event: &EventHeader<'_>,
        seat: &Seat<'_>,
    ) {
        if self.status_for(seat) != status {
            self.revise(seat);
        }
        if let Effect::Aborted(_) | Effect::Ended(_) = event.effect
            && is_users(event)
        {
            self.settle_by_act(seat);
        }
        // Of two completions of one contract the first counts.
        if completion.is_some() && self.completion.is_none() {
            self.completion.clone_from(&completion);
        }
        if !status.is_open() && self.ended_at.is_none() {
            self.ended_at = Some(event.at.to_owned());
        }
        self.set_status(seat, status);
        if !status.is_open() {
            let act = match completion {
                Some(_) => ContestAct::Completion,
                None => ContestAct::Ending,
            };
            self.act(act, seat, status, completion);
        }
    }

    fn create(&mut self, created: &GoalCreated, event: &EventHeader<'_>, seat: &Seat<'_>) {
        self.created = true;
        self.created_by_us = creates(event);
        let mut contract = self.contract_for(seat).clone();
        contract.apply(&created.contract);
        self.set_contract(seat, contract);
        self.parent.clone_from(&created.parent_goal_id);
        self.delegated_from.clone_from(&created.delegated_from);
        self.returns_to.clone_from(&created.returns_to);
        self.like.clone_from(&created.like);
        match event.is_ours() {
            true => self.carry_contract(),
            false => self.contract_source = ContractSource::Foreign,
        }
        if self.events <= 1 {
            put(&mut self.created_at, event.at);
        }
        self.revise(seat);
    }

    fn tweak(&mut self, tweaked: &GoalTweaked, event: &EventHeader<'_>, seat: &Seat<'_>) {
        let names_nothing = tweaked.contract == ContractChange::default();
        if !names_nothing {
            if is_users(event) {
                self.settle_by_act(seat);
            }
            let mut contract = self.contract_for(seat).clone();
            contract.apply(&tweaked.contract);
            self.set_contract(seat, contract);
            self.act(ContestAct::Contract, seat, self.going_on(seat), None);
        }
        match (event.is_ours(), names_nothing) {
            (true, false) => self.carry_contract(),
            (false, true) => self.contract_source = ContractSource::Document,
            _ => {}
        }
    }

    /// A line of ours carries the contract: what other programs said of it before is taken over.
    fn carry_contract(&mut self) {
        self.contract_source = ContractSource::Ours;
        self.claims = LineIndex::default();
    }
}

/// Whether a line of ours says that the user did it.
fn is_users(event: &EventHeader<'_>) -> bool {
    event.is_ours() && event.by == Some(Actor::User)
}

/// Whether the event is a creation by us, and not one that takes over what another tool began.
fn creates(event: &EventHeader<'_>) -> bool {
    matches!(&event.effect, Effect::Created(it) if event.is_ours() && it.imported != Some(true))
}

/// Whether a line of another program says that something of the goal changed. What moves the
/// focus, stops it, or means nothing to us changes nothing of it.
fn claims_something(event: &EventHeader<'_>) -> bool {
    !matches!(
        event.effect,
        Effect::Focused
            | Effect::Unfocused
            | Effect::Unknown
            | Effect::Aftermath
            | Effect::Paused { .. }
            | Effect::Blocked
    )
}

/// Puts a text in place of another, into the memory that it has.
fn put(text: &mut String, new: &str) {
    text.clear();
    text.push_str(new);
}
