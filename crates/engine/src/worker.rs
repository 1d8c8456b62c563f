//! A worker (design, "Fleet"): the program that speaks with the queue of orders, which starts this one for each of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::context::Context;
use crate::depot::{self, DepotClient};
use crate::error::{EngineError, ErrorKind};
use crate::event_sink::{EventSink, Note};
use crate::keys::{self, SigningOptions};
use referee_exec::program::Call;
use referee_exec::signal::Cancellation;
use referee_exec::sweep_orphans;
use referee_ledger::State;
use referee_ledger::attest::{self, Signer};
use referee_ledger::order_room::OrderRoom;
use referee_model::depot::DepotFailureKind;
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::order_protocol::WorkRequest;
use referee_model::run_order::OrderOutcome;
use referee_model::sandbox::SandboxMode;
use referee_model::tree_manifest::{ContentLink, TreeManifest};

mod authorization;
mod perform;
mod turn;

pub use self::perform::perform;

/// Puts the program that asks the queue for orders in the place of this process, after removing what performances that died
/// have left: their processes, then their rooms. Returns only if it cannot be started.
pub fn start(context: &Context, request: &WorkRequest) -> EngineError {
    let call = match call(context, request) {
        Ok(call) => call,
        Err(error) => return error,
    };
    let error = call.replace();
    EngineError::new(ErrorKind::Internal, format!("{} cannot be started: {error}", call.program.display()))
}

fn call(context: &Context, request: &WorkRequest) -> Result<Call, EngineError> {
    let program = depot::program(context)?;
    OrderRoom::remove_leftovers(&state(context)?, &mut |run| drop(sweep_orphans(run)))?;
    Ok(Call {
        program,
        arguments: vec!["work".into()],
        directory: context.directory.clone(),
        // It performs the checks of orders, which get of it what they get of `referee run`.
        environment: context.environment.clone(),
        input: serde_json::to_vec(request)?,
        bound: Duration::MAX,
        output_bytes: u64::MAX,
    })
}

/// Returns the state directory, in which a worker performs orders.
fn state(context: &Context) -> Result<State, EngineError> {
    let nowhere = "a worker performs orders in the state directory, and there is none: set REFEREE_STATE_DIR or HOME";
    context.state([])?.ok_or_else(|| EngineError::usage(nowhere.to_owned()))
}

/// Returns the key of a machine that works for others, as it is named to the program that does the work: the given one, that of
/// the environment, or `key.pem` in the directory for the user's own keys.
///
/// # Errors
/// Fails if there is none, and if it cannot be used.
pub fn key(context: &Context, given: Option<&Path>) -> Result<PathBuf, EngineError> {
    let options = SigningOptions { key: given.map(Path::to_path_buf), key_fd: None };
    let default = || {
        let path = keys::configuration_directory(context)?.join("key.pem");
        path.is_file().then_some(path)
    };
    let key = options.named(context).or_else(default).ok_or_else(|| {
        EngineError::usage(
            "what is performed for other machines is signed, and there is no key: create one with `referee key new`, or name \
             one with --key"
                .to_owned(),
        )
    })?;
    keys::named(context, &key, &[])?;
    Ok(if keys::is_of_agent(&key) { key } else { context.directory.join(key) })
}

/// Who performs orders.
#[derive(Clone, Copy)]
pub struct OrderWork<'work> {
    /// Environment and clock of the program.
    pub context: &'work Context,
    /// Signs runs, and that they answer an order.
    pub signer: &'work Arc<Signer>,
    /// Signals a request to stop.
    pub cancellation: &'work Cancellation,
    /// Whether only orders are performed that somebody signed whom this machine trusts as a runner.
    pub signed_only: bool,
    /// Whether turns of agents are performed, for whoever is trusted so.
    pub runs_agents: bool,
    /// Whether commands are confined at least.
    pub sandbox: SandboxMode,
    /// Paths that no environment variable of an agent may refer to.
    pub secrets: &'work [PathBuf],
}

/// Fetches a tree, and returns its manifest. The answer is that to the order if no worker can.
fn fetched(
    depot: &DepotClient,
    tree: ContentLink,
    into: &Path,
) -> Result<Result<TreeManifest, OrderOutcome>, EngineError> {
    match depot.fetch_tree(tree, into, limit::ORDER_FETCHED_BYTES)? {
        Ok(manifest) => Ok(Ok(manifest)),
        Err(failure) => match failure.kind {
            DepotFailureKind::Missing | DepotFailureKind::Corrupt | DepotFailureKind::TooLarge => {
                Ok(Err(refused(depot.error(&failure).message)))
            }
            _ => Err(depot.error(&failure)),
        },
    }
}

/// Returns the answer to an order: what it came to, signed. The depot keeps it for who asks later.
fn answered(
    work: OrderWork<'_>,
    (order, depot): (Digest, &DepotClient),
    (payload_type, payload): (&str, &[u8]),
    events: &mut dyn EventSink,
) -> Result<OrderOutcome, EngineError> {
    let envelope = attest::sign(payload_type, payload, work.signer)?;
    let result = String::from_utf8(envelope).map_err(EngineError::internal)?;
    // The answer stands without it.
    if let Err(error) = depot.put_receipt(order, result.clone()) {
        let note = format!("the result answers nobody who asks later: {}", error.message);
        events.on_note(&Note::Text(note));
    }
    Ok(OrderOutcome::Performed { result })
}

fn refused(reason: String) -> OrderOutcome {
    OrderOutcome::Refused { reason }
}

#[cfg(test)]
mod tests;
