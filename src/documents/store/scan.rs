//! Finds the documents of a project by name and says what lies among them that should not.

use std::fs::{self, FileType};
use std::io;
use std::os::unix::fs::FileTypeExt;

use camino::{Utf8Path, Utf8PathBuf};

use super::read::read;
use crate::documents::header::{Style, style};
use crate::documents::{legacy, ours};
use crate::domain::diagnostic::{Code, Diagnostic};
use crate::domain::id::GoalId;
use crate::workspace::document_name::{DocumentKind, DocumentName};

/// One document. It has been found, not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: Utf8PathBuf,
    /// By the directory in which it lies, whatever its name says.
    pub kind: DocumentKind,
    /// From the name; for a document that somebody renamed, from its header.
    pub id: GoalId,
}

/// What [`Listing::documents`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// Sorted by name: of two for one goal the later stamp is last.
    pub entries: Vec<Entry>,
    pub diagnostics: Vec<Diagnostic>,
}

/// The names in a directory of documents.
#[derive(Debug)]
pub struct Listing {
    dir: Utf8PathBuf,
    kind: DocumentKind,
    /// In no particular order; symlinks are not followed.
    names: Vec<(String, FileType)>,
    /// The directory itself, where it is none.
    diagnostics: Vec<Diagnostic>,
}

/// All documents in the directory of those of this `kind`, as [`Listing::documents`] finds them.
pub fn scan(dir: &Utf8Path, kind: DocumentKind) -> io::Result<Scan> {
    Ok(Listing::of(dir, kind)?.documents(|_| true))
}

impl Listing {
    /// Lists the directory of the documents of this `kind`. One that is missing holds none.
    ///
    /// # Errors
    /// A directory that exists and cannot be listed.
    pub fn of(dir: &Utf8Path, kind: DocumentKind) -> io::Result<Listing> {
        let mut listing = Listing {
            dir: dir.to_owned(),
            kind,
            names: Vec::new(),
            diagnostics: Vec::new(),
        };
        match listing.read() {
            // What goes while it is looked at (git cleans, a checkout changes) is as good as gone
            // before.
            Err(error) if error.kind() == io::ErrorKind::NotFound => listing.names.clear(),
            outcome => outcome?,
        }
        Ok(listing)
    }

    fn read(&mut self) -> io::Result<()> {
        let found = fs::symlink_metadata(&self.dir)?;
        if !found.is_dir() {
            let finding = unsafe_path(&self.dir, found.file_type());
            self.diagnostics.push(finding);
            return Ok(());
        }
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            // A name that is no UTF-8 is none of ours nor of the older extension.
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            match entry.file_type() {
                Ok(file_type) => self.names.push((name, file_type)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The ids that the names of files tell.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        let files = self.names.iter().filter(|(_, it)| it.is_file());
        files.filter_map(|(name, _)| DocumentName::id_in(name))
    }

    /// The documents of the goals with the ids that are `wanted`, and what else is worth a word.
    /// Names are looked at, and only files ending in `.md` whose name tells no id are opened.
    pub fn documents(&self, mut wanted: impl FnMut(&str) -> bool) -> Scan {
        let mut scan = Scan {
            diagnostics: self.diagnostics.clone(),
            ..Scan::default()
        };
        // Who asks for the documents of one goal passes over nearly all names.
        let mut is_passed_over = |(name, file_type): &&(String, FileType)| {
            let id = DocumentName::id_in(name).filter(|_| file_type.is_file());
            id.is_some_and(|id| !wanted(id))
        };
        let names = self.names.iter();
        let mut names: Vec<_> = names.filter(|it| !is_passed_over(it)).collect();
        names.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        for (name, file_type) in names {
            self.look(name, *file_type, &mut wanted, &mut scan);
        }
        scan
    }

    fn look(
        &self,
        name: &str,
        file_type: FileType,
        wanted: &mut impl FnMut(&str) -> bool,
        scan: &mut Scan,
    ) {
        let path = || self.dir.join(name);
        if name.ends_with(".tmp") && name.contains(".md.") {
            scan.diagnostics.push(Diagnostic::new(
                Code::OrphanedFile,
                format!("{} was left by a writer that crashed", path()),
                "remove it when no other command is running",
            ));
        } else if !name.ends_with(".md") {
            // The ledger, sidecars, configuration, kept versions.
        } else if !file_type.is_file() {
            scan.diagnostics.push(unsafe_path(&path(), file_type));
        } else {
            let id = match DocumentName::id_in(name) {
                Some(id) => id.parse().ok(),
                None => id_in_header(&path()).filter(|id| wanted(id.as_str())),
            };
            scan.entries.extend(id.map(|id| Entry {
                path: path(),
                kind: self.kind,
                id,
            }));
        }
    }
}

/// The id in the header of a file with another name; without one it is no document.
fn id_in_header(path: &Utf8Path) -> Option<GoalId> {
    let text = read(path).ok()?;
    match style(&text) {
        Style::Frontmatter => ours::parse(&text).ok().map(|header| header.id),
        Style::BareJson => legacy::parse(&text).ok().map(|document| document.id),
        Style::None => None,
    }
}

fn unsafe_path(path: &Utf8Path, file_type: FileType) -> Diagnostic {
    let what = if file_type.is_symlink() {
        "a symlink"
    } else if file_type.is_dir() {
        "a directory"
    } else if file_type.is_fifo() {
        "a pipe"
    } else {
        "not what belongs there"
    };
    Diagnostic::new(
        Code::UnsafePath,
        format!("{path} is {what} and is passed over"),
        "move it away; documents are regular files in `.pi/goals` and `.pi/goals/archived`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn names_tell_ids() {
        for (name, id) in [
            (
                "active_goal_2026030108000000_mrexampl-000001.md",
                Some("mrexampl-000001"),
            ),
            ("goal_2026030108000000_a_b.md", Some("a_b")),
            ("goal_202603010800000_a.md", None),
            ("goal_2026030108000000_a..b.md", None),
            ("goal_2026030108000000_.md", None),
            ("notes.md", None),
        ] {
            assert_eq!(DocumentName::id_in(name), id, "{name}");
        }
    }

    #[test]
    fn documents_are_found_and_the_rest_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let goals = Utf8Path::from_path(dir.path()).unwrap();
        let archived = goals.join("archived");
        fs::create_dir(&archived).unwrap();
        fs::create_dir(goals.join(".locks")).unwrap();
        let stamp = "2026030108000000";
        let write = |name: &str, text: &str| fs::write(goals.join(name), text).unwrap();
        write(&format!("active_goal_{stamp}_b.md"), "");
        write(&format!("active_goal_{stamp}_a.md"), "");
        write(&format!("active_goal_{stamp}_a.md.lock"), "");
        write(&format!("active_goal_{stamp}_a.md.orig"), "");
        write(
            &format!("active_goal_{stamp}_a.md.4711.1786000000000.tmp"),
            "",
        );
        write("goal_events.jsonl", "");
        write("renamed.md", "---\nid: c\n---\n");
        write("renamed-too.md", "{\"id\":\"d\"}\n");
        write("readme.md", "# Not a goal\n");
        fs::write(archived.join(format!("goal_{stamp}_z.md")), "").unwrap();
        symlink(
            "renamed.md",
            goals.join(format!("active_goal_{stamp}_s.md")),
        )
        .unwrap();
        fs::create_dir(goals.join(format!("active_goal_{stamp}_dir.md"))).unwrap();
        super::super::make_pipe(&goals.join(format!("active_goal_{stamp}_pipe.md")));

        let ended = scan(&archived, DocumentKind::Archived).unwrap();
        assert_eq!(ended.entries.len(), 1);
        let entry = &ended.entries[0];
        assert_eq!(
            (entry.id.as_str(), entry.kind),
            ("z", DocumentKind::Archived)
        );
        let scan = scan(goals, DocumentKind::Active).unwrap();
        for id in ["a", "b", "c", "d", "s", "dir", "pipe", "z"] {
            let id: GoalId = id.parse().unwrap();
            let of_id = scan.entries.iter().filter(|entry| entry.id == id).cloned();
            let listing = Listing::of(goals, DocumentKind::Active).unwrap();
            let found = listing.documents(|it| it == id.as_str()).entries;
            assert_eq!(found, of_id.collect::<Vec<_>>(), "{id}");
        }
        let found: Vec<_> = scan
            .entries
            .iter()
            .map(|entry| (entry.id.as_str(), entry.kind))
            .collect();
        let active = ["a", "b", "d", "c"].map(|id| (id, DocumentKind::Active));
        assert_eq!(found, active);
        let codes: Vec<_> = scan.diagnostics.iter().map(|it| it.code).collect();
        assert_eq!(
            codes,
            [
                Code::OrphanedFile,
                Code::UnsafePath,
                Code::UnsafePath,
                Code::UnsafePath
            ]
        );
        assert!(scan.diagnostics[2].message.contains("_pipe.md is a pipe"));
        assert!(scan.diagnostics.iter().all(|it| !it.hint.is_empty()));
    }

    #[test]
    fn a_linked_archive_is_passed_over_and_a_missing_one_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let goals = Utf8Path::from_path(dir.path()).unwrap();
        let archived = goals.join("archived");
        let scan = || scan(&archived, DocumentKind::Archived).unwrap();
        assert_eq!(scan(), Scan::default());
        symlink(goals, &archived).unwrap();
        let scan = scan();
        assert_eq!(scan.entries, []);
        assert_eq!(scan.diagnostics[0].code, Code::UnsafePath);
    }
}
