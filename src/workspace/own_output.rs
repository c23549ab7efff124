//! The files that stdout and stderr of this process go to, as with `goal run >run.log`. What this process writes
//! itself is no work of an agent.

use std::os::fd::AsFd;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{FileType, fstat};

/// Those of them that are files below `top`, seen from there.
pub fn below(top: &Utf8Path) -> Vec<Utf8PathBuf> {
    let streams = [path_of(std::io::stdout()), path_of(std::io::stderr())];
    let mut found: Vec<Utf8PathBuf> = streams.into_iter().flatten().collect();
    found.dedup();
    let found = found.iter().filter_map(|it| it.strip_prefix(top).ok());
    found.map(Utf8Path::to_owned).collect()
}

/// Where the file is, if it is one and the system says it.
fn path_of(stream: impl AsFd) -> Option<Utf8PathBuf> {
    let found = fstat(&stream).ok()?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return None;
    }
    named(stream)
}

#[cfg(target_vendor = "apple")]
fn named(stream: impl AsFd) -> Option<Utf8PathBuf> {
    let path = rustix::fs::getpath(stream).ok()?;
    path.into_string().ok().map(Utf8PathBuf::from)
}

#[cfg(not(target_vendor = "apple"))]
fn named(stream: impl AsFd) -> Option<Utf8PathBuf> {
    use std::os::fd::AsRawFd;
    let number = stream.as_fd().as_raw_fd();
    Utf8Path::new("/proc/self/fd")
        .join(number.to_string())
        .read_link_utf8()
        .ok()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn a_file_that_is_written_to_is_known_by_its_path_and_nothing_else_is() {
        let dir = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(dir.path()).unwrap();
        let path = path.canonicalize_utf8().unwrap().join("run.log");
        assert_eq!(path_of(File::create(&path).unwrap()), Some(path));
        assert_eq!(path_of(File::open("/dev/null").unwrap()), None);
    }
}
