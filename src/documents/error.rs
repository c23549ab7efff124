//! Why a document cannot be read, and the finding that says so.

use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::id::InvalidId;

/// Why a document's text cannot be read. Never fatal to a command that only reads: it becomes a
/// [`Diagnostic`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// The text begins with neither `---` nor `{`, or with the other style's mark.
    #[error("it does not begin with {expected}")]
    NoHeader {
        /// What should stand on the first line.
        expected: &'static str,
    },
    /// The `---` line that ends the frontmatter is missing.
    #[error("its frontmatter has no closing `---` line")]
    Unclosed,
    /// The bare header is no JSON object.
    #[error("its JSON header cannot be parsed: {0}")]
    Json(String),
    /// A quoted value of the frontmatter is malformed.
    #[error("its frontmatter cannot be parsed: {0}")]
    Yaml(String),
    /// A field without which nothing can be told.
    #[error("its header has no `{0}`")]
    MissingField(&'static str),
    /// The header's id could not be part of a file name.
    #[error("its header's id is refused: {0}")]
    Id(#[from] InvalidId),
    /// A section that must be there to take a contract from the document.
    #[error("it has no text under `## {0}`")]
    MissingSection(&'static str),
    /// Text that belongs to no part of the contract.
    #[error("`{line}` in `## Boundaries and constraints` stands under none of its bold labels")]
    Unlabelled {
        /// The beginning of that line.
        line: String,
    },
}

impl DocumentError {
    /// The finding for the document called `name`.
    pub fn diagnostic(&self, name: &str) -> Diagnostic {
        let hint = match self {
            DocumentError::MissingSection(_) | DocumentError::Unlabelled { .. } => {
                "edit the document so that every line has its section, then run the command again"
            }
            _ => {
                "restore its header from version control, or move the file away and run `goal repair`"
            }
        };
        let message = format!("the document {name} cannot be read: {self}");
        Diagnostic::new(Code::DocumentUnreadable, message, hint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_the_document_and_the_next_step() {
        let finding = DocumentError::Unclosed.diagnostic("a.md");
        assert_eq!(finding.code, Code::DocumentUnreadable);
        assert!(
            finding
                .message
                .contains("a.md cannot be read: its frontmatter has no closing")
        );
        assert!(finding.hint.contains("goal repair"));
        let finding = DocumentError::MissingSection("Objective").diagnostic("a.md");
        assert!(finding.hint.contains("edit the document"));
    }
}
