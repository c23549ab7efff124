//! Real limits on a process: no descriptors, no memory, outputs that are full or closed.

use std::process::Command;

use crate::mounts::wrapped;
use crate::oracle::{Cure, judge};
use crate::say;
use crate::scene::{self, Prepare, Scene};
use crate::support::{Project, Ran};

/// What every limit is tried on.
pub const COMMANDS: [(&str, Prepare); 4] = [
    ("set", scene::set),
    ("pause", scene::pause),
    ("confirm", scene::confirm),
    ("repair", scene::repair),
];

/// Runs every command in the shell under each of these shell commands, and judges what is left.
fn under(what: &str, limits: &[String]) {
    let (mut tried, mut refused) = (0, 0);
    for (name, prepare) in COMMANDS {
        let scene = Scene::new(prepare);
        for (number, limit) in limits.iter().enumerate() {
            let ran = in_shell(&scene.project, limit, &scene.args()).run();
            tried += 1;
            refused += usize::from(!ran.success());
            let cure = Cure::number(&scene, number);
            judge(&scene, &ran, cure, &format!("{name} under `{limit}`"));
            scene.restore();
        }
    }
    say(&format!(
        "{what}: {tried} runs survived, {refused} of them refused"
    ));
    assert!(refused > 0 && refused < tried, "the limits do not limit");
}

/// A call whose shell limits it first.
pub struct Limited<'a>(&'a Project, Command);

pub fn in_shell<'a>(project: &'a Project, limit: &str, args: &[&str]) -> Limited<'a> {
    let inner = project.call(args).command();
    let script = format!("{limit}; exec \"$@\"");
    Limited(project, wrapped(&["sh", "-c", &script, "sh"], &inner))
}

impl Limited<'_> {
    pub fn run(mut self) -> Ran {
        Ran::new(self.0, &self.1.output().unwrap())
    }
}

#[test]
fn no_descriptors_left() {
    let limits: Vec<String> = (3..=14).map(|most| format!("ulimit -n {most}")).collect();
    under("few descriptors", &limits);
}

/// The program ends by an abort where it gets no memory; that is as good as a kill. Tried where it
/// matters: from what just lets it start to what is enough.
#[test]
fn no_memory() {
    const STEP: u64 = 64;
    let limit = |steps: u64| format!("ulimit -v {}", steps * STEP);
    let project = Project::with_goal("x").0;
    let starts = |steps: &u64| {
        in_shell(&project, &limit(*steps), &["list"])
            .run()
            .success()
    };
    let least = (0..).step_by(16).find(starts).unwrap();
    let limits: Vec<String> = (least.saturating_sub(16)..least + 16).map(limit).collect();
    under("little memory", &limits);
}

#[test]
fn outputs_that_are_full_or_closed() {
    let outputs = [
        "exec >/dev/full",
        "exec >&-",
        "exec 2>/dev/full",
        "exec 2>&-",
    ];
    let both = ["exec >/dev/full 2>&1", "exec >&- 2>&-", "exec <&- >&- 2>&-"];
    let all: Vec<String> = outputs.iter().chain(&both).map(|&o| o.to_owned()).collect();
    under("full and closed outputs", &all);
}
