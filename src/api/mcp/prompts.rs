//! The prompts that a person chooses in a client, most of them as a slash command: those of `goal
//! prompt`, and where things stand.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::caller::Caller;
use crate::ops::call::Call;
use crate::ops::draft::{open, open_tweak};
use crate::ops::failure::Failure;
use crate::ops::prompt::{Reader, prompted};
use crate::ops::summary::summarise;
use crate::render::document::NONE_GIVEN;
use crate::render::prompt::PromptKind;
use crate::render::summary::Limits;
use crate::render::text::short;

/// One prompt.
pub(super) struct Offered {
    name: &'static str,
    description: &'static str,
    says: Says,
}

#[derive(Clone, Copy)]
enum Says {
    /// The prompt of this kind.
    Prompt(PromptKind),
    /// The prompt by which something is discussed that the user names.
    Discuss(Discussed),
    /// The summary of the project.
    Summary,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Discussed {
    Goal,
    Sisyphus,
    Change,
}

/// The argument of a discussion.
const TOPIC: &str = "topic";

const fn offered(name: &'static str, says: Says, description: &'static str) -> Offered {
    Offered {
        name,
        description,
        says,
    }
}

const PROMPTS: &[Offered] = &[
    offered(
        "goal",
        Says::Prompt(PromptKind::Active),
        "Work on the focused goal",
    ),
    offered(
        "draft",
        Says::Discuss(Discussed::Goal),
        "Draft a goal with the agent",
    ),
    offered(
        "sisyphus",
        Says::Discuss(Discussed::Sisyphus),
        "Draft a goal of ordered, patient work",
    ),
    offered(
        "tweak",
        Says::Discuss(Discussed::Change),
        "Discuss a change of the focused goal's contract",
    ),
    offered(
        "continue",
        Says::Prompt(PromptKind::Continue),
        "Go on with the focused goal",
    ),
    offered(
        "finalize",
        Says::Prompt(PromptKind::Finalize),
        "Check everything, then request completion",
    ),
    offered(
        "status",
        Says::Summary,
        "Say where the goals of this project stand",
    ),
];

/// All prompts, as the protocol lists them.
pub(super) fn all() -> Vec<Prompt> {
    let listed = PROMPTS.iter().map(|prompt| {
        let topic = || {
            let topic = PromptArgument::new(TOPIC).with_required(false);
            vec![topic.with_description("What it is about, in your words")]
        };
        let arguments = matches!(prompt.says, Says::Discuss(_)).then(topic);
        Prompt::new(prompt.name, Some(prompt.description), arguments)
    });
    listed.collect()
}

/// The prompt of this name.
pub(super) fn named(name: &str) -> Option<&'static Offered> {
    PROMPTS.iter().find(|prompt| prompt.name == name)
}

/// What is wrong with a name that no prompt has.
pub(super) fn unknown(name: &str) -> String {
    let names: Vec<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
    format!(
        "there is no prompt `{}`: the prompts are {}",
        short(name, 100),
        names.join(", ")
    )
}

impl Offered {
    /// Whether a person who chooses it asks for a goal.
    pub(super) fn asks_for_a_goal(&self) -> bool {
        matches!(
            self.says,
            Says::Discuss(Discussed::Goal | Discussed::Sisyphus)
        )
    }

    /// The prompt, filled with the project's facts.
    ///
    /// # Errors
    /// No goal for a prompt that speaks of one; the project cannot be read.
    pub(super) async fn filled(
        &self,
        caller: &Caller,
        topic: Option<String>,
    ) -> Result<GetPromptResult, Failure> {
        let says = self.says;
        let reader = Reader {
            surface: caller.surface,
            ..Reader::WITH_TOOLS
        };
        let topic = topic.filter(|topic| !topic.trim().is_empty());
        // Where an answered form is the user's word, a prompt that they chose is it too.
        let text = match (says, topic) {
            (Says::Discuss(what), Some(topic)) if caller.forms => {
                let user = caller.user();
                user.run(move |call| opened(&call, what, &topic, reader))
                    .await
                    .outcome?
            }
            (says, topic) => {
                caller
                    .run(move |call| text(&call, says, topic.as_deref(), reader))
                    .await
                    .outcome?
            }
        };
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).with_description(self.description))
    }
}

/// Records what the user wants to discuss, and says how it is discussed.
fn opened(call: &Call, what: Discussed, topic: &str, reader: Reader) -> Result<String, Failure> {
    match what {
        Discussed::Change => drop(open_tweak(call, topic)?),
        Discussed::Goal | Discussed::Sisyphus => {
            drop(open(call, topic, what == Discussed::Sisyphus)?);
        }
    }
    discussion(call, what, reader)
}

fn discussion(call: &Call, what: Discussed, reader: Reader) -> Result<String, Failure> {
    let kind = match what {
        Discussed::Change => PromptKind::Tweak,
        Discussed::Goal | Discussed::Sisyphus => PromptKind::Draft,
    };
    Ok(prompted(call, kind, reader)?.prompt)
}

fn text(call: &Call, says: Says, topic: Option<&str>, reader: Reader) -> Result<String, Failure> {
    let mut text = match says {
        Says::Prompt(kind) => prompted(call, kind, reader)?.prompt,
        Says::Discuss(what) => discussion(call, what, reader)?,
        Says::Summary => {
            let summary = summarise(call, &Limits::default())?.summary;
            let summary = reader.surface.words(&summary);
            return Ok(format!(
                "Say in a few words where these goals stand and what waits for me. Change nothing.\n\n{summary}"
            ));
        }
    };
    if let (Says::Discuss(what), Some(topic)) = (says, topic) {
        let mode = match what {
            Discussed::Sisyphus => {
                " It is for ordered, patient work: propose it with mode `sisyphus`."
            }
            Discussed::Goal | Discussed::Change => "",
        };
        // Where no draft records the topic, it stands here only.
        for lead in ["is about", "said about it"] {
            let none = format!("{lead}:\n\n{NONE_GIVEN}\n");
            text = text.replacen(&none, &format!("{lead} stands at the end.\n"), 1);
        }
        text.push_str(&format!("\n\nWhat I want to discuss:{mode}\n\n{topic}\n"));
    }
    Ok(text)
}

/// What the person wants to discuss, where they said it.
pub(super) fn topic(arguments: Option<&JsonObject>) -> Option<String> {
    arguments?.get(TOPIC)?.as_str().map(str::to_owned)
}
