//! What lies around the ledger: git's rules for it, and other `.pi/goals` below the root.

use camino::{Utf8Path, Utf8PathBuf};

use crate::domain::diagnostic::{Code, Diagnostic, Severity};
use crate::ops::init::{are_committed, files, has_open_documents_of_another_tool};
use crate::workspace::{Paths, Workspace, git_rules};

/// Directories that are never looked into: large, and nobody's project.
const SKIPPED: [&str; 4] = [".git", ".pi", "node_modules", "target"];

/// How deep to look below the root.
const DEPTH: usize = 4;

/// How many directories to look into at most, so that a diagnosis ends soon everywhere.
const DIRECTORIES: usize = 10_000;

/// What was found around.
pub fn look(workspace: &Workspace) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = git_rules(workspace).into_iter().collect();
    found.extend(
        nested(workspace.paths.tree())
            .iter()
            .map(|path| second(path, workspace)),
    );
    found
}

/// In a git work tree: the rules that `init` would write and that are not there.
fn git_rules(workspace: &Workspace) -> Option<Diagnostic> {
    let paths = &workspace.paths;
    if paths.git().is_none() || !paths.own().is_dir() {
        return None;
    }
    let read = |path: Utf8PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let mut names = Vec::new();
    if are_committed(workspace) {
        let attributes = read(paths.gitattributes());
        let mixed = has_open_documents_of_another_tool(paths);
        if mixed && files::joins_headers(&attributes) {
            return Some(joined(paths));
        }
        if !files::missing_attributes(&attributes, mixed).is_empty() {
            names.push("merge attributes");
        }
    }
    let lacks = !files::missing(&read(paths.gitignore()), git_rules::IGNORED).is_empty();
    if lacks && !git_rules::are_told(paths) {
        names.push("ignore rules");
    }
    (!names.is_empty()).then(|| {
        Diagnostic::new(
            Code::GitAttributes,
            format!("`.pi/goals` lacks git's {}", names.join(" and ")),
            "`goal init` adds them and overwrites nothing",
        )
    })
}

/// The rule for our documents covers those of another tool.
fn joined(paths: &Paths) -> Diagnostic {
    let file = paths.gitattributes();
    Diagnostic::new(
        Code::GitAttributes,
        format!(
            "`*.md merge=union` in {} covers documents of another tool: git joins the lines of both \
             sides, and the JSON header that comes of it cannot be read",
            paths.relative(&file)
        ),
        "`goal init` adds `/*.md !merge`, so that such a merge stops with a conflict",
    )
    .weighing(Severity::Warning)
}

/// The directories below the root that have a `.pi/goals` of their own, sorted. Links are not
/// followed; what cannot be listed is passed over.
fn nested(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    let mut level = vec![root.to_owned()];
    let mut looked_into = 0;
    for _ in 0..DEPTH {
        let mut next = Vec::new();
        for directory in &level {
            looked_into += 1;
            if looked_into > DIRECTORIES {
                break;
            }
            next.extend(subdirectories(directory));
        }
        found.extend(
            next.iter()
                .filter(|path| path.join(".pi/goals").is_dir())
                .cloned(),
        );
        level = next;
    }
    found.sort();
    found
}

fn subdirectories(directory: &Utf8Path) -> Vec<Utf8PathBuf> {
    let Ok(entries) = directory.read_dir_utf8() else {
        return Vec::new();
    };
    let is_ours = |name: &str| !SKIPPED.contains(&name);
    entries
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| is_ours(entry.file_name()))
        .map(camino::Utf8DirEntry::into_path)
        .collect()
}

fn second(path: &Utf8Path, workspace: &Workspace) -> Diagnostic {
    let shown = workspace.paths.relative(path);
    Diagnostic::new(
        Code::NestedGoals,
        format!("{shown} has goals of its own in {shown}/.pi/goals"),
        format!("pass `--root` when you mean one of them; `goal list --root {path}` shows those"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_directories_near_the_root_are_looked_into() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        for project in [
            "",
            "b",
            "a/b",
            "1/2/3/4",
            "1/2/3/4/5",
            "node_modules/x",
            "target",
        ] {
            std::fs::create_dir_all(root.join(project).join(".pi/goals")).unwrap();
        }
        std::os::unix::fs::symlink(root.join("b"), root.join("link")).unwrap();
        let found = nested(root);
        let shown: Vec<&str> = found
            .iter()
            .map(|path| path.strip_prefix(root).unwrap().as_str())
            .collect();
        assert_eq!(shown, ["1/2/3/4", "a/b", "b"]);
    }
}
