//! What the user only looks at in their host: how the goal stands, and what waits for them.

use super::told::Told;
use super::words::as_typed;
use super::{Typed, User};
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
    /// How the goal stands.
    pub(super) fn status(&self, typed: &Typed<'_>) -> Result<Told, Failure> {
        let text = status(&self.here)?.words(&self.here, false);
        Ok(seen(typed, &text))
    }

    /// What waits for the user.
    pub(super) fn inbox(&self, typed: &Typed<'_>) -> Result<Told, Failure> {
        let found = inbox(&self.here, &InboxRequest::default())?;
        Ok(seen(typed, &found.words(&self.here, COLUMNS)))
    }
}

/// The text, with the commands as they are typed here.
fn seen(typed: &Typed<'_>, text: &str) -> Told {
    // There is no list to choose from here.
    let text = unstyled(text).replace("`goal inbox --list`", "`goal inbox`");
    Told {
        user: as_typed(typed.before, &text),
        model: ONLY_SEEN.to_owned(),
    }
}
