//! A set of the numbers of lines, a bit for each line of the file.

/// Numbers of lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers {
    words: Vec<u64>,
}

impl Numbers {
    /// Whether the line with this number is among them.
    pub fn contains(&self, number: u64) -> bool {
        let (word, bit) = place(number);
        self.words
            .get(word)
            .is_some_and(|word| word & (1 << bit) != 0)
    }
}

impl FromIterator<u64> for Numbers {
    fn from_iter<I: IntoIterator<Item = u64>>(numbers: I) -> Numbers {
        let mut words: Vec<u64> = Vec::new();
        for number in numbers {
            let (word, bit) = place(number);
            if word >= words.len() {
                words.resize(word + 1, 0);
            }
            words[word] |= 1 << bit;
        }
        Numbers { words }
    }
}

fn place(number: u64) -> (usize, u32) {
    let word = usize::try_from(number / 64).unwrap_or(usize::MAX);
    (word, (number % 64) as u32)
}
