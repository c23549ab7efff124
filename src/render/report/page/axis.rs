//! The axis of time: where a moment stands on it, in percent.

use serde::Serialize;

use crate::domain::report::Report;
use crate::domain::time::{MINUTE, millis, rfc3339};
use crate::render::clock::{clock, moment};

/// The most marks of time on the axis.
const TICKS: i64 = 9;

#[derive(Debug, Serialize)]
pub(super) struct Tick {
    x: f64,
    label: String,
    end: bool,
}

/// The time that the axis shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub from: i64,
    pub to: i64,
}

impl Time {
    /// The window of a report, from where something happened on: a night of work is not to stand at
    /// the end of an empty day.
    pub fn of(report: &Report) -> Time {
        let to = millis(&report.window.to).unwrap_or_default();
        let begins = report.window.from.as_deref().and_then(millis);
        let in_window = |at: &i64| begins.is_none_or(|begins| *at >= begins);
        let times = report.goals.iter().flat_map(|goal| {
            let spans = goal
                .spans
                .iter()
                .flat_map(|it| [Some(&it.from), it.to.as_ref()]);
            let work = goal.work.iter().map(|it| Some(&it.from));
            let audits = goal.audits.iter().map(|it| Some(&it.at));
            spans.chain(work).chain(audits).flatten()
        });
        let commits = report.commits.iter().map(|it| &it.at);
        let times = times
            .chain(commits)
            .filter_map(|at| millis(at))
            .filter(in_window);
        let first = times.min().or(begins).unwrap_or(to).min(to);
        let from = first - ((to - first) / 50).max(60_000);
        Time { from, to }
    }

    pub fn share(self, at: i64) -> f64 {
        let whole = (self.to - self.from).max(1) as f64;
        rounded((at - self.from) as f64 / whole * 100.0)
    }

    /// Where a moment stands, if it is on the axis.
    pub fn inside(self, at: i64) -> Option<f64> {
        (self.from..=self.to).contains(&at).then(|| self.share(at))
    }

    /// Where a time begins and how long it is, as far as it is on the axis.
    pub fn part(self, from: i64, to: i64) -> Option<(f64, f64)> {
        let (from, to) = (from.max(self.from), to.min(self.to));
        (from <= to).then(|| (self.share(from), rounded(self.share(to) - self.share(from))))
    }

    pub fn ticks(self) -> Vec<Tick> {
        const STEPS: [i64; 12] = [1, 5, 15, 30, 60, 120, 240, 720, 1440, 2880, 10_080, 43_200];
        let whole = self.to - self.from;
        let fits = |step: &i64| whole / (step * MINUTE) <= TICKS;
        let longest = whole / TICKS + 1;
        let step = STEPS
            .into_iter()
            .find(fits)
            .map_or(longest, |step| step * MINUTE);
        let first = self.from.div_euclid(step) + 1;
        let days = step >= 1440 * MINUTE;
        (first..=self.to.div_euclid(step))
            .map(|number| {
                let at = rfc3339(number * step);
                let x = self.share(number * step);
                Tick {
                    x,
                    label: if days {
                        moment(&at)[..10].to_owned()
                    } else {
                        clock(&at)
                    },
                    end: x > 97.0,
                }
            })
            .collect()
    }
}

/// Two decimals are a third of a pixel on a wide screen.
fn rounded(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_the_axis_is_cut_or_left_out() {
        let time = Time {
            from: 0,
            to: 100_000,
        };
        assert_eq!(time.part(-50_000, 50_000), Some((0.0, 50.0)));
        assert_eq!(time.part(-50_000, -1), None);
        assert_eq!(time.inside(100_001), None);
        assert_eq!(time.inside(25_000), Some(25.0));
    }

    #[test]
    fn there_are_few_ticks_however_long_the_time_is() {
        for minutes in [0, 1, 7, 90, 900, 20_000, 600_000, 60_000_000] {
            let ticks = Time {
                from: 0,
                to: minutes * 60_000,
            }
            .ticks();
            assert!(
                ticks.len() as i64 <= TICKS + 1,
                "{minutes}: {}",
                ticks.len()
            );
        }
        let day = Time {
            from: 0,
            to: 86_400_000,
        }
        .ticks();
        let labels: Vec<&str> = day.iter().map(|tick| &*tick.label).collect();
        assert_eq!(
            labels,
            ["04:00", "08:00", "12:00", "16:00", "20:00", "00:00"]
        );
    }
}
