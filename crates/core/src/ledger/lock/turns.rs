//! The turns of one process: its threads change the ledger one after the other. Without turns they
//! would try for the lock against each other, and each would take the others for another process
//! that keeps it waiting.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Who is next. Shared by all calls of one server.
#[derive(Debug, Default)]
pub struct Turns {
    queue: Mutex<Queue>,
    passed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    /// How many asked for a turn.
    asked: u64,
    /// How many had theirs.
    served: u64,
    /// How long the lock was held in all turns together.
    held: Duration,
}

/// One thread's turn, until it is dropped.
#[derive(Debug)]
pub struct LockTurn<'a> {
    turns: &'a Turns,
    /// How long this thread may still wait for other processes.
    pub left: Duration,
    held_since: Option<Instant>,
}

impl Turns {
    /// Waits for its turn, behind all who asked before. Time in which they held the lock is no part
    /// of `wait`; time in which they waited for another process is, so that all who wait for that
    /// process give up together.
    pub fn take(&self, wait: Duration) -> LockTurn<'_> {
        let begun = Instant::now();
        let mut queue = self.queue();
        let (turn, held) = (queue.asked, queue.held);
        queue.asked += 1;
        while queue.served != turn {
            queue = self
                .passed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let waited = begun.elapsed().saturating_sub(queue.held - held);
        LockTurn {
            turns: self,
            left: wait.saturating_sub(waited),
            held_since: None,
        }
    }

    /// Nothing that is done with the queue can fail halfway.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LockTurn<'_> {
    /// The lock is held from here on.
    pub fn holds(&mut self) {
        self.held_since = Some(Instant::now());
    }
}

impl Drop for LockTurn<'_> {
    fn drop(&mut self) {
        let held = self.held_since.map(|since| since.elapsed());
        let mut queue = self.turns.queue();
        queue.held += held.unwrap_or_default();
        queue.served += 1;
        self.turns.passed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const WAIT: Duration = Duration::from_secs(60);

    /// Returns once so many have asked.
    fn until_asked(turns: &Turns, count: u64) {
        while turns.queue().asked != count {
            thread::yield_now();
        }
    }

    #[test]
    fn turns_come_in_the_order_in_which_they_were_asked_for() {
        let turns = Turns::default();
        let order = Mutex::new(Vec::new());
        thread::scope(|scope| {
            let first = turns.take(WAIT);
            for n in 0..8 {
                let (turns, order) = (&turns, &order);
                scope.spawn(move || {
                    let _turn = turns.take(WAIT);
                    order.lock().unwrap().push(n);
                });
                until_asked(turns, n + 2);
            }
            assert!(order.lock().unwrap().is_empty());
            drop(first);
        });
        assert_eq!(order.into_inner().unwrap(), (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn only_waiting_for_other_processes_uses_the_wait_up() {
        let turns = Turns::default();
        let left_behind = |held: Duration| {
            thread::scope(|scope| {
                let first = turns.take(WAIT);
                let asked = turns.queue().asked;
                let second = scope.spawn(|| turns.take(WAIT).left);
                until_asked(&turns, asked + 1);
                let begun = Instant::now();
                while begun.elapsed() < Duration::from_millis(1) {
                    thread::yield_now();
                }
                turns.queue().held += held;
                drop(first);
                second.join().unwrap()
            })
        };
        assert!(left_behind(Duration::ZERO) < WAIT);
        assert_eq!(left_behind(Duration::from_secs(3600)), WAIT);
    }

    #[test]
    fn what_a_turn_holds_is_counted() {
        let turns = Turns::default();
        drop(turns.take(WAIT));
        assert_eq!(turns.queue().held, Duration::ZERO);
        turns.take(WAIT).holds();
        assert_ne!(turns.queue().held, Duration::ZERO);
    }

    #[test]
    fn a_turn_that_ends_in_a_panic_is_over() {
        let turns = Turns::default();
        thread::scope(|scope| {
            let panicked = scope.spawn(|| {
                let _turn = turns.take(WAIT);
                panic!("on purpose");
            });
            assert!(panicked.join().is_err());
        });
        assert_eq!(turns.take(Duration::ZERO).left, Duration::ZERO);
    }
}
