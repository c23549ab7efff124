//! Many agents at once: each starts the program for one command, records one event of a goal of its
//! own, lets the program end and pauses, as agents do.

use std::collections::HashMap;
use std::process::Command;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::agent::Agent;
use super::lines;

pub struct Crowd {
    pub agents: usize,
    pub ledgers: usize,
    /// How long each agent goes on; it records at least four events.
    pub time: Duration,
    /// The pause between two events of an agent, on the average.
    pub pause: Duration,
}

/// What came of it.
#[derive(Default)]
pub struct Outcome {
    /// The ids of the acknowledged lines of each ledger.
    pub acknowledged: HashMap<String, Vec<String>>,
    /// The status that each goal must have.
    pub statuses: HashMap<String, &'static str>,
    pub errors: HashMap<String, usize>,
    pub latencies: Vec<Duration>,
}

pub fn ledger(number: usize) -> String {
    format!("crowd/{number:03}")
}

impl Crowd {
    pub fn run(&self, start: impl Fn() -> Command + Sync) -> Outcome {
        let outcome = Mutex::new(Outcome::default());
        let until = Instant::now() + self.time;
        thread::scope(|scope| {
            for number in 0..self.agents {
                let (outcome, start) = (&outcome, &start);
                let work = move || self.work(number, until, start, outcome);
                thread::Builder::new()
                    .stack_size(512 * 1024)
                    .spawn_scoped(scope, work)
                    .unwrap();
            }
        });
        outcome.into_inner().unwrap()
    }

    fn work(
        &self,
        number: usize,
        until: Instant,
        start: &(impl Fn() -> Command + Sync),
        outcome: &Mutex<Outcome>,
    ) {
        let ledger = ledger(number % self.ledgers);
        let goal = format!("agent-{number}");
        let mut agent = Agent::new(&ledger, start);
        let mut ids = Vec::new();
        let mut latencies = Vec::new();
        let mut status = "active";
        let mut turn = 0;
        while turn < 4 + number % 5 || Instant::now() < until {
            // The agents do not ask in step.
            let part = ((number * 7919 + turn * 104_729) % 1000) as f64 / 500.0;
            thread::sleep(self.pause.mul_f64(part));
            let begun = Instant::now();
            ids.push(agent.write(|prev| {
                let reason = r#""reason":"said so""#;
                match turn {
                    0 => lines::created(&goal, prev),
                    _ if turn % 8 == 3 => lines::line("goal_paused", &goal, reason, prev),
                    _ if turn % 8 == 5 => lines::line("goal_resumed", &goal, reason, prev),
                    _ => lines::note(&goal, &format!("turn {turn}"), prev),
                }
            }));
            agent.leave();
            latencies.push(begun.elapsed());
            status = match turn % 8 {
                3 => "paused",
                5 => "active",
                _ => status,
            };
            turn += 1;
        }
        let mut outcome = outcome.lock().unwrap();
        outcome.acknowledged.entry(ledger).or_default().extend(ids);
        outcome.statuses.insert(goal, status);
        outcome.latencies.extend(latencies);
        for (code, times) in agent.errors {
            *outcome.errors.entry(code).or_default() += times;
        }
    }
}

/// The value below which this part of the values lies.
pub fn quantile(values: &mut [Duration], part: f64) -> Duration {
    values.sort();
    values[((values.len() - 1) as f64 * part) as usize]
}
