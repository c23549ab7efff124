//! Rules about turns, and about helpers that die or stop in them.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::Broken;
use super::bench::{Bench, PATIENT, Tried, append, append_with, begin, judged, same};

/// How many helpers write at once, and how often each.
const WRITERS: usize = 8;
const APPENDS: usize = 10;

/// How often a helper is killed in an append.
const KILLS: u64 = 12;

pub fn hung_up(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut first = bench.helper()?;
    first.begin(&ledger, PATIENT)?;
    first.0.hang_up();
    // Its process is still ours, so nothing but its end frees the turn.
    let taken = bench.helper()?.begin(&ledger, bench.at_once());
    taken
        .map(drop)
        .map_err(|why| format!("the next one waits: {why}"))
}

pub fn busy(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut first = bench.helper()?;
    let end = first.begin(&ledger, PATIENT)?;
    let begun = Instant::now();
    let mut second = bench.helper()?;
    second.refuses(&begin(&ledger, 0, Duration::from_millis(200)), "busy")?;
    if begun.elapsed() < Duration::from_millis(150) {
        return Err("it was answered before `waitMs`".to_owned());
    }
    first.ok(&append(end, &["one"]))?;
    second.append(&ledger, &["two"]).map(drop)
}

pub fn overlap(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let helpers = (0..WRITERS)
        .map(|_| bench.helper())
        .collect::<Result<Vec<_>, _>>()?;
    let written = thread::scope(|scope| {
        let write = |(writer, mut helper): (usize, Tried)| {
            let ledger = &ledger;
            scope.spawn(move || -> Result<Vec<(u64, String)>, Broken> {
                let mut written = Vec::new();
                for number in 0..APPENDS {
                    let end = helper.begin(ledger, Duration::from_secs(60))?;
                    let line = format!("{writer}-{number}");
                    helper.ok(&append_with(end, &[&line]))?;
                    written.push((end, line));
                }
                Ok(written)
            })
        };
        let writing: Vec<_> = helpers.into_iter().enumerate().map(write).collect();
        let mut all = Vec::new();
        for it in writing {
            all.extend(
                it.join()
                    .unwrap_or_else(|_| Err("a writer died".to_owned()))?,
            );
        }
        Ok::<_, Broken>(all)
    })?;
    let mut in_order = written;
    in_order.sort();
    let expected: Vec<String> = in_order.into_iter().map(|(_, line)| line).collect();
    same(
        "lines, in the order of their turns",
        bench.lines(&ledger)?,
        expected,
    )
}

pub fn killed_in_append(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut certain = BTreeSet::new();
    // Whether the lines of each append were there in the next turn.
    let mut left = Vec::new();
    for kill in 0..KILLS {
        let mut helper = bench.helper()?;
        let end = helper.begin(&ledger, bench.most_turn + PATIENT)?;
        let lines = ["a", "b", "c"].map(|part| format!("{kill}-{part}"));
        let request = append(end, &lines.each_ref().map(String::as_str));
        helper.0.say(request.to_string().as_bytes());
        thread::sleep(Duration::from_millis(kill * 3));
        signal(&helper, Signal::KILL);
        // It may have been answered before the kill.
        let answered = judged(helper.0.answer(Duration::ZERO, &mut |_| Ok(())));
        if let Ok(Ok(_)) = answered {
            certain.insert(kill);
        }
        drop(helper);
        // A turn of our own, so that nothing of the append is under way any more.
        let (found, _) = bench
            .helper()?
            .lines(&begin(&ledger, 0, bench.most_turn + PATIENT))?;
        let there = lines.iter().filter(|line| found.contains(line)).count();
        if there != 0 && there != lines.len() {
            return Err(format!("{there} of the 3 lines of an append are there"));
        }
        left.push(there != 0);
        let whether = |kill: usize| found.contains(&format!("{kill}-c"));
        if let Some(late) = (0..left.len()).find(|it| whether(*it) != left[*it]) {
            return Err(format!(
                "append {late} was decided only after the next turn had begun"
            ));
        }
        if let Some(lost) = certain
            .iter()
            .find(|it| !found.contains(&format!("{it}-c")))
        {
            return Err(format!("append {lost} was answered `ok`, and is lost"));
        }
        let once: BTreeSet<&String> = found.iter().collect();
        same("different lines", once.len(), found.len())?;
    }
    Ok(())
}

pub fn killed(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut first = bench.helper()?;
    first.begin(&ledger, PATIENT)?;
    signal(&first, Signal::KILL);
    let taken = bench.helper()?.begin(&ledger, bench.most_turn + PATIENT);
    taken
        .map(drop)
        .map_err(|why| format!("nobody gets its turn: {why}"))
}

pub fn stopped(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut first = bench.helper()?;
    let end = first.begin(&ledger, PATIENT)?;
    signal(&first, Signal::STOP);
    let mut second = bench.helper()?;
    let taken = second.begin(&ledger, bench.most_turn + PATIENT);
    let appended = taken
        .map_err(|why| format!("nobody gets its turn: {why}"))
        .and_then(|end| second.ok(&append(end, &["two"])));
    signal(&first, Signal::CONT);
    appended?;
    // It may have lost its connection, and say so in any way but `ok`.
    if let Ok(Ok(_)) = first.ask(&append(end, &["one"])) {
        return Err("its append, after its turn was taken away, is answered `ok`".to_owned());
    }
    bench.has(&ledger, &["two"])
}

fn signal(helper: &Tried, signal: Signal) {
    let id = i32::try_from(helper.0.id()).ok().and_then(Pid::from_raw);
    // One that has ended already needs none.
    let _gone = id.map(|id| kill_process_group(id, signal));
}
