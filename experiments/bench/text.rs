//! Texts of the lengths that real ledgers have, of words that are noise.

/// Lengths in bytes at these shares of the texts measured; between them, straight lines.
pub type Lengths = &'static [(f64, f64)];
pub const OBJECTIVE: Lengths = &[
    (0.0, 7.0),
    (0.1, 54.0),
    (0.25, 93.0),
    (0.5, 193.0),
    (0.75, 547.0),
    (0.9, 3783.0),
    (0.99, 9000.0),
    (1.0, 34414.0),
];
pub const REPORT: Lengths = &[
    (0.0, 14.0),
    (0.1, 27.0),
    (0.25, 1062.0),
    (0.5, 2790.0),
    (0.75, 3877.0),
    (0.9, 5665.0),
    (1.0, 14160.0),
];
pub const SUMMARY: Lengths = &[(0.0, 141.0), (0.5, 570.0), (0.9, 1289.0), (1.0, 2214.0)];
pub const EVIDENCE: Lengths = &[(0.0, 30.0), (0.5, 113.0), (1.0, 200.0)];
/// These two were not to be measured: the older extension writes no notes and one-word reasons.
pub const NOTE: Lengths = &[(0.0, 20.0), (0.5, 120.0), (1.0, 400.0)];
pub const BRIEF: Lengths = &[(0.0, 4.0), (0.5, 30.0), (1.0, 80.0)];

/// Where texts come from.
pub struct Texts {
    chance: fastrand::Rng,
    /// Words to cut texts from, escaped as JSON has them.
    words: String,
}

impl Texts {
    /// The same seed gives the same texts.
    pub fn with_seed(seed: u64) -> Texts {
        let mut chance = fastrand::Rng::with_seed(seed);
        let words = words(&mut chance, 1 << 20);
        Texts { chance, words }
    }

    /// A text of one of these lengths, about, and never without a word.
    pub fn text(&mut self, lengths: Lengths) -> &str {
        let share = self.chance.f64();
        let at = lengths.partition_point(|(upto, _)| *upto <= share);
        let ((low, from), (high, to)) = (lengths[at - 1], lengths[at]);
        let length = from + (to - from) * (share - low) / (high - low);
        let after = self.chance.usize(..self.words.len() / 2);
        let word_after = |offset: usize| {
            let ends = self.words.as_bytes()[offset..].iter();
            offset + ends.take_while(|byte| **byte != b' ').count()
        };
        let begin = word_after(after) + 1;
        &self.words[begin..word_after(begin + length as usize)]
    }
}

/// Words with the line breaks, quotes and other than ASCII characters that texts have.
fn words(chance: &mut fastrand::Rng, length: usize) -> String {
    const WORDS: [&str; 24] = [
        "the",
        "ledger",
        "audit",
        "agent",
        "writes",
        "a",
        "test",
        "that",
        "fails",
        "until",
        "parser",
        "reads",
        "every",
        "line",
        "and",
        "keeps",
        "bytes",
        "`src/parse.rs`",
        "while",
        "documents",
        "follow",
        "verification",
        "which",
        "criterion",
    ];
    let mut words = String::with_capacity(length + 64);
    while words.len() < length {
        words += match chance.u32(..200) {
            0..8 => "line.\\n",
            8..16 => "done:\\n\\n-",
            16..19 => "\\\"quoted\\\"",
            19..23 => "—",
            23 => "✓",
            _ => WORDS[chance.usize(..WORDS.len())],
        };
        words.push(' ');
    }
    words
}
