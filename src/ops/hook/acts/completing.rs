//! Completion that the user types: what still waits is shown first, and the verdict of a long audit is asked
//! for by the same words again.

use std::time::Duration;

use super::told::{Told, judged};
use super::{Typed, User};
use crate::ops::call::Call;
use crate::ops::complete::{CompletionOptions, complete_unless, left_open};
use crate::ops::failure::Failure;
use crate::ops::hook::sessions;

/// How long a hook waits for a verdict: hosts give a hook ten seconds. The audit goes on without it.
const PATIENCE: Duration = Duration::from_secs(3);

/// How it is remembered that a verdict is awaited: the key of the request, its goal, and its summary.
const AWAITED: &str = "awaited ";

impl User<'_> {
    /// Requests completion. The audit is a process of its own, which the end of the hook leaves running.
    pub(super) fn complete(&self, typed: &Typed<'_>) -> Result<Told, Failure> {
        let snapshot = self.here.read()?;
        let goal = self.here.focus(&snapshot.state);
        let goal = goal.map_or_else(String::new, |it| it.id.to_string());
        let open = left_open(&self.here)?;
        if !open.is_empty() {
            let lines = open.join("\n");
            let shown = format!("complete {goal}\n{lines}");
            let text = format!("Before you complete it:\n{lines}\n");
            if let Some(unread) = self.unread(&shown, &text, typed, typed.rest)? {
                return Ok(unread);
            }
        }
        let asked = CompletionOptions {
            summary: Some(typed.rest.to_owned()).filter(|it| !it.is_empty()),
            wait: Some(PATIENCE),
            ..CompletionOptions::default()
        };
        // The same words again ask for the verdict of the request that they made before. A host that names
        // no turn gives no key.
        let now = self.here.workspace.environment.now_millis();
        let key = self.pending(&goal, typed.rest);
        let key = key.or_else(|| self.here.key.clone());
        let key = key.unwrap_or_else(|| format!("hook complete {now}"));
        let call = Call {
            key: Some(key.clone()),
            ..self.here.clone()
        };
        let completed = complete_unless(&call, &asked, &|| false)?;
        let waits = match completed.pending {
            true => format!("{AWAITED}{key}\n{}\n{}", completed.goal_id, typed.rest),
            false => String::new(),
        };
        // What cannot be remembered is asked for anew.
        let _best_effort = sessions::showed(self.session, &waits);
        Ok(judged(&completed, typed))
    }

    /// The key of the completion that the user asked for with this summary, whose verdict they were not told.
    /// Of the focused goal; where none is, its approval may have ended it.
    fn pending(&self, focused: &str, summary: &str) -> Option<String> {
        let shown = sessions::last_shown(self.session)?;
        let (key, rest) = shown.strip_prefix(AWAITED)?.split_once('\n')?;
        let (goal, of) = rest.split_once('\n')?;
        let is_same = of == summary && (focused.is_empty() || focused == goal);
        is_same.then(|| key.to_owned())
    }
}
