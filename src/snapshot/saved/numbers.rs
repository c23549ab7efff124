//! Rows of numbers, as they are saved: places of lines, and requests that were answered.

use crate::domain::line::LineRef;
use crate::domain::requests::Answer;

/// The bytes of rows.
pub fn bytes_of<const N: usize>(rows: &[[u64; N]]) -> Vec<u8> {
    let numbers = rows.iter().flatten();
    numbers.flat_map(|number| number.to_le_bytes()).collect()
}

/// Rows from those bytes.
pub fn rows_of<const N: usize>(bytes: &[u8]) -> Vec<[u64; N]> {
    let (numbers, _) = bytes.as_chunks();
    let numbers = numbers.iter().map(|number| u64::from_le_bytes(*number));
    let numbers: Vec<u64> = numbers.collect();
    numbers.as_chunks().0.to_vec()
}

/// The numbers of a line.
pub fn of_line(line: LineRef) -> [u64; 3] {
    [line.offset, line.number, u64::from(line.len)]
}

/// The line of these numbers.
pub fn line([offset, number, len]: [u64; 3]) -> LineRef {
    LineRef {
        offset,
        number,
        len: len as u32,
    }
}

/// The numbers of an answer.
pub fn of_answer(answer: &Answer) -> [u64; 4] {
    let [offset, number, len] = of_line(answer.line);
    [answer.hash, offset, number, len]
}

/// The answer of these numbers.
pub fn answer([hash, offset, number, len]: [u64; 4]) -> Answer {
    let line = line([offset, number, len]);
    Answer { hash, line }
}
