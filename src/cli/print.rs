//! Printing: one JSON document or a text on stdout, everything else on stderr.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use dialoguer::console::Term;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::api::envelope;
use crate::cli::pager::Paging;
use crate::cli::reply::Reply;
use crate::domain::diagnostic::Diagnostic;
use crate::ops::failure::{Exit, Failure};
use crate::ops::under_way::StatusLine;
use crate::render::columns::{fit, unstyled};
use crate::render::json::visible;
use crate::render::text::clean;

/// Prints a reply, and what there is to remark about the ledger's place.
pub fn reply(
    name: &str,
    root: &str,
    reply: Reply,
    remarks: &[Diagnostic],
    json: bool,
    paging: Paging,
) -> Exit {
    let exit = reply.exit();
    let printed = if json {
        let root = Some(root).filter(|_| !reply.without_root);
        let envelope = match &reply.failure {
            None => envelope::success(name, root, reply.data.as_ref(), reply.stop_turn),
            Some(failure) => envelope::failure(name, root, failure, reply.data.as_ref()),
        };
        document(&envelope.noticing(remarks))
    } else {
        notices(remarks);
        notices(&reply.notices);
        // What was done is no page to leaf through.
        let paging = if reply.recorded { Paging::NONE } else { paging };
        let text = coloured(&reply.text);
        let printed = match paging.shows(&text) {
            true => Ok(()),
            false => stdout(&text),
        };
        if let Some(failure) = &reply.failure {
            explain(failure);
        }
        printed
    };
    match printed {
        Ok(()) => exit,
        Err(error) if reply.recorded => {
            complain(&format!(
                "the event IS recorded, but the receipt could not be printed ({error}); do not \
                 run the command again, look with `goal log`"
            ));
            Exit::Io
        }
        Err(error) => unread(&error, exit),
    }
}

/// Prints a failure without data.
pub fn failure(name: &str, root: Option<&str>, failure: &Failure, json: bool) -> Exit {
    if !json {
        explain(failure);
        return failure.exit;
    }
    match document(&envelope::failure(name, root, failure, None::<()>)) {
        Ok(()) => failure.exit,
        Err(error) => unread(&error, failure.exit),
    }
}

/// Says on stderr why a hook failed; its host reads stdout, where nothing stands then.
pub fn hook_failure(failure: &Failure) -> Exit {
    explain(failure);
    Exit::HookFailed
}

/// Says on stderr what else there is to know.
pub fn notices(notices: &[Diagnostic]) {
    for notice in notices {
        complain(&format!(
            "note: {}\n  {}",
            clean(&notice.message),
            clean(&notice.hint)
        ));
    }
}

/// The text, without its colours where stdout has none.
fn coloured(text: &str) -> String {
    match anstream::AutoStream::choice(&io::stdout()) {
        anstream::ColorChoice::Never => unstyled(text),
        _ => text.to_owned(),
    }
}

/// Writes a text to stdout, whole.
pub fn stdout(text: &str) -> io::Result<()> {
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    // In one piece: a stripping stream would write every line by itself.
    let mut text = coloured(text);
    text.push_str(end);
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// A line of what is under way stands on the terminal.
static STANDS: AtomicBool = AtomicBool::new(false);

/// Whether stderr is a terminal that can replace a line.
pub fn can_replace_lines() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|it| it == "dumb");
    !is_dumb && io::stderr().is_terminal()
}

/// The widest line of what is under way: a longer one would wrap, and could not be replaced.
pub fn status_columns() -> usize {
    let (_, columns) = Term::stderr().size();
    usize::from(columns).saturating_sub(1)
}

/// Where a person sees what is under way: the last line of the terminal, where there is one and the
/// person `wants` it. A terminal that cannot replace a line gets none.
pub fn status_line(wants: bool) -> StatusLine {
    if !wants || !can_replace_lines() {
        return StatusLine::default();
    }
    StatusLine::shown_by(|text| {
        let stood = STANDS.swap(!text.is_empty(), Ordering::Relaxed);
        let line = fit(text, status_columns());
        replace_lines(
            usize::from(stood),
            Some(line).filter(|it| !it.is_empty()).as_slice(),
        );
    })
}

/// Says something on stderr; when nobody can hear it there is nobody left to tell.
pub fn complain(text: &str) {
    let stood = STANDS.swap(false, Ordering::Relaxed);
    replace_lines(usize::from(stood), &[]);
    let _nobody_left = writeln!(anstream::stderr(), "{text}");
}

/// Puts lines in the place of the `stood` last ones of the terminal. Without colours the terminal is
/// written to in the same way.
pub fn replace_lines(stood: usize, lines: &[String]) {
    if stood == 0 && lines.is_empty() {
        return;
    }
    let up = "\x1b[1A\x1b[2K".repeat(stood.saturating_sub(1));
    let mut stderr = io::stderr().lock();
    let text = format!("\r\x1b[2K{up}{}", lines.join("\n"));
    let _nobody_left = stderr
        .write_all(text.as_bytes())
        .and_then(|()| stderr.flush());
}

fn explain(failure: &Failure) {
    complain(&format!("error: {}", clean(&failure.message)));
    if !failure.hint.is_empty() {
        complain(&format!("  {}", clean(&failure.hint)));
    }
}

/// Writes a JSON document to stdout, on one line.
pub fn document(value: &impl Serialize) -> io::Result<()> {
    let mut stdout = BufWriter::with_capacity(64 * 1024, io::stdout().lock());
    json(&mut stdout, value)?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}

fn json(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, Visible))?)
}

/// JSON on one line, with its characters as [`visible`] has them.
struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        out.write_all(visible(fragment).as_bytes())
    }
}

/// Waits so long, in whole milliseconds, or until whoever reads stdout has gone away: then it says
/// so. A pipe's reader is not missed by other means before something is written.
pub fn reader_leaves(within: Duration) -> bool {
    let stdout = io::stdout();
    // Asking for nothing: that it is closed or broken is told anyway.
    let mut asked = [PollFd::new(&stdout, PollFlags::empty())];
    let timeout = Timespec {
        tv_sec: i64::try_from(within.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: within.subsec_nanos().into(),
    };
    match poll(&mut asked, Some(&timeout)) {
        Ok(told) => told > 0,
        // Interrupted: the caller looks and comes back.
        Err(_) => false,
    }
}

/// A reader that went away has what it wanted; any other trouble is said.
pub fn unread(error: &io::Error, exit: Exit) -> Exit {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return exit;
    }
    complain(&format!("error: cannot write the output: {error}"));
    Exit::Io
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_printed_document_steers_no_terminal() {
        let text = "{\"\u{9b}31m\":[\"\u{7f}\u{202e} \u{e0041} é漢\\n\",1.5,null]}";
        let value: Value = serde_json::from_str(text).unwrap();
        let mut printed = Vec::new();
        json(&mut printed, &value).unwrap();
        assert_eq!(String::from_utf8(printed).unwrap(), visible(text));
    }
}
