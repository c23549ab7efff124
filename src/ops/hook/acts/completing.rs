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

/// How it is remembered that a verdict is awaited.
const AWAITED: &str = "awaited ";

fn awaited(key: &str, summary: &str) -> String {
    format!("{AWAITED}{key}\n{summary}")
}

impl User<'_> {
    /// Requests completion. The audit is a process of its own, which the end of the hook leaves running.
    pub(super) fn complete(&self, typed: &Typed<'_>) -> Result<Told, Failure> {
        let open = left_open(&self.here)?;
        if !open.is_empty() {
            let lines = open.join("\n");
            let snapshot = self.here.read()?;
            let goal = self.here.focus(&snapshot.state);
            let goal = goal.map_or_else(String::new, |it| it.id.to_string());
            let shown = format!("complete {goal}\n{lines}");
            if !sessions::was_shown(self.session, &shown) {
                let text = format!("Before you complete it:\n{lines}\n");
                return self.shows(&shown, text, typed, typed.rest);
            }
        }
        let asked = CompletionOptions {
            summary: Some(typed.rest.to_owned()).filter(|it| !it.is_empty()),
            wait: Some(PATIENCE),
            ..CompletionOptions::default()
        };
        // The same words again ask for the verdict of the request that they made before.
        let call = Call {
            key: self.pending(typed.rest).or_else(|| self.here.key.clone()),
            ..self.here.clone()
        };
        let completed = complete_unless(&call, &asked, &|| false)?;
        let waits = completed.pending.then_some(call.key).flatten();
        let waits = waits.map_or_else(String::new, |key| awaited(&key, typed.rest));
        // What cannot be remembered is asked for anew.
        let _best_effort = sessions::showed(self.session, &waits);
        Ok(judged(&completed, typed))
    }

    /// The key of the completion that the user asked for with this summary, whose verdict they were not told.
    fn pending(&self, summary: &str) -> Option<String> {
        let shown = sessions::last_shown(self.session)?;
        let (key, of) = shown.strip_prefix(AWAITED)?.split_once('\n')?;
        (of == summary).then(|| key.to_owned())
    }
}
