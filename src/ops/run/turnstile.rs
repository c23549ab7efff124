//! Whose turn it is where several goals are worked: so many at once, and of those that wait the one
//! whose last turn is longest ago. So a goal that never comes to an end keeps no other one waiting for
//! longer than a round.

use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What goals wait at.
#[derive(Debug)]
pub(super) struct Turnstile {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug)]
struct State {
    /// How many more may work now.
    free: usize,
    /// How many turns there were.
    turns: u64,
    /// How many places were given out.
    places: u64,
    waiting: Vec<WaitingRun>,
}

#[derive(Debug, Clone, Copy)]
struct WaitingRun {
    place: u64,
    /// When it had its last turn, counted in turns; 0 before the first.
    last: u64,
    rank: f64,
}

impl WaitingRun {
    /// Who is next: the longest without a turn, then the more important, then the earlier.
    fn order(&self, other: &WaitingRun) -> Ordering {
        let by_rank = || other.rank.total_cmp(&self.rank);
        let by_place = || self.place.cmp(&other.place);
        self.last
            .cmp(&other.last)
            .then_with(by_rank)
            .then_with(by_place)
    }
}

impl Turnstile {
    /// Lets so many work at once.
    pub fn new(at_once: usize) -> Arc<Turnstile> {
        let state = State {
            free: at_once,
            turns: 0,
            places: 0,
            waiting: Vec::new(),
        };
        Arc::new(Turnstile {
            state: Mutex::new(state),
            freed: Condvar::new(),
        })
    }

    /// A place for a goal of this rank, which waits for its first turn from now on.
    pub fn place(self: &Arc<Turnstile>, rank: f64) -> PlaceInRound {
        let mut state = self.state();
        state.places += 1;
        let place = PlaceInRound {
            number: state.places,
            rank,
            last: Cell::new(0),
            holds: Cell::new(false),
            worked: Cell::new(false),
            stile: Arc::clone(self),
        };
        state.waiting.push(place.waiting());
        drop(state);
        place
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is left half done where a holder panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A goal's place in the round. Whoever is done with it drops it.
#[derive(Debug)]
pub(super) struct PlaceInRound {
    number: u64,
    rank: f64,
    last: Cell<u64>,
    holds: Cell<bool>,
    worked: Cell<bool>,
    stile: Arc<Turnstile>,
}

impl PlaceInRound {
    /// Waits so long for the turn; whether it is this goal's now.
    pub fn take_within(&self, most: Duration) -> bool {
        if self.holds.get() {
            return true;
        }
        let mut state = self.stile.state();
        if !state.waiting.iter().any(|it| it.place == self.number) {
            state.waiting.push(self.waiting());
        }
        let not_yet = |state: &mut State| !self.is_next(state);
        let waited = self.stile.freed.wait_timeout_while(state, most, not_yet);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if !self.is_next(&state) {
            return false;
        }
        state.waiting.retain(|it| it.place != self.number);
        state.free -= 1;
        state.turns += 1;
        self.last.set(state.turns);
        self.holds.set(true);
        self.worked.set(false);
        drop(state);
        // Another may be next now, where more than one works at once.
        self.stile.freed.notify_all();
        true
    }

    /// Ends the turn, if it is this goal's; whether it was.
    pub fn end(&self) -> bool {
        let held = self.holds.replace(false);
        if held {
            self.stile.state().free += 1;
            self.stile.freed.notify_all();
        }
        held
    }

    /// Whether it is this goal's turn.
    pub fn holds(&self) -> bool {
        self.holds.get()
    }

    /// Notes that the goal had what one turn gives it.
    pub fn has_worked(&self) {
        self.worked.set(true);
    }

    /// Whether the goal had what this turn gives it.
    pub fn is_over(&self) -> bool {
        self.worked.get()
    }

    fn is_next(&self, state: &State) -> bool {
        let next = state.waiting.iter().min_by(|a, b| a.order(b));
        state.free > 0 && next.is_some_and(|next| next.place == self.number)
    }

    fn waiting(&self) -> WaitingRun {
        WaitingRun {
            place: self.number,
            last: self.last.get(),
            rank: self.rank,
        }
    }
}

impl Drop for PlaceInRound {
    fn drop(&mut self) {
        self.end();
        let number = self.number;
        self.stile.state().waiting.retain(|it| it.place != number);
        self.stile.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(place: &PlaceInRound) -> bool {
        place.take_within(Duration::ZERO)
    }

    #[test]
    fn everybody_has_a_turn_before_anybody_has_a_second_one() {
        let stile = Turnstile::new(1);
        let places = [("low", 0.1), ("high", 0.9), ("mid", 0.5)];
        let places = places.map(|(name, rank)| (name, stile.place(rank)));
        let mut order = Vec::new();
        for _ in 0..7 {
            let taken: Vec<_> = places.iter().filter(|(_, place)| takes(place)).collect();
            let [(name, place)] = taken[..] else {
                panic!("{taken:?}")
            };
            order.push(*name);
            assert!(place.end() && !place.end());
        }
        assert_eq!(order, ["high", "mid", "low", "high", "mid", "low", "high"]);
    }

    #[test]
    fn so_many_at_once_and_who_is_gone_keeps_nobody_waiting() {
        let stile = Turnstile::new(2);
        let [a, b, c] = [0.9, 0.5, 0.1].map(|rank| stile.place(rank));
        assert!(!takes(&c) && !takes(&b) && takes(&a) && takes(&b) && !takes(&c));
        a.end();
        // It was away for long, which gives it one turn and no more.
        let late = stile.place(1.0);
        assert!(!takes(&c));
        drop(late);
        assert!(takes(&c) && !takes(&a));
        drop(b);
        assert!(takes(&a));
    }
}
