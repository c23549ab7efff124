//! How well secrets are found, measured: made-up ones of every format in the places where secrets
//! turn up, and real text that should hold none. `docs/promises.md` has the figures.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use camino::{Utf8Path, Utf8PathBuf};
use fastrand::Rng;

use super::filled::{fill, formats, place};
use crate::domain::redact::format::{Format, TriedAt};
use crate::domain::redact::redact;

/// How often each shape is made anew in each place.
const FILLS: usize = 3;

/// Where secrets turn up; `@` is the secret.
const PLACES: &[&str] = &[
    "@",
    "key=@",
    "export TOKEN=@",
    "TOKEN=\"@\"\nOTHER=1",
    "curl -H 'X-Token: @' https://api.example.org",
    "Use `@` for now.",
    "It failed with @.",
    "(see @), then",
    "https://example.org/x?token=@&page=2",
    "first\\n@\\nthird",
    "Schlüssel für Überprüfung→@←",
];

/// The same as JSON writes it, once and twice.
fn places(secret: &str) -> Vec<(String, String)> {
    let mut places: Vec<_> = PLACES.iter().map(|at| place(secret, at)).collect();
    let (whole, alone) = place(secret, "@");
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let once = format!("{{\"token\": {}, \"n\": 1}}", json(&whole));
    places.push((json(&once), alone.clone()));
    places.push((once, alone));
    places
}

/// What no longer has its issuer's shape.
const DISGUISES: &[fn(&str) -> String] = &[
    |secret| secret.chars().rev().collect(),
    |secret| secret.bytes().map(|byte| format!("{byte:02x}")).collect(),
];

/// Whether nothing of the secret is left that helps: no eight characters of it in a row.
fn gone(secret: &str, text: &str) -> bool {
    let mut windows = secret.as_bytes().windows(8);
    !windows.any(|window| text.contains(&*String::from_utf8_lossy(window)))
}

#[test]
fn every_made_up_secret_is_found_in_every_place() {
    let mut rng = Rng::with_seed(1);
    let mut figures: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut missed: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for format in formats() {
        for shape in format.secrets {
            for _ in 0..FILLS {
                for (at, (text, secret)) in places(&fill(shape, &mut rng)).iter().enumerate() {
                    let redacted = redact(text);
                    let left = redacted.text.replace(format.name, "");
                    let found = redacted.found.contains(&format.name) && gone(secret, &left);
                    let figure = figures.entry(format.name).or_default();
                    figure[usize::from(!found)] += 1;
                    if !found {
                        let of_shape = missed.entry(format!("{} {shape:?}", format.name));
                        of_shape.or_default().insert(at);
                    }
                }
            }
        }
    }
    for (rule, [found, missed]) in &figures {
        eprintln!("redaction: {rule}: {found} of {}", found + missed);
    }
    assert!(missed.is_empty(), "shapes, and in which places: {missed:?}");
}

/// What resembles a secret and is none.
#[test]
fn nothing_else_is_found_in_any_place() {
    let mut rng = Rng::with_seed(3);
    let mut taken: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for format in formats() {
        for shape in format.others {
            for _ in 0..FILLS {
                for (at, (text, _)) in places(&fill(shape, &mut rng)).iter().enumerate() {
                    let found = redact(text).found;
                    if !found.is_empty() {
                        let of_shape = taken.entry(format!("{} {shape:?}: {found:?}", format.name));
                        of_shape.or_default().insert(at);
                    }
                }
            }
        }
    }
    assert!(taken.is_empty(), "shapes, and in which places: {taken:?}");
}

/// Markdown escapes what it might read as marks.
#[test]
fn an_escaped_secret_is_found() {
    let mut rng = Rng::with_seed(4);
    for format in formats().filter(|format| format.place == TriedAt::Start) {
        for shape in format.secrets {
            let secret = fill(shape, &mut rng).replace(['‹', '›'], "");
            let escaped = secret.replace('_', "\\_").replace('-', "\\-");
            let redacted = redact(&escaped);
            assert!(redacted.found.contains(&format.name), "{escaped}");
        }
    }
}

/// What begins a token of these stands in no word.
#[test]
fn a_secret_that_is_joined_to_a_word_is_found() {
    let mut rng = Rng::with_seed(5);
    let joined = |format: &&Format| match format.place {
        TriedAt::Start | TriedAt::After | TriedAt::Named => true,
        TriedAt::Within => !format.pattern.starts_with("(?:^|"),
        _ => false,
    };
    for format in formats().filter(joined) {
        for shape in format.secrets {
            let (text, secret) = place(&fill(shape, &mut rng), "token@");
            let redacted = redact(&text);
            let left = redacted.text.replace(format.name, "");
            assert!(gone(&secret, &left), "{shape}: {text}");
        }
    }
}

/// The limit is where `SECURITY.md` says: a filter for formats finds nothing else.
#[test]
fn a_secret_that_lost_its_shape_is_not_found() {
    let mut rng = Rng::with_seed(2);
    for format in formats().filter(|format| format.place == TriedAt::Start) {
        for shape in format.secrets.iter().filter(|it| !it.contains('‹')) {
            let secret = fill(shape, &mut rng);
            for disguise in DISGUISES {
                let text = disguise(&secret);
                assert_eq!(redact(&text).found, [""; 0], "{shape}");
            }
        }
    }
}

/// Every hit in text that nobody meant to hold secrets, by place and rule, never by content.
#[test]
fn real_text_is_left_alone() {
    let Some(corpus) = corpus() else { return };
    let (mut files, mut bytes, mut hits) = (0, 0, Vec::new());
    look(&corpus, &mut |path, text| {
        files += 1;
        bytes += text.len();
        for (number, line) in text.lines().enumerate() {
            for rule in redact(line).found {
                hits.push(format!("{}:{}: {rule}", path.as_str(), number + 1));
            }
        }
        // What spans lines is found in the whole only.
        let known = hits.iter().any(|hit| hit.starts_with(path.as_str()));
        if !known {
            let found = redact(text).found.into_iter();
            hits.extend(found.map(|rule| format!("{path}: {rule}")));
        }
    });
    eprintln!(
        "redaction: {files} files, {bytes} bytes, {} hits",
        hits.len()
    );
    for hit in &hits {
        eprintln!("redaction: {hit}");
    }
    assert!(files > 0, "nothing to read in {corpus}");
}

/// Real ledgers and documents of other projects, which are not part of the repository; nothing, with
/// a word about it, where there are none.
fn corpus() -> Option<Utf8PathBuf> {
    let beside = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var("GOAL_CORPUS").map_or(beside, Utf8PathBuf::from);
    if !corpus.is_dir() {
        eprintln!("skipped: no corpus at {corpus} (set GOAL_CORPUS to one)");
        return None;
    }
    Some(corpus)
}

/// Every text file below a directory.
fn look(dir: &Utf8Path, seen: &mut impl FnMut(&Utf8Path, &str)) {
    for entry in dir.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            look(entry.path(), seen);
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            seen(entry.path(), &text);
        }
    }
}
