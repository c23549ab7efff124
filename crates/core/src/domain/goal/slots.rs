//! Slots: how many active goals an owner holds, and who gives way for whom
//! (docs/owners.md#places).
//!
//! A goal *holds a place* while it is active and has an owner; one without an owner holds none, and
//! so does a paused or blocked one. Who claims a place finds:
//!
//! | the owner holds | and the claimant | then |
//! |---|---|---|
//! | fewer goals than there are places | – | it takes a free place |
//! | as many | outranks the lowest: its priority is higher | it takes that place, the lowest is paused |
//! | as many | does not: its priority is lower, or the same | it is refused |
//! | more, since places were taken away or another tool resumed goals | outranks each that has to go | it takes a place, and so many of the lowest are paused that there are not more goals than places |
//! | more | does not outrank one of them | it is refused |
//!
//! The *lowest* is the one with the lowest priority; of several the youngest, since who came first
//! keeps the place. A goal without a priority has 0.5.
//!
//! A place is claimed when a goal becomes active or gets another owner: at creation, on `resume`, by
//! a changed contract, by delegation, or taken over from another tool. A goal that holds a place keeps it when its own priority
//! changes; that counts when the next one claims a place.

use crate::domain::id::GoalId;

/// How many active goals an owner holds at most, where configuration does not say.
pub const SLOTS: usize = 3;

/// A goal that holds a place, or claims one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Holder<'a> {
    pub id: &'a GoalId,
    /// From 0 to 1.
    pub priority: f64,
    /// Position in the order of creation; the youngest has the highest.
    pub ordinal: usize,
}

/// Who gives way for the claimant, lowest first; nobody where there is a free place. `slots` is at
/// least 1.
///
/// # Errors
/// The goal that the claimant would have to outrank, and does not.
pub fn claim<'a>(
    claimant: &Holder<'_>,
    holders: &[Holder<'a>],
    slots: usize,
) -> Result<Vec<Holder<'a>>, Holder<'a>> {
    let mut lowest = holders.to_vec();
    lowest.sort_by(|a, b| {
        let by_priority = a.priority.total_cmp(&b.priority);
        by_priority.then(b.ordinal.cmp(&a.ordinal))
    });
    lowest.truncate((holders.len() + 1).saturating_sub(slots));
    // The last of them is the highest: who outranks it outranks all.
    match lowest.last() {
        Some(highest) if claimant.priority <= highest.priority => Err(*highest),
        _ => Ok(lowest),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(count: usize) -> Vec<GoalId> {
        let ids = (0..count).map(|number| format!("g{number}").parse());
        ids.collect::<Result<_, _>>().unwrap()
    }

    fn holders<'a>(ids: &'a [GoalId], priorities: &[f64]) -> Vec<Holder<'a>> {
        let all = ids.iter().zip(priorities).enumerate();
        all.map(|(ordinal, (id, priority))| Holder {
            id,
            priority: *priority,
            ordinal,
        })
        .collect()
    }

    /// Who gives way for a claimant of this priority where these hold places, or who does not.
    fn outcome(priority: f64, held: &[f64], slots: usize) -> Result<Vec<usize>, usize> {
        let ids = ids(held.len());
        let claimant = "claimant".parse().unwrap();
        let claimant = Holder {
            id: &claimant,
            priority,
            ordinal: held.len(),
        };
        let losers = claim(&claimant, &holders(&ids, held), slots);
        losers
            .map(|all| all.iter().map(|it| it.ordinal).collect())
            .map_err(|unbeaten| unbeaten.ordinal)
    }

    #[test]
    fn a_free_place_is_taken_whatever_the_priority() {
        assert_eq!(outcome(0.0, &[], 1), Ok(vec![]));
        assert_eq!(outcome(0.0, &[1.0, 1.0], 3), Ok(vec![]));
    }

    #[test]
    fn without_a_free_place_only_a_higher_priority_takes_the_lowests() {
        assert_eq!(outcome(0.51, &[0.9, 0.5, 0.7], 3), Ok(vec![1]));
        assert_eq!(outcome(0.5, &[0.9, 0.5, 0.7], 3), Err(1), "a tie does not");
        assert_eq!(outcome(0.49, &[0.9, 0.5, 0.7], 3), Err(1));
        assert_eq!(outcome(1.0, &[0.9], 1), Ok(vec![0]));
        assert_eq!(outcome(1.0, &[1.0], 1), Err(0), "nothing is higher than 1");
        assert_eq!(outcome(0.0, &[0.0], 1), Err(0));
    }

    #[test]
    fn of_equals_the_youngest_is_the_lowest() {
        assert_eq!(outcome(0.6, &[0.5, 0.5, 0.5], 3), Ok(vec![2]));
        assert_eq!(outcome(0.6, &[0.5, 0.5, 0.9], 3), Ok(vec![1]));
    }

    #[test]
    fn with_too_many_it_has_to_outrank_each_that_goes() {
        let held = [0.2, 0.4, 0.6, 0.8, 0.3];
        assert_eq!(outcome(0.5, &held, 3), Ok(vec![0, 4, 1]));
        assert_eq!(outcome(0.4, &held, 3), Err(1));
        assert_eq!(outcome(0.4, &held[..4], 3), Err(1));
        assert_eq!(outcome(0.41, &held[..4], 3), Ok(vec![0, 1]));
    }

    proptest! {
        #[test]
        fn a_claim_is_what_a_naive_ranking_says(
            held in prop::collection::vec(0..5u8, 0..8),
            priority in 0..5u8,
            slots in 1..6usize,
        ) {
            let held: Vec<f64> = held.into_iter().map(|it| f64::from(it) / 4.0).collect();
            let priority = f64::from(priority) / 4.0;
            // All in the order in which places are given: by priority, then by age; the claimant is
            // the youngest. Those behind the last place go.
            let mut ranked: Vec<(f64, usize)> = held.iter().copied().zip(0..).collect();
            ranked.push((priority, held.len()));
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let gone: Vec<usize> = ranked.iter().skip(slots).rev().map(|it| it.1).collect();
            let expected = match gone.contains(&held.len()) {
                true => None,
                false => Some(gone),
            };
            prop_assert_eq!(outcome(priority, &held, slots).ok(), expected);
        }
    }
}
