//! The loops of a project in a depot, as they are listed.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee_ledger::State;
use referee_ledger::key::{KeyId, PublicKey};
use referee_ledger::trust::{Role, TrustStore};
use referee_model::agent_checkpoint::AgentCheckpoint;
use referee_model::depot::CheckpointVersion;
use referee_model::id::ExecutionId;
use referee_model::loop_list::{CheckpointSummary, LoopEntry, LoopList, LoopStatus};
use referee_model::order_protocol::WorkerOrder;

use crate::agent_loop::open;
use crate::context::Context;
use crate::depot::DepotClient;
use crate::error::EngineError;

/// Time between two looks at the depot.
const PAUSE: Duration = Duration::from_secs(3);

/// Lists loops, and reads a checkpoint again only once it is another one.
#[derive(Debug)]
pub struct LoopBoard {
    context: Context,
    depot: DepotClient,
    /// State directory of the trust store.
    state: State,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    looked: Option<Instant>,
    /// The keys by which the checkpoints were verified.
    trusted: Vec<KeyId>,
    entries: BTreeMap<ExecutionId, (String, LoopEntry)>,
}

impl LoopBoard {
    /// Creates the board. Nothing is read yet.
    pub fn new(context: &Context, depot: DepotClient, state: State) -> Self {
        Self { context: context.clone(), depot, state, known: Mutex::default() }
    }

    /// Lists the loops, as they were at most a few seconds ago.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub fn list(&self) -> Result<LoopList, EngineError> {
        // Whoever else asks waits for the same look.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.looked.is_none_or(|looked| PAUSE <= looked.elapsed()) {
            self.look(&mut known)?;
            known.looked = Some(Instant::now());
        }
        let mut loops: Vec<LoopEntry> = known.entries.values().map(|(_, entry)| entry.clone()).collect();
        let renewed = |entry: &LoopEntry| entry.checkpoint.as_ref().map(|checkpoint| checkpoint.renewed_at);
        loops.sort_by(|one, other| (one.status, renewed(other)).cmp(&(other.status, renewed(one))));
        Ok(LoopList { loops })
    }

    fn look(&self, known: &mut Known) -> Result<(), EngineError> {
        let found = self.depot.checkpoints()?;
        let keys = TrustStore::read(&self.state)?.believed(Role::Runner, self.context.now());
        let trusted: Vec<KeyId> = keys.iter().map(PublicKey::id).collect();
        let mut before = std::mem::take(&mut known.entries);
        if known.trusted != trusted {
            before.clear();
        }
        for CheckpointVersion { run, version } in found {
            let entry = match before.remove(&run) {
                Some((last, entry)) if last == version => entry,
                _ => match self.depot.find_checkpoint(&run)? {
                    Ok(None) => continue,
                    Ok(Some(envelope)) => entry(&run, &envelope, &keys),
                    Err(failure) => unverified(&run, failure.message),
                },
            };
            known.entries.insert(run, (version, entry));
        }
        known.trusted = trusted;
        Ok(())
    }
}

fn entry(name: &ExecutionId, envelope: &str, keys: &[PublicKey]) -> LoopEntry {
    let (AgentCheckpoint { of, turn, is_ended, commit, taken_at, engine_version, .. }, signers) =
        match open(envelope, keys, name) {
            Ok(opened) => opened,
            Err(error) => return unverified(name, error.message),
        };
    if !of.is_named(name) {
        return unverified(name, format!("it is the checkpoint of {of}"));
    }
    let turn = turn.and_then(|request| match request.order {
        WorkerOrder::Turn(order) => Some(order.turn),
        WorkerOrder::Run(_) => None,
    });
    LoopEntry {
        name: name.clone(),
        status: if is_ended { LoopStatus::Ended } else { LoopStatus::Open },
        checkpoint: Some(CheckpointSummary { of, turn, renewed_at: taken_at, signers, commit, engine_version }),
        problem: None,
    }
}

fn unverified(name: &ExecutionId, problem: String) -> LoopEntry {
    LoopEntry { name: name.clone(), status: LoopStatus::Unverified, checkpoint: None, problem: Some(problem) }
}
