//! `goal run`: works goals without a person.

mod screen;

use std::time::Duration;

use camino::Utf8Path;
use jiff::tz::TimeZone;

use self::screen::Screen;
pub use self::screen::Show;
use super::{Call, CommandOptions, Done, Exit, Failure, Globals, Reply};
use crate::api::envelope;
use crate::cli::person::{another_auditor, at_terminal, says_yes};
use crate::cli::print;
use crate::domain::run::deadline::Deadline;
use crate::domain::run::state::RunUntil;
use crate::ops::run::{self, GoalTree, Most, RunRequest, RunUpdate, Runs, Signals};
use crate::ops::sync::{self, PATIENCE};
use crate::ops::under_way::StatusLine;
use crate::render::amounts::spent;
use crate::render::text::{count, one_line, shell_word};
use crate::workspace::presets::Preset;

/// Let an agent work on a goal, one iteration after the other
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The agent is a command that reads a prompt on stdin, works in the project, and \
exits: `[runner.agent]` of the configuration, or the one that --agent or --agent-command names. It \
runs as an agent (GOAL_ACTOR), in its own session, which is focused on the goal.

The goal's checks run after every iteration. The auditor is asked if all checks pass and the agent \
reports that it is done, or if all pass after one of them had failed. Before the first turn, \
everything that the run needs is checked, and all that is missing is named at once.

The run stops
- when the goal is complete, blocked, paused or ended;
- when you write in a session on the goal;
- after 50 iterations, or the number of --max-iterations;
- after three iterations in a row without progress, or ten with the same results of checks;
- after three audits in a row with the same objection, or without a verdict;
- when new plans no longer raise the score;
- when the goal is over its budget, or at the time of --until;
- when its lease is lost;
- at Ctrl-C: the agent finishes its iteration, and the goal is paused. A second Ctrl-C kills the agent.

Progress is a changed file, a new result of a check, a completed task or evidence; a note is not. \
If a run was killed, the next `goal run` continues it.

Only one run at a time can use a work tree. --worktree gives the goal its own work tree and \
branch, which stay when the run ends; --commit commits each turn that changed something. The \
goal's next run does the same, unless you pass --no-worktree or --no-commit.

If the goal is paused or blocked, it is resumed first, and the task that blocked it is reopened. \
--all skips such goals.

`[runner]` of the configuration has more settings: `setup` and `copy` prepare the goal's own work \
tree, `fallback` names an agent for the time in which the first one is at a limit, and `silence` \
ends an agent that writes nothing.

Only in a store do all machines see a lease. Clones that share a ledger by `goal sync` know a run \
of another machine only after its lines have arrived; from then on they refuse another run. Two \
runs that start before that work on the same goal.

Exit codes: 0 if the run reached its end, 7 if it did but its changes are not committed, 6 if it \
stopped before, 130 after Ctrl-C, 5 if something that it needs is missing, 4 if another process or \
machine works on the goal, another run uses the work tree, or the work tree is not in a state that \
a run can use.

Examples:
  goal run --agent claude
  goal run --agent-command ./agent.sh --max-iterations 10
  goal run --worktree --commit
  goal run --all --paced --events | jq -r .type
  goal run --all --jobs 3 --commit"
)]
pub struct Args {
    /// The goal: its id, a beginning or end of it, or words of its title [default: --goal, else the
    /// focused goal]
    #[arg(value_name = "GOAL", conflicts_with = "all")]
    run: Option<String>,
    #[command(flatten)]
    how: How,
    /// Print every event of the ledger and of the runner, as one JSON document per line
    #[arg(long)]
    pub events: bool,
    /// Run every active goal, one turn each, the highest priority first, each with its own lease
    #[arg(long, conflicts_with = "take_over")]
    all: bool,
    /// With --all: run this many goals at the same time, each in its own work tree [default: 1]
    #[arg(long, value_name = "N", requires = "all", value_parser = clap::value_parser!(u8).range(1..=32))]
    #[arg(allow_negative_numbers = true, conflicts_with_all = ["same_tree", "no_worktree"])]
    jobs: Option<u8>,
}

/// How a run goes about its work.
#[derive(Debug, clap::Args)]
struct How {
    /// Use a preset as the agent: pi, claude, codex, gemini
    #[arg(long, value_name = "NAME", value_parser = preset)]
    agent: Option<Preset>,
    /// Use one executable as the agent, without arguments
    #[arg(long, value_name = "PATH", conflicts_with = "agent", value_parser = executable)]
    agent_command: Option<String>,
    /// Stop after this many iterations; `none`: no limit [default: 50]
    #[arg(long, value_name = "N", value_parser = most, allow_negative_numbers = true)]
    max_iterations: Option<Most>,
    /// A check that validates every iteration, in addition to the goal's checks [default: `rules` of
    /// the configuration]
    #[arg(long = "rule", value_name = "NAME")]
    rules: Vec<String>,
    /// An agent's definition: a file whose frontmatter has `iteration`, with rules, promises and the
    /// maximum of iterations per checkpoint
    #[arg(long, value_name = "FILE")]
    agent_file: Option<String>,
    /// Keep retrying an agent that cannot work, or an unavailable auditor, for this many seconds, with
    /// growing pauses; 0: do not wait [default: `retryFor` of the configuration, 14400]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(..=604_800))]
    #[arg(allow_negative_numbers = true)]
    retry_for: Option<u64>,
    /// Where to stop: `goal` (when it is complete), `checkpoint` (the end of the current one), or a
    /// time: `07:00`, `8h`; the current turn then ends first [default: goal]
    #[arg(long, value_name = "WHAT", value_parser = until)]
    until: Option<Until>,
    /// If the goal has no tasks, let the planner make checkpoints first. At a terminal you are asked if
    /// a planner is configured
    #[arg(long)]
    plan: bool,
    /// Make no plan first, although the goal's last run had `--plan`
    #[arg(long, conflicts_with = "plan")]
    no_plan: bool,
    /// Pause between iterations: 7 to 19 s, shorter for a higher priority
    #[arg(long)]
    paced: bool,
    /// Work in the goal's own work tree, beside this one, on the branch goal/ID. It is made from the
    /// commit that is checked out here; the next run uses it again
    #[arg(long)]
    worktree: bool,
    /// Work in this work tree, although the goal's last run had its own
    #[arg(long, conflicts_with = "worktree")]
    no_worktree: bool,
    /// Commit what each turn changed, with goal, run and turn in the commit's trailers
    #[arg(long)]
    commit: bool,
    /// Make no commits, although the goal's last run did
    #[arg(long, conflicts_with = "commit")]
    no_commit: bool,
    /// Work in this work tree, even if another run works in it
    #[arg(long, conflicts_with = "worktree")]
    same_tree: bool,
    /// Continue a run of another machine, because you know that its runner is dead
    #[arg(long)]
    take_over: bool,
}

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    End(RunUntil),
    Moment(Deadline),
}

fn until(text: &str) -> Result<Until, String> {
    let end = match text {
        "goal" => Some(RunUntil::Goal),
        "checkpoint" => Some(RunUntil::Checkpoint),
        _ => None,
    };
    let moment = || Deadline::read(text).map(Until::Moment);
    end.map(Until::End).or_else(moment).ok_or_else(|| {
        "give `goal`, `checkpoint`, a time of day (`07:00`) or how long (`45m`, `8h`)".to_owned()
    })
}

fn preset(name: &str) -> Result<Preset, String> {
    Preset::named(name).ok_or_else(|| {
        "no preset is called so; known are pi, claude, codex, gemini; for a program of your own \
         there is --agent-command"
            .to_owned()
    })
}

fn most(text: &str) -> Result<Most, String> {
    match text.parse() {
        Ok(0) => Err("an agent needs one iteration at least".to_owned()),
        Ok(most) => Ok(Most::Iterations(most)),
        Err(_) if text == "none" => Ok(Most::Unlimited),
        Err(_) => Err("give a whole number, or `none` for no limit".to_owned()),
    }
}

fn executable(path: &str) -> Result<String, String> {
    match (path.trim(), Preset::named(path)) {
        ("", _) => Err("name an executable".to_owned()),
        (_, Some(preset)) => Err(format!("that is a preset: say --agent {preset}")),
        _ => Ok(path.to_owned()),
    }
}

/// What is chosen by an option and its contrary; nothing without either.
fn chosen(yes: bool, no: bool) -> Option<bool> {
    (yes || no).then_some(yes)
}

impl How {
    /// The request that it makes by this call.
    fn asked(&self, call: &Call) -> RunRequest {
        let preset = self.agent.map(|preset| preset.program().to_owned());
        RunRequest {
            agent: CommandOptions {
                command: preset.or(self.agent_command.clone()),
                timeout: None,
            },
            max_iterations: self.max_iterations,
            rules: self.rules.clone(),
            agent_file: self.agent_file.clone(),
            until: match self.until {
                Some(Until::End(end)) => Some(end),
                _ => None,
            },
            deadline: match self.until {
                Some(Until::Moment(deadline)) => {
                    let now = call.workspace.environment.now_millis();
                    deadline.moment(now, &TimeZone::system())
                }
                _ => None,
            },
            retry_for: self.retry_for.map(Duration::from_secs),
            plan: chosen(self.plan, self.no_plan),
            paced: self.paced,
            among_others: false,
            worktree: chosen(self.worktree, self.no_worktree || self.same_tree),
            commit: chosen(self.commit, self.no_commit),
            same_tree: self.same_tree,
            take_over: self.take_over,
        }
    }
}

/// Asks a person whether another auditor than in their last call is theirs: all audits of the run are its.
fn as_last_time(call: &Call, globals: &Globals) -> Result<(), Failure> {
    match another_auditor(call, globals)? {
        true => Ok(()),
        false => Err(Failure::new(
            "interrupted",
            "nothing was begun",
            "`goal config` shows the auditor, and which file names it",
        )),
    }
}

pub fn run(args: &Args, mut call: Call, globals: &Globals) -> Result<Done, Failure> {
    if let Some(goal) = &args.run {
        if call.goal.is_some() {
            return Err(Failure::usage(
                "a goal is named twice, by itself and with --goal",
                "leave one of them out",
            ));
        }
        call.goal = Some(goal.clone());
    }
    if args.all && call.goal.is_some() {
        return Err(Failure::usage(
            "`--all` works every goal, and --goal names one",
            "leave one of them out",
        ));
    }
    // Beside an argument that excludes `--all` clap does not ask for it.
    if args.jobs.is_some() && !args.all {
        return Err(Failure::usage(
            "`--jobs` is for `--all`, and one goal is named",
            "leave one of them out",
        ));
    }
    let jobs = usize::from(args.jobs.unwrap_or(1));
    let how = match (args.events, Show::for_people(&call, globals)) {
        (true, _) => Show::Events,
        // One line has no place for several goals.
        (false, Show::Bar) if jobs > 1 => Show::Lines,
        (false, show) => show,
    };
    let asked = args.how.asked(&call);
    run::believe_shell(&mut call);
    as_last_time(&call, globals)?;
    work(&mut call, &asked, args.all.then_some(jobs), how)
}

/// Runs one goal, or all with so many at the same time, and prints what came of it.
fn work(
    call: &mut Call,
    asked: &RunRequest,
    all: Option<usize>,
    show: Show,
) -> Result<Done, Failure> {
    let asked = &match offers_a_plan(call, asked, all.is_some(), show)? {
        true => RunRequest {
            plan: Some(says_yes(
                "The goal has no tasks. Have the planner cut it into checkpoints first?",
            )?),
            ..asked.clone()
        },
        false => asked.clone(),
    };
    // The run has a line of its own.
    call.status_line = StatusLine::default();
    let signals = Signals::listen()?;
    let mut screen = Screen::new(show);
    let mut tell = |told: RunUpdate| screen.tell(&told);
    let runs = match all {
        Some(jobs) => run::all(call, asked, jobs, &signals, &mut tell),
        None => run::run(call, asked, &signals, &mut tell).map(Runs::of),
    };
    screen.wipe();
    print::notices(sync::at_end(call, PATIENCE, &|| signals.interrupted()).as_slice());
    let runs = runs?;
    let failure = runs.failure();
    if show == Show::Events {
        if let Some(failure) = &failure {
            let document = envelope::failure("run", None, failure, None::<()>);
            screen.line(&document);
        }
        return Ok(Done::Printed(failure.map_or(Exit::Done, |it| it.exit)));
    }
    Reply::judged(text(&runs), runs, failure)
}

/// Whether somebody is there to be asked whether the goal is planned first, and it could be.
fn offers_a_plan(call: &Call, asked: &RunRequest, all: bool, show: Show) -> Result<bool, Failure> {
    let is_there = matches!(show, Show::Bar | Show::Lines) && at_terminal(call);
    Ok(asked.plan.is_none() && !all && is_there && run::could_be_planned(call)?)
}

fn text(runs: &Runs) -> String {
    if runs.runs.is_empty() {
        return "No goal could be run: none is active, unleased and unchanged since its last run.\n"
            .to_owned();
    }
    let line = |ran: &run::Ran| {
        let detail = ran
            .detail
            .as_deref()
            .map(|detail| format!(": {}", one_line(detail)));
        // Why the only run stopped, the error says.
        let what = match ran.cause.is_success() || runs.runs.len() > 1 {
            true => ran.cause.to_string(),
            false => ran.status.name().to_owned(),
        };
        format!(
            "Goal {}: {what}{} ({}, {}).\n",
            ran.goal_id,
            detail.unwrap_or_default(),
            count(ran.iterations, "iteration"),
            spent(Duration::from_millis(ran.elapsed_ms))
        )
    };
    let lines: String = runs.runs.iter().map(line).collect();
    let mut trees = Vec::new();
    let all = runs.runs.iter().rev();
    for told in all.filter_map(|ran| ran.worktree.as_ref()).map(told) {
        if !trees.contains(&told) {
            trees.push(told);
        }
    }
    trees.reverse();
    let undone = runs.runs.iter().filter_map(|ran| {
        let why = one_line(ran.after.as_ref()?);
        Some(format!(
            "What was to be done behind the run of goal {} failed: {why}\n",
            ran.goal_id
        ))
    });
    lines + &trees.concat() + &undone.collect::<String>()
}

/// What a goal's own work tree has, and how that gets into this one. How it is removed only where
/// nothing that it has would be lost, or what would be.
fn told(tree: &GoalTree) -> String {
    let (path, branch) = (shell_word(&tree.path), &tree.branch);
    if !Utf8Path::new(&tree.path).is_dir() {
        return format!("Its work tree {path} is gone. Branch {branch} has what was committed.\n");
    }
    let Some(commits) = tree.commits else {
        return format!("Git cannot say what is in {path}, the work tree of branch {branch}.\n");
    };
    let on = tree.checked_out.as_deref().map(one_line);
    let mut text = match &on {
        Some(on) if on == branch => format!("Its work is on branch {branch}, in {path}: "),
        Some(on) => format!("Its work is on branch {on}, not on {branch}, in {path}: "),
        None => format!("Its work is on no branch, not on {branch} either, in {path}: "),
    };
    text += &match commits {
        0 => "no commit that this tree lacks".to_owned(),
        some => count(some, "commit"),
    };
    if tree.dirty {
        text += ", and changes that are not committed";
    }
    text += ".\n";
    let Some(on) = on else {
        return text + &format!("  git -C {path} status\n  git -C {path} branch NAME\n");
    };
    if tree.dirty {
        text += &format!("  git -C {path} add --all && git -C {path} commit\n");
    }
    if tree.dirty || commits > 0 {
        text += &format!("  git merge {}\n", shell_word(&on));
    }
    if tree.dirty || commits > 0 || on != *branch {
        return text;
    }
    if tree.ignored {
        text += &format!(
            "It has files that git ignores; they are deleted with it: git -C {path} status --ignored\n"
        );
    }
    text + &format!(
        "When you need it no more: git worktree remove {path} && git branch -d {branch}\n"
    )
}
