//! The connections of one helper: at most one with a turn, and one without.

use tokio::task::JoinHandle;

use crate::failure::Failure;
use crate::server::Server;

#[derive(Default)]
pub struct Session {
    pub turn: Option<Turn>,
    idle: Option<Server>,
    /// A connection that is being made before the first request needs it.
    ahead: Option<JoinHandle<Result<Server, Failure>>>,
}

/// A turn: the connection whose transaction holds the lock on the ledger's row.
pub struct Turn {
    pub server: Server,
    pub ledger: String,
    pub end: u64,
}

impl Session {
    /// Begins to connect: whoever says hello has a request soon.
    pub fn connect_ahead(&mut self) {
        if self.ahead.is_none() && self.idle.is_none() && self.turn.is_none() {
            self.ahead = Some(tokio::spawn(Server::connect()));
        }
    }

    /// A connection without a turn. Whoever has used it gives it back, unless it failed.
    pub async fn server(&mut self) -> Result<Server, Failure> {
        match (self.idle.take(), self.ahead.take()) {
            // A standby may have been promoted since.
            (Some(server), _) if !server.client.is_closed() && !server.is_standby => Ok(server),
            (None, Some(ahead)) => ahead.await.unwrap_or_else(|_| Err(Failure::silent())),
            _ => Server::connect().await,
        }
    }

    pub fn give_back(&mut self, server: Server) {
        self.idle = Some(server);
    }

    /// Lets the connection go that nobody has used for a while. A turn stays.
    pub fn rest(&mut self) {
        (self.idle, self.ahead) = (None, None);
    }
}
