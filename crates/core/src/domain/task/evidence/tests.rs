//! Which evidence a task sees, and when there was some.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn evidence(given: &[(Option<&str>, &str, i64)]) -> Evidence {
    let mut evidence = Evidence::default();
    for (task, key, value) in given {
        evidence.give(EvidenceItem {
            task_id: task.map(Into::into),
            key: (*key).into(),
            value: json!(value),
            source: None,
            at: "".into(),
        });
    }
    evidence
}

#[test]
fn a_task_sees_its_own_then_its_ancestors_then_the_goals_latest() {
    let evidence = evidence(&[
        (Some("1"), "k", 1),
        (Some("1.1"), "k", 2),
        (Some("2"), "k", 3),
        (None, "other", 4),
    ]);
    let seen = |path: &[&str]| evidence.seen_by(path).value(&"k".into()).cloned().unwrap();
    assert_eq!(seen(&["1", "1.1"]), 2);
    assert_eq!(seen(&["1", "1.2"]), 1);
    assert_eq!(seen(&["1"]), 1);
    assert_eq!(seen(&["2"]), 3);
    assert_eq!(seen(&["3"]), 3, "the goal's latest");
    assert_eq!(seen(&[]), 3);
    assert_eq!(
        evidence.seen_by(&["1"]).value(&"other".into()),
        Some(&json!(4))
    );
    assert_eq!(evidence.seen_by(&["1"]).value(&"none".into()), None);
}

#[test]
fn what_a_task_gave_is_gone_with_it() {
    let mut evidence = evidence(&[(Some("1"), "k", 1), (Some("2"), "k", 2)]);
    evidence.drop_of("2");
    assert_eq!(evidence.seen_by(&[]).value(&"k".into()), Some(&json!(1)));
    evidence.drop_of("1");
    assert_eq!(evidence.seen_by(&["1"]).value(&"k".into()), None);
}

#[test]
fn what_a_task_gave_is_the_goals_once_another_has_its_id() {
    let mut evidence = evidence(&[(None, "k", 1), (Some("1"), "k", 2)]);
    evidence.release("1");
    assert_eq!(evidence.given_to("1").count(), 0);
    assert_eq!(evidence.seen_by(&["1"]).value(&"k".into()), Some(&json!(2)));
    evidence.drop_of("1");
    assert_eq!(evidence.all().count(), 2);
}

#[test]
fn a_judgement_is_for_the_evidence_that_it_was_made_on() {
    let mut evidence = evidence(&[(Some("1"), "k", 1)]);
    let predicate = json!({ "name": "paid" });
    let judged = |satisfied, hash: String| ConditionResult {
        satisfied,
        reasoning: None,
        evidence_hash: Some(hash),
    };
    let hash = evidence.seen_by(&["1"]).hash();
    evidence.judge(Some("1".into()), &predicate, judged(true, hash));
    assert_eq!(evidence.seen_by(&["1"]).judged(&predicate), Some(true));
    assert_eq!(
        evidence.seen_by(&["2"]).judged(&predicate),
        None,
        "another task's"
    );
    let another = |key: &str, value: Value| EvidenceItem {
        key: key.into(),
        value,
        ..(*evidence.given[&1]).clone()
    };
    let (more, other) = (another("l", json!(2)), another("k", json!(2)));
    evidence.give(more);
    assert_eq!(
        evidence.seen_by(&["1"]).judged(&predicate),
        Some(true),
        "what it was said of is as it was"
    );
    evidence.give(other);
    assert_eq!(
        evidence.seen_by(&["1"]).judged(&predicate),
        None,
        "other evidence"
    );
}

#[test]
fn a_no_is_for_no_more_evidence_and_a_task_done_again_is_judged_again() {
    let mut evidence = evidence(&[(Some("1"), "k", 1)]);
    let predicate = json!("p");
    let say = |evidence: &mut Evidence, satisfied| {
        let judged = ConditionResult {
            satisfied,
            reasoning: None,
            evidence_hash: Some(evidence.seen_by(&["2"]).hash()),
        };
        evidence.judge(Some("2".into()), &predicate, judged);
    };
    say(&mut evidence, false);
    assert_eq!(evidence.seen_by(&["2"]).judged(&json!("p")), Some(false));
    let more = EvidenceItem {
        key: "l".into(),
        ..(*evidence.given[&1]).clone()
    };
    evidence.give(more);
    assert_eq!(evidence.seen_by(&["2"]).judged(&json!("p")), None);
    say(&mut evidence, true);
    assert_eq!(evidence.seen_by(&["2"]).judged(&json!("p")), Some(true));
    evidence.drop_of("2");
    assert_eq!(evidence.seen_by(&["2"]).judged(&json!("p")), None);
}

#[test]
fn the_order_of_fields_makes_no_other_evidence() {
    let hash = |value: &str| {
        let mut evidence = Evidence::default();
        evidence.give(EvidenceItem {
            task_id: None,
            key: "k".into(),
            value: serde_json::from_str(value).unwrap(),
            source: None,
            at: "".into(),
        });
        evidence.seen_by(&[]).hash()
    };
    assert_eq!(
        hash(r#"{"a":1,"b":[{"c":1,"d":2}]}"#),
        hash(r#"{"b":[{"d":2,"c":1}],"a":1}"#)
    );
    assert_ne!(hash(r#"{"a":1}"#), hash(r#"{"a":2}"#));
    assert_ne!(hash(r#"["a","b"]"#), hash(r#"["b","a"]"#));
}

/// What a look at every piece finds: of the nearest task on the way, else the goal's latest.
fn naive(given: &[EvidenceItem], path: &[&str]) -> BTreeMap<String, Value> {
    let mut values: BTreeMap<String, (usize, Value)> = BTreeMap::new();
    for given in given {
        let of = given.task_id.as_deref();
        let rank = of.and_then(|of| path.iter().position(|id| *id == of));
        let rank = rank.map_or(0, |depth| depth + 1);
        let known = values.get(given.key.as_str()).map_or(0, |(rank, _)| *rank);
        if rank >= known {
            values.insert(given.key.to_string(), (rank, given.value.clone()));
        }
    }
    let values = values.into_iter();
    values.map(|(key, (_, value))| (key, value)).collect()
}

fn naive_hash(seen: &BTreeMap<String, Value>, counts: impl Fn(&str) -> bool) -> String {
    let mut hasher = blake3::Hasher::new();
    for (key, value) in seen.iter().filter(|(key, _)| counts(key)) {
        hasher.update(format!("{}{value}", Value::from(key.as_str())).as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

proptest! {
    #[test]
    fn what_is_seen_is_what_a_look_at_every_piece_finds(
        steps in prop::collection::vec((0..9_usize, 0..4_usize, 0..3_usize), 1..25),
        path in prop::collection::vec(0..4_usize, 0..4),
    ) {
        let path: Vec<String> = path.iter().map(usize::to_string).collect();
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let mut evidence = Evidence::default();
        let mut given: Vec<EvidenceItem> = Vec::new();
        let mut moments: Vec<(u64, BTreeSet<String>)> = Vec::new();
        for (number, (what, task, key)) in steps.into_iter().enumerate() {
            let task = task.to_string();
            let is_own = |it: &EvidenceItem| it.task_id.as_deref() == Some(&*task);
            if what == 0 {
                evidence.drop_of(&task);
                given.retain(|it| !is_own(it));
            } else if what == 1 {
                evidence.release(&task);
                given.iter_mut().filter(|it| is_own(it)).for_each(|it| it.task_id = None);
            } else {
                let piece = EvidenceItem {
                    task_id: (what > 3).then_some(task),
                    key: key.to_string().into(),
                    value: json!(number),
                    source: None,
                    at: "".into(),
                };
                given.push(piece.clone());
                evidence.give(piece);
            }
            moments.push((evidence.moment, given.iter().map(|it| it.key.to_string()).collect()));
            let seen = evidence.seen_by(&path);
            let values = seen.values().into_iter();
            let values: BTreeMap<String, Value> =
                values.map(|(key, value)| (key.to_string(), value.clone())).collect();
            let known = naive(&given, &path);
            prop_assert_eq!(&values, &known);
            prop_assert_eq!(seen.hash(), naive_hash(&known, |_| true));
            for (moment, keys) in &moments {
                let hash = naive_hash(&known, |key| keys.contains(key));
                prop_assert_eq!(seen.hash_at(Some(*moment)), hash);
            }
        }
        prop_assert!(evidence.all().eq(&given));
        for (moment, keys) in moments {
            for key in ["0", "1", "2"] {
                prop_assert_eq!(evidence.was_there(&key.into(), moment), keys.contains(key));
            }
        }
    }
}
