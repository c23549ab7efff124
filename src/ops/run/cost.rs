//! What a turn cost: what the agent's host says of it, and how long it took. What was recorded of the
//! same turn from inside counts once.

use std::collections::BTreeMap;

use super::Runner;
use crate::domain::cost::state::{SECONDS, beyond};
use crate::domain::cost::{CostCommand, is_model};
use crate::domain::event::UsageRecorded;
use crate::domain::goal::state::Goal;
use crate::domain::rejection::Class;
use crate::ops::failure::Failure;
use crate::process::{Ending, Finished};
use crate::roles::{agent, hosts};
use crate::transaction::TransactionError;

/// A turn that ended, as its host tells of it.
pub(super) struct Heard {
    /// Its stdout is the agent's last message, where the host told that.
    pub finished: Finished,
    /// How it failed, where it did.
    pub failed: Option<String>,
    counters: BTreeMap<String, f64>,
    model: Option<String>,
    /// When the limit is lifted at which its host was, in seconds since 1970.
    pub lifted_at: Option<i64>,
}

impl Runner<'_> {
    /// Reads what the agent's host wrote. What cannot be read is the agent's own text.
    pub(super) fn heard(&self, finished: Finished) -> Heard {
        let failed = agent::failed(&finished, self.agent.timeout.value);
        let report = self.agent.preset.map(|preset| {
            let report = hosts::read(preset, &finished.stdout);
            let ended = matches!(finished.ending, Ending::Exited(_));
            // Who was killed, or could not begin, may have written nothing.
            let silent = finished.stdout.trim_ascii().is_empty() && failed.is_some();
            if report.is_none() && ended && !silent && !self.unread.replace(true) {
                self.watch.say(format!(
                    "What {preset} wrote is not the JSON that is known here. It is read as text, and \
                     tokens and money of its turns are not recorded."
                ));
            }
            report.unwrap_or_else(|| hosts::HostReport {
                text: String::from_utf8_lossy(&finished.stdout).into_owned(),
                ..hosts::HostReport::default()
            })
        });
        let Some(report) = report else {
            return Heard {
                finished,
                failed,
                counters: BTreeMap::new(),
                model: None,
                lifted_at: None,
            };
        };
        let told = report.failed.map(|why| format!("its host says: {why}"));
        Heard {
            finished: Finished {
                stdout: report.text.into_bytes(),
                ..finished
            },
            failed: told.or(failed),
            counters: report.counters,
            model: report.model,
            lifted_at: report.lifted_at,
        }
    }

    /// What a turn cost on top of what is recorded of it. The task may be gone: the plan may have changed
    /// in that very turn.
    pub(super) fn cost_of_turn(
        &self,
        now: &Goal,
        task: Option<&str>,
        heard: &Heard,
    ) -> UsageRecorded {
        let seconds = heard.finished.duration.as_millis() as f64 / 1000.0;
        let mut reported = heard.counters.clone();
        reported.insert(SECONDS.to_owned(), seconds);
        let mut counters = beyond(&reported, &self.watch.recorded_in_turn());
        // Every turn has its record, also one that took no time.
        counters.entry(SECONDS.to_owned()).or_default();
        let told = heard.model.clone().filter(|it| is_model(it));
        UsageRecorded {
            counters,
            model: self.agent.model.model.clone().or(told),
            task_id: task
                .filter(|it| now.tasks.find(it).is_some())
                .map(str::to_owned),
            role: None,
            read_to: None,
        }
    }

    /// Records what a turn cost of which nothing else is recorded. Going over the user's budget pauses the
    /// goal in the same write.
    pub(super) fn charge(&self, usage: UsageRecorded) -> Result<(), Failure> {
        match self.as_system(CostCommand::Add(usage)) {
            // Its plan changed just now.
            Err(TransactionError::Rejected(refused))
                if matches!(refused.class(), Class::Policy | Class::NotFound) =>
            {
                Ok(())
            }
            recorded => Ok(recorded?),
        }
    }
}
