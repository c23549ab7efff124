//! What an agent is told before its turn, in each of the ways in which agents are told something.

use std::collections::BTreeSet;

use anyhow::Result;
use serde_json::{Value, json};

use crate::case::{Step, ToldBy};
use crate::stage::{Actor, Stage};

/// The sessions that have begun.
#[derive(Default)]
pub struct Sessions(BTreeSet<String>);

/// A turn that begins.
pub struct Turn<'a> {
    pub step: &'a Step,
    pub turn: &'a str,
    /// What the user says.
    pub words: &'a str,
}

/// What the agent is told. Empty where the program says nothing, or cannot be run: the agent begins
/// its turn all the same.
pub struct Told {
    pub text: String,
    /// It stays in the conversation, as what a hook says does.
    pub stays: bool,
    /// What a real agent has to know of this way.
    pub hint: &'static str,
}

impl Sessions {
    /// Tells the agent what the ledger knows, as the step says.
    pub fn tell(&mut self, stage: &Stage, turn: &Turn<'_>) -> Result<Told> {
        let session = &turn.step.session;
        let begins = self.0.insert(session.clone());
        let (text, hint) = match turn.step.told_by {
            ToldBy::Commands => (by_commands(stage, session)?, ""),
            ToldBy::Hook => (by_hooks(stage, turn, begins)?, ""),
            ToldBy::Tool => (
                by_tool(stage, turn)?,
                " Call the tools with `goal tool NAME --data JSON`.",
            ),
            ToldBy::Mcp => (
                by_mcp(stage, turn)?,
                " Call the tools with `mcp NAME JSON`, a command of your shell.",
            ),
        };
        let stays = turn.step.told_by == ToldBy::Hook;
        Ok(Told { text, stays, hint })
    }
}

/// What the skills tell an agent to run.
fn by_commands(stage: &Stage, session: &str) -> Result<String> {
    let commands = format!(
        "goal summary --session {session}; goal drafts; goal prompt guide
         goal drafts --json | grep -q draftId && goal prompt draft --session {session}
         goal prompt active --session {session}"
    );
    // Without a focus there is no prompt to work by, which is not an error here.
    Ok(stage.shell(&commands, &Actor::User, "")?.stdout)
}

/// What a host adds to the conversation: at the start of a session or after a compaction, and when
/// the user speaks.
fn by_hooks(stage: &Stage, turn: &Turn<'_>, begins: bool) -> Result<String> {
    let session = &turn.step.session;
    let mut text = String::new();
    if begins || turn.step.forgotten {
        let source = if begins { "startup" } else { "compact" };
        text.push_str(&hook(
            stage,
            "session-start",
            &json!({ "hook_event_name": "SessionStart", "session_id": session, "source": source }),
        )?);
    }
    text.push_str(&hook(
        stage,
        "user-prompt-submit",
        &json!({
            "hook_event_name": "UserPromptSubmit", "session_id": session,
            "prompt_id": turn.turn, "prompt": turn.words,
        }),
    )?);
    Ok(text)
}

fn hook(stage: &Stage, event: &str, input: &Value) -> Result<String> {
    let command = format!("goal hook {event}");
    let ran = stage.shell(&command, &Actor::Host, &input.to_string())?;
    Ok(text_at(
        &ran.stdout,
        "/hookSpecificOutput/additionalContext",
    ))
}

fn by_tool(stage: &Stage, turn: &Turn<'_>) -> Result<String> {
    let command = "goal tool get_goal --session \"$SESSION\" --turn \"$TURN\"";
    let ran = stage.shell(command, &as_agent(turn), "")?;
    Ok(text_at(&ran.stdout, "/data/text"))
}

fn by_mcp(stage: &Stage, turn: &Turn<'_>) -> Result<String> {
    let ran = stage.shell("mcp get_goal", &as_agent(turn), "")?;
    let mut answers = ran.stdout.lines();
    let greeting = text_at(answers.next().unwrap_or_default(), "/result/instructions");
    let goal = text_at(answers.next().unwrap_or_default(), "/result/content/0/text");
    Ok(format!("{greeting}\n\n{goal}"))
}

fn as_agent<'a>(turn: &Turn<'a>) -> Actor<'a> {
    Actor::Agent {
        session: &turn.step.session,
        turn: turn.turn,
    }
}

/// The text at a place in JSON; nothing where it is not there.
fn text_at(json: &str, place: &str) -> String {
    let value: Value = serde_json::from_str(json).unwrap_or_default();
    let text = value.pointer(place).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}
