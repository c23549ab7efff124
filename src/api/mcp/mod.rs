//! The tools over the Model Context Protocol, on stdin and stdout. Everything about the protocol
//! is in here, and nothing about goals.

mod answer;
mod caller;
mod decision;
mod elicitation;
mod glimpse;
mod identity;
mod lines;
mod listed;
mod listing;
mod prompts;
mod readings;
mod resources;
mod server;
mod structured;
mod told;
mod transport;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::stdio;

use crate::domain::actor::Actor;
use crate::ops::call::Call;
use crate::ops::failure::Failure;
use crate::render::surface::Surface;
use listed::Listed;
use readings::Readings;
use server::Server;
use transport::Client;

/// Makes the call that every request starts from: the project as it is at that moment.
pub type Open = Arc<dyn Fn() -> Result<Call, Failure> + Send + Sync>;

/// How long calls under way may go on after the client went away: longer than one waits for the
/// ledger's lock by default, so that what was begun is recorded whole.
const LAST_CALLS: Duration = Duration::from_secs(6);

/// Serves the tools that `actor` may call until the client closes stdin. `forms` says whether an
/// answered form is the user's word, `surface` what the host's model calls the tools, where the
/// client's name does not say it.
///
/// # Errors
/// The client speaks something else, or the system refuses what a server needs.
pub fn serve(
    actor: Actor,
    forms: bool,
    surface: Option<Surface>,
    open: Open,
) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let served = runtime.block_on(async {
        let listed = Arc::new(Listed::default());
        let server = Server {
            actor,
            forms,
            surface,
            open,
            readings: Readings::default(),
            sessions: Arc::default(),
            listed: listed.clone(),
            turns: Arc::default(),
        };
        let (stdin, stdout) = stdio();
        let running = server
            .serve(Client::new(stdin, stdout))
            .await
            .map_err(unopened)?;
        tokio::spawn(listed.clone().tell(running.peer().clone()));
        tokio::spawn(listed.look());
        running
            .waiting()
            .await
            .map_err(|error| Failure::internal(&error))
    });
    // The thread that reads stdin may sit there for as long as the client leaves it open.
    runtime.shutdown_timeout(LAST_CALLS);
    served.map(|_| ())
}

/// Nobody spoke the protocol: most likely a person started it to see what it does.
fn unopened(error: rmcp::service::ServerInitializeError) -> Failure {
    Failure::usage(
        format!("no session was opened: {error}"),
        "`goal mcp` is started by an agent host, which speaks the Model Context Protocol to it",
    )
}
