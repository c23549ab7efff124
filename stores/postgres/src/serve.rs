//! The helper: answers one request after the other until stdin ends.

use std::time::Duration;

use serde::Serialize;
use tokio::time::timeout;

use crate::failure::{Code, Failure};
use crate::output::Output;
use crate::protocol::{CAN, Request, VERSION, parse};
use crate::requests::Requests;
use crate::session::Session;
use crate::{append, begin, leases, ledgers, watch};

#[derive(Serialize)]
struct Hello {
    ok: bool,
    version: u32,
    name: &'static str,
    can: [&'static str; 3],
}

/// The last line of an answer that only has an end.
#[derive(Serialize)]
struct End {
    ok: bool,
    end: u64,
}

/// A session of a host can be silent for hours, and the server has so many connections and no more.
const REST: Duration = Duration::from_secs(60);

pub async fn serve() -> Result<(), Failure> {
    let mut requests = Requests::of_stdin();
    let mut output = Output::new();
    let mut session = Session::default();
    loop {
        let line = match timeout(REST, requests.next()).await {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(_) => {
                session.rest();
                continue;
            }
        };
        if line.trim().is_empty() {
            continue;
        }
        let answered = match parse(&line) {
            Ok(request) => answer(request, &mut session, &mut requests, &mut output).await,
            Err(failure) => Err(failure),
        };
        if let Err(failure) = answered {
            // If nobody reads stdout, this fails too and ends the program.
            output.error(&failure)?;
        }
    }
    // The server rolls back an open turn when its connection closes.
    Ok(())
}

async fn answer(
    request: Request,
    session: &mut Session,
    requests: &mut Requests,
    output: &mut Output,
) -> Result<(), Failure> {
    match request {
        Request::Hello { versions } => {
            if !versions.contains(&VERSION) {
                let message = format!("this program speaks version {VERSION} of the protocol");
                return Err(Failure::new(Code::Unsupported, message));
            }
            session.connect_ahead();
            output.last(&Hello {
                ok: true,
                version: VERSION,
                name: "postgres",
                can: CAN,
            })
        }
        Request::Begin {
            ledger,
            from,
            wait_ms,
        } => begin::begin(session, output, &ledger, from, wait_ms).await,
        Request::Append {
            after,
            lines,
            lease,
        } => {
            let end = append::append(session, after, &lines, lease.as_ref()).await?;
            output.last(&End { ok: true, end })
        }
        Request::Watch {
            ledger,
            from,
            wait_ms,
        } => watch::watch(session, requests, output, &ledger, from, wait_ms).await,
        Request::Create { ledger } => ledgers::create(session, output, &ledger).await,
        Request::Ledgers => ledgers::list(session, output).await,
        Request::Lease(lease) => leases::lease(session, output, &lease).await,
    }
}
