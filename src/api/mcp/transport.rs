//! The client's messages in, ours out, a line each. The library's own transport says nothing about
//! a line that it cannot read, and a client that waits for the answer by its id would wait for
//! ever; here every such line is answered, under its id where that can be known.

use std::io;
use std::pin::Pin;

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, Empty};

use super::glimpse::Glimpse;
use super::lines::{LONGEST, Line, Lines};
use crate::render::text::short;

/// The most that an answer repeats of why a line could not be read, in bytes.
const LONGEST_REASON: usize = 200;

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// One client.
pub(super) struct Client<R, W: AsyncWrite> {
    lines: Lines<R>,
    writer: AsyncRwTransport<RoleServer, Empty, W>,
    /// An answer of our own that is not written yet; receiving may be broken off at any time.
    sending: Option<Sending>,
}

impl<R, W> Client<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(reader: R, writer: W) -> Client<R, W> {
        Client {
            lines: Lines::of(reader),
            writer: AsyncRwTransport::new(tokio::io::empty(), writer),
            sending: None,
        }
    }

    async fn next(&mut self) -> io::Result<Option<RxJsonRpcMessage<RoleServer>>> {
        loop {
            if let Some(sending) = &mut self.sending {
                sending.await?;
                self.sending = None;
            }
            let Some(line) = self.lines.next().await? else {
                return Ok(None);
            };
            match read(&line) {
                Read::Message(message) => return Ok(Some(*message)),
                Read::Nothing => {}
                Read::Unread(error, id) => {
                    let answer = TxJsonRpcMessage::<RoleServer>::error(error, id);
                    self.sending = Some(Box::pin(self.writer.send(answer)));
                }
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Client<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.writer.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        // A client that can neither be read nor answered is gone.
        self.next().await.ok().flatten()
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.close().await
    }
}

/// What a line comes to.
enum Read {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// It asks for no answer.
    Nothing,
    Unread(ErrorData, Option<RequestId>),
}

fn read(line: &Line) -> Read {
    match line {
        Line::Whole(bytes) => read_whole(bytes),
        Line::TooLong(glimpse) => {
            let most = LONGEST / 1024 / 1024;
            let said = format!("a message is at most {most} MiB long, and this line is longer");
            unread(glimpse, ErrorData::invalid_request(said, None))
        }
    }
}

fn read_whole(bytes: &[u8]) -> Read {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Read::Nothing;
    }
    let misfit = match serde_json::from_slice(bytes) {
        Ok(message) => return Read::Message(Box::new(message)),
        Err(misfit) => misfit,
    };
    let glimpse = Glimpse::of(bytes);
    match serde_json::from_slice::<Value>(bytes) {
        Err(error) => {
            let said = format!("the line is not JSON: {error}");
            unread(
                &glimpse,
                ErrorData::parse_error(short(&said, LONGEST_REASON), None),
            )
        }
        // Neither notifications nor responses are answered.
        Ok(message) if glimpse.is_response() || (glimpse.asks && message.get("id").is_none()) => {
            Read::Nothing
        }
        Ok(_) => {
            let said = format!("the line is no message of the protocol: {misfit}");
            unread(
                &glimpse,
                ErrorData::invalid_request(short(&said, LONGEST_REASON), None),
            )
        }
    }
}

fn unread(glimpse: &Glimpse, error: ErrorData) -> Read {
    Read::Unread(error, glimpse.id().cloned())
}
