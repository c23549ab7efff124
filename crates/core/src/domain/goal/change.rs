//! How an event changes its goal: what all events have in common, and what they do to contract, status
//! and gate. What each does to the rest of the goal it says in its own file ([`crate::domain::event`]).

use crate::domain::actor::{Actor, TREE_KEY};
use crate::domain::causal::ancestry::LineInGraph;
use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::domain::event::{Event, GoalCreated, GoalTweaked, Payload};
use crate::domain::goal::chain::Completion;
use crate::domain::goal::contest::ContestAct;
use crate::domain::goal::contract::ContractChange;
use crate::domain::goal::push_bounded;
use crate::domain::goal::state::{Goal, RECENT};
use crate::domain::goal::status::{ContractSource, Keeper, Status, Worker};
use crate::domain::goal::status_acts::{StatusAct, StatusAndPause};
use crate::domain::id::GoalId;
use crate::domain::line::{LineRef, Origin};
use crate::domain::passed_on::{Agreed, host};
use crate::domain::proof::Weight;
use crate::domain::task::state::Tasks;

impl Goal {
    /// Whether an event changes the goal. One goal has one keeper: of a goal that is ours, lines of
    /// other programs change nothing, but that they may stop it or say what it cost: nobody is
    /// harmed by that.
    pub(in crate::domain) fn affects(&self, event: &Event) -> bool {
        event.is_ours() || self.keeper == Keeper::Theirs || self.is_held_up_by(event)
    }

    /// Whether the event can only hold the goal up. One that rests keeps the reason that it has.
    fn is_held_up_by(&self, event: &Event) -> bool {
        let payload = &event.payload;
        match payload.rests() {
            true => self.status == Status::Active,
            false => payload.gives_up() || matches!(payload, Payload::UsageRecorded(_)),
        }
    }

    /// Whether a line that changes nothing waits for the user's word: it says that something of
    /// the goal changed.
    pub(in crate::domain) fn needs_settlement(&self, event: &Event) -> bool {
        self.status.is_open() && event.claims_change() && !self.affects(event)
    }

    /// Whether the event is our creation of a goal of which so far other programs told: then what
    /// they wrote of it does not count. A goal that we took over from them stays as it is.
    pub(in crate::domain) fn is_replaced_by(&self, event: &Event) -> bool {
        event.creates_here() && !self.claims.is_empty()
    }

    /// Applies one event to the goal it names. `existed` is false when this event made the goal
    /// implicit. What is noteworthy comes back, with its place.
    pub(in crate::domain) fn apply(
        &mut self,
        existed: bool,
        event: &Event,
        in_graph: LineInGraph<'_>,
    ) -> Vec<Diagnostic> {
        let line = in_graph.line;
        let mut findings = Vec::new();
        if self.is_replaced_by(event) {
            findings = self.discard_foreign_history(&event.at);
        }
        self.come_to(&in_graph);
        let odd = self.note_odd(existed, event, &in_graph);
        findings.extend(odd.map(|it| it.at(line.number, line.offset)));
        push_bounded(&mut self.recent, line, RECENT);
        if self.needs_settlement(event) {
            self.foreign.push(line);
        }
        match self.affects(event) {
            true => self.apply_line(event, &in_graph),
            // It is history, and changes nothing.
            false => self.events += 1,
        }
        findings
    }

    fn apply_line(&mut self, event: &Event, in_graph: &LineInGraph<'_>) {
        let line = in_graph.line;
        let envelope = &event.envelope;
        let origin = Origin {
            at: &event.at,
            by: envelope.by,
            via: envelope.via.as_deref(),
            session: envelope.session.as_deref(),
            ours: event.is_ours(),
            line,
        };
        let was_open = self.status.is_open();
        let tweaked = match &event.payload {
            Payload::GoalTweaked(tweaked) => Some((tweaked, self.contract.clone())),
            _ => None,
        };
        if event.is_ours() && event.weight() == Weight::Consent {
            self.consents.push(line);
        }
        if !event.is_ours() && self.keeper == Keeper::Theirs && event.claims_change() {
            self.claims.push(line);
        }
        self.remember(event, line);
        match &event.payload {
            // History: the latest verdict is shown even when it came too late to matter, but not in
            // place of the approval by which the goal is complete.
            Payload::AuditResult(_) if self.is_approved_for(in_graph) => {}
            Payload::AuditResult(_) => self.record_gate_line(event, in_graph),
            Payload::GoalCreated(created) if !self.created => self.create(created, event, in_graph),
            Payload::GoalSettled(settled) if event.is_users() => self.settle(settled, in_graph),
            _ if self.status_for(in_graph).is_open() => self.change(event, in_graph),
            _ => {}
        }
        if let Some((tweaked, before)) = tweaked {
            let proposed = tweaked.draft_id.is_some();
            self.lost.change(&before, &self.contract, &origin, proposed);
        }
        // What ended the goal may be in doubt by now.
        self.apply_payload(event, &origin, was_open || self.status.is_open());
        if let Payload::BudgetSet(_) = &event.payload {
            self.keep_limits(in_graph);
        }
    }

    fn apply_payload(&mut self, event: &Event, origin: &Origin<'_>, was_open: bool) {
        let payload = &event.payload;
        if let Payload::GoalCreated(_) | Payload::GoalTweaked(_) = payload
            && let (true, Some(via)) = (origin.ours, host(origin.by, origin.via))
        {
            self.agreed_through = Some(Agreed {
                via: via.to_owned(),
                at: event.at.clone(),
            });
        }
        // The same again is nothing that came of a turn.
        let repeats = match payload {
            Payload::EvidenceAdded(given) => given.is_known(self),
            Payload::GoalNoted(noted) => noted.is_known(self),
            _ => false,
        };
        let is_result_of_a_session = !repeats && payload.is_result_of_a_session(self);
        if event.ends_wait() {
            self.wait = None;
        }
        payload.apply(self, origin, was_open);
        if let Payload::GoalSettled(_) = payload
            && !self.status.is_open()
        {
            self.end(None);
        }
        if payload.fills_a_turn() {
            if !repeats {
                self.continuation.progress();
            }
            // The user's answer alone makes nobody work.
            if origin.by != Some(Actor::User) {
                self.runs.be_taken_up();
            }
        }
        if is_result_of_a_session {
            self.continuation.bring_result();
        }
        if payload.is_result() && !(repeats && self.runs.open.is_some()) {
            self.runs.progress();
        }
    }

    /// Forgets what other programs wrote of the goal before our creation of it: those lines wait for
    /// the user.
    fn discard_foreign_history(&mut self, at: &str) -> Vec<Diagnostic> {
        let anew = Goal {
            events: self.events,
            ..Goal::implicit(self.id.clone(), self.ordinal, at)
        };
        let mut before = std::mem::replace(self, anew);
        let findings = before
            .claims
            .iter()
            .map(|it| before.replaced(*it))
            .collect();
        self.foreign.append(&mut before.claims);
        self.foreign.append(&mut before.foreign);
        self.foreign.sort_unstable();
        self.recent = before.recent;
        self.consents = before.consents;
        findings
    }

    fn note_odd(
        &self,
        existed: bool,
        event: &Event,
        in_graph: &LineInGraph<'_>,
    ) -> Option<Diagnostic> {
        let id = &self.id;
        let is_creation = matches!(event.payload, Payload::GoalCreated(_));
        if self.needs_settlement(event) {
            return Some(self.foreign_line(event.payload.name()));
        }
        if is_creation && self.created {
            return Some(self.second_creation(event.creates_here()));
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
            || event.payload.is_aftermath()
            || matches!(
                event.payload,
                Payload::UsageRecorded(_) | Payload::GoalSettled(_)
            );
        let status = self.status_for(in_graph);
        (!status.is_open() && !expected).then(|| {
            let (name, status) = (event.payload.name(), status.name());
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
    fn remember(&mut self, event: &Event, line: LineRef) {
        // A proposal that waits for the user does not take the goal over from its tool.
        if event.is_ours() && event.payload.draft_id().is_none() {
            self.keeper = Keeper::Ours;
        }
        self.latest = Some(line);
        self.revision.get_or_insert(line);
        self.updated_at.clone_from(&event.at);
        self.events += 1;
        if event.is_work() {
            self.worked_at = Some(event.at.clone());
        }
        let envelope = &event.envelope;
        let session = envelope.session.as_ref();
        if let Some(session) = session.filter(|it| !it.starts_with(TREE_KEY)) {
            self.runs.hear(session, &event.at);
            self.worker = Some(Worker {
                session: session.clone(),
                by: envelope.by,
                via: envelope.via.clone(),
                at: event.at.clone(),
            });
        }
    }

    fn change(&mut self, event: &Event, in_graph: &LineInGraph<'_>) {
        let mut completion = None;
        match &event.payload {
            Payload::GoalTweaked(tweaked) => {
                self.tweak(tweaked, event, in_graph);
                self.revise(in_graph);
            }
            Payload::CompletionRequested(_) | Payload::AuditStarted(_) => {
                self.record_gate_line(event, in_graph);
            }
            Payload::GoalCompleted(_) => completion = Some(self.complete(event, in_graph)),
            payload if payload.defines_tasks() => {
                self.revise(in_graph);
                self.act(ContestAct::Tasks, in_graph, self.going_on(in_graph), None);
            }
            _ => {}
        }
        if let Some(status) = event.payload.status() {
            self.set_status_by(status, completion, event, in_graph);
        }
    }

    /// On a goal of ours a line of another program moves no revision: where it stands depends on who merged.
    fn set_status_by(
        &mut self,
        status: Status,
        completion: Option<Completion>,
        event: &Event,
        in_graph: &LineInGraph<'_>,
    ) {
        let changes_theirs =
            || self.keeper == Keeper::Theirs && self.status_for(in_graph) != status;
        if event.is_ours() || changes_theirs() {
            self.revise(in_graph);
        }
        if event.payload.gives_up() && event.is_users() {
            self.settle_by_act(in_graph);
        }
        // Of two completions of one contract the first counts.
        if completion.is_some() && self.completion.is_none() {
            self.completion.clone_from(&completion);
        }
        if !status.is_open() && self.ended_at.is_none() {
            self.ended_at = Some(event.at.clone());
        }
        let pause = event.pause();
        let act = StatusAct::of(status, event.is_users());
        self.set_status(in_graph, StatusAndPause { status, pause }, act);
        if !status.is_open() {
            let act = match completion {
                Some(_) => ContestAct::Completion,
                None => ContestAct::Ending,
            };
            self.act(act, in_graph, status, completion);
        }
    }

    fn create(&mut self, created: &GoalCreated, event: &Event, in_graph: &LineInGraph<'_>) {
        self.created = true;
        self.created_by_us = event.creates_here();
        let mut contract = self.contract_for(in_graph).clone();
        contract.apply(&created.contract);
        self.set_contract(in_graph, contract);
        self.parent.clone_from(&created.parent_goal_id);
        self.delegated_from.clone_from(&created.delegated_from);
        self.returns_to.clone_from(&created.returns_to);
        self.like.clone_from(&created.like);
        match event.is_ours() {
            true => self.carry_contract(),
            false => self.contract_source = ContractSource::Foreign,
        }
        if self.events <= 1 {
            self.created_at.clone_from(&event.at);
        }
        self.revise(in_graph);
    }

    fn tweak(&mut self, tweaked: &GoalTweaked, event: &Event, in_graph: &LineInGraph<'_>) {
        let names_nothing = tweaked.contract == ContractChange::default();
        if !names_nothing {
            if event.is_users() {
                self.settle_by_act(in_graph);
            }
            let mut contract = self.contract_for(in_graph).clone();
            contract.apply(&tweaked.contract);
            self.set_contract(in_graph, contract);
            self.act(
                ContestAct::Contract,
                in_graph,
                self.going_on(in_graph),
                None,
            );
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
        self.claims.clear();
    }

    /// What becomes of its content by events that are not recorded yet; contract and status stay.
    #[must_use]
    pub(in crate::domain) fn after(mut self, payloads: &[Payload]) -> Goal {
        for payload in payloads {
            payload.apply(&mut self, &Origin::default(), true);
        }
        self
    }
}

impl Tasks {
    /// What these become by events that are not recorded yet.
    #[must_use]
    pub fn after(&self, payloads: &[Payload]) -> Tasks {
        let mut goal = Goal::implicit(GoalId::generate(0, 0), 0, "");
        goal.tasks = self.clone();
        goal.after(payloads).tasks
    }
}
