//! The axis of time: where a moment stands on it, in percent, and which times are written below it.

use serde::Serialize;

use crate::domain::report::{GoalReport, Report};
use crate::domain::time::{DAY, HOUR, MINUTE, millis, rfc3339};
use crate::render::clock::{clock, clock_with_seconds, day, moment};

/// The most marks of time on the axis.
const TICKS: usize = 9;
/// The least that it shows, and the least time before what happened first.
const LEAST: i64 = 10 * SECOND;
const SECOND: i64 = 1000;
/// How many pixels the axis has at least beside the names, and where it has the width of a phone.
const WIDE: f64 = 480.0;
const NARROW: f64 = 250.0;
/// How many pixels a character of a label takes at most, and the room between two labels.
const CHARACTER: f64 = 7.0;
const ROOM: f64 = 7.0;
/// The times between two marks.
const STEPS: [i64; 25] = [
    SECOND,
    2 * SECOND,
    5 * SECOND,
    10 * SECOND,
    15 * SECOND,
    30 * SECOND,
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
    7 * DAY,
    14 * DAY,
    30 * DAY,
    90 * DAY,
    180 * DAY,
    360 * DAY,
];

#[derive(Debug, Serialize)]
pub(super) struct Tick {
    x: f64,
    label: String,
    /// At which of its ends a label stands that would leave the axis.
    anchor: &'static str,
    /// On a narrow screen there is no room for this label.
    spare: bool,
}

impl Tick {
    /// From where to where the label goes on an axis of this width.
    fn extent(&self, width: f64) -> (f64, f64) {
        let (x, long) = (
            self.x / 100.0 * width,
            self.label.chars().count() as f64 * CHARACTER,
        );
        match self.anchor {
            "start" => (x, x + long),
            "end" => (x - long, x),
            _ => (x - long / 2.0, x + long / 2.0),
        }
    }
}

/// Whether these labels stand beside each other on an axis of this width.
fn fit<'a>(ticks: impl IntoIterator<Item = &'a Tick>, width: f64) -> bool {
    let mut free = f64::MIN;
    ticks.into_iter().all(|tick| {
        let (from, to) = tick.extent(width);
        let fits = from >= free;
        free = to + ROOM;
        fits
    })
}

/// The time that the axis shows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Time {
    pub from: i64,
    pub to: i64,
}

impl Time {
    /// The window of a report, from where something happened on: a night of work is not to stand at
    /// the end of an empty day. Where no goal is open it ends with what happened last.
    pub fn of(report: &Report) -> Time {
        let now = millis(&report.window.to).unwrap_or_default();
        let begins = report.window.from.as_deref().and_then(millis);
        let in_window = |at: &i64| *at <= now && begins.is_none_or(|begins| *at >= begins);
        let created = report.goals.iter().filter_map(|it| millis(&it.created_at));
        // What was committed before there was a goal is of none of them.
        let created = created.min().unwrap_or(i64::MIN);
        let commits = report.commits.iter().filter_map(|it| millis(&it.at));
        let commits = commits.filter(|at| *at >= created);
        let times: Vec<i64> = report
            .goals
            .iter()
            .flat_map(times)
            .chain(commits)
            .filter(in_window)
            .collect();
        let first = times.iter().copied().min().or(begins).unwrap_or(now);
        let is_open = report.goals.iter().any(|goal| goal.status.is_open());
        let last = times.into_iter().max().filter(|_| !is_open);
        let to = last.map_or(now, |last| (last + edge(last - first)).min(now));
        let from = (first - edge(to - first)).min(to - LEAST);
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
        let whole = self.to - self.from;
        let steps = STEPS
            .into_iter()
            .filter(|step| whole / step <= TICKS as i64);
        let mut ticks = steps
            .map(|step| self.every(step))
            .find(|ticks| (2..=TICKS).contains(&ticks.len()) && fit(ticks, WIDE))
            .unwrap_or_else(|| self.every(whole / 4 + 1));
        // Every second one, or every third one, and so on, as soon as these have room.
        let each = (1..ticks.len().max(2))
            .find(|each| fit(ticks.iter().step_by(*each), NARROW))
            .unwrap_or(ticks.len().max(1));
        for (number, tick) in ticks.iter_mut().enumerate() {
            tick.spare = number % each != 0;
        }
        ticks
    }

    /// A tick at each multiple of this step.
    fn every(self, step: i64) -> Vec<Tick> {
        let is_long = self.to - self.from > 300 * DAY;
        let first = self.from.div_euclid(step) + 1;
        (first..=self.to.div_euclid(step))
            .map(|number| {
                let (at, x) = (rfc3339(number * step), self.share(number * step));
                let label = match step {
                    _ if is_long => moment(&at)[..10].to_owned(),
                    // Midnight says which day begins.
                    _ if (number * step).rem_euclid(DAY) == 0 => day(&at),
                    DAY.. => day(&at),
                    MINUTE.. => clock(&at),
                    _ => clock_with_seconds(&at),
                };
                let anchor = match x {
                    ..5.0 => "start",
                    95.0.. => "end",
                    _ => "middle",
                };
                Tick {
                    x,
                    label,
                    anchor,
                    spare: false,
                }
            })
            .collect()
    }
}

/// The room beside what happened first and last.
fn edge(long: i64) -> i64 {
    (long / 50).max(SECOND)
}

/// When something happened to a goal.
fn times(goal: &GoalReport) -> impl Iterator<Item = i64> {
    let spans = goal.spans.iter();
    let spans = spans.flat_map(|it| [Some(&it.from), it.to.as_ref()]);
    let work = goal.work.iter().flat_map(|it| [&it.from, &it.to].map(Some));
    let audits = goal.audits.iter();
    let audits = audits.flat_map(|it| [Some(&it.at), it.ended_at.as_ref()]);
    let all = spans.chain(work).chain(audits).flatten();
    all.filter_map(|at| millis(at))
}

/// Two decimals are a third of a pixel on a wide screen.
pub(super) fn rounded(share: f64) -> f64 {
    (share * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::report::testing::{hours, report};

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

    fn labels(time: Time) -> Vec<String> {
        time.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn there_are_few_ticks_and_they_have_room_however_long_the_time_is() {
        // Seconds, to two hundred years; from the middle of a day on.
        for seconds in [
            10,
            14,
            45,
            61,
            600,
            5400,
            54_000,
            100_000,
            1_200_000,
            36_000_000,
            6_000_000_000,
        ] {
            let from = 1_795_282_207_000;
            let to = from + seconds * SECOND;
            let ticks = Time { from, to }.ticks();
            assert!((2..=TICKS).contains(&ticks.len()), "{seconds}: {ticks:?}");
            assert!(fit(&ticks, WIDE), "{seconds}: {ticks:?}");
            let kept: Vec<&Tick> = ticks.iter().filter(|tick| !tick.spare).collect();
            assert!(kept.len() >= 2 && fit(kept, NARROW), "{seconds}: {ticks:?}");
            let mut labels: Vec<&str> = ticks.iter().map(|tick| &*tick.label).collect();
            labels.dedup();
            assert_eq!(labels.len(), ticks.len(), "{seconds}: {ticks:?}");
        }
    }

    #[test]
    fn a_time_within_a_day_has_no_label_twice() {
        for minutes in 1..1440 {
            let from = 1_795_282_207_000;
            let to = from + minutes * MINUTE;
            let mut all = labels(Time { from, to });
            let ticks = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), ticks, "{minutes}: {all:?}");
        }
    }

    #[test]
    fn midnight_says_the_day() {
        let day = |days| {
            labels(Time {
                from: 0,
                to: days * DAY,
            })
        };
        assert_eq!(
            day(1),
            [
                "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00", "2 Jan"
            ]
        );
        assert_eq!(
            day(2),
            [
                "06:00", "12:00", "18:00", "2 Jan", "06:00", "12:00", "18:00", "3 Jan"
            ]
        );
        assert_eq!(day(5), ["2 Jan", "3 Jan", "4 Jan", "5 Jan", "6 Jan"]);
        assert_eq!(day(400)[0], "1970-04-01");
    }

    #[test]
    fn a_young_project_fills_the_axis() {
        let mut report = report(2);
        // Its repository is older, and a report of all of it is asked for.
        report.window.from = None;
        report.commits[0].at = hours(-1000);
        let time = Time::of(&report);
        let (first, now) = (millis(&hours(1)).unwrap(), millis(&hours(12)).unwrap());
        assert_eq!((time.from, time.to), (first - edge(now - first), now));
        // Where all has ended, what came later is empty.
        report.goals.remove(0);
        let last = millis(&hours(8)).unwrap();
        assert_eq!(Time::of(&report).to, last + edge(last - first));
        // Without goals the commits are what there is.
        report.goals.clear();
        assert!(
            Time::of(&report)
                .inside(millis(&hours(-1000)).unwrap())
                .is_some()
        );
    }

    #[test]
    fn what_began_just_now_has_an_axis() {
        let mut report = report(1);
        report.goals[0].spans.truncate(1);
        report.goals[0].spans[0].from = hours(12);
        report.goals[0].created_at = hours(12);
        report.goals[0].work.clear();
        report.goals[0].audits.clear();
        report.commits.clear();
        let time = Time::of(&report);
        assert_eq!(time.to - time.from, LEAST);
        assert!(time.ticks().len() >= 2);
    }
}
