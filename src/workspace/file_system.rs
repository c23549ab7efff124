//! Which file system a path is on, by the name that the system has for its kind.

use std::fs;

use camino::Utf8Path;

/// Where Linux lists what is mounted; elsewhere there is no such file.
const MOUNTS: &str = "/proc/self/mountinfo";

/// The kind of the file system that has this path, such as `nfs4`; nothing where the system does not say.
pub fn kind_of(path: &Utf8Path) -> Option<String> {
    kind_among(&fs::read_to_string(MOUNTS).ok()?, path)
}

/// The kind of the innermost mount that has the path.
fn kind_among(mounts: &str, path: &Utf8Path) -> Option<String> {
    let mount = |line: &str| {
        let (place, source) = line.split_once(" - ")?;
        let place = place.split(' ').nth(4)?.replace("\\040", " ");
        let kind = source.split(' ').next()?.to_owned();
        path.starts_with(&place).then_some((place.len(), kind))
    };
    // Of two at one place the later one hides the other.
    let mounts = mounts.lines().filter_map(mount);
    mounts.max_by_key(|(len, _)| *len).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_has_the_path() {
        let mounts = "21 1 0:20 / / rw - ext4 /dev/a rw\n\
                      30 21 0:31 / /home/a rw shared:1 - nfs4 host:/a rw\n\
                      31 21 0:32 / /home/a\\040b rw - vfat /dev/b rw\n\
                      32 21 0:33 / /home/a rw - fuse.sshfs host: rw\n";
        let kind = |path: &str| kind_among(mounts, path.into()).unwrap();
        assert_eq!(kind("/etc"), "ext4");
        assert_eq!(kind("/home/a/p"), "fuse.sshfs");
        assert_eq!(kind("/home/a b/p"), "vfat");
        assert_eq!(kind_among("", "/".into()), None);
    }
}
