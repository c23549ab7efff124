//! Takes back a question or a proposal that waits for the user.

use serde_json::json;

use crate::domain::command::Command;
use crate::domain::event::QuestionWithdrawn;
use crate::domain::task::command::TaskCommand;
use crate::domain::task::question::Question;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::ops::transacted::Transacted;

/// Takes back the question, or the proposal of the draft, with this id. A draft that the user opened
/// stays for another proposal.
///
/// # Errors
/// Nothing that waits has this id, or somebody else asked or proposed it and the caller is an agent.
pub fn withdraw(call: &Call, id: &str) -> Result<Transacted, Failure> {
    let snapshot = call.read()?;
    let asks = |questions: &[Question]| questions.iter().any(|it| it.id == id);
    let mut goals = snapshot.state.open().into_iter();
    let request = match goals.find(|goal| asks(goal.tasks.questions.all())) {
        Some(goal) => {
            let question_id = id.to_owned();
            let withdraw = TaskCommand::Withdraw(QuestionWithdrawn { question_id });
            call.request(withdraw).on(&goal.id)
        }
        None => call.request(Command::Withdraw {
            draft: id.to_owned(),
        }),
    };
    Ok(request.key(json!({ "id": id })).run()?.into())
}
