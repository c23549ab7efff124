//! Small files of the ledger in a remote are made one by whoever sends something: the same lines, so
//! that there are few files however often it is synced.

use super::remote::{Remote, Segment, Tree};
use super::seen::cut;
use crate::domain::exchange::{Piece, in_order, to_unite};
use crate::domain::id::EventId;
use crate::ops::failure::Failure;

/// A segment has at most so many bytes, unless one line of ours with what it closes has more: forges
/// refuse large files.
pub const SEGMENT: usize = 4 * 1024 * 1024;

/// A file that has at least so many bytes stays as it is.
const LARGE: u64 = SEGMENT as u64 / 2;

/// From so many small files on some are made one.
const MANY: usize = 16;

/// The small files that are made one.
#[derive(Debug, Default)]
pub struct United {
    /// Where they are.
    pub paths: Vec<String>,
    /// What they have, in an order in which no line stands before one that it names.
    pub pieces: Vec<Piece>,
}

/// Which small files of the tree are to be made one, if there are many. A file that has something else
/// than lines of ours and what they close stays as it is.
///
/// # Errors
/// Git cannot read them.
pub fn united(remote: &Remote, tree: &Tree) -> Result<United, Failure> {
    let is_small = |(path, segment): &(&String, &Segment)| segment.bytes < LARGE && is_ours(path);
    let mut small: Vec<(&String, &Segment)> = tree.segments.iter().filter(is_small).collect();
    if small.len() < MANY {
        return Ok(United::default());
    }
    small.sort_by_key(|(_, segment)| segment.bytes);
    small.truncate(to_unite(small.iter().map(|(_, it)| it.bytes).collect()));
    let mut united = United::default();
    remote.read(small.iter().map(|(_, it)| *it), |object, content| {
        let mut cut = cut(content);
        if cut.left() == 0 {
            let paths = small.iter().filter(|(_, it)| it.object == object);
            united.paths.extend(paths.map(|(path, _)| (*path).clone()));
            united.pieces.append(&mut cut.pieces);
        }
    })?;
    if united.paths.len() < 2 {
        return Ok(United::default());
    }
    united.pieces = in_order(united.pieces);
    Ok(united)
}

/// Whether a file has the name of one of ours: `ab/abcd….jsonl`.
fn is_ours(path: &str) -> bool {
    let id = path.get(3..).and_then(|it| it.strip_suffix(".jsonl"));
    id.and_then(|it| it.parse::<EventId>().ok())
        .is_some_and(|it| path == path_of(it))
}

/// Where a segment is.
fn path_of(id: EventId) -> String {
    let name = id.to_string();
    format!("{}/{name}.jsonl", &name[..2])
}

/// The contents of the files that have these pieces, each with its place, which is another one for each
/// content.
pub fn files(pieces: &[Piece]) -> Vec<(String, String)> {
    let mut contents = vec![String::new()];
    for piece in pieces {
        let text: String = piece
            .lines
            .iter()
            .map(|(_, it)| format!("{it}\n"))
            .collect();
        match contents.last_mut() {
            Some(last) if last.is_empty() || last.len() + text.len() <= SEGMENT => *last += &text,
            _ => contents.push(text),
        }
    }
    let files = contents.into_iter().filter(|it| !it.is_empty());
    files
        .map(|content| (path_of(EventId::of_line(content.as_bytes())), content))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_a_name_of_ours_is_one_of_ours() {
        let id = "ab".repeat(16);
        assert!(is_ours(&format!("ab/{id}.jsonl")));
        let others = [
            format!("{id}.jsonl"),
            format!("cd/{id}.jsonl"),
            format!("ab/{id}"),
            "zz/a.jsonl".into(),
            "ab".into(),
            "äb/x.jsonl".into(),
        ];
        assert!(others.iter().all(|it| !is_ours(it)));
    }

    #[test]
    fn a_file_ends_before_it_is_too_large() {
        let piece = |len: usize| {
            let text = "x".repeat(len);
            let id = EventId::of_line(text.as_bytes());
            Piece {
                lines: vec![(id, text)],
                names: Vec::new(),
                begins: false,
            }
        };
        let third = SEGMENT / 3 - 1;
        let pieces = [third, third - 1, third - 2, third - 3, 2 * SEGMENT, 5].map(piece);
        let sizes: Vec<usize> = files(&pieces).iter().map(|it| it.1.len()).collect();
        assert_eq!(sizes, [3 * third, third - 2, 2 * SEGMENT + 1, 6]);
        assert_eq!(files(&[]), []);
    }
}
