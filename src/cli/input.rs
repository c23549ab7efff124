//! What commands read besides the ledger: stdin, and files that the user names. Errors are joined
//! with their context here, and become usage errors: the caller passed what cannot be read.

use std::fs::File;
use std::io::{ErrorKind, Read};

use anyhow::{Context, Result, ensure};
use camino::Utf8Path;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::ops::failure::Failure;

/// The most that is read, in bytes: more than any event may hold.
const MOST: u64 = 1024 * 1024;

/// A text argument; `-` stands for stdin.
pub fn text_or_stdin(text: &str) -> Result<String, Failure> {
    match text {
        "-" => stdin(),
        text => Ok(text.to_owned()),
    }
}

/// All of stdin.
pub fn stdin() -> Result<String, Failure> {
    all(std::io::stdin(), "stdin").map_err(failure)
}

/// All of a file.
pub fn file(path: &Utf8Path) -> Result<String, Failure> {
    let opened = opened(path)?;
    all(opened, path.as_str()).map_err(failure)
}

/// All of a file, or of stdin where it is `-`.
pub fn file_or_stdin(path: &Utf8Path) -> Result<String, Failure> {
    match path.as_str() {
        "-" => stdin(),
        _ => file(path),
    }
}

/// The text that an option gives, or the file that another names, and what messages call it;
/// nothing where neither does.
pub fn data<'a>(
    text: &Option<String>,
    path: &'a Option<String>,
) -> Result<Option<(String, &'a str)>, Failure> {
    Ok(match (text, path.as_deref()) {
        (Some(text), _) => Some((text.clone(), "--data")),
        (None, Some("-")) => Some((stdin()?, "stdin")),
        (None, Some(path)) => Some((file(path.into())?, path)),
        (None, None) => None,
    })
}

/// A text that must be JSON.
pub fn json(text: &str, from: &str) -> Result<Value, Failure> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("{from} is not JSON: {}", not_json(&error));
        Failure::usage(message, "pass one JSON object")
    })
}

/// A file that the user names: what cannot be opened is no mistake in how a text is written.
fn opened(path: &Utf8Path) -> Result<File, Failure> {
    let unreadable = |cause: std::io::Error| {
        let hint = match cause.kind() {
            ErrorKind::NotFound => "check its name; it is looked for from the working directory",
            ErrorKind::IsADirectory => "name a file",
            _ => "make sure that you may read the file",
        };
        let message = format!("cannot open {path}: {cause}");
        Failure::new("io", message, hint)
    };
    let file = File::open(path).map_err(unreadable)?;
    match file.metadata() {
        Ok(found) if found.is_dir() => Err(unreadable(ErrorKind::IsADirectory.into())),
        _ => Ok(file),
    }
}

/// What is wrong with a text that should be JSON: the parser's own word for one that begins like no
/// value says nothing to whoever typed it.
fn not_json(error: &serde_json::Error) -> String {
    error.to_string().replace(
        "expected ident",
        "a text stands in double quotes, and this is none of true, false, null",
    )
}

/// The items of a batch: a file of JSON Lines, or stdin for `-`. Blank lines are none.
pub fn lines<T: DeserializeOwned>(path: &Utf8Path) -> Result<Vec<T>, Failure> {
    let text = file_or_stdin(path)?;
    let numbered = text.lines().zip(1..);
    let items = numbered.filter(|(line, _)| !line.trim().is_empty());
    let items = items.map(|(line, number): (&str, u64)| {
        serde_json::from_str(line).map_err(|error| {
            let message = format!("line {number} of the batch is no item: {error}");
            Failure::usage(message, "mend the line; nothing was recorded")
        })
    });
    let items: Vec<T> = items.collect::<Result<_, Failure>>()?;
    match items.is_empty() {
        true => Err(Failure::usage(
            "the batch has no items",
            "write one JSON object a line",
        )),
        false => Ok(items),
    }
}

/// The most that is read of an agent's output, in bytes: what is judged is not recorded.
const MOST_OUTPUT: u64 = 64 * 1024 * 1024;

/// All bytes of a file, or of stdin where it is `-`.
pub fn bytes(path: &str) -> Result<Vec<u8>, Failure> {
    let read = || match path {
        "-" => up_to(std::io::stdin(), "stdin", MOST_OUTPUT),
        path => {
            let file = File::open(path).with_context(|| format!("cannot open {path}"))?;
            up_to(file, path, MOST_OUTPUT)
        }
    };
    read().map_err(|error| {
        let hint = "pass what the agent wrote, or its end, at most 64 MiB";
        Failure::usage(format!("{error:#}"), hint)
    })
}

/// All text that can be read from `source`, which messages call `name`.
fn all(source: impl Read, name: &str) -> Result<String> {
    let bytes = up_to(source, name, MOST)?;
    String::from_utf8(bytes).with_context(|| format!("{name} is not UTF-8"))
}

fn up_to(source: impl Read, name: &str, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut source = source.take(most + 1);
    source
        .read_to_end(&mut bytes)
        .with_context(|| format!("cannot read {name}"))?;
    let mebibytes = most / (1024 * 1024);
    ensure!(
        bytes.len() as u64 <= most,
        "{name} holds more than {mebibytes} MiB"
    );
    Ok(bytes)
}

fn failure(error: anyhow::Error) -> Failure {
    Failure::usage(
        format!("{error:#}"),
        "pass text in UTF-8, at most 64 KiB for each field",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named_with_its_cause() {
        let missing = file(Utf8Path::new("/nowhere/at/all")).unwrap_err();
        assert!(
            missing
                .message
                .starts_with("cannot open /nowhere/at/all: No such file")
        );
        let not_text = all(&b"\xff"[..], "stdin").map_err(failure).unwrap_err();
        assert!(
            not_text.message.starts_with("stdin is not UTF-8: "),
            "{}",
            not_text.message
        );
        let much = vec![b'x'; 1024 * 1024 + 1];
        let too_much = all(&much[..], "stdin").map_err(failure).unwrap_err();
        assert_eq!(too_much.message, "stdin holds more than 1 MiB");
        assert_eq!(all(&much[1..], "stdin").unwrap().len(), 1024 * 1024);
    }
}
