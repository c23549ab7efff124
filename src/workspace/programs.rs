//! Where on the `PATH` a program lies: for starting it, and to tell people whether it is there.

use std::ffi::OsStr;
use std::path::PathBuf;

/// Where the program that this name runs lies, if it is there.
pub fn find(search_path: Option<&OsStr>, program: &str) -> Option<PathBuf> {
    directories(search_path?)
        .map(|directory| directory.join(program))
        .find(|path| is_executable(path))
}

/// The `PATH` with those directories alone in which we look, for a child that is to find the same.
/// Without any it is what `execvp` takes without a `PATH`: an empty one would name the working
/// directory.
pub fn searched(search_path: Option<&OsStr>) -> String {
    let directories = search_path.into_iter().flat_map(directories);
    let names = directories.filter_map(|it| it.into_os_string().into_string().ok());
    match names.collect::<Vec<_>>().join(":") {
        none if none.is_empty() => "/bin:/usr/bin".to_owned(),
        some => some,
    }
}

/// The directories in which programs are looked for. Relative ones are passed over, since what they
/// name depends on who asks; so are those whose names are not UTF-8, which nobody could be told.
fn directories(search_path: &OsStr) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(search_path)
        .filter(|directory| directory.is_absolute() && directory.to_str().is_some())
}

/// Whether it is a file that can be run.
#[cfg(unix)]
pub fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(all(test, unix))]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::PermissionsExt;

    use super::{find, searched};

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

    #[test]
    fn a_child_finds_nothing_elsewhere_than_we_do() {
        let path = OsStr::from_bytes(b".:/bin::./x:/tmp/\xff:/usr/bin:../up");
        assert_eq!(searched(Some(path)), "/bin:/usr/bin");
        for nowhere in [None, Some("".as_ref()), Some("bin:.".as_ref())] {
            assert_eq!(searched(nowhere), "/bin:/usr/bin");
        }
    }
}
