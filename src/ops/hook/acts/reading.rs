//! What the user only looks at in their host: how the goal stands, and what waits for them.

use super::told::{Told, lost};
use super::words::{as_typed, typed_here};
use super::{Typed, User};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::inbox::{InboxRequest, inbox};
use crate::ops::status::status;
use crate::render::columns::unstyled;

/// As wide as hosts show it: they put something before each line.
const COLUMNS: usize = 74;

/// What the model makes of it.
const ONLY_SEEN: &str = "The user only wanted to see this. Change nothing and settle nothing: say one short sentence \
                         about what they could do next, and end your turn.\n";

impl User<'_> {
    /// How the goal stands: the one that is named, else the focused one.
    pub(super) fn status(&self, typed: &Typed<'_>) -> Result<Told, Failure> {
        let call = self.about(typed);
        let text = status(&call)?.words(&call, false);
        // There is no list to choose from here.
        let text = unstyled(&text).replace("`goal inbox --list`", "`goal inbox`");
        Ok(seen(as_typed(typed.before, &text)))
    }

    /// What waits for the user, of the goal that is named, else of all. Nothing can be known of it where the
    /// ledger is missing.
    pub(super) fn inbox(&self, typed: &Typed<'_>) -> Result<Told, Failure> {
        let call = self.about(typed);
        if let Some(lost) = lost(&call) {
            return Err(lost);
        }
        let mut found = inbox(&call, &InboxRequest::default())?;
        // Not in the text that is made of them: it has words of others, which stay as they are.
        for need in &mut found.needs {
            let choices = need.choices.iter_mut().map(|it| &mut it.command);
            for command in choices.chain([&mut need.command]) {
                if let Some(here) = typed_here(typed.before, command) {
                    *command = here;
                }
            }
        }
        Ok(seen(unstyled(&found.words(&call, COLUMNS))))
    }

    /// The call about the goal that stands behind the act.
    fn about(&self, typed: &Typed<'_>) -> Call {
        Call {
            goal: Some(typed.rest.to_owned()).filter(|it| !it.is_empty()),
            ..self.here.clone()
        }
    }
}

fn seen(text: String) -> Told {
    Told {
        user: text,
        model: ONLY_SEEN.to_owned(),
    }
}
