//! Which requests were answered, as it is saved.

use crate::domain::line::LineRef;
use crate::domain::requests::Answer;

/// The bytes of answers: per answer the hash, and the offset, number and length of the line.
pub fn bytes_of(answers: &[Answer]) -> Vec<u8> {
    let words = answers.iter().flat_map(|Answer { hash, line }| {
        let word = [*hash, line.offset, line.number, u64::from(line.len)];
        word.into_iter().flat_map(u64::to_le_bytes)
    });
    words.collect()
}

/// Answers from those bytes.
pub fn answers_of(bytes: &[u8]) -> Vec<Answer> {
    let (words, _) = bytes.as_chunks();
    let words: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let (answers, _) = words.as_chunks();
    let answer = |[hash, offset, number, len]: &[u64; 4]| Answer {
        hash: *hash,
        line: LineRef {
            offset: *offset,
            number: *number,
            len: *len as u32,
        },
    };
    answers.iter().map(answer).collect()
}
