//! That every code has one exit code, and what read-only file systems make of failures.

use super::*;

#[test]
fn a_code_has_one_exit_code() {
    let own: Vec<&str> = CODES
        .iter()
        .flat_map(|(_, codes)| *codes)
        .copied()
        .collect();
    let of_rejections = Rejection::CODES.iter();
    for (code, class) in of_rejections.clone() {
        assert!(!own.contains(code), "{code} stands in two tables");
        let mut same = of_rejections.clone().filter(|(it, _)| it == code);
        assert!(same.all(|(_, it)| it == class), "{code} has two classes");
        assert_eq!(Exit::of(code), (*class).into());
    }
}

#[test]
fn what_cannot_be_written_since_it_is_mounted_so_is_said_to_be() {
    let error = || io::Error::from(io::ErrorKind::ReadOnlyFilesystem);
    let path = "p".into();
    let failures = [
        Failure::io(&error(), "check its permissions"),
        LockError::Io {
            path,
            source: error(),
        }
        .into(),
    ];
    for failure in failures {
        assert!(failure.hint.contains("mounted read-only"), "{failure:?}");
    }
    let denied = io::Error::from(io::ErrorKind::PermissionDenied);
    assert_eq!(Failure::io(&denied, "hint").hint, "hint");
}
