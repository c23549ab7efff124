//! Rules of `goal store check` for a store's helper: single requests. [`super`] says each rule in words.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::Broken;
use super::bench::{Bench, PATIENT, begin, same};

pub fn hello(bench: &Bench) -> Result<(), Broken> {
    let mut helper = bench.helper()?;
    if helper.0.name.is_empty() {
        return Err("hello answers no `name`".to_owned());
    }
    if !helper.0.can("create") {
        return Err(
            "`can` does not name `create`, without which nothing more can be tried".to_owned(),
        );
    }
    helper.refuses(&json!({"verb": "hello", "versions": [77]}), "unsupported")
}

pub fn senseless(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut helper = bench.helper()?;
    helper.refuses(&json!({"verb": "fly"}), "unsupported")?;
    helper.refuses(&json!({"ledger": ledger}), "invalid")?;
    helper.refuses(
        &json!({"verb": "begin", "ledger": "a b", "from": 0, "waitMs": 0}),
        "invalid",
    )?;
    helper.begin(&ledger, PATIENT).map(drop)
}

pub fn create(bench: &Bench) -> Result<(), Broken> {
    let name = bench.name();
    let create = json!({"verb": "create", "ledger": name});
    let mut helper = bench.helper()?;
    same("created", helper.ok(&create)?.created, Some(true))?;
    helper.append(&name, &["one"])?;
    same("created again", helper.ok(&create)?.created, Some(false))?;
    bench.has(&name, &["one"])
}

pub fn no_ledger(bench: &Bench) -> Result<(), Broken> {
    let name = bench.name();
    let mut helper = bench.helper()?;
    helper.refuses(&begin(&name, 0, Duration::ZERO), "no_ledger")?;
    let watch = json!({"verb": "watch", "ledger": name, "from": 0, "waitMs": 0});
    helper.refuses(&watch, "no_ledger")
}

pub fn bytes(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let long = "x".repeat(256 * 1024);
    let lines = [
        "{\"type\":\"goal_noted\",\"note\":\"a \\\"quoted\\\" \\\\ text\"}",
        " spaces at both ends\t ",
        "",
        "a carriage return\r",
        "\u{feff}a mark, \u{2028} a separator, \u{1f9ed} a compass, e\u{301} an accent",
        "\u{1}\u{7f} control characters",
        &long,
    ];
    let mut helper = bench.helper()?;
    let mut end = helper.append(&ledger, &lines[..3])?;
    for line in &lines[3..] {
        end = helper.append(&ledger, &[line])?;
    }
    same(
        "lines",
        bench.lines(&ledger)?,
        lines.map(str::to_owned).to_vec(),
    )?;
    same("end", bench.helper()?.begin(&ledger, PATIENT)?, end)
}

pub fn from(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let lines = ["aa", "", "c\u{e9}", "d"];
    let end = bench.helper()?.append(&ledger, &lines)?;
    let mut ends = Vec::new();
    for line in lines {
        ends.push(ends.last().copied().unwrap_or_default() + line.len() as u64 + 1);
    }
    let mut helper = bench.helper()?;
    for from in 0..=end {
        let first = ends.iter().position(|end| from <= *end).unwrap_or_default();
        let expected = (
            lines[first..].iter().map(|it| (*it).to_owned()).collect(),
            end,
        );
        let watch = json!({"verb": "watch", "ledger": ledger, "from": from, "waitMs": 0});
        same(
            &format!("watch from {from}"),
            helper.lines(&watch)?,
            expected,
        )?;
    }
    let last = (vec!["d".to_owned()], end);
    same(
        "begin from the end",
        helper.lines(&begin(&ledger, end, PATIENT))?,
        last,
    )
}

pub fn ahead(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut helper = bench.helper()?;
    helper.refuses(&begin(&ledger, 1, PATIENT), "ahead")?;
    let end = helper.append(&ledger, &["one"])?;
    helper.refuses(&begin(&ledger, end + 1, PATIENT), "ahead")?;
    // A refused `begin` must not keep the turn: another helper can begin.
    bench.helper()?.begin(&ledger, PATIENT).map(drop)
}

pub fn watch(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut watcher = bench.helper()?;
    let watch = |from: u64, wait: u64| json!({"verb": "watch", "ledger": ledger, "from": from, "waitMs": wait});
    let begun = Instant::now();
    same(
        "an empty ledger",
        watcher.lines(&watch(0, 300))?,
        (Vec::new(), 0),
    )?;
    if begun.elapsed() < Duration::from_millis(250) {
        return Err("watch did not wait for `waitMs`".to_owned());
    }
    let end = bench.helper()?.append(&ledger, &["one"])?;
    let begun = Instant::now();
    // There are lines already, so this answers at once.
    watcher.lines(&watch(0, 60_000))?;
    let (lines, _) = thread::scope(|scope| {
        let waiting = scope.spawn(|| watcher.lines(&watch(end, 60_000)));
        bench.helper()?.append(&ledger, &["two"])?;
        waiting
            .join()
            .unwrap_or_else(|_| Err("watch died".to_owned()))
    })?;
    // An answer begins with the line that holds the byte before `from`, which is "one".
    same("what came", lines, vec!["one".to_owned(), "two".to_owned()])?;
    match begun.elapsed() < Duration::from_secs(30) {
        true => Ok(()),
        false => Err("watch did not answer when a line came".to_owned()),
    }
}

pub fn ledgers(bench: &Bench) -> Result<(), Broken> {
    let mut helper = bench.helper()?;
    if !helper.0.can("ledgers") {
        bench.skip("ledgers");
        return Ok(());
    }
    let (empty, full) = (bench.ledger()?, bench.ledger()?);
    let end = helper.append(&full, &["one", "two"])?;
    let (mut names, mut found) = (Vec::new(), Vec::new());
    let listed = helper.0.ledgers(&mut |answer| {
        let name = answer.ledger.clone().unwrap_or_default();
        if [&empty, &full].contains(&&name) {
            found.push((answer.end, answer.lines, answer.at.is_some()));
        }
        names.push(name);
        Ok(())
    });
    listed.map_err(|error| error.to_string())?;
    let mut sorted = names.clone();
    sorted.sort();
    same("names, which are sorted", names, sorted)?;
    let expected = vec![(Some(0), Some(0), false), (Some(end), Some(2), true)];
    same("end, lines and time", found, expected)
}
