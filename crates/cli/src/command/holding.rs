//! Work is held to a specification: the gate, the loop of an incident and the stages of a workflow do it in this one way.

use std::num::NonZeroUsize;
use std::sync::Arc;

use referee_engine::clean_room::Ground;
use referee_engine::gate::{self, Answered, GateRequest};
use referee_engine::protection::Baseline;
use referee_engine::protection_source;
use referee_engine::request::Listener;
use referee_engine::selection::Selection;
use referee_engine::suite::SuiteRequest;
use referee_exec::signal::Cancellation;
use referee_ledger::State;
use referee_ledger::attest::Signer;
use referee_model::suite::Suite;

use super::clean_room::{self, Entered, Protected};
use crate::args::holding::{Holding, Manner};
use crate::error::Problem;
use crate::resolve::World;

/// Who holds work to a specification, and how.
pub(super) struct Order<'order> {
    pub(super) world: &'order World,
    pub(super) holding: &'order Holding,
    pub(super) state: Option<&'order State>,
    /// The world as `exec` needs it; the time that there is for the answer began with it.
    pub(super) for_exec: referee_exec::Host,
    /// Why a lock need not know the specification, in a sentence. None: it must.
    pub(super) vouched: Option<&'order str>,
    pub(super) cancellation: &'order Cancellation,
}

/// A specification that is ready to be run.
pub(super) struct Ready<'order> {
    order: Order<'order>,
    /// As it is run: as it stands in the clean room, where there is one. Whoever narrows or moves it does that here.
    pub(super) suite: Suite,
    ground: Ground,
    signer: Option<Arc<Signer>>,
    protection: Option<Baseline>,
    selection: Selection,
}

impl<'order> Ready<'order> {
    /// Finds who signs, what protected files are held against, and where the checks run.
    ///
    /// # Errors
    /// Fails where the key, the commit or the clean room cannot be had, and where the specification in the room is wrong.
    pub(super) fn make(order: Order<'order>, suite: &Suite) -> Result<Self, Problem> {
        let Order { world, holding: Holding { manner, trusted }, state, .. } = order;
        let signer = manner.signing.options().signer(world, std::slice::from_ref(suite))?;
        // Held against all of the specification: that only part of it is run is no weaker specification.
        let mut protection = protection_source::baseline(world, suite, state, trusted.as_deref())?;
        if let Some(baseline) = &mut protection {
            baseline.vouch(order.vouched);
        }
        let protected = match protection.as_ref().filter(|_| manner.clean_room.clean_room) {
            Some(baseline) => clean_room::protected(baseline, suite)?,
            None => Protected::new(),
        };
        let Entered { suite, ground } = clean_room::enter(world, &manner.clean_room, suite, &protected, state, &[])?;
        Ok(Self { order, suite, ground, signer, protection, selection: Selection::default() })
    }

    /// What a person should look at about what the work is held against, a sentence each.
    pub(super) fn doubts(&self) -> Vec<String> {
        let all = self.protection.iter().flat_map(Baseline::all);
        all.filter_map(|baseline| baseline.doubt.clone()).collect()
    }

    /// Returns the run of all of it.
    ///
    /// # Errors
    /// Fails where the system has no random numbers.
    pub(super) fn run(&self) -> Result<SuiteRequest<'_>, Problem> {
        let Order { world, holding: Holding { manner, .. }, state, for_exec, cancellation, .. } = &self.order;
        let Manner { jobs, confinement, .. } = manner;
        Ok(SuiteRequest {
            suite: &self.suite,
            tasks: &[],
            selection: &self.selection,
            baseline: None,
            ground: &self.ground,
            state: *state,
            sandbox: super::run::sandboxing(confinement.sandbox),
            signer: self.signer.clone(),
            protection: self.protection.as_ref(),
            jobs: *jobs,
            processors: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            executions: self.suite.tasks.iter().map(|_| world.new_execution()).collect::<Result<_, _>>()?,
            world: for_exec.clone(),
            host: world.host(),
            cancellation,
        })
    }
}

/// Whether, and until when, the gate answers by what is there.
#[derive(Clone, Copy)]
pub(super) struct Asking {
    /// Whether a recorded verdict may answer.
    pub(super) reuse: bool,
    /// Milliseconds after which the answer must be there. None: as long as the checks take.
    pub(super) deadline_ms: Option<u64>,
}

/// Asks the gate about a run. A pass on another tree than the one that is there is none.
///
/// # Errors
/// As [`gate::ask`].
pub(super) fn ask(run: &SuiteRequest<'_>, asking: Asking, listener: &mut dyn Listener) -> Result<Answered, Problem> {
    let Asking { reuse, deadline_ms } = asking;
    let request = GateRequest { run: run.clone(), reuse, deadline_ms, held_out: None };
    let Answered { answer, grounds } = gate::ask(request, listener)?;
    let answer = gate::hold(run, &grounds, answer);
    Ok(Answered { answer, grounds })
}
