//! The version of the program that a host's hooks need, and what the user is told where it is older.

use std::fmt;
use std::str::FromStr;

/// A release, `major.minor.patch`, or a build between two: `0.1.0+2` comes after `0.1.0` and before
/// `0.1.1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    release: [u64; 3],
    build: u64,
}

impl Version {
    /// That of this program.
    pub fn own() -> Version {
        Version::of_program(env!("CARGO_PKG_VERSION"))
    }

    /// That of a program that calls itself so; others may have put words behind the numbers.
    fn of_program(text: &str) -> Version {
        let (version, build) = text.split_once('+').unwrap_or((text, ""));
        let release = version.split('-').next().unwrap_or_default();
        Version {
            build: build.parse().unwrap_or_default(),
            // Cargo takes no version without three numbers.
            ..release.parse().unwrap_or(Version {
                release: [0; 3],
                build: 0,
            })
        }
    }
}

impl FromStr for Version {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Version, Self::Err> {
        let wrong = "give a version of three numbers, such as 0.1.0 or 0.1.0+2";
        let (release, build) = match text.split_once('+') {
            Some((release, build)) => (release, build.parse().map_err(|_| wrong)?),
            None => (text, 0),
        };
        let mut numbers = release.split('.').map(|number| number.parse().ok());
        let mut next = || numbers.next().flatten().ok_or(wrong);
        let release = [next()?, next()?, next()?];
        match numbers.next() {
            None => Ok(Version { release, build }),
            Some(_) => Err(wrong),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.release;
        write!(f, "{major}.{minor}.{patch}")?;
        match self.build {
            0 => Ok(()),
            build => write!(f, "+{build}"),
        }
    }
}

/// Why the hooks do nothing, and what to do; nothing where this program is new enough.
pub fn too_old(own: Version, needs: Version) -> Option<String> {
    let install = match needs.build {
        0 => format!(
            "Run this, then start again:\n{}",
            install(env!("CARGO_PKG_REPOSITORY"))
        ),
        // No registry has a build between releases.
        _ => "Install goal from the checkout or the package that has these hooks, then start \
              again."
            .to_owned(),
    };
    (own < needs).then(|| {
        format!(
            "goal is off in this session: the program is version {own}, and the hooks need {needs} \
             or newer. {install}"
        )
    })
}

/// What installs the program. Once Cargo.toml names a repository, the packages are published.
fn install(repository: &str) -> &'static str {
    match repository {
        "" => "cargo install --path . # in a checkout of goal",
        _ => "npm install --global goal-ledger",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_and_not_letters() {
        for (own, needs, expected) in [
            ("0.1.0", "0.1.0", false),
            ("0.9.0", "0.10.0", true),
            ("1.0.0", "0.10.1", false),
            ("0.1.0", "0.1.1", true),
            ("0.1.0", "0.1.0+1", true),
            ("0.1.0+1", "0.1.0", false),
            ("0.1.0+2", "0.1.0+2", false),
            ("0.1.0+9", "0.1.0+10", true),
            ("0.1.1", "0.1.0+10", false),
            ("0.1.0+10", "0.1.1", true),
        ] {
            let told = too_old(own.parse().unwrap(), needs.parse().unwrap());
            assert_eq!(told.is_some(), expected, "{own} {needs}");
        }
        for wrong in [
            "",
            "1",
            "1.2",
            "1.2.3.4",
            "a.b.c",
            "1.2.3-rc",
            "1.2.3+",
            "1.2.3+a",
            "1.2.3+1+2",
        ] {
            assert!(wrong.parse::<Version>().is_err(), "{wrong}");
        }
        for shown in [env!("CARGO_PKG_VERSION"), "0.1.0+2"] {
            assert_eq!(shown.parse::<Version>().unwrap().to_string(), shown);
        }
        for (text, own) in [
            ("0.2.0", "0.2.0"),
            ("0.2.0+3", "0.2.0+3"),
            ("0.2.0-rc.1", "0.2.0"),
            ("0.2.0+git.abc", "0.2.0"),
        ] {
            assert_eq!(Version::of_program(text).to_string(), own);
        }
        assert_ne!(Version::own().release, [0; 3]);
    }

    #[test]
    fn what_is_not_published_is_installed_from_a_checkout() {
        assert!(install("").starts_with("cargo install --path . "));
        assert_eq!(
            install("https://x.org/goal"),
            "npm install --global goal-ledger"
        );
    }
}
