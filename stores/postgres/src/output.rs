//! What is written to stdout: lines of JSON for `goal`, pages for people.

use std::io::{BufWriter, Stdout, Write};

use serde::Serialize;

use crate::failure::{Code, Failure};

/// The lines of one answer after the other.
pub struct Output {
    to: BufWriter<Stdout>,
}

#[derive(Serialize)]
struct Data<'a> {
    line: &'a str,
}

#[derive(Serialize)]
struct Error<'a> {
    error: &'a Failure,
}

impl Output {
    pub fn new() -> Self {
        Output {
            to: BufWriter::with_capacity(64 * 1024, std::io::stdout()),
        }
    }

    /// A line of the ledger.
    pub fn line(&mut self, line: &str) -> Result<(), Failure> {
        self.data(&Data { line })
    }

    /// A line of data.
    pub fn data(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        serde_json::to_writer(&mut self.to, value).map_err(|it| unwritable(&it.into()))?;
        self.to.write_all(b"\n").map_err(|it| unwritable(&it))
    }

    /// The last line of an answer.
    pub fn last(&mut self, answer: &impl Serialize) -> Result<(), Failure> {
        self.data(answer)?;
        self.to.flush().map_err(|it| unwritable(&it))
    }

    /// The last line of an answer that is an error.
    pub fn error(&mut self, error: &Failure) -> Result<(), Failure> {
        self.last(&Error { error })
    }
}

/// Prints a text for people.
pub fn page(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(|it| unwritable(&it))
}

fn unwritable(error: &std::io::Error) -> Failure {
    Failure::new(Code::Failed, format!("cannot write to stdout: {error}"))
}
