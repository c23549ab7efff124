//! Writes a ledger of any length, in shapes that real ledgers have; `goal verify` has nothing to
//! say about it. Prints the id of the goal that is in focus at its end.
//!
//! How often an event comes and how long its texts are follows what seventeen projects of others
//! look like (the tables in `text.rs`); the words are noise. Only audits come half as often, so that a
//! million events fit into the longest string that Node has. The same arguments make the same bytes,
//! whatever version of the program: lines are put together here, not by its code, which
//! is asked only for the ids that link them.

mod text;

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Parser;
use goal_core::{EventId, GoalId};

use text::{BRIEF, EVIDENCE, NOTE, OBJECTIVE, REPORT, SUMMARY, Texts};

/// How many goals are worked on side by side.
const WINDOW: usize = 12;
/// The fewest events of a goal: created, focused, ended.
const FEWEST: usize = 3;
/// What the events of an audit that ends a goal come to.
const APPROVAL: usize = 4;
/// 2026-01-01, in milliseconds.
const BEGIN: i64 = 1_767_225_600_000;

#[derive(Debug, Parser)]
struct Arguments {
    /// The project; its `.pi/goals` must not be there yet.
    project: PathBuf,
    #[arg(long, default_value_t = 20_000)]
    events: usize,
    #[arg(long, default_value_t = 1_000)]
    goals: usize,
    /// How many of the goals do not end; they are spread over the whole history.
    #[arg(long, default_value_t = 500)]
    open: usize,
    /// Open tasks of every goal that does not end.
    #[arg(long, default_value_t = 0)]
    tasks: usize,
    /// Lines as the older extension writes them, without an envelope.
    #[arg(long)]
    foreign: bool,
    /// Make no ledger: link the lines of the one that is there, whose links are zeros.
    #[arg(long)]
    link: bool,
}

/// Gives each line whose link is zeros the id of the line before it.
fn link(ledger: &Path) -> Result<()> {
    let zeros = EventId::ZERO.to_string();
    let (mut prev, mut linked) = (zeros.clone(), String::new());
    for line in fs::read_to_string(ledger)?.lines() {
        let line = line.replacen(&zeros, &prev, 1);
        prev = EventId::of_line(line.as_bytes()).to_string();
        linked += &line;
        linked.push('\n');
    }
    Ok(fs::write(ledger, linked)?)
}

fn main() -> Result<()> {
    let asked = Arguments::parse();
    if asked.link {
        return link(&asked.project.join(".pi/goals/goal_events.jsonl"));
    }
    ensure!(asked.goals > 0 && asked.open > 0 && asked.open <= asked.goals);
    ensure!(
        asked.events > (FEWEST + 1) * asked.goals,
        "a goal has {FEWEST} events at least: allow more events, or fewer goals"
    );
    let goals = asked.project.join(".pi/goals");
    fs::create_dir_all(&goals)?;
    let file = File::create_new(goals.join("goal_events.jsonl"))?;
    let mut ledger = Ledger::new(BufWriter::with_capacity(1 << 20, file), asked.foreign);
    let focus = ledger.fill(&asked)?;
    ledger.to.flush()?;
    writeln!(std::io::stdout(), "{focus}")?;
    Ok(())
}

/// What a goal still has before it.
struct Life {
    id: String,
    /// How many events.
    left: usize,
    ends: bool,
    planned: VecDeque<Step>,
    /// The latest event that moved the goal's revision.
    revision: String,
    /// Open tasks that it is to keep.
    tasks: usize,
}

#[derive(Clone, Copy)]
enum Step {
    Created,
    Focused,
    Noted,
    Paused,
    Resumed,
    /// With so many tasks.
    TasksSet(usize),
    TaskDone(usize),
    Requested,
    AuditStarted,
    AuditResult(&'static str),
    Completed,
    Aborted,
}

impl Step {
    /// The event's type, and who causes it.
    fn named(self, foreign: bool) -> (&'static str, &'static str) {
        match self {
            Step::Created => ("goal_created", "user"),
            Step::Focused => ("goal_focused", "user"),
            // The older extension has no notes.
            Step::Noted if foreign => ("goal_tweaked", "agent"),
            Step::Noted => ("goal_noted", "agent"),
            Step::Paused => ("goal_paused", "agent"),
            Step::Resumed => ("goal_resumed", "user"),
            Step::TasksSet(_) => ("task_list_set", "agent"),
            Step::TaskDone(_) => ("task_complete", "agent"),
            Step::Requested => ("completion_requested", "agent"),
            Step::AuditStarted => ("audit_started", "system"),
            Step::AuditResult(_) => ("audit_result", "system"),
            Step::Completed => ("goal_completed", "system"),
            Step::Aborted => ("goal_aborted", "user"),
        }
    }

    /// Whether the event names the goal's revision.
    fn is_audit(self) -> bool {
        matches!(
            self,
            Step::Requested | Step::AuditStarted | Step::AuditResult(_)
        )
    }

    /// Whether the goal's revision moves to the event.
    fn moves(self) -> bool {
        matches!(
            self,
            Step::Created | Step::Paused | Step::Resumed | Step::TasksSet(_)
        )
    }
}

struct Ledger<W> {
    to: W,
    foreign: bool,
    chance: fastrand::Rng,
    texts: Texts,
    clock: i64,
    prev: String,
    line: Vec<u8>,
}

impl<W: Write> Ledger<W> {
    fn new(to: W, foreign: bool) -> Self {
        let chance = fastrand::Rng::with_seed(7);
        let texts = Texts::with_seed(8);
        let prev = "0".repeat(32);
        let line = Vec::new();
        Ledger {
            to,
            foreign,
            chance,
            texts,
            clock: BEGIN,
            prev,
            line,
        }
    }

    /// All events: goals begin one after the other, and some go on together.
    fn fill(&mut self, asked: &Arguments) -> Result<String> {
        let lengths = self.lengths(asked.goals, asked.events - 1);
        let mut waiting = lengths.into_iter().enumerate();
        let mut working: Vec<Life> = Vec::new();
        // The last goal is one of the open ones.
        let open = |number: usize| {
            (number + 1) * asked.open / asked.goals > number * asked.open / asked.goals
        };
        let mut last = String::new();
        loop {
            while working.len() < WINDOW
                && let Some((number, left)) = waiting.next()
            {
                let life = self.life(left, !open(number), asked.tasks);
                last.clone_from(&life.id);
                working.push(life);
            }
            if working.is_empty() {
                break;
            }
            let at = self.chance.usize(..working.len());
            for _ in 0..self.chance.usize(1..=5).min(working[at].left) {
                self.next(&mut working[at])?;
            }
            // An approval and what it completes are one write.
            while matches!(working[at].planned.front(), Some(Step::Completed)) {
                self.next(&mut working[at])?;
            }
            if working[at].left == 0 {
                working.swap_remove(at);
            }
        }
        self.event(Step::Focused, &last, "")?;
        Ok(last)
    }

    /// How many events each goal has: most of them few, all together as many as asked for.
    fn lengths(&mut self, goals: usize, events: usize) -> Vec<usize> {
        let mut weights = Vec::with_capacity(goals);
        weights.resize_with(goals, || -(1.0 - self.chance.f64()).ln());
        let each = (events - FEWEST * goals) as f64 / weights.iter().sum::<f64>();
        let mut lengths: Vec<usize> = weights
            .iter()
            .map(|weight| FEWEST + (weight * each) as usize)
            .collect();
        let rest = events - lengths.iter().sum::<usize>();
        lengths[goals - 1] += rest;
        lengths
    }

    fn life(&mut self, left: usize, ends: bool, tasks: usize) -> Life {
        let id = GoalId::generate(self.clock, self.chance.u64(..)).to_string();
        let mut planned = VecDeque::from([Step::Created, Step::Focused]);
        if tasks > 0 && !ends {
            planned.push_back(Step::TasksSet(tasks));
        }
        Life {
            id,
            left,
            ends,
            planned,
            revision: String::new(),
            tasks,
        }
    }

    fn next(&mut self, life: &mut Life) -> Result<()> {
        if life.ends && life.left == APPROVAL && life.planned.is_empty() {
            life.planned.extend([
                Step::Requested,
                Step::AuditStarted,
                Step::AuditResult("approved"),
                Step::Completed,
            ]);
        } else if life.ends
            && life.left == 1
            && !matches!(life.planned.front(), Some(Step::Completed))
        {
            life.planned = VecDeque::from([Step::Aborted]);
        } else if life.planned.is_empty() {
            self.episode(life);
        }
        if let Some(step) = life.planned.pop_front() {
            let id = self.event(step, &life.id, &life.revision)?;
            if step.moves() {
                life.revision = id;
            }
            life.left -= 1;
        }
        Ok(())
    }

    /// Something that happens to a goal, as often as measured, and no longer than there is room
    /// for before its end.
    fn episode(&mut self, life: &mut Life) {
        let room = life.left
            - if life.ends && life.left > APPROVAL {
                APPROVAL
            } else {
                0
            };
        let plan = &mut life.planned;
        match self.chance.u32(..48) {
            0..5 if room > 6 && life.tasks == 0 => {
                let tasks = self.chance.usize(1..=6);
                plan.push_back(Step::TasksSet(tasks));
                plan.extend((1..=tasks).map(Step::TaskDone));
            }
            5..17 if room > 1 => plan.extend([Step::Paused, Step::Resumed]),
            17..22 if room > 2 => {
                let disapproved = Step::AuditResult("disapproved");
                plan.extend([Step::Requested, Step::AuditStarted, disapproved]);
            }
            _ => plan.push_back(Step::Noted),
        }
    }

    /// Appends an event and gives its id.
    fn event(&mut self, step: Step, goal: &str, revision: &str) -> Result<String> {
        self.clock += self.chance.i64(5..600_000);
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        let (name, by) = step.named(self.foreign);
        write!(line, r#"{{"type":"{name}","goalId":"{goal}""#)?;
        self.fields(&mut line, step, goal, revision)?;
        write!(line, r#","at":"{}""#, time(self.clock)?)?;
        if self.foreign {
            line.push(b'}');
        } else {
            write!(line, r#","by":"{by}""#)?;
            if by == "agent" {
                write!(line, r#","session":"s-{}""#, self.clock / 86_400_000)?;
            }
            write!(line, r#","prev":"{}"}}"#, self.prev)?;
            self.prev = EventId::of_line(&line).to_string();
        }
        line.push(b'\n');
        self.to.write_all(&line)?;
        self.line = line;
        Ok(self.prev.clone())
    }

    /// The payload of an event, up to its time.
    fn fields(
        &mut self,
        line: &mut Vec<u8>,
        step: Step,
        goal: &str,
        revision: &str,
    ) -> io::Result<()> {
        let ours = !self.foreign;
        let texts = &mut self.texts;
        match step {
            Step::Created => {
                let objective = texts.text(OBJECTIVE);
                write!(
                    line,
                    r#","objective":"{objective}","sisyphus":false,"autoContinue":true"#
                )?;
            }
            Step::Focused => write!(line, r#","reason":"selected""#)?,
            Step::Noted => {
                let field = if ours { "note" } else { "changeSummary" };
                write!(line, r#","{field}":"{}""#, texts.text(NOTE))?;
            }
            Step::Paused => {
                write!(
                    line,
                    r#","reason":"{}","status":"paused""#,
                    texts.text(BRIEF)
                )?;
            }
            Step::Resumed => write!(line, r#","reason":"resumed by the user""#)?,
            Step::TasksSet(tasks) => {
                write!(line, r#","taskCount":{tasks},"blockCompletion":true"#)?;
                for task in (1..=tasks).filter(|_| ours) {
                    let before = if task == 1 { r#","tasks":["# } else { "," };
                    let title = texts.text(BRIEF);
                    write!(line, r#"{before}{{"id":"{task}","title":"{title}"}}"#)?;
                }
                line.extend(ours.then_some(b']'));
            }
            Step::TaskDone(task) => {
                let evidence = texts.text(EVIDENCE);
                write!(line, r#","taskId":"{task}","evidence":"{evidence}""#)?;
            }
            Step::Requested if self.chance.u32(..4) == 0 => {
                write!(line, r#","summary":"{}""#, texts.text(SUMMARY))?;
            }
            Step::Requested => {}
            Step::AuditStarted if ours => {
                write!(line, r#","command":["auditor"],"configSource":"user""#)?;
            }
            Step::AuditStarted => {}
            Step::AuditResult(verdict) => {
                let report = texts.text(REPORT);
                write!(line, r#","verdict":"{verdict}","report":"{report}""#)?;
                if ours {
                    write!(line, r#","exitCode":0,"durationMs":93210"#)?;
                }
            }
            Step::Completed => {
                let path = format!(".pi/goals/archived/goal_20260101_{goal}.md");
                write!(line, r#","archivePath":"{path}""#)?;
            }
            Step::Aborted => write!(line, r#","reason":"{}""#, texts.text(BRIEF))?,
        }
        if ours && step.is_audit() {
            write!(line, r#","revision":"{revision}""#)?;
        }
        Ok(())
    }
}

fn time(millis: i64) -> Result<String> {
    let at = jiff::Timestamp::from_millisecond(millis)?;
    Ok(at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}
