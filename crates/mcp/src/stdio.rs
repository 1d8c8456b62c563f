//! The server on standard streams, for the one client that started it.

use std::io;

use referee_engine::incident::Cancellation;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;

use crate::handler::Handler;
use crate::project::Project;
use crate::stop;

/// Serves until standard input is closed or the server is asked to stop, then waits for the run to end.
///
/// # Errors
/// Fails if no thread can be created, if the client does not speak the protocol, or if a run does not end in time.
pub fn serve(project: Project, signals: &Cancellation) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("mcp").build()?;
    let ended = runtime.block_on(async {
        let handler = Handler::new(project);
        let work = handler.work();
        let spoken = tokio::select! {
            spoken = speak(handler) => spoken,
            () = stop::requested(signals, 1) => Ok(()),
        };
        work.close(signals).await.and(spoken)
    });
    // A thread that still waits for standard input is abandoned.
    runtime.shutdown_background();
    ended
}

/// Answers until the client closes its end.
async fn speak(handler: Handler) -> io::Result<()> {
    let running = match handler.serve(stdio()).await {
        Ok(running) => running,
        // The client went away before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(io::Error::other(error.to_string())),
    };
    running.waiting().await.map(drop).map_err(io::Error::other)
}
