//! Scripted auditors: what `/bin/sh` is told to answer, and what it leaves beside the project.

use std::fs;
use std::process::Command;

use camino::Utf8PathBuf;

use super::Project;

/// How many seconds a script may take: few where it hangs on purpose, else more than a busy machine
/// needs.
pub fn limit_of(body: &str) -> u64 {
    if body.contains("sleep 1000") { 2 } else { 120 }
}

/// Reads all of the prompt and approves.
pub const APPROVE: &str = "cat >/dev/null; echo 'All criteria are met.'; echo '<approved/>'";
/// Has an objection.
pub const DISAPPROVE: &str = "cat >/dev/null; echo 'No test covers it.'; echo '<disapproved/>'";
/// Both markers.
pub const BOTH: &str = "cat >/dev/null; echo '<disapproved/>'; echo '<approved/>'";
/// No marker.
pub const NONE: &str = "cat >/dev/null; echo 'Looks good to me.'";
/// Writes nothing.
pub const SILENT: &str = "cat >/dev/null";
/// A marker with something behind it.
pub const MIDDLE: &str = "cat >/dev/null; echo '<approved/>'; echo 'That is all.'";
/// A marker in a sentence.
pub const QUOTED: &str = "cat >/dev/null; echo 'I would end with `<approved/>` if it worked.'";
/// A marker in a code fence.
pub const FENCED: &str = "cat >/dev/null; echo '```'; echo '<approved/>'; echo '```'";
/// A marker in colour, with white space behind it.
pub const ANSI: &str = r"cat >/dev/null; printf 'Fine.\n\033[1;32m<approved/>\033[0m  \n\n'";
/// Approves on stderr only.
pub const STDERR: &str = "cat >/dev/null; echo Hm.; echo '<approved/>' >&2";
/// Approves and fails.
pub const EXIT_3: &str = "cat >/dev/null; echo '<approved/>'; exit 3";
/// Approves and never ends; neither does its child.
pub const HANG: &str = "echo '<approved/>'; sleep 1000 & remember $!; wait";
/// Approves behind more than is read.
pub const FLOOD: &str = "head -c 3000000 /dev/zero | tr '\\0' 'x'; echo; echo '<approved/>'";
/// Approves, closes what could be read, and never ends.
pub const CLOSE_AND_SLEEP: &str = "echo '<approved/>'; exec >&- 2>&-; sleep 1000";
/// Approves and leaves a child that holds the pipe.
pub const GRANDCHILD: &str = "cat >/dev/null; sleep 1000 & remember $!; echo '<approved/>'";
/// Approves and is killed.
pub const KILL_SELF: &str = "cat >/dev/null; echo '<approved/>'; kill -9 $$";
/// Bytes that are no text.
pub const NOT_TEXT: &str = r"cat >/dev/null; printf 'caf\351\n<approved/>\n'";
/// Says what it was asked, and nothing else.
pub const ECHO: &str = "cat";
/// Quotes the lines of the prompt that mention the keepsake, as they were shown, and approves.
pub const QUOTE_AND_APPROVE: &str = "grep KEEPSAKE; echo; echo '<approved/>'";
/// Says who supervises it, and approves once the test says `go`.
pub const WAIT_AND_APPROVE: &str = "echo $PPID >\"$here/supervisor\"; cat >/dev/null
while [ ! -e \"$here/go\" ]; do sleep 0.02; done; echo '<approved/>'";

/// What every script can do: it says that it was started, and which processes it is made of.
const PREAMBLE: &str = "here=${0%/*}
remember() { echo \"$1\" >>\"$here/pids\"; }
remember $$
echo started >>\"$here/started\"
";

impl Project {
    /// Makes a script the auditor of the user's own configuration, which needs no trust.
    pub fn auditor(&self, body: &str) {
        let script = self.script("auditor", body);
        self.configure(&format!(
            "[auditor]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
        ));
    }

    /// Makes a script the user's own reviewer of this role.
    pub fn reviewer(&self, role: &str, body: &str) {
        let script = self.script("reviewer", body);
        self.configure(&format!(
            "[reviewer.{role}]\ncommand = [\"/bin/sh\", \"{script}\"]\n"
        ));
    }

    /// Writes the user's own configuration, and has the user accept what it changes.
    pub fn configure(&self, toml: &str) {
        self.edit_configuration(toml);
        if self.state().join("uses").exists() && self.root.exists() {
            self.accept();
        }
    }

    /// Writes the user's own configuration, as anybody with an editor can.
    pub fn edit_configuration(&self, toml: &str) {
        fs::write(self.user_config(), toml).unwrap();
    }

    /// Writes a script beside the project. It is for `/bin/sh FILE`: running it directly could
    /// fail while another test forks with the file open for writing.
    pub fn script(&self, name: &str, body: &str) -> Utf8PathBuf {
        let path = self.aside.join(name);
        fs::write(&path, format!("{PREAMBLE}{body}\n")).unwrap();
        path
    }

    /// A directory beside the project with a program. Another process writes the file: one of ours
    /// could not run while a test beside this one forks.
    pub fn program(&self, directory: &str, name: &str, text: &str) -> Utf8PathBuf {
        let directory = self.aside.join(directory);
        let made = Command::new("/bin/sh")
            .args([
                "-c",
                r#"mkdir -p "$1" && printf %s "$3" >"$1/$2" && chmod +x "$1/$2""#,
            ])
            .args(["sh", directory.as_str(), name, text])
            .status();
        assert!(made.unwrap().success());
        directory
    }

    /// How many scripts were started.
    pub fn started(&self) -> usize {
        let text = fs::read_to_string(self.aside.join("started")).unwrap_or_default();
        text.lines().count()
    }

    /// Lets a script go on that waits for it.
    pub fn go(&self) {
        fs::write(self.aside.join("go"), "").unwrap();
    }

    /// The processes that scripts remembered and that still run. One that ended but was not
    /// waited for does not count: where nobody reaps orphans it stays for ever.
    pub fn running(&self) -> Vec<String> {
        let text = fs::read_to_string(self.aside.join("pids")).unwrap_or_default();
        let mut pids: Vec<String> = text.lines().map(str::to_owned).collect();
        pids.retain(|pid| {
            let ps = std::process::Command::new("ps")
                .args(["-o", "stat=", "-p", pid])
                .output()
                .unwrap();
            let state = String::from_utf8_lossy(&ps.stdout).trim().to_owned();
            !state.is_empty() && !state.starts_with('Z')
        });
        pids
    }
}
