//! The Notes of one goal, which every work tree has in its document: the home keeps them, and what is
//! edited in one tree comes to the others.

use std::fs;
use std::io;

use camino::Utf8PathBuf;

use crate::documents::notes::joined;
use crate::domain::id::GoalId;
use crate::workspace::Paths;

/// The Notes as the home has them, and as this work tree last had them with it.
pub(super) struct KeptNotes {
    kept: Utf8PathBuf,
    here: Utf8PathBuf,
    there: String,
    base: String,
}

/// What is to be written of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotesPlan {
    kept: Utf8PathBuf,
    here: Utf8PathBuf,
    text: String,
}

impl KeptNotes {
    /// Those of a goal; nothing where there is no home beside the work tree.
    ///
    /// # Errors
    /// They cannot be read.
    pub(super) fn of(paths: &Paths, id: &GoalId) -> io::Result<Option<KeptNotes>> {
        let (Some(kept), Some(here)) = (paths.notes(id), paths.notes_here(id)) else {
            return Ok(None);
        };
        let read = |path: &Utf8PathBuf| match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
            read => read,
        };
        let (there, base) = (read(&kept)?, read(&here)?);
        Ok(Some(KeptNotes {
            kept,
            here,
            there,
            base,
        }))
    }

    /// The Notes that the document gets, which has these now; nothing where there is no document. Where
    /// both sides were edited, both stay.
    pub(super) fn with(&self, document: Option<&str>) -> String {
        let Some(document) = document else {
            return self.there.clone();
        };
        let is = |one: &str, other: &str| one.trim() == other.trim();
        match () {
            () if is(document, &self.there) || is(&self.there, &self.base) => document.to_owned(),
            () if is(document, &self.base) => self.there.clone(),
            () => joined(&self.there, document),
        }
    }

    /// What is to be written where the document has these; nothing where both sides have them.
    pub(super) fn plan(self, text: &str) -> Option<NotesPlan> {
        let is_kept = self.there.trim() == text.trim() && self.base.trim() == text.trim();
        (!is_kept).then(|| NotesPlan {
            kept: self.kept,
            here: self.here,
            text: text.to_owned(),
        })
    }
}

impl NotesPlan {
    /// Writes them: first for all, then what this tree had with them.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn carry_out(&self) -> io::Result<()> {
        for path in [&self.kept, &self.here] {
            if let Some(directory) = path.parent() {
                fs::create_dir_all(directory)?;
            }
            let temporary = format!("{path}.tmp-{}", std::process::id());
            fs::write(&temporary, &self.text)?;
            fs::rename(temporary, path)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_that_was_edited_counts_and_both_where_both_were() {
        let notes = |there: &str, base: &str, document: Option<&str>| {
            let (there, base) = (there.to_owned(), base.to_owned());
            let path = Utf8PathBuf::new();
            let kept = KeptNotes {
                kept: path.clone(),
                here: path,
                there,
                base,
            };
            kept.with(document)
        };
        // A work tree that has no document yet, and one that never had Notes.
        assert_eq!(notes("a\n", "", None), "a\n");
        assert_eq!(notes("a\n", "", Some("")), "a\n");
        // Edited here, elsewhere, and taken out here.
        assert_eq!(notes("a\n", "a\n", Some("a\nb\n")), "a\nb\n");
        assert_eq!(notes("a\nb\n", "a\n", Some("a\n")), "a\nb\n");
        assert_eq!(notes("a\n", "a\n", Some("")), "");
        // On both sides.
        assert_eq!(notes("a\nb\n", "a\n", Some("c\n")), "a\nb\nc\n");
    }
}
