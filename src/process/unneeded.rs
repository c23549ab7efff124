//! Lines of stdout that nobody needs: they are dropped as they come, so that they take no room.

/// What is left of an output without its lines that begin in a certain way.
#[derive(Debug, Default)]
pub(super) struct Needed {
    /// How lines begin that are dropped.
    unneeded: &'static [&'static str],
    /// The beginning of a line, as long as nobody can say whether it is dropped.
    begun: Vec<u8>,
    /// What stands in the line under way has been decided on.
    decided: bool,
    /// It is dropped.
    dropped: bool,
}

impl Needed {
    pub(super) fn without(unneeded: &'static [&'static str]) -> Needed {
        Needed {
            unneeded,
            ..Needed::default()
        }
    }

    /// What of a chunk is needed, and of what came before it.
    pub(super) fn of(&mut self, chunk: &[u8]) -> Vec<u8> {
        if self.unneeded.is_empty() {
            return chunk.to_vec();
        }
        let mut needed = Vec::with_capacity(chunk.len());
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            let ends = piece.last() == Some(&b'\n');
            if self.decided {
                if !self.dropped {
                    needed.extend_from_slice(piece);
                }
            } else {
                self.begun.extend_from_slice(piece);
                let all = self.unneeded.iter().map(|it| it.as_bytes());
                let begins = |it: &[u8]| self.begun.starts_with(it);
                let may_begin = |it: &[u8]| !ends && it.starts_with(&self.begun);
                self.dropped = all.clone().any(begins);
                self.decided = self.dropped || !all.clone().any(may_begin);
                if self.decided && !self.dropped {
                    needed.append(&mut self.begun);
                }
            }
            if ends || self.dropped {
                self.begun.clear();
            }
            if ends {
                (self.decided, self.dropped) = (false, false);
            }
        }
        needed
    }

    /// What is left where the output ended within the beginning of a line.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNNEEDED: &[&str] = &["no", "nothing"];

    #[test]
    fn lines_are_dropped_however_the_output_is_cut() {
        let output = b"yes\nno\nyes no\n\nnothing more\nnobody\nn\nyes\nn";
        for length in 1..=output.len() {
            let mut needed = Needed::without(UNNEEDED);
            let mut left = Vec::new();
            for chunk in output.chunks(length) {
                left.extend(needed.of(chunk));
            }
            left.extend(needed.rest());
            let left = String::from_utf8(left).unwrap();
            assert_eq!(left, "yes\nyes no\n\nn\nyes\nn", "{length}");
        }
    }

    #[test]
    fn without_such_lines_all_is_needed() {
        let mut needed = Needed::without(&[]);
        assert_eq!(needed.of(b"no\nhalf"), b"no\nhalf");
        assert_eq!(needed.rest(), b"");
    }
}
