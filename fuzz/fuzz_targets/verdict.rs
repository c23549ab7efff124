//! The verdict against a rule written from the contract alone: nothing is approved that the rule
//! would not approve, and, where no escape sequences and no other spellings are involved, nothing
//! less either.
#![no_main]

use goal_core::domain::verdict::{AuditorOutput, Exit, Judgement, Verdict, defang, fence, judge};
use goal_ledger_fuzz::assert_visible;
use libfuzzer_sys::fuzz_target;

/// The longest report, in bytes.
const REPORT: usize = 48 * 1024;

fuzz_target!(|input: (u8, &[u8])| {
    let (ending, stdout) = input;
    let exit = match ending & 15 {
        1 => Exit::Code(1),
        2 => Exit::Signal(9),
        3 => Exit::TimedOut,
        4 => Exit::Cancelled,
        _ => Exit::Code(0),
    };
    let overflow = ending & 240 == 16;
    let Judgement {
        verdict,
        cause,
        report,
    } = judge(&AuditorOutput {
        exit,
        stdout,
        overflow,
    });

    let text = std::str::from_utf8(stdout).ok();
    let naive = exit == Exit::Code(0) && !overflow && text.is_some_and(approves);
    if text.is_some_and(|text| text.contains('\x1b')) {
        // How much of a text belongs to a sequence is for the program to say. It may only take
        // away, so what it approves has at least the marker's characters in their order.
        let seen = text.is_some_and(|text| holds_in_order(text, "<approved/>"));
        assert!(verdict != Verdict::Approved || seen);
    } else if text.is_some_and(is_spelled_out) {
        assert_eq!(verdict == Verdict::Approved, naive);
    } else {
        assert!(verdict != Verdict::Approved || naive);
    }
    assert_eq!(cause.is_some(), verdict == Verdict::Error);
    assert!(report.len() <= REPORT);
    assert!(!report.contains(|c: char| c.is_control() && !"\n\t".contains(c)));
    if let Some(text) = text {
        assert_harmless(text);
    }
});

/// What was defanged neither approves nor keeps a real marker after it from approving.
fn assert_harmless(text: &str) {
    let quoted = fence(&defang(text));
    let said = |stdout: &str| {
        judge(&AuditorOutput {
            exit: Exit::Code(0),
            stdout: stdout.as_bytes(),
            overflow: false,
        })
        .verdict
    };
    assert_eq!(said(&quoted), Verdict::Error);
    assert_eq!(said(&defang(text)), Verdict::Error);
    assert_eq!(said(&format!("{quoted}\n<approved/>\n")), Verdict::Approved);
    assert_visible("a defanged text", &defang(&ascii(text)));
}

fn ascii(text: &str) -> String {
    text.chars().filter(char::is_ascii).collect()
}

/// The rule for a text without escape sequences: the last line that says something is the one
/// marker of the text, and stands in no code fence.
fn approves(text: &str) -> bool {
    // Control characters count as something said, even those that Unicode calls white space.
    let said = |c: char| c.is_control() && !"\n\r\t".contains(c);
    let text = &text.replace(said, "\u{fffd}");
    let lines: Vec<&str> = text.trim_end().split('\n').collect();
    let last = lines.last().copied().unwrap_or_default().trim_end();
    let inner = last
        .strip_prefix("<approved")
        .and_then(|rest| rest.strip_suffix("/>"));
    inner.is_some_and(|inner| inner.chars().all(|c| c.is_ascii_whitespace()))
        && count(text, "approved") == 1
        && !objects(text)
        && !in_fence(&lines)
        && !in_hidden(&lines)
}

/// Whether a text has no character that is invisible or begins another spelling of one.
fn is_spelled_out(text: &str) -> bool {
    text.chars()
        .all(|c| matches!(c, ' '..='~' | '\n' | '\r' | '\t') && !"&\\%".contains(c))
}

/// Whether something reads as a disapproval: the word in any case, and before it a bracket with at
/// most eight characters between that are no letters, digits or broken seams.
fn objects(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    lower.match_indices("disapproved").any(|(at, _)| {
        let before: Vec<char> = lower[..at].chars().collect();
        (0..=before.len().min(8)).any(|between| {
            let (head, run) = before.split_at(before.len() - between);
            matches!(head.last(), Some('<' | '\u{ff1c}'))
                && run.iter().all(|c| !c.is_alphanumeric() && *c != '·')
        })
    })
}

/// Whether the last line stands in a comment, `<pre>` or `<details>` that began with a line outside
/// of code fences.
fn in_hidden(lines: &[&str]) -> bool {
    let blocks = [("<!--", "-->"), ("<pre", "</pre>"), ("<details", "</details>")];
    let mut until: Option<&str> = None;
    for (at, line) in lines.iter().enumerate() {
        if in_fence(&lines[..=at]) {
            continue;
        }
        let lower = line.trim_start().to_ascii_lowercase();
        until = match until {
            Some(end) => (!lower.contains(end)).then_some(end),
            None => blocks.iter().find_map(|(begin, end)| {
                let rest = lower.strip_prefix(begin)?;
                let begins = !rest.starts_with(|c: char| c.is_alphanumeric());
                (begins && !rest.contains(end)).then_some(*end)
            }),
        };
    }
    until.is_some()
}

/// How often `<`, the word, white space, `/>` stand in a row.
fn count(text: &str, word: &str) -> usize {
    let opening = format!("<{word}");
    let after = text.split(&opening).skip(1);
    after
        .filter(|rest| {
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
            rest.starts_with("/>")
        })
        .count()
}

/// Whether the last line stands in a code fence: the mark, length and indent of the open one.
fn in_fence(lines: &[&str]) -> bool {
    let mut open: Option<(char, usize, usize)> = None;
    for line in lines {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let body = line.trim_start();
        let columns = |c| if c == '\t' { 4 } else { 1 };
        let indent: usize = line[..line.len() - body.len()].chars().map(columns).sum();
        let Some(mark) = body.chars().next().filter(|c| "`~".contains(*c)) else {
            continue;
        };
        let length = body.chars().take_while(|c| *c == mark).count();
        let info = &body[length..];
        if length < 3 {
            continue;
        }
        open = match open {
            None if mark == '`' && info.contains('`') => None,
            None => Some((mark, length, indent)),
            Some((m, l, i)) if m == mark && length >= l && indent <= i + 3 => {
                if info.trim().is_empty() { None } else { open }
            }
            Some(_) => open,
        };
    }
    open.is_some()
}

/// Whether all characters of `wanted` stand in a text in this order, whatever is between them.
fn holds_in_order(text: &str, wanted: &str) -> bool {
    let mut chars = text.chars();
    wanted.chars().all(|c| chars.any(|found| found == c))
}
