//! Answered requests as they are saved: rows of numbers, since a command that has a key reads all
//! of them.

use crate::domain::line::LineRef;
use crate::domain::requests::Answer;

/// The bytes of answers.
pub fn of_answers(answers: &[Answer]) -> Vec<u8> {
    let numbers = answers
        .iter()
        .flat_map(|Answer { hash, line }| [*hash, line.offset, line.number, u64::from(line.len)]);
    numbers.flat_map(u64::to_le_bytes).collect()
}

/// Answers from those bytes.
pub fn answers(bytes: &[u8]) -> Vec<Answer> {
    let (rows, _) = bytes.as_chunks::<32>();
    let answer = |row: &[u8; 32]| {
        let (numbers, _) = row.as_chunks();
        let number = |at: usize| numbers.get(at).copied().map_or(0, u64::from_le_bytes);
        Answer {
            hash: number(0),
            line: LineRef {
                offset: number(1),
                number: number(2),
                len: number(3) as u32,
            },
        }
    };
    rows.iter().map(answer).collect()
}
