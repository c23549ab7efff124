//! A text that the person at the terminal writes in their editor.

use std::io::Write;
use std::process::Command;

use tempfile::Builder;

use crate::cli::input;
use crate::ops::failure::Failure;

/// What the editor left of `text`. `kind` is how its file's name ends, by which editors choose
/// their colours.
///
/// # Errors
/// No editor is known, or it ended badly: then nothing is taken.
pub fn edited(text: &str, kind: &str) -> Result<String, Failure> {
    let (program, arguments) = editor()?;
    let mut file = Builder::new().prefix("goal-").suffix(kind).tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let ran = Command::new(&program)
        .args(arguments)
        .arg(file.path())
        .status();
    let failed = |why: String| {
        let message = format!("the editor {program} {why}; nothing was taken over");
        Failure::new(
            "interrupted",
            message,
            "set VISUAL or EDITOR to another one",
        )
    };
    match ran {
        Ok(status) if status.success() => {}
        Ok(status) => return Err(failed(format!("ended with {status}"))),
        Err(error) => return Err(failed(format!("cannot be started: {error}"))),
    }
    let path = camino::Utf8Path::from_path(file.path());
    let path = path.ok_or_else(|| failed("wrote into a place that is not UTF-8".into()))?;
    input::file(path)
}

/// The program and its arguments, as VISUAL or EDITOR names them. No shell reads them.
fn editor() -> Result<(String, Vec<String>), Failure> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|variable| {
        let value = std::env::var(variable).ok()?;
        (!value.trim().is_empty()).then_some(value)
    });
    let mut words = named.iter().flat_map(|value| value.split_whitespace());
    let program = words.next().ok_or_else(|| {
        let message = "there is no text, and no editor to write it in";
        Failure::usage(
            message,
            "give the text as an argument, or set VISUAL or EDITOR",
        )
    })?;
    Ok((program.to_owned(), words.map(str::to_owned).collect()))
}
