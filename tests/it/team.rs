//! A team: machines with keys of their own that share one repository, and CI without a key.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use camino::Utf8PathBuf;

use crate::signed::{elsewhere, signed};
use crate::support::{Project, Ran, auditor};

/// A colleague: a home and a clone of their own.
struct Machine<'a> {
    team: &'a Project,
    home: Utf8PathBuf,
    root: Utf8PathBuf,
}

impl<'a> Machine<'a> {
    /// Clones what the team shares. Who audits is the same for everybody.
    fn clones(team: &'a Project, name: &str) -> Machine<'a> {
        let machine = Machine {
            team,
            home: team.aside.join(name).join("home"),
            root: team.aside.join(name).join("tree"),
        };
        let config = machine.home.join("config/goal");
        fs::create_dir_all(&config).unwrap();
        let script = team.script("auditor", auditor::APPROVE);
        let text = format!("[auditor]\ncommand = [\"/bin/sh\", \"{script}\"]\n");
        fs::write(config.join("config.toml"), text).unwrap();
        // Tests have pinned keys, and each machine has one of its own.
        let state = machine.home.join("state/goal");
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("key"), [name.as_bytes()[0]; 32]).unwrap();
        let own = fs::Permissions::from_mode(0o600);
        fs::set_permissions(state.join("key"), own).unwrap();
        let shared = team.aside.join("shared.git");
        team.git(&["clone", "-q", shared.as_str(), machine.root.as_str()]);
        machine
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut call = self.team.call(args).cwd(&self.root);
        call = call.env("HOME", self.home.as_str());
        for (name, dir) in [("CONFIG", "config"), ("STATE", "state"), ("CACHE", "cache")] {
            call = call.env(&format!("XDG_{name}_HOME"), self.home.join(dir).as_str());
        }
        call.run()
    }

    fn git(&self, args: &[&str]) {
        let args = [&["-C", self.root.as_str()], args].concat();
        self.team.git(&args);
    }

    /// Sets a goal, completes it, and shares it.
    fn completes(&self, objective: &str) -> String {
        let set = self.run(&["set", objective, "--json"]).ok().data();
        let id = set["goalId"].as_str().unwrap().to_owned();
        self.run(&["--goal", &id, "complete", "--summary", "done"])
            .ok();
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", objective]);
        self.git(&["push", "-q", "origin", "HEAD"]);
        id
    }

    fn listed(&self) -> String {
        self.run(&["list", "--all"]).ok().stdout
    }

    /// Does what is said that helps with this goal, which is a colleague's: `show` says it, or where a pull
    /// brought it, whoever reads anything.
    fn accepts(&self, id: &str, name: &str) {
        let ran = self.run(&["show", id]);
        let shown = match ran.success() {
            true => ran.stdout,
            false => self.run(&["list"]).ok().stderr,
        };
        let unproven = "unproven: sealed by a key that nobody accepted here";
        let is_apart = shown.contains("on this branch only");
        assert!(shown.contains(unproven) || is_apart, "{shown}");
        let command = shown
            .split('`')
            .find(|it| it.starts_with("goal trust --accept-key "));
        let command = command.unwrap().replace("NAME", name);
        let words: Vec<&str> = command.split(' ').skip(1).collect();
        self.run(&words).ok();
    }
}

#[test]
fn a_team_sees_whose_machine_approved_and_ci_needs_no_key() {
    let team = Project::new();
    team.git(&["init", "-q", "-b", "main"]);
    team.run(&["init", "--commits"]).ok();
    team.commit();
    let shared = team.aside.join("shared.git");
    team.git(&["clone", "-q", "--bare", ".", shared.as_str()]);

    let ann = Machine::clones(&team, "ann");
    let of_ann = ann.completes("Port the parser");
    let bob = Machine::clones(&team, "bob");
    let of_bob = bob.completes("Write the manual");
    ann.git(&["pull", "-q"]);

    let unproven = "unproven: sealed by a key that nobody accepted here";
    let carl = Machine::clones(&team, "carl");
    assert_eq!(carl.listed().matches(unproven).count(), 2);
    assert!(!carl.listed().contains("approved by"), "{}", carl.listed());
    // What a pull brought of a key that she has not accepted has no effect.
    assert!(!ann.listed().contains(&of_bob), "{}", ann.listed());
    for (machine, id, name) in [(&ann, &of_bob, "bob"), (&bob, &of_ann, "ann")] {
        machine.accepts(id, name);
        let listed = machine.listed();
        let on_theirs = format!("approved by the auditor, on {name}'s machine");
        assert!(listed.contains(&on_theirs), "{listed}");
        assert!(!listed.contains("unproven"), "{listed}");
        machine.run(&["verify", "--require", "proven"]).ok();
    }
    // What one of them says is also what helps who accepted nobody so far.
    carl.accepts(&of_bob, "bob");
    assert_eq!(carl.listed().matches(unproven).count(), 1);

    let ci = Machine::clones(&team, "ci");
    ci.run(&["verify"]).ok();
    ci.run(&["verify", "--require", "proven"]).exits(7);
}

#[test]
fn where_verdicts_are_signed_every_machine_sees_by_whom() {
    let Some((team, id)) = signed() else { return };
    team.run(&["complete", "--summary", "done"]).ok();
    elsewhere(&team, "carl", &["trust"]).ok();
    let shown = elsewhere(&team, "carl", &["show", &id]).ok().stdout;
    let signed = "approved by the auditor, signed by ann@example.org";
    assert!(shown.contains(signed), "{shown}");
    let ci = ["verify", "--signers", "signers", "--require", "signed"];
    elsewhere(&team, "ci", &ci).ok();
}
