//! A copy of a stream in a file, for people who look while the command runs. The command and what is
//! kept of it do not depend on the copy.

use std::fs::File;
use std::io::Write;

use camino::Utf8Path;

/// Most bytes that are copied: somebody looks at their end, and a command can write for hours.
const MOST: usize = 16 * 1024 * 1024;

/// Where a stream is copied to; nowhere, where that failed or nobody wants it.
#[derive(Debug, Default)]
pub(super) struct Copy {
    file: Option<File>,
    written: usize,
}

impl Copy {
    /// Begins a copy in a new file.
    pub(super) fn to(path: &Utf8Path) -> Copy {
        Copy {
            file: File::create(path).ok(),
            written: 0,
        }
    }

    pub(super) fn write(&mut self, chunk: &[u8]) {
        self.written += chunk.len();
        let written = self.file.as_mut().map(|file| file.write_all(chunk));
        if self.written > MOST || matches!(written, Some(Err(_))) {
            self.file = None;
        }
    }
}
