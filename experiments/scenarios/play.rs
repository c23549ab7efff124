//! Playing a case: step after step, with a look at the project after each.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::case::{Case, Step};
use crate::stage::{Actor, Ran, Stage};
use crate::told::{Sessions, Turn};

/// What was seen.
pub struct Seen {
    /// Before the first step.
    pub before: Moment,
    pub steps: Vec<SeenStep>,
}

/// One step, and how things were after it.
pub struct SeenStep {
    pub ran: Ran,
    pub after: Moment,
}

/// The work tree and the ledger at one moment.
pub struct Moment {
    /// How many bytes the ledger has.
    pub ledger: usize,
    /// The project's files but those of git and of `goal`.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Plays all steps.
pub fn play(case: &Case, stage: &Stage) -> Result<Seen> {
    let before = look(stage)?;
    let mut said = String::new();
    let mut sessions = Sessions::default();
    let mut steps = Vec::new();
    for (index, step) in case.steps.iter().enumerate() {
        let ran = match (&step.user, &step.say) {
            (Some(script), _) => stage.shell(script, &Actor::User, ""),
            (None, Some(words)) => {
                if step.forgotten {
                    said.clear();
                }
                let turn = format!("t{}", index + 1);
                take_turn(stage, step, (&turn, words), &mut said, &mut sessions)
            }
            (None, None) => continue,
        };
        let ran = ran.with_context(|| format!("step {}", index + 1))?;
        steps.push(SeenStep {
            ran,
            after: look(stage)?,
        });
    }
    Ok(Seen { before, steps })
}

/// The agent gets what the ledger says, what it still knows, and what the user says now; then it acts.
fn take_turn(
    stage: &Stage,
    step: &Step,
    (turn, words): (&str, &str),
    said: &mut String,
    sessions: &mut Sessions,
) -> Result<Ran> {
    let told = sessions.tell(stage, &Turn { step, turn, words })?;
    let prompt = format!(
        "{}\n# So far\n\n{said}\n# Now\n\nThis is session {1}; pass `--session {1}` to `goal`.{2}\n\n{words}\n",
        told.text, step.session, told.hint
    );
    let ran = agent(stage, step, turn, &prompt)?;
    if told.stays {
        said.push_str(&told.text);
    }
    said.push_str(&format!("User: {words}\nYou: {}\n", ran.stdout.trim_end()));
    Ok(ran)
}

fn agent(stage: &Stage, step: &Step, turn: &str, prompt: &str) -> Result<Ran> {
    let actor = Actor::Agent {
        session: &step.session,
        turn,
    };
    if let Some(agent) = stage.agent() {
        return stage.run(Command::new(agent), &actor, prompt);
    }
    let script = step
        .agent
        .as_deref()
        .context("a step has no script for its agent")?;
    stage.shell(script, &actor, prompt)
}

/// How things are.
pub fn look(stage: &Stage) -> Result<Moment> {
    let project = stage.project();
    let ledger = fs::read(project.join(".pi/goals/goal_events.jsonl")).unwrap_or_default();
    let mut files = BTreeMap::new();
    walk(&project, &project, &mut files)?;
    Ok(Moment {
        ledger: ledger.len(),
        files,
    })
}

fn walk(top: &Path, directory: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.strip_prefix(top)?.to_string_lossy().into_owned();
        if name == ".git" || name == ".pi/goals" {
            continue;
        }
        if path.is_dir() {
            walk(top, &path, files)?;
        } else {
            files.insert(name, fs::read(&path)?);
        }
    }
    Ok(())
}
