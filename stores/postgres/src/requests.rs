//! The lines of stdin, read ahead, so that a long wait notices when stdin ends.

use std::collections::VecDeque;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc;

pub struct Requests {
    lines: mpsc::Receiver<String>,
    /// Requests that came while another one was waiting.
    early: VecDeque<String>,
}

impl Requests {
    /// Begins to read stdin.
    pub fn of_stdin() -> Self {
        let (to, lines) = mpsc::channel(1);
        tokio::spawn(async move {
            let mut stdin = BufReader::new(tokio::io::stdin()).lines();
            // What cannot be read is treated as the end.
            while let Ok(Some(line)) = stdin.next_line().await {
                if to.send(line).await.is_err() {
                    return;
                }
            }
        });
        Requests {
            lines,
            early: VecDeque::new(),
        }
    }

    /// The next request; `None` when stdin has ended.
    pub async fn next(&mut self) -> Option<String> {
        match self.early.pop_front() {
            Some(line) => Some(line),
            None => self.lines.recv().await,
        }
    }

    /// Returns when stdin has ended. May be dropped at any time.
    pub async fn ended(&mut self) {
        while let Some(line) = self.lines.recv().await {
            self.early.push_back(line);
        }
    }
}
