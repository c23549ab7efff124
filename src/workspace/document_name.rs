//! Names of goal documents, built and taken apart (docs/design/documents.md#rendering).

use std::fmt;

use crate::domain::id::GoalId;
use crate::domain::time::document_stamp;

/// Where a document lies, and so what its name begins with: with the open goals or in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentKind {
    /// `active_goal_<stamp>_<id>.md`
    Active,
    /// `goal_<stamp>_<id>.md`, in `archived/`
    Archived,
}

impl DocumentKind {
    fn prefix(self) -> &'static str {
        match self {
            DocumentKind::Active => "active_goal_",
            DocumentKind::Archived => "goal_",
        }
    }
}

/// A document's file name, without its directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentName {
    /// Open or ended.
    pub kind: DocumentKind,
    /// 16 digits. Only shown: documents are found by id.
    pub stamp: String,
    /// Whose document it is.
    pub id: GoalId,
}

impl DocumentName {
    /// The name for a document whose creating or ending event happened `at` (RFC 3339).
    pub fn new(kind: DocumentKind, at: &str, id: &GoalId) -> DocumentName {
        DocumentName {
            kind,
            stamp: document_stamp(at),
            id: id.clone(),
        }
    }

    /// Takes a file name apart; nothing when it is no goal document's. The id may hold `_`, `-`
    /// and `.`, the stamp is 16 digits, so the first `_` after the stamp ends it.
    pub fn parse(name: &str) -> Option<DocumentName> {
        let (kind, stamp, id) = DocumentName::parts(name)?;
        Some(DocumentName {
            kind,
            stamp: stamp.to_owned(),
            id: id.parse().ok()?,
        })
    }

    /// The id in a file name; nothing when it is no goal document's.
    pub fn id_in(name: &str) -> Option<&str> {
        let (_, _, id) = DocumentName::parts(name)?;
        GoalId::is_valid(id).then_some(id)
    }

    fn parts(name: &str) -> Option<(DocumentKind, &str, &str)> {
        let stem = name.strip_suffix(".md")?;
        let (kind, rest) = [DocumentKind::Active, DocumentKind::Archived]
            .into_iter()
            .find_map(|kind| Some((kind, stem.strip_prefix(kind.prefix())?)))?;
        let (stamp, id) = rest.split_at_checked(16)?;
        let digits = stamp.bytes().all(|byte| byte.is_ascii_digit());
        Some((kind, stamp, id.strip_prefix('_').filter(|_| digits)?))
    }
}

impl fmt::Display for DocumentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}_{}.md", self.kind.prefix(), self.stamp, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for id in ["mr5cf6ch-akrg4u", "a_b.c-d", "x.md", "1_2", "9"] {
            for kind in [DocumentKind::Active, DocumentKind::Archived] {
                let name =
                    DocumentName::new(kind, "2026-11-21T20:15:00.129Z", &id.parse().unwrap());
                assert_eq!(DocumentName::parse(&name.to_string()), Some(name));
            }
        }
        let name = DocumentName::parse("active_goal_2026112120150012_mr5cf6ch-akrg4u.md").unwrap();
        assert_eq!(
            (name.kind, name.stamp.as_str()),
            (DocumentKind::Active, "2026112120150012")
        );
        assert_eq!(name.id.as_str(), "mr5cf6ch-akrg4u");
    }

    #[test]
    fn other_names_are_no_documents() {
        for name in [
            "goal_events.jsonl",
            "goal_20261121_a.md.1234.5678.tmp",
            "goal_20261121_.md",
            "goal__a.md",
            "goal_2026x_a.md",
            "goal_20261121.md",
            "goal_20261121_a..b.md",
            "goal_20261121_../a.md",
            "README.md",
        ] {
            assert_eq!(DocumentName::parse(name), None, "{name}");
        }
    }
}
