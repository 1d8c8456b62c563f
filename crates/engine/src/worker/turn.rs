//! Performs a turn of an agent: in the workspace that was sent, which is sent back.

use std::ffi::OsString;

use referee_exec::Host;
use referee_ledger::clean_room::{self, TreeScope};
use referee_ledger::order_room::OrderRoom;
use referee_ledger::private_directory;
use referee_model::id::{Digest, ExecutionId};
use referee_model::limit;
use referee_model::run_order::OrderOutcome;
use referee_model::tree_manifest::{ContentLink, TreeManifest};
use referee_model::turn_order::{HANDED_TURN, HandedTurn, OUTPUT, RESULT_TYPE, TurnOrder, TurnOrderResult};

use super::{OrderWork, answered, fetched, refused};
use crate::agent_loop::{Agent, AgentRunner, AgentTurn, TurnEnd};
use crate::depot::{self, DepotClient};
use crate::error::EngineError;
use crate::event_sink::EventSink;

/// Maximum size of the description of a turn, in bytes.
const HANDED_BYTES: u64 = 64 * 1024 * 1024;

/// Number of digits of the order's digest in the name by which processes of the turn are recognized.
const NAME_DIGITS: usize = 24;

/// Runs a turn whose workspace was fetched to the room. `None`: it was interrupted.
pub(super) fn perform(
    work: OrderWork<'_>,
    (order, digest, attempt): (&TurnOrder, Digest, u32),
    (room, before): (&OrderRoom, &TreeManifest),
    depot: &DepotClient,
    events: &mut dyn EventSink,
) -> Result<Option<OrderOutcome>, EngineError> {
    if let Err(refused) = fetched(depot, order.handed, &room.handed())? {
        return Ok(Some(refused));
    }
    let handed = private_directory::read(&room.handed(), HANDED_TURN, HANDED_BYTES)?;
    let handed = match HandedTurn::decode(&handed.unwrap_or_default()) {
        Ok(handed) => handed,
        Err(error) => return Ok(Some(refused(format!("{HANDED_TURN} cannot be read: {error}")))),
    };
    // Not the name of the loop, by which whoever asked may look for its processes on this same machine.
    let name: String = digest.to_string().chars().take(NAME_DIGITS).collect();
    let name = format!("turn-{name}");
    room.begin(&ExecutionId::parse(format!("exec-{name}")).map_err(EngineError::internal)?)?;
    let left = run(work, (order, name), &handed, room)?;
    if !work.cancellation.requests().is_empty() {
        return Ok(None);
    }
    let known = before.files.iter().map(|file| file.path.clone()).collect();
    let scope = TreeScope { excluded: handed.excluded, outputs: handed.outputs, known };
    let tree = match clean_room::manifest(&room.tree(), &scope) {
        Ok(manifest) => depot.put_tree(&room.tree(), manifest)?,
        Err(error) => return Ok(Some(refused(format!("what the agent left cannot be sent back: {error}")))),
    };
    let result = TurnOrderResult {
        order: digest,
        attempt,
        tree,
        output: store_output(&left, room, depot)?,
        ending: left.end.ending,
        started: left.end.started,
        ended: left.end.ended,
        leaked: left.end.leaked,
    };
    answered(work, (digest, depot), (RESULT_TYPE, &result.encode()?), events).map(Some)
}

fn run(
    work: OrderWork<'_>,
    (order, name): (&TurnOrder, String),
    handed: &HandedTurn,
    room: &OrderRoom,
) -> Result<TurnEnd, EngineError> {
    let state = room.state()?;
    let host = work.context.for_exec()?;
    let is_of_depot = |name: &OsString| depot::VARIABLES.iter().any(|variable| name == variable);
    let environment = host.environment.iter().filter(|(name, _)| !is_of_depot(name)).cloned().collect();
    let host = Host { environment, ..host };
    let directory = room.tree();
    let redactor = work.context.redactor();
    let runner = AgentRunner::new(name, &directory, (&host, &state), redactor, work.cancellation)
        .map_err(EngineError::internal)?;
    let agent = Agent {
        command: handed.command.clone(),
        timeout: order.timeout_ms,
        secrets: work.secrets.to_vec(),
        live: None,
        workers: None,
    };
    let files = handed.files.iter().map(|(name, path)| {
        let path = room.handed().join(path.as_str());
        (OsString::from(name), path.into_os_string())
    });
    let values = handed.variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let turn = AgentTurn {
        number: order.turn,
        argv: &agent.command,
        variables: values.chain(files).collect(),
        input: handed.input.as_bytes(),
        timeout: order.timeout_ms.min(limit::ACTION_DEADLINE_MS_MAX),
    };
    runner.run_here(&agent, turn).map_err(EngineError::internal)
}

/// Stores what the agent printed, as far as it was kept.
fn store_output(left: &TurnEnd, room: &OrderRoom, depot: &DepotClient) -> Result<ContentLink, EngineError> {
    let output = room.output();
    for (name, kept) in OUTPUT.iter().zip([&left.stdout, &left.stderr]) {
        private_directory::write(&output, name, kept.lines().as_bytes())?;
    }
    let manifest = clean_room::manifest(&output, &TreeScope::default()).map_err(EngineError::internal)?;
    depot.put_tree(&output, manifest)
}
