//! What an auditor's answer means: approved, disapproved, or an error with its cause.

mod cause;
mod fences;
mod spelling;
mod text;

pub use cause::Cause;
pub(in crate::domain) use fences::{Fences, Hidden};
pub use spelling::is_hidden;
pub use text::{MARGIN, defang, fence, head_and_tail, tail};
pub(in crate::domain) use text::{one_line, plain, without_ansi};

use fences::Marker;

use crate::domain::words::words;

/// Most bytes that a report keeps: well under the 64 KiB that a field may hold
/// (docs/ledger-format.md#sizes-and-redaction), since redaction may lengthen it afterwards.
const REPORT_BYTES: usize = 48 * 1024;

words! {
    /// How an audit ended. Only `Approved` completes a goal.
    #[derive(Hash)]
    pub enum Verdict {
        Approved = "approved",
        Disapproved = "disapproved",
        /// Neither: there is no opinion to act on, and the cause says why.
        Error = "error",
    }
}

/// Whether an approval came without a word: one marker is all that the protocol asks for, and it
/// counts, but whoever reads of it is to know.
pub fn wordless(verdict: Verdict, report: &str) -> bool {
    verdict == Verdict::Approved && report.trim().is_empty()
}

/// What is said behind a verdict that is an approval without a report.
pub fn unreported(verdict: Verdict, report: &str) -> &'static str {
    match wordless(verdict, report) {
        true => " without a report",
        false => "",
    }
}

/// How the auditor's process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It exited by itself with this status.
    Code(i32),
    /// This signal killed it.
    Signal(i32),
    /// It was killed at the deadline.
    TimedOut,
    /// It was killed because the caller gave up waiting for it.
    Cancelled,
}

/// What an auditor left behind. Its stderr is never judged and therefore not here.
#[derive(Debug, Clone, Copy)]
pub struct AuditorOutput<'a> {
    pub exit: Exit,
    pub stdout: &'a [u8],
    /// Whether it wrote more than the cap; `stdout` then holds only the beginning.
    pub overflow: bool,
}

/// A verdict with what is to be remembered of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    pub verdict: Verdict,
    /// Present exactly when the verdict is `Error`.
    pub cause: Option<Cause>,
    /// The output for people and later prompts: without ANSI and control characters, without the
    /// final marker line, cut to head and tail. Not yet redacted.
    pub report: String,
}

/// Judges an answer (docs/auditor-protocol.md#the-verdict). Rows are tried from the top.
///
/// | the answer | verdict, cause |
/// |---|---|
/// | cancelled; past the deadline | error: `cancelled`; `timeout` |
/// | more output than the cap | error: `oversized_output` |
/// | killed by a signal; exit status other than 0 | error: `signal`; `non_zero_exit` |
/// | output that is not UTF-8; nothing but white space | error: `invalid_utf8`; `empty_output` |
/// | no marker anywhere | error: `no_marker` |
/// | an approving marker, and a disapproving one or what reads as one | error: `both_markers` |
/// | disapproving ones only, one of them the last non-empty line | disapproved |
/// | more than one approving marker | error: `repeated_marker` |
/// | one approving marker inside a code fence, or behind a comment, `<pre>` or `<details>` that begins a line and is not closed | error: `fenced_marker` |
/// | one approving marker, the last non-empty line and nothing else | approved |
/// | anything else | error: `misplaced_marker` |
///
/// ANSI sequences and trailing white space are removed first. A sequence can hide a marker, so
/// markers are counted in the text as it came too, and without what a terminal conceals; the
/// largest number counts, and an approving marker must stand where it does in each of the last two.
/// Other control characters are not removed: a marker followed by NUL is not alone on its line.
pub fn judge(answer: &AuditorOutput<'_>) -> Judgement {
    let (verdict, cause) = match opinion(answer) {
        Ok(Marker::Approved) => (Verdict::Approved, None),
        Ok(Marker::Disapproved) => (Verdict::Disapproved, None),
        Err(cause) => (Verdict::Error, Some(cause)),
    };
    let text = String::from_utf8_lossy(answer.stdout);
    let report = head_and_tail(without_final_marker(&text::plain(&text)), REPORT_BYTES);
    Judgement {
        verdict,
        cause,
        report,
    }
}

/// The text of an answer that can be read at all, trailing white space included.
///
/// # Errors
/// Why there is nothing to read: the rows of [`judge`]'s table before its markers.
pub fn readable<'a>(answer: &AuditorOutput<'a>) -> Result<&'a str, Cause> {
    match answer.exit {
        Exit::Cancelled => return Err(Cause::Cancelled),
        Exit::TimedOut => return Err(Cause::Timeout),
        // An overflow is what made us kill it, so it explains the signal.
        _ if answer.overflow => return Err(Cause::OversizedOutput),
        Exit::Signal(_) => return Err(Cause::Signal),
        Exit::Code(0) => {}
        Exit::Code(_) => return Err(Cause::NonZeroExit),
    }
    let text = std::str::from_utf8(answer.stdout).map_err(|_| Cause::InvalidUtf8)?;
    match text::without_ansi(text).trim_end().is_empty() {
        true => Err(Cause::EmptyOutput),
        false => Ok(text),
    }
}

fn opinion(answer: &AuditorOutput<'_>) -> Result<Marker, Cause> {
    let raw = readable(answer)?;
    let visible = text::without_ansi(raw);
    let shown = text::without_ansi(&spelling::without(raw));
    let forms = [raw, &visible, &shown];
    let counts = forms.map(fences::count);
    let approvals = counts.map(|(approvals, _)| approvals).into_iter().max();
    let objections = counts.map(|(_, objections)| objections).into_iter().max();
    let objects = forms.into_iter().any(fences::reads_as_objection);
    let seen = [visible.trim_end(), shown.trim_end()];
    let ends_with = |marker| {
        let last = seen.map(|text| text.lines().next_back().and_then(fences::only));
        last == [Some(marker); 2]
    };
    match (approvals.unwrap_or(0), objections.unwrap_or(0)) {
        (0, 0) => Err(Cause::NoMarker),
        (0, _) if ends_with(Marker::Disapproved) => Ok(Marker::Disapproved),
        (0, _) => Err(Cause::MisplacedMarker),
        (_, _) if objects => Err(Cause::BothMarkers),
        (1, 0) if seen.into_iter().any(approval_is_fenced) => Err(Cause::FencedMarker),
        (1, 0) if ends_with(Marker::Approved) => Ok(Marker::Approved),
        (1, 0) => Err(Cause::MisplacedMarker),
        (_, 0) => Err(Cause::RepeatedMarker),
        (_, _) => Err(Cause::BothMarkers),
    }
}

/// Whether a line that is an approving marker lies inside a code fence, or inside a block of HTML
/// that hides or quotes what stands in it.
fn approval_is_fenced(visible: &str) -> bool {
    let (mut fences, mut hidden) = (Fences::default(), Hidden::default());
    visible.lines().any(|line| {
        fences.feed(line);
        if !fences.open() {
            hidden.feed(line);
        }
        let is_inside = fences.open() || hidden.open();
        is_inside && fences::only(line.trim()) == Some(Marker::Approved)
    })
}

/// The report does not repeat the verdict, and a marker in it could be taken for one.
fn without_final_marker(report: &str) -> &str {
    let report = report.trim_end();
    let last = report.rfind('\n').map_or(0, |newline| newline + 1);
    match fences::only(&report[last..]) {
        Some(_) => report[..last].trim_end(),
        None => report,
    }
}

#[cfg(test)]
mod spelled_tests;
#[cfg(test)]
mod tests;
