//! Replaying many lines: one processor looks ahead while another applies.

use std::thread::{self, ScopedJoinHandle};

use crate::domain::line::RawLine;
use crate::domain::replay::Replay;
use crate::domain::wire::flat::Room;
use crate::domain::wire::glance;

/// How many lines of a hundred are looked at by who also applies all of them, so that both are done
/// at the same time.
const HERE: usize = 20;

/// Takes the next lines of the file.
pub fn push_all(replay: &mut Replay<'_>, lines: &[RawLine<'_>]) {
    let (here, there) = lines.split_at(lines.len() * HERE / 100);
    thread::scope(|scope| {
        let look = || {
            let mut room = Room::default();
            let glances = there.iter().map(|raw| glance(raw, &mut room));
            glances.collect::<Vec<_>>()
        };
        let ahead = thread::Builder::new().spawn_scoped(scope, look);
        here.iter().for_each(|raw| replay.push(raw));
        match ahead.map(ScopedJoinHandle::join) {
            Ok(Ok(glances)) => {
                let seen = there.iter().zip(glances);
                seen.for_each(|(raw, glanced)| replay.see(raw, glanced));
            }
            // No thread is to be had.
            _ => there.iter().for_each(|raw| replay.push(raw)),
        }
    });
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::ledger::blocks::scan_blocks;
    use crate::ledger::frame::{Extent, scan};

    #[test]
    fn many_lines_at_once_come_to_what_each_does() {
        let odd = [
            "",
            "{",
            "\u{feff}{}",
            "<<<<<<< ours",
            r#"{"type":"new","at":"t"}"#,
        ];
        let pinned = include_str!("../../fixtures/events/every_variant.jsonl").lines();
        let lines: Vec<&str> = pinned.chain(odd).cycle().take(400).collect();
        let ledger = lines.join("\n").into_bytes();
        let mut one = Replay::new(Rc::new(ledger.clone()));
        let mut all = Replay::new(Rc::new(ledger.clone()));
        scan(&ledger[..], |raw| one.push(&raw)).unwrap();
        scan_blocks(Extent::EMPTY, &ledger[..], |lines| {
            push_all(&mut all, lines)
        })
        .unwrap();
        assert_eq!(format!("{:?}", all.finish()), format!("{:?}", one.finish()));
    }
}
