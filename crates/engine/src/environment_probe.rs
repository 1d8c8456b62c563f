//! The surroundings of a run's actions: observed before the first and after the last, and stored in the run
//! header (design, "Evidence and trust").

use referee_judge::role;
use referee_judge::waiver::Waivers;
use referee_ledger::Store;
use referee_model::id::Digest;
use referee_model::plan::{Action, Plan, Role, Work};
use referee_model::record::{RunEnding, RunRecord};
use referee_model::run_context::{RunContext, Waiver};
use referee_model::time::Timestamp;

use self::moment::Moment;
use crate::confinement::{self, Confined};
use crate::earlier_tests::{self, EarlierTests, Measure};
use crate::error::EngineError;
use crate::inputs::{Inputs, Seen};
use crate::protection::Observed;
use crate::request::{BlockReason, TaskRequest};
use crate::{reuse, signer};

mod moment;

/// Canonical name of the tool that runs the compiled tests in `target/test-classes`.
const MAVEN: &str = "maven";

/// Maximum number of compiled tests without sources that are listed.
const STALE_TESTS: usize = 20;

/// Observations made before the first action.
pub(crate) struct EnvironmentProbe<'run> {
    /// Confinement that commands are started in.
    pub(crate) confined: Confined,
    /// What keeps the task from running, from the request or the observations. `None`: it runs.
    pub(crate) block: Option<BlockReason>,
    /// The waivers as found before the run; later changes by an action do not count.
    waivers: &'run [Waiver],
    observed: Observed<'run>,
    inputs: Option<Inputs>,
    /// Why the inputs could not be observed. `None`: they were, or were not asked for.
    unread_inputs: Option<String>,
    earlier_tests: EarlierTests,
    notices: Vec<String>,
}

impl<'run> EnvironmentProbe<'run> {
    /// Makes the observations before the first action.
    pub(crate) fn before(
        request: &TaskRequest<'run>,
        store: &Store,
        judged_plan: &Plan,
        (waivers, started): (&'run [Waiver], Timestamp),
        redact: &dyn Fn(&str) -> String,
    ) -> Result<Self, EngineError> {
        let mut notices = Waivers::new(waivers, started).notices();
        let measure = Measure {
            baseline: request.run.protection.map(|baseline| &baseline.trusted),
            locked: request.run.protection.and_then(|baseline| baseline.lock.test_counts.get(&request.plan.task)),
        };
        let earlier_tests = earlier_tests::find(store, judged_plan, measure, request.run.state);
        let Moment { inputs, files } = Moment::look(request, request.block.is_none())?;
        let observed = Observed::before(request.run.protection, request.plan, &files, &request.run.exec, redact)?;
        let confined = confinement::confine(request)?;
        let waived = RunContext { waivers: waivers.to_vec(), ..RunContext::default() };
        let drifted = observed.hinders(&waived, started).then_some(BlockReason::ProtectedFilesDrifted);
        let block = request.block.clone().or(drifted).or_else(|| confined.block.clone());
        // If the task is blocked, nothing runs, so no inputs are observed.
        let inputs = inputs.filter(|_| block.is_none());
        let before = |listing| Inputs::before((request.plan, request.run.state), listing, &mut notices, redact);
        let (inputs, unread_inputs) = match inputs.map(before) {
            Some(Ok(inputs)) => (Some(inputs), None),
            Some(Err(why)) => (None, Some(why)),
            None => (None, None),
        };
        Ok(Self { confined, block, waivers, observed, inputs, unread_inputs, earlier_tests, notices })
    }

    /// Returns the digest of the inputs. `None`: not observed.
    pub(crate) fn inputs(&self) -> Option<Digest> {
        self.inputs.as_ref().map(Inputs::digest)
    }

    /// Returns why no earlier run of a worker may answer, by the rules for recorded verdicts. `None`: one may.
    pub(crate) fn obstacle_to_receipts(&self, request: &TaskRequest<'_>) -> Option<String> {
        if request.baseline().is_some() {
            return Some("the run is compared with a baseline of findings".to_owned());
        }
        if !self.waivers.is_empty() {
            return Some("there are waivers".to_owned());
        }
        if !request.selected.left_out.is_empty() || request.selected.scope.reduced {
            return Some("the run is reduced".to_owned());
        }
        reuse::never(request.plan).map(str::to_owned).or_else(|| self.inputs.as_ref()?.unshared())
    }

    /// Makes the observations after the last action, and adds all of them to the run header. A run whose inputs
    /// can no longer be observed has failed. Returns the confinement, which must live as long as commands may be
    /// started, and the observed inputs.
    pub(crate) fn after(
        self,
        request: &TaskRequest<'_>,
        run: &mut RunRecord,
        redact: &dyn Fn(&str) -> String,
    ) -> Result<(Confined, Option<Seen>), EngineError> {
        let Self { confined, waivers, observed, inputs, unread_inputs, earlier_tests, notices, .. } = self;
        run.notices.extend(notices);
        let moment = Moment::look(request, inputs.is_some())?;
        let mut ending = std::mem::replace(&mut run.ending, RunEnding::Finished);
        let (tree, seen) = inputs
            .zip(moment.inputs)
            .and_then(|(inputs, listing)| inputs.after(request.plan, listing, &mut ending, &mut run.notices, redact))
            .unzip();
        run.ending = ending;
        run.run_context = RunContext {
            tree,
            unread_inputs,
            waivers: waivers.to_vec(),
            protection: observed.after(request.plan, &moment.files, redact)?,
            clean_room: request.room().map(|room| room.facts(redact)),
            signer: signer::key(request.run.signer.as_deref()),
            stale_tests: stale_tests(request.plan, redact),
            ..RunContext::default()
        };
        run.notices.extend(of_room(request, redact));
        earlier_tests.stored(&mut run.run_context, &mut run.notices);
        // Where workers ran all commands, they say how.
        if confined.block.is_some() || request.runs_here() {
            confined.tell(run, redact);
        }
        Ok((confined, seen))
    }
}

/// Returns compiled tests without sources, if a check of the plan runs tests with Maven.
fn stale_tests(plan: &Plan, redact: &dyn Fn(&str) -> String) -> Vec<String> {
    let by_maven = |action: &Action| match &action.work {
        Work::Command(command) => {
            let told = role::tell(command);
            told.role == Role::Test && (told.tool.as_deref() == Some(MAVEN) || told.runners.contains(&MAVEN))
        }
        _ => false,
    };
    if !plan.actions.iter().any(by_maven) {
        return Vec::new();
    }
    let found = referee_ledger::stale_tests::find(&plan.workspace);
    found.iter().take(STALE_TESTS).map(|path| redact(path)).collect()
}

/// Returns the notices about the clean room, if one was requested.
fn of_room(request: &TaskRequest<'_>, redact: &dyn Fn(&str) -> String) -> Vec<String> {
    match (&request.block, request.room()) {
        (Some(BlockReason::NoCleanRoom { reason }), _) => {
            vec![redact(&format!("the clean room could not be built: {reason}"))]
        }
        (_, Some(room)) => room.notices(redact),
        (_, None) => Vec::new(),
    }
}
