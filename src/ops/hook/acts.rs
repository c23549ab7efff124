//! What the user typed to their host about a goal, carried out as their act. Its lines have the mark of
//! the host: none of them is one that was typed at a terminal. What they accept on this machine (keys,
//! beginnings of ledgers, trust, settlements) is not among these acts.

mod answering;
mod completing;
mod pages;
mod reading;
mod told;
mod words;

use serde_json::json;

use super::{HookAnswer, HookOutcome, began, may_be_the_user, sessions};
use crate::domain::actor::{Actor, Caller};
use crate::domain::command::Command;
use crate::domain::goal::contract::ContractChange;
use crate::ops::baseline::begun_without_check;
use crate::ops::call::Call;
use crate::ops::contracted::Contracted;
use crate::ops::draft;
use crate::ops::drafts::{drafts, question};
use crate::ops::failure::Failure;
use crate::ops::lifecycle::{self, PAUSED_BY_USER, Pause};
use crate::ops::prompt::{Reader, drafting};
use crate::ops::propose::{reject, to_confirm};
use crate::ops::transacted::{Outcome, Transacted};
use crate::render::contract;
use crate::render::text::{clean, one_line};
use crate::transaction::TransactionError;
use crate::workspace::actor::Marks;
use crate::workspace::dirs::name_of;
use crate::workspace::sessions::Acted;
use told::{Told, done, lost, refused};
use words::{first_word, is_like_an_id, or};

pub use words::as_typed;

/// What the user can do from within their host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Draft,
    Set,
    Confirm,
    Reject,
    Answer,
    Pause,
    Resume,
    Focus,
    Complete,
    Status,
    Inbox,
}

impl Act {
    /// All of them.
    pub const ALL: [Act; 11] = [
        Act::Draft,
        Act::Set,
        Act::Confirm,
        Act::Reject,
        Act::Answer,
        Act::Pause,
        Act::Resume,
        Act::Focus,
        Act::Complete,
        Act::Status,
        Act::Inbox,
    ];

    /// The command that does the same at a terminal.
    pub fn name(self) -> &'static str {
        match self {
            Act::Draft => "draft",
            Act::Set => "set",
            Act::Confirm => "confirm",
            Act::Reject => "reject",
            Act::Answer => "answer",
            Act::Pause => "pause",
            Act::Resume => "resume",
            Act::Focus => "focus",
            Act::Complete => "complete",
            Act::Status => "status",
            Act::Inbox => "inbox",
        }
    }

    /// Whether it chooses the goal that is worked on.
    fn focuses(self) -> bool {
        matches!(self, Act::Draft | Act::Set | Act::Confirm | Act::Focus)
    }
}

/// An act as the user typed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Typed<'a> {
    pub act: Act,
    /// What stands behind it.
    pub rest: &'a str,
    /// How acts are typed in this host, without their name: `/goal:`.
    pub before: &'static str,
}

impl Typed<'_> {
    /// How this act is typed, with these words behind it.
    fn again(&self, act: Act, rest: &str) -> String {
        format!("`{}", self.before) + format!("{} {rest}", act.name()).trim_end() + "`"
    }

    fn usage(&self, message: &str, rest: &str) -> Failure {
        Failure::usage(message, format!("type {}", self.again(self.act, rest)))
    }
}

/// The host through which the user acts.
#[derive(Debug, Clone, Copy)]
pub struct Through {
    /// The mark of its lines, where the host left none.
    pub mark: &'static str,
    /// Its tools are told the session.
    pub names_session: bool,
    /// Its own command tells the model how a goal is discussed.
    pub tells_drafting: bool,
}

/// Carries it out. What came of it is told, also why it was refused. The prompt goes to the model, unless its
/// host shows a refusal in its place. Several hooks may report the same prompt: what came of it is told by
/// each, and done by the first.
pub fn carried_out(
    call: &Call,
    typed: &Typed<'_>,
    through: Through,
    reader: Reader,
) -> HookOutcome {
    if !may_be_the_user(call) {
        return HookOutcome::default();
    }
    if let Some(variable) = call.workspace.environment.marks.of_agents_shell() {
        return answered(typed, Err(not_typed(typed, variable))).into();
    }
    let (prompt, begun) = (
        typed.again(typed.act, typed.rest),
        call.workspace.environment.now_millis(),
    );
    let _alone = sessions::alone(call);
    if let Some(acted) = sessions::acted(call, &prompt, begun) {
        return told(acted.is_refused, acted.user, acted.model).into();
    }
    let acted = User::of(call, typed, through).act(typed, reader);
    let answer = answered(
        typed,
        acted.map_err(|failure| lost(call).unwrap_or(failure)),
    );
    if let HookAnswer::Told { user, model } | HookAnswer::Refused { user, model } = &answer {
        let acted = Acted {
            prompt,
            turn: call.caller.turn.clone(),
            at: begun,
            user: user.clone(),
            model: model.clone(),
            is_refused: matches!(answer, HookAnswer::Refused { .. }),
        };
        sessions::has_acted(call, acted);
    }
    answer.into()
}

/// What user and model are told of what came of it.
fn answered(typed: &Typed<'_>, acted: Result<Told, Failure>) -> HookAnswer {
    let is_done = acted.is_ok();
    let said = acted.unwrap_or_else(|failure| refused(typed, &failure));
    if said.user.is_empty() && said.model.is_empty() {
        return HookAnswer::Nothing;
    }
    let typed_so = typed.again(typed.act, "");
    let what = match is_done {
        true => format!(
            "The user typed {typed_so}. The program carried that out as the user's own act, and says this, \
             which the user sees too:"
        ),
        false => format!("The prompt is {typed_so}, and nothing was done. The user sees this too:"),
    };
    let model = format!("{what}\n\n{}\n{}", said.user, said.model);
    told(!is_done, said.user, model)
}

fn told(is_refused: bool, user: String, model: String) -> HookAnswer {
    match is_refused {
        true => HookAnswer::Refused { user, model },
        false => HookAnswer::Told { user, model },
    }
}

/// That an agent called the hook in its own shell.
fn not_typed(typed: &Typed<'_>, variable: &str) -> Failure {
    let message = format!("no person typed it: {variable} is set, as in an agent's shell");
    let hint = format!(
        "the user types it, or `goal {}` at a terminal",
        typed.act.name()
    );
    Failure::usage(message, hint)
}

/// The user, as their host passes their acts on.
struct User<'a> {
    /// The call of the host's session.
    session: &'a Call,
    /// The user's call in that session.
    here: Call,
    /// The user's call for what chooses the goal: without the session where the host's tools are not
    /// told of it, since they follow the project's focus.
    chooses: Call,
    through: Through,
}

impl User<'_> {
    fn of<'a>(call: &'a Call, typed: &Typed<'_>, through: Through) -> User<'a> {
        let own = &call.workspace.environment;
        let marks = match own.marks.first() {
            Some(_) => own.marks.clone(),
            None => Marks::of_host(through.mark),
        };
        let caller = Caller {
            actor: Actor::User,
            turn: None,
            via: call.caller.via.clone().or_else(|| marks.via()),
            ..call.caller.clone()
        };
        let turn = call.caller.turn.as_ref();
        let mut here = Call {
            // Several hooks may report the same prompt.
            key: turn.map(|turn| format!("hook {} {turn}", typed.act.name())),
            caller,
            ..call.clone()
        };
        here.workspace.environment.marks = marks;
        let session = here.caller.session.clone();
        let has_own_focus = |session: &String| {
            let snapshot = here.read().ok();
            snapshot.is_some_and(|it| it.state.focus.of_session(session).is_some())
        };
        let session = session.filter(|it| through.names_session || has_own_focus(it));
        let chooses = Call {
            caller: Caller {
                session,
                ..here.caller.clone()
            },
            ..here.clone()
        };
        User {
            session: call,
            here,
            chooses,
            through,
        }
    }

    fn act(&self, typed: &Typed<'_>, reader: Reader) -> Result<Told, Failure> {
        let call = if typed.act.focuses() {
            &self.chooses
        } else {
            &self.here
        };
        let rest = typed.rest;
        match typed.act {
            Act::Draft => self.draft(typed, reader),
            Act::Set => {
                if rest.is_empty() {
                    return Err(typed.usage("no objective is given", "OBJECTIVE"));
                }
                let contract = ContractChange {
                    objective: Some(rest.to_owned()),
                    ..ContractChange::default()
                };
                let arguments = json!({ "contract": contract });
                let set = Command::Set {
                    goal_id: call.fresh_goal_id(),
                    contract: Box::new(contract),
                    like: None,
                    limits: Default::default(),
                };
                let recorded = call.request(set).key(arguments).run()?;
                let set: Transacted = begun_without_check(call, recorded);
                self.contracted("Created and focused", &set, reader)
            }
            Act::Confirm => self.confirm(typed, reader),
            Act::Reject => self.reject(typed),
            Act::Answer => self.answer(typed),
            Act::Pause => {
                let reason = or(rest, PAUSED_BY_USER);
                let asked = Pause {
                    reason: reason.to_owned(),
                    ..Pause::default()
                };
                let paused = lifecycle::pause(call, &asked)?;
                let again = typed.again(Act::Resume, "");
                Ok(Told {
                    user: format!(
                        "{}Its reason: {}. {again} lets it go on.\n",
                        done("Paused", &paused),
                        one_line(reason)
                    ),
                    model: "Do not work on it any more. End your turn.\n".to_owned(),
                })
            }
            Act::Resume => {
                let resumed = lifecycle::resume(call, or(rest, "resumed by the user"))?;
                self.joined(done("Resumed", &resumed), reader)
            }
            Act::Focus => {
                if rest.is_empty() {
                    return Err(typed.usage("no goal is named", "GOAL"));
                }
                let named = Call {
                    goal: Some(rest.to_owned()),
                    ..call.clone()
                };
                let focused = lifecycle::focus(&named, "chosen by the user")?;
                self.joined(done("Focused", &focused), reader)
            }
            Act::Complete => self.complete(typed),
            Act::Status => self.status(typed),
            Act::Inbox => self.inbox(typed),
        }
    }

    fn draft(&self, typed: &Typed<'_>, reader: Reader) -> Result<Told, Failure> {
        // The server through which the contract is proposed may be told of no session.
        let call = Call {
            caller: Caller {
                session: None,
                ..self.here.caller.clone()
            },
            ..self.here.clone()
        };
        let nothing = Told {
            user: String::new(),
            model: String::new(),
        };
        if typed.rest.is_empty() {
            return match self.through.tells_drafting {
                true => Ok(nothing),
                false => Err(typed.usage("no topic is given", "TOPIC")),
            };
        }
        let opened = draft::open(&call, typed.rest, false)?;
        if self.through.tells_drafting {
            return Ok(nothing);
        }
        let rules = drafting(&call, &call.read()?, None, reader)?;
        let id = clean(opened.data.draft_id.as_deref().unwrap_or_default());
        Ok(Told {
            user: format!("Opened draft {id}.\n"),
            model: rules.map_or_else(String::new, |it| it.prompt),
        })
    }

    /// Confirms the proposal that this session's hook showed whole; one that it has not shown, or that
    /// changed since, is shown instead.
    fn confirm(&self, typed: &Typed<'_>, reader: Reader) -> Result<Told, Failure> {
        let call = &self.chooses;
        let mut words = typed.rest.split_whitespace();
        let named = words.next();
        if words.next().is_some() {
            let message = "it takes the id of a draft and nothing else; what should be different is \
                           said when you reject it";
            return Err(typed.usage(message, "DRAFT"));
        }
        let (revision, draft) = to_confirm(call, named)?;
        // What a change removes depends on the contract that it changes, too.
        let text = question(call, &draft)?;
        let digest = name_of(text.as_str().into());
        let shown = format!("confirm {revision} {} {digest}", draft.draft_id);
        let id = clean(&draft.draft_id);
        if let Some(unread) = self.unread(&shown, &text, typed, &id)? {
            return Ok(unread);
        }
        let arguments = json!({ "draft": draft.draft_id });
        let confirm = Command::Confirm {
            draft: Some(draft.draft_id),
            expects: true,
            goal_id: call.fresh_goal_id(),
        };
        let request = call.request(confirm).expecting(Some(revision));
        let recorded = request.key(arguments).run()?;
        let confirmed: Outcome<Contracted> = begun_without_check(call, recorded);
        self.contracted("Confirmed", &confirmed, reader)
    }

    fn reject(&self, typed: &Typed<'_>) -> Result<Told, Failure> {
        let (first, behind) = first_word(typed.rest);
        let open = drafts(&self.here)?.into_iter();
        let is_named = open.map(|(_, it)| it.draft_id).any(|id| id == first);
        if !is_named && is_like_an_id(first) {
            let message = format!("no open draft has the id {first}");
            return Err(typed.usage(&message, "REASON"));
        }
        let (draft, reason) = match is_named {
            true => (Some(first), behind),
            false => (None, typed.rest),
        };
        let reason = Some(reason).filter(|it| !it.is_empty());
        let (rejected, is_open) = reject(&self.here, draft, reason)?;
        let id = clean(rejected.data.draft_id.as_deref().unwrap_or_default());
        let user = match reason {
            Some(reason) => format!("Rejected draft {id}: {}\n", one_line(reason)),
            None => format!("Rejected draft {id}.\n"),
        };
        let model = match (is_open, reason) {
            (true, Some(_)) => "Propose again what the user wants instead.\n",
            (true, None) => "Ask the user what should be different, before you propose again.\n",
            (false, _) => "Do not propose it again unless the user asks for it.\n",
        };
        Ok(Told {
            user,
            model: model.to_owned(),
        })
    }

    /// The contract that is in force now, for both; the session works on it.
    fn contracted<T>(
        &self,
        verb: &str,
        outcome: &Outcome<T>,
        reader: Reader,
    ) -> Result<Told, Failure> {
        let snapshot = self.here.read()?;
        let id = outcome.goal_id.as_ref();
        let goal = id.and_then(|id| snapshot.state.goals.get(id));
        let contract = goal.map_or_else(String::new, |it| contract::confirmed(&it.contract));
        self.joined(format!("{}\n{contract}", done(verb, outcome)), reader)
    }

    /// The session works on the focused goal from here on, and is told all of it.
    fn joined(&self, user: String, reader: Reader) -> Result<Told, Failure> {
        let snapshot = self.here.read()?;
        if self.here.caller.session.is_some()
            && let Some(goal) = self.here.focus(&snapshot.state)
        {
            let word = Command::UserPrompted { named: true };
            let request = self.here.request(word).while_focused(&goal.id);
            match request.run() {
                // It may hold the goal already.
                Ok(_) | Err(TransactionError::Rejected(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let model = match began(self.session, reader)?.answer {
            HookAnswer::Context(context) => context,
            _ => String::new(),
        };
        Ok(Told { user, model })
    }
}
