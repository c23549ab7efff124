//! Why a remote did not take what was pushed, by what git and the remote say.

use super::git::Failed;

/// Why a remote did not take a commit.
#[derive(Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What git said.
    pub said: String,
    pub why: Why,
}

/// What follows from a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Somebody else was faster, or is pushing.
    Race,
    /// The connection ended, so it is not known whether the remote took it.
    Unknown,
    /// The remote failed.
    Failing,
    /// The remote's owner forbids it: it will not be taken later either.
    Forbidden,
}

/// What the remote says in brackets where somebody else is pushing.
const RACES: [&str; 6] = [
    "lock ref",
    "update ref",
    "fetch first",
    "non-fast-forward",
    "incorrect old value",
    "already exists",
];

/// What it says where it failed.
const FAILURES: [&str; 4] = [
    "unpacker error",
    "internal",
    "missing necessary objects",
    "failed to write",
];

/// What it says where the connection ended before it answered.
const UNANSWERED: &str = "failed to report status";

/// What is said where nothing may be pushed at all.
const FORBIDS: [&str; 3] = ["denied", "error: 403", "error: 401"];

impl Refusal {
    /// Of a push with `--porcelain`.
    pub fn of(failed: Failed) -> Refusal {
        // `!`, the refs, and in brackets who refused it and why.
        let refused = failed.stdout.lines().find(|line| line.starts_with('!'));
        let reason = refused.and_then(|line| line.splitn(3, '\t').nth(2));
        let has = |text: &str, any: &[&str]| any.iter().any(|it| text.contains(it));
        let said = failed.said.to_lowercase();
        let why = match reason.map(str::to_lowercase) {
            Some(reason) if reason.starts_with("[rejected]") || has(&reason, &RACES) => Why::Race,
            Some(reason) if reason.contains(UNANSWERED) => Why::Unknown,
            Some(reason) if has(&reason, &FAILURES) => Why::Failing,
            Some(_) => Why::Forbidden,
            None if has(&said, &FORBIDS) => Why::Forbidden,
            None => Why::Unknown,
        };
        let said = match reason {
            Some(reason) => format!("{reason}; {}", failed.said),
            None => failed.said,
        };
        Refusal { said, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(reason: &str, said: &str) -> Why {
        let stdout = match reason {
            "" => String::new(),
            reason => format!("To origin\n!\t0123:refs/goal/ledger\t{reason}\nDone"),
        };
        let said = said.to_owned();
        Refusal::of(Failed { said, stdout }).why
    }

    #[test]
    fn the_words_of_git_and_of_forges_say_whether_it_is_worth_trying_again() {
        let races = [
            "[rejected] (fetch first)",
            "[rejected] (non-fast-forward)",
            "[rejected] (stale info)",
            "[remote rejected] (failed to update ref)",
            "[remote rejected] (cannot lock ref 'refs/goal/ledger': is at 1 but expected 2)",
            "[remote rejected] (Reference already exists)",
        ];
        assert!(
            races
                .iter()
                .all(|it| why(it, "error: failed to push") == Why::Race)
        );
        let forbidden = [
            "[remote rejected] (pre-receive hook declined)",
            "[remote rejected] (protected branch hook declined)",
            "[remote rejected] (deny updating a hidden ref)",
            "[remote rejected] (push blocked by a rule)",
        ];
        assert!(forbidden.iter().all(|it| why(it, "") == Why::Forbidden));
        let failing = [
            "[remote rejected] (unpacker error)",
            "[remote rejected] (Internal Server Error)",
        ];
        assert!(failing.iter().all(|it| why(it, "") == Why::Failing));
        let unanswered = "[remote failure] (remote failed to report status)";
        assert_eq!(why(unanswered, ""), Why::Unknown);
        let denied = "ERROR: Permission to o/r.git denied to somebody.";
        assert_eq!(why("", denied), Why::Forbidden);
        let error = |code| format!("fatal: The requested URL returned error: {code}");
        assert_eq!(why("", &error(403)), Why::Forbidden);
        assert_eq!(why("", &error(502)), Why::Unknown);
        assert_eq!(why("", "the remote end hung up unexpectedly"), Why::Unknown);
    }

    #[test]
    fn what_was_said_is_passed_on() {
        let refused = Refusal::of(Failed {
            said: "remote: closed on Sundays".into(),
            stdout: "!\ta:b\t[remote rejected] (pre-receive hook declined)\nDone".into(),
        });
        assert_eq!(
            refused.said,
            "[remote rejected] (pre-receive hook declined); remote: closed on Sundays"
        );
    }
}
