//! What is told of a goal on one line each.

use super::{Block, Detail, Told, WIDEST};
use crate::domain::actor::Actor;
use crate::domain::attention::{Need, NeedKind};
use crate::domain::cost::amount::shown;
use crate::domain::goal::state::Keeper;
use crate::domain::id::GoalId;
use crate::domain::passed_on::Agreed;
use crate::domain::proof::Proof;
use crate::domain::select::MOST_SHOWN;
use crate::render::acted::acted;
use crate::render::columns::width;
use crate::render::contract::mode;
use crate::render::cost::counters;
use crate::render::inbox::{brief, called};
use crate::render::marks::Tone;
use crate::render::proof::{completion, help};
use crate::render::text::one_line;
use crate::render::view::GoalView;
use crate::render::waiting::waits;
use crate::render::work::{Onlooker, holder, other_lease, other_worker, worked};

impl Told<'_> {
    /// A fact that is told from this detail on, where there is one.
    fn fact(&mut self, from: Detail, label: &'static str, value: Option<String>) {
        self.toned(from, label, value, None);
    }

    fn toned(
        &mut self,
        from: Detail,
        label: &'static str,
        value: Option<String>,
        tone: impl Into<Option<Tone>>,
    ) {
        let tone = tone.into();
        if let Some(value) = value.filter(|_| self.reader.detail >= from) {
            self.blocks.push(Block::Fact { label, value, tone });
        }
    }

    /// What waits about it, who works on it, how it came to stand so.
    pub(super) fn stands(&mut self) {
        let (goal, clock) = (self.goal, self.reader.clock);
        let (lease, worker) = self.at_work();
        let proven = goal.proof.as_ref().is_some_and(Proof::is_proven);
        let proven = if proven { Tone::Good } else { Tone::Bad };
        let agreed = goal.agreed_through.as_ref();
        let agreed = agreed.map(|it| agreed_by(it, |at| clock.time(at)));
        let kept = match goal.keeper {
            Keeper::Ours => None,
            Keeper::Theirs => Some("by another tool so far; the user's next act on it adopts it"),
            Keeper::Lost => Some("in a ledger that is missing: this is what its document says"),
        };
        let time = |at: &str| Some(clock.time(at));
        let reason = goal.end_reason.as_deref().map(one_line);
        let run = goal.run.as_ref().map(|it| it.said(clock));
        let planning = goal.planning.then(|| "a planner is being asked".to_owned());
        let wait = goal.wait.as_ref();
        let wait = wait.map(|it| waits(it, clock.now, |at| clock.time(at)));
        self.needs();
        self.toned(Detail::Brief, "waits for", wait, Tone::Calm);
        self.toned(Detail::Brief, "completed", completed(goal), proven);
        self.fact(
            Detail::Brief,
            "ended",
            goal.ended_at.as_deref().and_then(time),
        );
        self.fact(Detail::Brief, "reason", reason);
        self.fact(Detail::Brief, "worked by", worker);
        self.toned(Detail::Brief, "run", run, Tone::Calm);
        self.toned(Detail::Brief, "leased to", lease, Tone::Good);
        self.toned(Detail::Brief, "planning", planning, Tone::Calm);
        self.fact(Detail::Full, "updated", time(&goal.updated_at));
        self.fact(Detail::Pane, "created", time(&goal.created_at));
        self.fact(Detail::Pane, "agreed", agreed);
        self.fact(Detail::Brief, "kept", kept.map(str::to_owned));
    }

    /// Who holds its lease, and who worked on it.
    fn at_work(&self) -> (Option<String>, Option<String>) {
        let now = self.reader.clock.now;
        let session = self.reader.session;
        let onlooker = Onlooker { session, now };
        let (mut lease, mut worker) = (self.goal.lease.as_ref(), self.goal.worker.as_ref());
        match self.reader.detail {
            Detail::Brief => {
                lease = other_lease(lease, onlooker);
                worker = other_worker(worker, onlooker);
            }
            Detail::Pane => worker = worker.filter(|_| lease.is_none()),
            Detail::Full => {}
        }
        (
            lease.map(|it| holder(it, now)),
            worker.map(|it| worked(it, now)),
        )
    }

    /// What waits for the person about the goal, but for what is said already: by what it is
    /// blocked by, by the limit that it went over, or above. Also that there is more, where that is not all.
    fn needs(&mut self) {
        let of = |it: &Need| (it.kind, it.question_id.clone(), it.draft_id.clone());
        let above = self.reader.above.map(of);
        let is_said = |it: &Need| {
            matches!(it.kind, NeedKind::Blocked | NeedKind::Budget) || above == Some(of(it))
        };
        let mut needs = self.goal.needs.iter().filter(|it| !is_said(it));
        for need in needs.by_ref().take(MOST_SHOWN) {
            // Why it rests stands below, in a part of its own.
            let said = match need.kind {
                NeedKind::Paused => called(&need),
                _ => brief(&need),
            };
            let is_cut = self.reader.detail == Detail::Brief && width(&said) > WIDEST;
            self.toned(Detail::Brief, "needs you", Some(said), Tone::Asks);
            let all = is_cut.then(|| "`goal inbox --list`".to_owned());
            self.fact(Detail::Brief, "all of it", all);
        }
        let more = needs.count();
        let more = (more > 0).then(|| format!("… and {more} more: `goal inbox` shows them"));
        self.toned(Detail::Brief, "needs you", more, Tone::Asks);
    }

    /// Its place among goals, what it cost, where it is.
    pub(super) fn place(&mut self) {
        let goal = self.goal;
        let text = |text: &Option<String>| text.as_deref().map(one_line);
        let id = |id: &Option<GoalId>| id.as_ref().map(GoalId::to_string);
        let contract = &goal.contract;
        let came_from = goal.source.and_then(|it| it.said().map(str::to_owned));
        let difficulty = contract.difficulty.map(|it| it.name().to_owned());
        let usage = (!goal.usage.is_empty()).then(|| counters(&goal.usage));
        let over = goal.budget.iter().any(|it| it.over).then_some(Tone::Bad);
        let priority = contract.priority.map(|it| it.to_string());
        let handed_on = goal.delegated.iter();
        let handed_on = handed_on.map(|it| format!("{} to {}", it.goal_id, one_line(&it.to)));
        let revision = goal.revision.map(|it| it.to_string());
        self.fact(Detail::Pane, "owner", text(&contract.owner));
        self.fact(Detail::Pane, "priority", priority);
        self.fact(Detail::Full, "category", text(&contract.category));
        self.fact(Detail::Full, "difficulty", difficulty);
        self.fact(Detail::Full, "mode", Some(mode(contract).to_owned()));
        self.fact(Detail::Full, "came from", came_from);
        self.fact(Detail::Full, "part of", id(&goal.parent_goal_id));
        self.fact(Detail::Full, "returns to", id(&goal.returns_to));
        self.fact(Detail::Full, "like", id(&goal.like));
        self.fact(Detail::Full, "owed to", text(&goal.delegated_from));
        self.fact(Detail::Full, "handed on", listed(handed_on));
        self.fact(Detail::Pane, "usage", usage);
        self.toned(Detail::Pane, "budget", budget(goal), over);
        self.fact(Detail::Full, "document", text(&goal.document));
        self.fact(Detail::Full, "revision", revision);
    }
}

/// `by the user through claude-code, 2026-11-21 21:05`.
pub(in crate::render) fn agreed_by(agreed: &Agreed, time: impl Fn(&str) -> String) -> String {
    let user = acted(Actor::User, Some(&agreed.via));
    format!("by the {user}, {}", time(&agreed.at))
}

/// What its completion is worth here, and the command that helps where it is not proven.
fn completed(goal: &GoalView) -> Option<String> {
    let proof = goal.proof.as_ref()?;
    let said = completion(proof, goal.approved_without_report, goal.signer.as_deref());
    Some(match help(proof) {
        Some(command) => format!("{said}; `{command}` accepts it"),
        None => said,
    })
}

fn budget(goal: &GoalView) -> Option<String> {
    listed(goal.budget.iter().map(|it| {
        let over = if it.over { " (over)" } else { "" };
        let (spent, most) = (shown(it.spent), shown(it.most));
        format!("{} {spent} of {most}{over}", it.limit.name())
    }))
}

fn listed(all: impl Iterator<Item = String>) -> Option<String> {
    let all: Vec<String> = all.collect();
    (!all.is_empty()).then(|| all.join(", "))
}
