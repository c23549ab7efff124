//! The agent stopped: whether it goes on, decided under the ledger's lock and recorded.

use std::fs;

use serde_json::{Value, json};

use crate::domain::actor::Actor;
use crate::domain::attention::answer_command;
use crate::domain::command::Command;
use crate::domain::cost::budget::raised;
use crate::domain::decide::continuation::may_continue;
use crate::domain::event::Payload;
use crate::domain::goal::continuation::StopReason;
use crate::domain::goal::row::questions;
use crate::domain::goal::state::Goal;
use crate::domain::hold::Hold;
use crate::domain::id::EventId;
use crate::domain::rejection::Rejection;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::hook::hold;
use crate::ops::hook::news::news;
use crate::ops::hook::{HookAnswer, HookOutcome, sessions, spending};
use crate::ops::prompt::{Reader, fill};
use crate::ops::uncounted::told;
use crate::render::clock::moment;
use crate::render::columns::fit;
use crate::render::focused::TOOLS_OF_THE_HOST;
use crate::render::prompt::{PromptKind, revision_marker};
use crate::render::waiting::{at_moment, waits};
use crate::roles::transcripts::{Spent, Tail, Transcript, TranscriptTurn};
use crate::snapshot::Snapshot;
use crate::transaction::{Receipt, TransactionError};
use crate::workspace::config::resolve;

/// Widest heading and question in a message, in columns.
const HEADING: usize = 72;
const QUESTION: usize = 300;

/// The host whose extension records cost by itself.
const PI: &str = "pi";

/// As many letters of how the files stand are recorded.
const TREE: usize = 32;

/// What tells one stop of a turn from the next.
///
/// A turn's id does not: hosts keep it while a stopped agent goes on, and an agent may end two
/// turns with the same words. The transcript does, since it has grown by then.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stop {
    /// The agent went on after a stop before this one, in the same turn.
    pub went_on: bool,
    /// How many times it did, where the host counts.
    pub count: Option<u64>,
    /// The agent's last words.
    pub message: Option<String>,
    /// The session's transcript.
    pub transcript: Option<Transcript>,
    /// What the session spent since its last report, where the host says it instead of a transcript.
    pub spent: Option<Spent>,
    /// Whether the agent used a tool since the user's last word, where the host says it.
    pub used_tools: Option<bool>,
    /// The session is in the host's plan mode, in which nothing may be worked on.
    pub only_plans: bool,
}

impl Stop {
    /// The key under which a continuation is recorded, so that several hooks that report the same
    /// stop record one. Nothing where two stops could not be told apart: then each counts, for an
    /// agent that is never counted could go on for ever.
    fn key(&self, turn: Option<&str>) -> Option<(String, Value)> {
        turn?;
        let length = self.transcript.as_ref().and_then(|transcript| {
            let found = fs::metadata(&transcript.path).ok()?;
            found.is_file().then_some(found.len())
        });
        let told_apart = !self.went_on || self.count.is_some() || length.is_some();
        let identity = json!({
            "wentOn": self.went_on,
            "count": self.count,
            "message": self.message,
            "transcript": length,
        });
        told_apart.then(|| ("hook".to_owned(), identity))
    }

    /// How the files of the work tree stand. Nothing where the session's transcript, which grows with
    /// every turn, is one of them.
    fn tree(&self, call: &Call) -> Option<String> {
        let root = &call.workspace.root.path;
        let transcript = self.transcript.as_ref().map(|it| &it.path);
        if transcript.is_some_and(|path| path.starts_with(root)) {
            return None;
        }
        let stands = call.workspace.fingerprint()?;
        stands.name.get(..TREE).map(str::to_owned)
    }

    /// What the agent did since the user's last word, as the host says it or its transcript does. What
    /// nobody says counts as work with tools.
    fn turn(&self, transcript: Option<&Tail>) -> TranscriptTurn {
        let turn = transcript.and_then(Tail::turn).unwrap_or(TranscriptTurn {
            used_tools: true,
            ..TranscriptTurn::default()
        });
        TranscriptTurn {
            used_tools: self.used_tools.unwrap_or(turn.used_tools),
            ..turn
        }
    }
}

/// The agent stopped: its next prompt while the focused goal goes on by itself, in a session that
/// holds it. An answer to the user for which the agent used no tool is not gone on from, nor is a plan,
/// nor a turn that ended while something runs in the background whose end wakes the agent.
///
/// # Errors
/// The project cannot be read, the continuation could not be recorded, or a template of the
/// project cannot be filled.
pub fn stopped(
    call: &Call,
    host: &str,
    stop: &Stop,
    reader: Reader,
) -> Result<HookOutcome, Failure> {
    let surface = reader.surface;
    let mut told = answered(call, host, stop, reader)?;
    let whys = [news(call, &call.read()?, surface)?, unread(call, stop)?];
    for why in whys.into_iter().flatten() {
        told.answer = match told.answer {
            HookAnswer::GoOn(prompt) => HookAnswer::GoOnTelling { prompt, why },
            HookAnswer::GoOnTelling { prompt, why: first } => HookAnswer::GoOnTelling {
                prompt,
                why: format!("{first}\n{why}"),
            },
            HookAnswer::GivenUp(first) => HookAnswer::GivenUp(format!("{first}\n{why}")),
            HookAnswer::Nothing => HookAnswer::GivenUp(why),
            other => other,
        };
    }
    Ok(told)
}

/// What the user of a session that holds a goal with limits is told once: the transcript that its host named
/// cannot be read.
fn unread(call: &Call, stop: &Stop) -> Result<Option<String>, Failure> {
    let transcript = stop.transcript.as_ref();
    let Some((path, why)) = transcript.and_then(|it| Some((&it.path, it.unreadable()?))) else {
        return Ok(None);
    };
    let snapshot = call.read()?;
    let focused = call.focus(&snapshot.state);
    let held = focused.filter(|goal| hold(call, &snapshot, goal) == Hold::Own);
    let Some(goal) = held else {
        return Ok(None);
    };
    let path = fit(path.as_str(), QUESTION);
    let why = format!(
        "The transcript {path} of this session cannot be read ({why}), so what is spent here does not count."
    );
    let is_first = sessions::tells_unread(call, &why);
    // Without a limit nothing depends on it, and `goal doctor` says it.
    Ok(Some(why).filter(|_| is_first && !goal.cost.limits.0.is_empty()))
}

fn answered(call: &Call, host: &str, stop: &Stop, reader: Reader) -> Result<HookOutcome, Failure> {
    let mut snapshot = call.read()?;
    let tail = stop.transcript.as_ref().and_then(Transcript::read_at_stop);
    let turn = stop.turn(tail.as_ref());
    let focused = call.focus(&snapshot.state);
    let held = focused.filter(|it| hold(call, &snapshot, it) == Hold::Own || turn.on_a_goal);
    let spender = held.or_else(|| spending::ended(call, &snapshot));
    let mut over = None;
    if let Some(id) = spender.map(|goal| goal.id.clone())
        && let Some(spent) = spending::since(call, &snapshot, &id, tail.as_ref(), stop)
        && let Some((receipt, now)) = spending::record(call, &id, spent)?
    {
        let goal = now.state.goals.get(&id);
        over = goal.and_then(|goal| over_budget(goal, &receipt));
        snapshot = now;
    }
    let given_up = |over: Option<String>| match over {
        Some(over) => HookAnswer::GivenUp(over).into(),
        None => HookOutcome::default(),
    };
    let Some(focused) = call.focus(&snapshot.state) else {
        return Ok(given_up(over));
    };
    if hold(call, &snapshot, focused) != Hold::Own && !turn.on_a_goal {
        return Ok(given_up(over));
    }
    let answers = !stop.went_on && !turn.used_tools;
    let rests = answers || stop.only_plans || turn.in_background;
    let hosts = &resolve(&call.workspace.config_files()?).keys.hosts;
    let may_go_on = !rests && hosts.auto_continue.value.has(host);
    if may_go_on && let Some(last) = last_turn(call, focused, &reader) {
        return Ok(last.into());
    }
    if over.is_some() {
        return Ok(given_up(over));
    }
    let Some(goal) = worked(call, &snapshot) else {
        return Ok(match asked(focused) {
            Some(question) => HookAnswer::GivenUp(question).into(),
            None => HookOutcome::default(),
        });
    };
    if !may_go_on {
        return Ok(HookOutcome::default());
    }
    let key = stop.key(call.caller.turn.as_deref());
    let now = call.workspace.environment.now_millis();
    if let Some(wait) = goal.waits_now(now) {
        let heading = fit(goal.contract.heading(), HEADING);
        let waits = waits(wait, now, moment);
        return Ok(HookAnswer::GivenUp(format!("Goal `{heading}` waits for {waits}.")).into());
    }
    let wait = goal.waits_for().cloned();
    let go_on = Command::Continue {
        most: hosts.max_continuations.value,
        tree: stop.tree(call),
    };
    let request = call.request(go_on).by(Actor::System);
    let request = request.while_focused(&goal.id).key_of_host(key);
    let (receipt, now) = match request.run() {
        Ok(recorded) => recorded,
        Err(TransactionError::Rejected(Rejection::NotContinued { id, rest }))
            if rest.is_given_up() =>
        {
            return Ok(HookAnswer::GivenUp(format!(
                "Goal {id} is not continued any more: {rest}. It stays active, and goes on once \
                 you say something."
            ))
            .into());
        }
        // The goal or the focus has changed meanwhile, or the turn is over.
        Err(TransactionError::Rejected(_)) => return Ok(HookOutcome::default()),
        Err(error) => return Err(error.into()),
    };
    let Some(goal) = worked(call, &now) else {
        let goal = now.state.goals.get(&goal.id);
        let last = goal.and_then(|goal| last_turn(call, goal, &reader));
        let over = goal.and_then(|goal| over_budget(goal, &receipt));
        return Ok(last.map_or_else(|| given_up(over), HookOutcome::from));
    };
    let revision = now.revision(goal)?;
    sessions::was_told(call, Some((goal, revision)), false);
    let in_context = |it: &EventId| {
        let has_told = |tail: &Tail| tail.has(&revision_marker(*it));
        tail.as_ref().is_some_and(has_told)
    };
    let reader = Reader {
        told: reader.told.or(revision.filter(in_context)),
        ..reader
    };
    let prompted = fill(call, &now, PromptKind::Continue, Some(&goal.id), reader)?;
    let at = call.workspace.environment.now_millis();
    let mut prompt = at_moment(prompted.prompt, wait.as_ref(), at);
    if let Err(rest @ StopReason::NoResult(_)) = may_continue(goal) {
        prompt = format!(
            "{}\n\nThis is the last turn in a row: {rest}. Bring one in this turn, or say what keeps you \
             from it and stop.\n",
            prompt.trim_end()
        );
    }
    if turn.on_a_goal_of_the_host && sessions::tells_of_host(call) {
        let told = reader.surface.words(TOOLS_OF_THE_HOST);
        prompt = format!("{}\n\n{told}", prompt.trim_end());
    }
    // pi's extension records what it spends itself.
    let is_told = stop.spent.is_some() || tail.is_some_and(|tail| tail.tells_cost());
    let is_counted = host == PI || is_told;
    let uncounted = told("This host", goal).filter(|_| !is_counted);
    let uncounted = uncounted.filter(|_| sessions::tells_uncounted(call));
    Ok(HookOutcome {
        answer: match uncounted {
            Some(why) => HookAnswer::GoOnTelling { prompt, why },
            None => HookAnswer::GoOn(prompt),
        },
        notices: prompted.notices,
    })
}

/// What the user is told where what was recorded pauses the goal: it went over its budget.
fn over_budget(goal: &Goal, receipt: &Receipt) -> Option<String> {
    let pauses = |payload: &Payload| matches!(payload, Payload::GoalPaused(_));
    receipt
        .payloads()
        .any(pauses)
        .then(|| rests_by_budget(goal))
}

/// That the goal rests by its budget, and the commands that let it go on.
fn rests_by_budget(goal: &Goal) -> String {
    let id = &goal.id;
    let reason = goal.pause.as_ref().map_or("", |pause| &pause.reason);
    let raise = raised(goal).unwrap_or_default();
    format!(
        "Goal {id} is paused: {reason}. To go on: `goal budget --goal {id} {raise}`, then `goal resume \
         --goal {id}`."
    )
}

/// The one turn that an agent has once its goal went over its budget: it records where things stand. A
/// goal that goes on by itself has it, once in each session that works on it.
fn last_turn(call: &Call, goal: &Goal, reader: &Reader) -> Option<HookAnswer> {
    let pause = goal.pause.as_ref().filter(|pause| pause.is_by_budget())?;
    let this = format!("{} {}", goal.id, pause.reason);
    if !goal.contract.auto_continue || !sessions::takes_last_turn(call, &this) {
        return None;
    }
    let prompt = format!(
        "Goal {} is paused: {}. This is the last turn for it. Record with `goal note TEXT --next TEXT` \
         where things stand and what comes next, then stop. Begin nothing new and change nothing else.\n",
        goal.id, pause.reason
    );
    Some(HookAnswer::GoOnTelling {
        prompt: reader.surface.words(&prompt),
        why: rests_by_budget(goal),
    })
}

/// What the user is told where the agent stops since it asked something.
fn asked(goal: &Goal) -> Option<String> {
    if may_continue(goal) != Err(StopReason::Asked) {
        return None;
    }
    let asked = questions(goal);
    let first = asked.first()?;
    let heading = fit(goal.contract.heading(), HEADING);
    let more = match asked.len() {
        1 => String::new(),
        many => format!(" ({} more: `goal inbox`)", many - 1),
    };
    Some(format!(
        "Goal `{heading}` waits for your answer: {}\nAnswer with `{} VALUE`{more}.",
        fit(&first.question, QUESTION),
        answer_command(&first.id)
    ))
}

/// The goal that the session works on and that goes on by itself, unless that was given up: this
/// is for the transaction to say, since a stop that was answered before is answered again,
/// although what it recorded was the last in vain.
fn worked<'a>(call: &Call, snapshot: &'a Snapshot) -> Option<&'a Goal> {
    let goal = call.focus(&snapshot.state)?;
    match may_continue(goal) {
        Err(rest) if !rest.is_given_up() => None,
        _ => Some(goal),
    }
}
