//! What a whole turn cost, by somebody who watched it from outside, beside what was recorded of it
//! from inside. Both speak of the same turn, so each counter counts once: at the greater number.

use std::collections::BTreeMap;

use crate::domain::cost::amount::Amount;

/// How much more was reported of each counter than is recorded already.
pub fn beyond(
    reported: &BTreeMap<String, f64>,
    recorded: &BTreeMap<String, f64>,
) -> BTreeMap<String, f64> {
    let more = reported.iter().filter_map(|(name, number)| {
        let before = recorded.get(name).copied().unwrap_or_default();
        let more = Amount::of((number - before).max(0.0))?.number();
        (more > 0.0).then(|| (name.clone(), more))
    });
    more.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(all: &[(&str, f64)]) -> BTreeMap<String, f64> {
        all.iter()
            .map(|(name, number)| ((*name).to_owned(), *number))
            .collect()
    }

    #[test]
    fn what_is_recorded_already_counts_once() {
        let reported = counters(&[("tokensIn", 100.0), ("costUsd", 0.3), ("llmCalls", 2.0)]);
        assert_eq!(beyond(&reported, &counters(&[])), reported);
        let own = counters(&[("costUsd", 0.1), ("llmCalls", 3.0), ("pages", 7.0)]);
        assert_eq!(
            beyond(&reported, &own),
            counters(&[("tokensIn", 100.0), ("costUsd", 0.2)])
        );
        assert_eq!(beyond(&reported, &reported), counters(&[]));
        let wrong = counters(&[("a", f64::NAN), ("b", -1.0), ("c", f64::INFINITY)]);
        assert_eq!(beyond(&wrong, &own), counters(&[]));
    }
}
