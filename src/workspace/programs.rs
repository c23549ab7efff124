//! Where on the `PATH` a program lies: for starting it, and to tell people whether it is there.

use std::ffi::OsStr;
use std::path::PathBuf;

/// Where the program that this name runs lies, if it is there. Directories of the `PATH` that are
/// relative are passed over: what they name depends on who asks.
pub fn find(search_path: Option<&OsStr>, program: &str) -> Option<PathBuf> {
    std::env::split_paths(search_path?)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(program))
        .find(|path| is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::find;

    #[test]
    fn only_files_that_can_be_run_count() {
        let dir = tempfile::tempdir().unwrap();
        let bin = dir.path().join("bin");
        fs::create_dir_all(bin.join("claude")).unwrap();
        fs::write(bin.join("pi"), "").unwrap();
        fs::write(bin.join("codex"), "").unwrap();
        fs::set_permissions(bin.join("codex"), PermissionsExt::from_mode(0o755)).unwrap();
        let path = std::env::join_paths([dir.path(), &bin]).unwrap();
        let found = |name| find(Some(&path), name);
        assert_eq!(found("codex"), Some(bin.join("codex")));
        assert_eq!(
            (found("pi"), found("claude"), found("gemini")),
            (None, None, None)
        );
        assert_eq!(find(None, "codex"), None);
        assert_eq!(find(Some("bin".as_ref()), "codex"), None);
    }
}
