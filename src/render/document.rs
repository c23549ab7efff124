//! stub
use crate::domain::goal::state::{Audited, Goal};
use crate::domain::id::EventId;
pub struct DocumentInput<'a> {
    pub path: &'a str,
    pub revision: Option<EventId>,
    pub event: Option<EventId>,
    pub audited: Option<Audited>,
}
pub struct Rendered {
    pub header: Vec<(&'static str, serde_json::Value)>,
    pub body: String,
}
pub fn document(goal: &Goal, _: &DocumentInput<'_>) -> Rendered {
    Rendered {
        header: vec![("id", goal.id.as_str().into())],
        body: "# x\n".into(),
    }
}
