//! The table of advice row by row, and whole against an oracle that knows nothing of the rules'
//! own code.

use proptest::prelude::*;

use super::*;
use crate::domain::progress::history::Score;
use crate::domain::progress::state::Evaluation;

/// What a case is made of: scores, unproductive escalations, one that waits, whether the latest
/// evaluation calls for one, whether the runway was granted.
#[derive(Debug, Clone)]
struct Case {
    scores: Vec<f64>,
    unproductive: u64,
    waiting: bool,
    calls: bool,
    runway: bool,
}

fn case(scores: &[f64], unproductive: u64) -> Case {
    Case {
        scores: scores.to_vec(),
        unproductive,
        waiting: false,
        calls: false,
        runway: false,
    }
}

impl Case {
    fn progress(&self) -> Progress {
        let mut progress = Progress {
            runway: self.runway,
            ..Progress::default()
        };
        let zero = Score::ZERO;
        for _ in 0..self.unproductive {
            progress.escalations.begin(zero);
            progress.escalations.judge(zero);
        }
        for score in &self.scores {
            let score = Score::try_from(*score).unwrap();
            progress.history.push(score);
            progress.latest = Some(Evaluation {
                score,
                gap_analysis: "g".into(),
                should_escalate: self.calls,
                reasoning: None,
                source: None,
                by: None,
                at: String::new(),
            });
        }
        if self.waiting {
            progress.escalations.begin(zero);
        }
        progress
    }

    fn advice(&self, tier: Difficulty) -> Advice {
        advice(&self.progress(), Some(tier))
    }
}

#[test]
fn each_row_of_the_table_decides_where_those_above_do_not() {
    use Difficulty::{Complex, Moderate, Trivial};
    let calls = |case: Case| Case {
        calls: true,
        ..case
    };
    let waiting = |case: Case| Case {
        waiting: true,
        ..case
    };
    let run = |case: Case| Case {
        runway: true,
        ..case
    };
    let rows = [
        (case(&[], 9), Moderate, Advice::Nothing),
        (calls(case(&[0.95], 9)), Trivial, Advice::SuggestCompletion),
        (case(&[0.2, 0.35], 1), Trivial, Advice::Upgrade),
        (case(&[0.2, 0.35], 0), Trivial, Advice::Nothing),
        (case(&[0.2, 0.35], 2), Moderate, Advice::Nothing),
        (case(&[0.2, 0.35], 3), Moderate, Advice::Upgrade),
        // The runway is for what leaps no further, or cannot.
        (case(&[0.4, 0.5], 3), Moderate, Advice::Runway),
        (case(&[0.2, 0.6], 5), Complex, Advice::Runway),
        (run(case(&[0.4, 0.5], 3)), Moderate, Advice::Nothing),
        (
            run(case(&[0.4, 0.5], 4)),
            Moderate,
            Advice::SuggestAbandonment,
        ),
        (
            case(&[0.2, 0.349_999], 1),
            Trivial,
            Advice::SuggestAbandonment,
        ),
        (case(&[0.2, 0.4], 5), Complex, Advice::SuggestAbandonment),
        (case(&[0.9, 0.9], 3), Moderate, Advice::SuggestAbandonment),
        (
            waiting(calls(case(&[0.4; 3], 0))),
            Moderate,
            Advice::Nothing,
        ),
        (calls(case(&[0.4], 2)), Moderate, Advice::SuggestEscalation),
        (case(&[0.4; 3], 2), Moderate, Advice::SuggestEscalation),
        (case(&[0.4; 2], 2), Moderate, Advice::Nothing),
    ];
    for (case, tier, expected) in rows {
        assert_eq!(case.advice(tier), expected, "{case:?} {tier:?}");
    }
}

#[test]
fn a_contract_without_a_difficulty_is_moderate_and_an_upgrade_counts_above_it() {
    let three = case(&[0.2, 0.2], 3);
    assert_eq!(advice(&three.progress(), None), Advice::SuggestAbandonment);
    let upgraded = Progress {
        upgraded: Some(Difficulty::Complex),
        ..three.progress()
    };
    assert_eq!(
        advice(&upgraded, Some(Difficulty::Trivial)),
        Advice::Nothing
    );
}

#[test]
fn what_is_granted_is_what_is_advised() {
    let leap = case(&[0.2, 0.35], 1).progress();
    let expected = DifficultyUpgraded {
        from: Difficulty::Trivial,
        to: Difficulty::Simple,
    };
    let granted = grant(&leap, Some(Difficulty::Trivial));
    assert_eq!(granted, Some(expected.into()));
    let near = case(&[0.5, 0.6], 3).progress();
    assert_eq!(grant(&near, None), Some(RunwayGranted {}.into()));
    let spent = case(&[0.2], 3).progress();
    assert_eq!(grant(&spent, None), None);
}

/// The rules as a person would say them, in whole hundredths, over all scores there ever were.
fn oracle(scores: &[i64], case: &Case, tier: usize) -> Advice {
    let Some(&now) = scores.last() else {
        return Advice::Nothing;
    };
    if now >= 95 {
        return Advice::SuggestCompletion;
    }
    let before = scores.len().checked_sub(2).map(|at| scores[at]);
    let rise = before.map_or(-1, |before| now - before);
    let most = [1, 2, 3, 5][tier] + u64::from(case.runway);
    if case.unproductive >= most {
        return match (
            rise >= 15 && tier < 3,
            rise > 0 && now >= 50 && !case.runway,
        ) {
            (true, _) => Advice::Upgrade,
            (_, true) => Advice::Runway,
            _ => Advice::SuggestAbandonment,
        };
    }
    let flat = scores.windows(3).last().is_some_and(|last| {
        let differ = |a: i64, b: i64| (a - b).abs() >= 5;
        !differ(last[0], last[1]) && !differ(last[1], last[2]) && !differ(last[0], last[2])
    });
    match !case.waiting && (case.calls || flat) {
        true => Advice::SuggestEscalation,
        false => Advice::Nothing,
    }
}

proptest! {
    #[test]
    fn the_rules_say_what_a_person_would(
        scores in prop::collection::vec(0..=100i64, 0..12),
        near in prop::collection::vec(-6..=6i64, 0..4),
        unproductive in 0..7u64,
        tier in 0..4usize,
        (waiting, calls, runway) in any::<(bool, bool, bool)>(),
    ) {
        // Neighbours that are close to each other, or the rule of flatness would never hold.
        let mut scores = scores;
        for step in near {
            let last = scores.last().copied().unwrap_or(50);
            scores.push((last + step).clamp(0, 100));
        }
        let values = scores.iter().map(|score| *score as f64 / 100.0).collect();
        let case = Case { scores: values, unproductive, waiting, calls, runway };
        let tiers = [
            Difficulty::Trivial,
            Difficulty::Simple,
            Difficulty::Moderate,
            Difficulty::Complex,
        ];
        prop_assert_eq!(case.advice(tiers[tier]), oracle(&scores, &case, tier));
    }
}
