//! The gate's chain: the lines of ours by which a goal came to be complete, each naming the one
//! before it. Replay only notes them; whether they hold together is found out when somebody asks,
//! since that takes the ids of lines.
//!
//! | line | names | may stand alone |
//! |---|---|---|
//! | `completion_requested` | the goal's revision | yes |
//! | `audit_started` | the revision, and the request (`request`) | no |
//! | `audit_result`, approved | the revision, and the start (`start`) | no |
//! | `goal_completed` | the result, by its link to the line before | no |

mod apply;

use serde::{Deserialize, Serialize};

use crate::domain::id::EventId;
use crate::domain::line::LineRef;
use crate::domain::verdict::Verdict;
use crate::domain::words::words;

words! {
    /// How a complete goal came to be complete.
    pub enum Audited {
        /// The whole chain is ours and unbroken, and about the revision that was completed.
        Gated = "gated",
        /// Another tool kept the goal, and its approving result precedes the completion.
        External = "external",
        /// Neither: completed outside the gate.
        None = "none",
    }
}

/// One line of the chain, as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    pub line: LineRef,
    /// The revision that it names.
    pub revision: Option<EventId>,
    /// The id of the line before it in the chain, where it names one.
    pub names: Option<EventId>,
}

/// What counts of an audit's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditVerdict {
    pub line: LineRef,
    pub verdict: Verdict,
    /// It approves without a word.
    pub wordless: bool,
    pub ours: bool,
    /// The result as a link of the chain: the start that it names.
    link: Link,
    /// The audit of ours that it is the result of, and the request before that.
    audit: Option<(Link, Link)>,
    /// The goal's revision as the writer of the result saw it.
    goal_revision: Vec<LineRef>,
}

/// How far the chain has come.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The request of ours that waits for its result.
    requested: Option<Link>,
    /// The audit of ours that waits for its result, and its request.
    begun: Option<(Link, Link)>,
    /// The latest result, whoever wrote it.
    pub judged: Option<AuditVerdict>,
    /// Another tool recorded an approval.
    foreign_approval: bool,
}

/// A completion with what stood before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    pub line: LineRef,
    pub ours: bool,
    /// The line that it links to.
    prev: Option<EventId>,
    /// The latest result before it, if it approves and is ours.
    approved: Option<AuditVerdict>,
    /// An approving result of another tool precedes it.
    foreign_approval: bool,
}

impl Completion {
    /// How the goal came to be complete by it. `id` reads the id of a line.
    pub(in crate::domain) fn audited<E>(
        &self,
        id: impl Fn(LineRef) -> Result<EventId, E>,
    ) -> Result<Audited, E> {
        let gated = match self.links() {
            Some(links) => self.holds(&links, &id)?,
            None => false,
        };
        Ok(match (gated, self.foreign_approval && !self.ours) {
            (true, _) => Audited::Gated,
            (false, true) => Audited::External,
            (false, false) => Audited::None,
        })
    }

    /// Whether an approval stands before it, whatever the chain to it is worth.
    pub fn is_approved(&self) -> bool {
        self.approved.is_some() || self.foreign_approval && !self.ours
    }

    /// The lines of its chain, from the request to itself; nothing where one is missing.
    pub fn links(&self) -> Option<[Link; 4]> {
        let result = self.approved.as_ref().filter(|_| self.ours)?;
        let (begun, request) = result.audit?;
        let completion = Link {
            line: self.line,
            revision: result.link.revision,
            names: self.prev,
        };
        Some([request, begun, result.link, completion])
    }

    fn holds<E>(
        &self,
        links: &[Link; 4],
        id: impl Fn(LineRef) -> Result<EventId, E>,
    ) -> Result<bool, E> {
        let Some(result) = &self.approved else {
            return Ok(false);
        };
        let revision = revision_id(result.goal_revision.iter().copied(), &id)?;
        if revision.is_none() {
            return Ok(false);
        }
        let [request, audit @ ..] = links;
        // A request that took the goal over could not know the revision that it left.
        if request
            .revision
            .is_some_and(|named| Some(named) != revision)
            || audit.iter().any(|link| link.revision != revision)
        {
            return Ok(false);
        }
        for pair in links.windows(2) {
            if pair[1].names != Some(id(pair[0].line)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The id of a revision: that of its line or, where several writers moved it without knowing of each
/// other, the id that a line of their ids in ascending order would have, with a line end between each two.
/// `id` reads the id of a line.
pub fn revision_id<E>(
    lines: impl IntoIterator<Item = LineRef>,
    id: impl Fn(LineRef) -> Result<EventId, E>,
) -> Result<Option<EventId>, E> {
    let ids = lines.into_iter().map(id);
    let mut ids = ids.collect::<Result<Vec<EventId>, E>>()?;
    ids.sort_unstable();
    Ok(match ids[..] {
        [] => None,
        [id] => Some(id),
        _ => {
            let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
            Some(EventId::of_line(text.as_bytes()))
        }
    })
}

#[cfg(test)]
mod tests;
