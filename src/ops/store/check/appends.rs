//! Rules about an append.

use super::Broken;
use super::bench::{Bench, PATIENT, append, append_with};

pub fn moved(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut helper = bench.helper()?;
    helper.append(&ledger, &["one"])?;
    for wrong in [-1, 1] {
        let end = helper.begin(&ledger, PATIENT)?;
        helper.refuses(
            &append(end.saturating_add_signed(wrong), &["lost"]),
            "moved",
        )?;
    }
    bench.has(&ledger, &["one"])
}

pub fn duplicate(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let mut helper = bench.helper()?;
    let end = helper.begin(&ledger, PATIENT)?;
    helper.ok(&append_with(end, &["one"]))?;
    let end = helper.begin(&ledger, PATIENT)?;
    let again = append_with(end, &["two", "one"]);
    helper.refuses(&again, "duplicate")?;
    let end = helper.begin(&ledger, PATIENT)?;
    let twice = append_with(end, &["three", "three"]);
    helper.refuses(&twice, "duplicate")?;
    bench.has(&ledger, &["one"])?;
    // What was refused is not taken for recorded, and lines without an id may be equal.
    let end = helper.begin(&ledger, PATIENT)?;
    helper.ok(&append_with(end, &["two"]))?;
    helper.append(&ledger, &["same", "same"])?;
    bench.has(&ledger, &["one", "two", "same", "same"])
}

pub fn ends_turn(bench: &Bench) -> Result<(), Broken> {
    let ledger = bench.ledger()?;
    let (mut first, mut second) = (bench.helper()?, bench.helper()?);
    let end = first.append(&ledger, &["one"])?;
    second.begin(&ledger, bench.at_once())?;
    // Without lines it only ends the turn.
    second.ok(&append(end, &[]))?;
    first.begin(&ledger, bench.at_once())?;
    first.refuses(&append(end + 1, &["lost"]), "moved")?;
    second.begin(&ledger, bench.at_once())?;
    second.ok(&append(end, &["two"]))?;
    if first.ask(&append(end, &["without a turn"]))?.is_ok() {
        return Err("an append without a turn is answered `ok`".to_owned());
    }
    bench.has(&ledger, &["one", "two"])
}
