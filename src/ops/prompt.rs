//! prompts
use crate::domain::id::GoalId;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
/// stub
pub fn audit_prompt(_call: &Call, _id: &GoalId, _own: bool) -> Result<String, Failure> {
    Ok("audit".into())
}
