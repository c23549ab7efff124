//! Rules about leases, of helpers that have them.

use serde_json::{Value, json};
use std::thread;
use std::time::Duration;

use super::Broken;
use super::bench::{Bench, PATIENT, Tried, append};

pub fn one_holder(bench: &Bench) -> Result<(), Broken> {
    let Some((mut one, ledger)) = with_leases(bench)? else {
        return Ok(());
    };
    let mut other = bench.helper()?;
    let first = token(&mut one, &acquire(&ledger, "one", 60_000))?;
    other.refuses(&acquire(&ledger, "other", 60_000), "held")?;
    // Who holds it gets it again.
    let second = token(&mut one, &acquire(&ledger, "one", 60_000))?;
    let act = |act: &str, token: u64| {
        json!({
            "verb": "lease", "act": act, "ledger": ledger, "goal": "g-1", "token": token,
            "ttlMs": 60_000,
        })
    };
    one.refuses(&act("renew", first), "fenced")?;
    one.ok(&act("renew", second))?;
    one.ok(&act("release", second))?;
    let third = token(&mut other, &acquire(&ledger, "other", 300))?;
    if !(first < second && second < third) {
        return Err(format!("tokens do not grow: {first}, {second}, {third}"));
    }
    thread::sleep(Duration::from_millis(500));
    token(&mut one, &acquire(&ledger, "one", 60_000)).map(drop)
}

pub fn fenced(bench: &Bench) -> Result<(), Broken> {
    let Some((mut one, ledger)) = with_leases(bench)? else {
        return Ok(());
    };
    let outdated = token(&mut one, &acquire(&ledger, "one", 300))?;
    let held = |token: u64, end: u64, line: &str| {
        let mut request = append(end, &[line]);
        request["lease"] = json!({"goal": "g-1", "token": token});
        request
    };
    let end = one.begin(&ledger, PATIENT)?;
    one.ok(&held(outdated, end, "in time"))?;
    thread::sleep(Duration::from_millis(500));
    let end = one.begin(&ledger, PATIENT)?;
    one.refuses(&held(outdated, end, "too late"), "fenced")?;
    let current = token(&mut one, &acquire(&ledger, "other", 60_000))?;
    let end = one.begin(&ledger, PATIENT)?;
    one.refuses(&held(outdated, end, "too late"), "fenced")?;
    let end = one.begin(&ledger, PATIENT)?;
    one.ok(&held(current, end, "current"))?;
    bench.has(&ledger, &["in time", "current"])
}

fn with_leases(bench: &Bench) -> Result<Option<(Tried, String)>, Broken> {
    let helper = bench.helper()?;
    if !helper.0.can("lease") {
        bench.skip("lease");
        return Ok(None);
    }
    Ok(Some((helper, bench.ledger()?)))
}

fn acquire(ledger: &str, holder: &str, ttl: u64) -> Value {
    json!({
        "verb": "lease", "act": "acquire", "ledger": ledger, "goal": "g-1", "holder": holder,
        "ttlMs": ttl,
    })
}

fn token(helper: &mut Tried, request: &Value) -> Result<u64, Broken> {
    let token = helper.ok(request)?.token;
    token.ok_or_else(|| "acquire answers no `token`".to_owned())
}
