//! The connections of one helper: at most one with a turn, and one without.

use crate::failure::Failure;
use crate::server::Server;

#[derive(Default)]
pub struct Session {
    pub turn: Option<Turn>,
    idle: Option<Server>,
}

/// A turn: the connection whose transaction holds the lock on the ledger's row.
pub struct Turn {
    pub server: Server,
    pub ledger: String,
    pub end: u64,
}

impl Session {
    /// A connection without a turn. Whoever has used it gives it back, unless it failed.
    pub async fn server(&mut self) -> Result<Server, Failure> {
        match self.idle.take() {
            // A standby may have been promoted since.
            Some(server) if !server.client.is_closed() && !server.is_standby => Ok(server),
            _ => Server::connect().await,
        }
    }

    pub fn give_back(&mut self, server: Server) {
        self.idle = Some(server);
    }
}
