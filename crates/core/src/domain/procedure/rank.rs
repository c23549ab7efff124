//! Which procedure may fit: relevance by BM25, and a rule for when the best one is suggested.
//!
//! Written here rather than taken from a library: what BM25 needs is the two lines of
//! `term_score`, and the libraries for it bring stemmers and caches, or a hash map that nobody
//! maintains any more.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::procedure::Procedure;

/// How much of a title, or of one intent, what is asked for must name.
pub const APPLIES_FROM: f64 = 0.6;

/// How soon a word that stands often in one text counts no more.
const K1: f64 = 1.2;
/// How much a long text's words count less.
const B: f64 = 0.75;

/// Words that say nothing about what is meant.
const STOP_WORDS: [&str; 36] = [
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "for", "from", "how", "i", "in", "is",
    "it", "me", "my", "of", "on", "one", "or", "our", "please", "so", "some", "that", "the",
    "this", "to", "up", "us", "we", "with", "you", "your",
];

/// A procedure and how well it fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<'a> {
    pub procedure: &'a Procedure,
    /// BM25 of what is asked for against title, intent and parameters; 0 without a common word.
    /// Comparable only among procedures that were ranked together. Rounded to 3 decimals.
    pub score: f64,
    /// The largest part of its title, or of one intent, that what is asked for names: 0 to 1.
    /// Rounded likewise.
    pub coverage: f64,
    /// `coverage` is at least [`APPLIES_FROM`], with two common words, or all of a one-word request.
    pub applies: bool,
}

/// The procedures, the most relevant first; among equals by id.
pub fn rank<'a>(asked: &str, procedures: &'a [Procedure]) -> Vec<Ranked<'a>> {
    let query: BTreeSet<String> = words(asked).collect();
    let texts: Vec<Vec<String>> = procedures.iter().map(text).collect();
    let total: usize = texts.iter().map(Vec::len).sum();
    // Never 0: a title has a word, or the text would not be asked about.
    let average = (total as f64 / texts.len().max(1) as f64).max(1.0);
    let mut spread: BTreeMap<&str, usize> = BTreeMap::new();
    for text in &texts {
        for word in text.iter().collect::<BTreeSet<_>>() {
            *spread.entry(word).or_default() += 1;
        }
    }
    let score = |text: &[String]| -> f64 {
        let length = text.len() as f64 / average;
        let scores = query.iter().map(|word| {
            let often = text.iter().filter(|it| *it == word).count() as f64;
            let texts_with = spread.get(word.as_str()).copied().unwrap_or(0) as f64;
            term_score(often, texts_with, texts.len() as f64, length)
        });
        scores.sum()
    };
    let mut ranked: Vec<Ranked<'a>> = procedures
        .iter()
        .zip(&texts)
        .map(|(procedure, text)| {
            let (coverage, common) = coverage(&query, procedure);
            let enough = common >= 2 || common > 0 && common == query.len();
            Ranked {
                procedure,
                score: rounded(score(text)),
                coverage: rounded(coverage),
                applies: enough && coverage >= APPLIES_FROM,
            }
        })
        .collect();
    ranked.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| a.procedure.id.cmp(&b.procedure.id))
    });
    ranked
}

/// The procedure that may apply, if one does: the most relevant of those that do. Whether it is the
/// right one, common words cannot say: it is suggested, and a planner or somebody takes it.
pub fn applicable<'a>(ranked: &[Ranked<'a>]) -> Option<&'a Procedure> {
    let first = ranked.iter().find(|it| it.applies)?;
    Some(first.procedure)
}

/// BM25 of one word: rarer words weigh more, repetitions less and less.
fn term_score(often: f64, texts_with: f64, texts: f64, length: f64) -> f64 {
    let rarity = logarithm(1.0 + (texts - texts_with + 0.5) / (texts_with + 0.5));
    rarity * often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length))
}

/// The natural logarithm of a number from 1 on, to 14 digits.
///
/// The same on every machine, which that of the system is not; and nothing else here needs the
/// system's mathematical library, which every start of the program would have to load.
fn logarithm(number: f64) -> f64 {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    const ONE: u64 = 1.0_f64.to_bits();
    let bits = number.to_bits();
    let doublings = (bits - ONE) >> MANTISSA;
    // From 1 to 2, where this series is short: ln(m) = 2 artanh((m - 1) / (m + 1)).
    let rest = f64::from_bits(bits - (doublings << MANTISSA));
    let part = (rest - 1.0) / (rest + 1.0);
    let odd = (0..16).rev().map(|n| f64::from(2 * n + 1));
    let series = odd.fold(0.0, |sum, odd| sum * part * part + 1.0 / odd);
    doublings as f64 * std::f64::consts::LN_2 + 2.0 * part * series
}

/// The largest named part of the title or of one intent, and how many words that are.
fn coverage(query: &BTreeSet<String>, procedure: &Procedure) -> (f64, usize) {
    let phrases = std::iter::once(&procedure.title).chain(&procedure.intent);
    let parts = phrases.map(|phrase| {
        let phrase: BTreeSet<String> = words(phrase).collect();
        let common = phrase.intersection(query).count();
        (common as f64 / phrase.len().max(1) as f64, common)
    });
    let larger = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    parts.max_by(larger).unwrap_or_default()
}

fn text(procedure: &Procedure) -> Vec<String> {
    let parts = std::iter::once(&procedure.title)
        .chain(&procedure.intent)
        .chain(&procedure.parameters);
    parts.flat_map(|part| words(part)).collect()
}

/// The words of a text that mean something, as they are compared.
fn words(text: &str) -> impl Iterator<Item = String> {
    let all = text.split(|c: char| !c.is_alphanumeric());
    let lower = all.map(str::to_lowercase);
    lower
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(&word.as_str()))
        .map(|word| stem(&word))
}

/// A word without the endings that English gives verbs and plurals: `caches`, `cached` and
/// `caching` are one word. At least three letters are left.
fn stem(word: &str) -> String {
    let cut = |ending: &&str| {
        let stem = word.strip_suffix(*ending)?;
        // `process` is no plural.
        let plural = *ending != "s" || !stem.ends_with('s');
        (plural && stem.chars().count() >= 3).then_some(stem)
    };
    let endings = ["ing", "ed", "es", "s"];
    let stem = endings.iter().find_map(cut).unwrap_or(word);
    let shorter = stem.strip_suffix('e').filter(|it| it.chars().count() >= 3);
    shorter.unwrap_or(stem).to_owned()
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn procedure(id: &str, title: &str, intent: &[&str]) -> Procedure {
        Procedure {
            id: id.into(),
            title: title.into(),
            intent: intent.iter().map(|it| (*it).to_owned()).collect(),
            parameters: vec!["travelDate".into()],
            steps: Vec::new(),
        }
    }

    fn library() -> Vec<Procedure> {
        vec![
            procedure(
                "train",
                "Book a train ticket",
                &["find a train", "travel by rail"],
            ),
            procedure("release", "Publish a release", &["release a new version"]),
            procedure("flight", "Book a flight", &[]),
        ]
    }

    fn chosen(asked: &str) -> Option<String> {
        let library = library();
        applicable(&rank(asked, &library)).map(|it| it.id.clone())
    }

    #[test]
    fn what_is_asked_for_finds_its_procedure() {
        for (asked, expected) in [
            ("Book me a train to Paris tomorrow", Some("train")),
            ("Find me a train to Paris", Some("train")),
            ("booking train tickets", Some("train")),
            ("Book a flight to Rome", Some("flight")),
            ("Publish the release notes", Some("release")),
            ("Create a caching layer", None),
            ("Train a new model", None),
            ("Read a book", None),
            ("", None),
            ("the of and", None),
        ] {
            assert_eq!(chosen(asked).as_deref(), expected, "{asked}");
        }
    }

    #[test]
    fn scores_follow_the_formula() {
        let library = library();
        let ranked = rank("train", &library);
        let ids: Vec<&str> = ranked.iter().map(|it| it.procedure.id.as_str()).collect();
        assert_eq!(ids, ["train", "flight", "release"], "equals by id");
        // 8 of 17 words over 3 texts; `train` twice in one of three.
        let rarity = (2.5_f64 / 1.5).ln_1p();
        let length = 8.0 / (17.0 / 3.0);
        let expected = rarity * 2.0 * 2.2 / (2.0 + 1.2 * (0.25 + 0.75 * length));
        assert!((ranked[0].score - expected).abs() < 0.001, "{ranked:?}");
        assert_eq!(ranked[1].score, 0.0);
        assert!(!ranked[0].applies, "one word of two is too little");
    }

    #[test]
    fn the_logarithm_is_that_of_the_system() {
        for number in [1.0, 1.000_001, 1.5, 1.999_999, 2.0, 2.666, 17.0, 1e9] {
            let difference = (logarithm(number) - number.ln()).abs();
            assert!(difference < 1e-14 * number.ln().max(1.0), "{number}");
        }
    }

    #[test]
    fn endings_do_not_matter() {
        for (one, other) in [
            ("caching", "cache"),
            ("cached", "caches"),
            ("tickets", "ticket"),
            ("released", "release"),
        ] {
            assert_eq!(stem(one), stem(other));
        }
        assert_eq!(stem("process"), "process");
        assert_eq!(stem("is"), "is");
        assert_eq!(stem("zugfahren"), "zugfahren");
    }

    #[test]
    fn an_empty_shelf_has_nothing() {
        assert_eq!(rank("anything", &[]), Vec::new());
    }
}
