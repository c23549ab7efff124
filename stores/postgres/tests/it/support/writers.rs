//! Agents that write to one ledger while something happens to them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::agent::{Agent, judge};
use super::helper::{Helper, command};
use super::{Stop, lines, until};

/// How many write.
const WRITERS: usize = 4;

/// The writers at work.
#[derive(Default)]
pub struct Writers {
    /// How many events were acknowledged.
    done: AtomicUsize,
    /// The process of each one's helper; 0 where it may not be killed.
    helpers: [AtomicUsize; WRITERS],
}

/// What came of it.
#[derive(Default)]
pub struct Written {
    /// The ids of the acknowledged lines.
    pub acknowledged: Vec<String>,
    /// How many outcomes were unknown first.
    pub unknown: usize,
    replicas: Vec<Vec<u8>>,
}

impl Writers {
    /// Waits until so many more events are acknowledged.
    pub fn write(&self, more: usize) {
        let from = self.done.load(Ordering::Relaxed);
        until("they write", || {
            (self.done.load(Ordering::Relaxed) >= from + more).then_some(())
        });
    }

    /// The process of the helper of one of them, which nobody else is given.
    pub fn helper(&self, of: usize) -> Option<i32> {
        let pid = self.helpers[of % WRITERS].swap(0, Ordering::Relaxed);
        i32::try_from(pid).ok().filter(|pid| *pid > 0)
    }

    fn one(&self, writer: usize, ledger: &str, url: &str, stop: &Stop) -> Written {
        let mut agent = Agent::new(ledger, || command(url));
        let mut acknowledged = Vec::new();
        while !stop.is_set() {
            let text = format!("{writer} {}", acknowledged.len());
            acknowledged.push(agent.write(|prev| lines::note("g", &text, prev)));
            let pid = agent.pid().map_or(0, i32::unsigned_abs);
            self.helpers[writer].store(pid as usize, Ordering::Relaxed);
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        // Nobody may kill it after it was reaped.
        self.helpers[writer].store(0, Ordering::Relaxed);
        Written {
            acknowledged,
            unknown: agent.errors.get("unknown").copied().unwrap_or_default(),
            replicas: vec![agent.replica],
        }
    }
}

/// Lets agents write to the ledger of this server until `act` has ended.
pub fn while_they_write(ledger: &str, url: &str, act: impl FnOnce(&Writers)) -> Written {
    let (writers, stop) = (Writers::default(), Stop::default());
    thread::scope(|scope| {
        let guard = stop.guard();
        let (writers, stop) = (&writers, &stop);
        let running =
            (0..WRITERS).map(|it| scope.spawn(move || writers.one(it, ledger, url, stop)));
        let running: Vec<_> = running.collect();
        act(writers);
        drop(guard);
        let mut all = Written::default();
        for one in running.into_iter().map(|it| it.join().unwrap()) {
            all.acknowledged.extend(one.acknowledged);
            all.unknown += one.unknown;
            all.replicas.extend(one.replicas);
        }
        all
    })
}

impl Written {
    /// Holds that the store has each acknowledged line once and nothing else.
    pub fn judge(&self, store: &mut Helper, ledger: &str) {
        let replicas: Vec<&[u8]> = self.replicas.iter().map(Vec::as_slice).collect();
        judge(store, ledger, &self.acknowledged, &replicas);
    }
}
