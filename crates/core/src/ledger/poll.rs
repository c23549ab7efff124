//! Trying again until a deadline, for what the system cannot be asked to wait for with one.

use std::thread;
use std::time::{Duration, Instant};

const FIRST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(20);

/// Calls `attempt` until it answers, at least once and for about `wait` at most; pauses of 1 ms
/// growing to 20 ms lie between. `None` when the time is over.
pub fn until<T>(wait: Duration, mut attempt: impl FnMut() -> Option<T>) -> Option<T> {
    let started = Instant::now();
    let mut pause = FIRST;
    loop {
        let answer = attempt();
        if answer.is_some() {
            return answer;
        }
        let left = wait.saturating_sub(started.elapsed());
        if left.is_zero() {
            return None;
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(LONGEST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_once_even_without_time_and_again_with_it() {
        let mut tries = 0;
        let none = until(Duration::ZERO, || {
            tries += 1;
            None::<()>
        });
        assert_eq!((none, tries), (None, 1));
        let third = until(Duration::from_secs(60), || {
            tries += 1;
            (tries == 4).then_some(tries)
        });
        assert_eq!(third, Some(4));
    }
}
