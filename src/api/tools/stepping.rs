//! The tools of an agent that works through tasks. Answering is the user's, so there is none for
//! that.

use crate::api::tools::arguments::Nothing;
use crate::api::tools::told::{Answer, read, transacted};
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::questions::{OpenQuestion, questions};
use crate::ops::step::step;

pub(super) fn perform_step(call: &Call, _: Nothing) -> Result<Answer, Failure> {
    let stepped = step(call)?;
    let text = stepped.text();
    match stepped.events.is_empty() {
        true => read(stepped, text),
        false => transacted(stepped, text),
    }
}

pub(super) fn list_questions(call: &Call, _: Nothing) -> Result<Answer, Failure> {
    let open = questions(call)?;
    let texts: Vec<String> = open.questions.iter().map(OpenQuestion::text).collect();
    let text = match texts.is_empty() {
        true => "No question waits for the user.".to_owned(),
        false => format!(
            "These wait for the user, who alone answers them: ask, and let them run the command.\n\
             \n{}",
            texts.join("\n")
        ),
    };
    read(open, text)
}
