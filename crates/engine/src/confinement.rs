//! Confinement of a run's commands, and the facts recorded about it (design, "Evidence and trust").

use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_exec::private_home::CallerHome;
use referee_exec::sandbox::{self, Sandbox, WRITABLE_MAX};
use referee_exec::{Confines, ControlGroups, Host};
use referee_ledger::private_directory::PrivateDirectory;
use referee_model::plan::guard::Limits;
use referee_model::record::RunRecord;
use referee_model::run_context::Confinement;
use referee_model::run_context::confinement::{Enforcement, FileConfinement, Limit, Resource};
use referee_model::sandbox::SandboxMode;

use crate::error::EngineError;
use crate::request::{BlockReason, Placement, TaskRequest};
use crate::sandbox::Kernel;

/// The confinement of one run. Dropping it removes its temporary directory and control groups.
pub(crate) struct Confined {
    /// Host that commands are started in.
    pub(crate) world: Host,
    pub(crate) block: Option<BlockReason>,
    facts: Option<Confinement>,
    _directories: [Option<PrivateDirectory>; 2],
}

/// Sets up the confinement for the commands of a run.
///
/// # Errors
/// Fails if a private directory cannot be created.
pub(crate) fn confine(request: &TaskRequest<'_>) -> Result<Confined, EngineError> {
    let (mut world, mut block, mut private) = (request.run.exec.clone(), None, None);
    let limits = &request.plan.guard.limits;
    let is_asked_for = request.run.sandbox.mode != SandboxMode::Off && request.runs_here();
    let home = if request.block.is_none() { home(request, &mut world)? } else { None };
    if request.block.is_some() || (!is_asked_for && *limits == Limits::default()) {
        return Ok(Confined { world, block, facts: None, _directories: [private, home] });
    }
    let (files, writable) = match (&request.run.sandbox.kernel, request.run.state) {
        _ if !is_asked_for => (FileConfinement::NotAskedFor, Vec::new()),
        (Kernel::Missing { reason }, _) => (FileConfinement::Missing { reason: reason.clone() }, Vec::new()),
        (Kernel::Landlock { .. }, None) => {
            let reason = "there is no state directory for private temporary files: set REFEREE_STATE_DIR";
            (FileConfinement::Missing { reason: reason.to_owned() }, Vec::new())
        }
        (Kernel::Landlock { abi }, Some(state)) => {
            let directory = PrivateDirectory::make(state, &request.execution)?;
            let own = [Some(directory.path()), home.as_ref().map(PrivateDirectory::path)];
            let writable = places(request, state.path(), own.into_iter().flatten());
            let sandbox = Sandbox {
                abi: *abi,
                writable: writable.clone(),
                temporary: directory.path().to_owned(),
                is_required: request.run.sandbox.mode == SandboxMode::Require,
            };
            world.confines.sandbox = Some(Arc::new(sandbox));
            private = Some(directory);
            (FileConfinement::Landlock { abi: *abi }, writable)
        }
    };
    let is_missing = matches!(files, FileConfinement::Missing { .. });
    if is_missing && request.run.sandbox.mode == SandboxMode::Require {
        block = Some(BlockReason::NotConfined);
    } else if needs_groups(limits, &world.confines) {
        world.confines.groups = ControlGroups::find(&request.execution, limits).map(Arc::new);
    }
    let enforced = enforced(limits, world.confines.groups.as_deref());
    let shown = |path: PathBuf| path.to_string_lossy().into_owned();
    let writable = writable.into_iter().map(shown).collect();
    let facts = Some(Confinement { files, writable, limits: enforced });
    Ok(Confined { world, block, facts, _directories: [private, home] })
}

/// Creates a private home directory for a run in a clean room or a sandbox, or for an order, and points the environment to it.
/// `None`: commands use the caller's home.
fn home(request: &TaskRequest<'_>, world: &mut Host) -> Result<Option<PrivateDirectory>, EngineError> {
    let needs_home = match request.run.placement {
        Placement::Here => request.room().is_some() || request.run.sandbox.mode != SandboxMode::Off,
        Placement::Order => true,
        Placement::Fleet(_) => false,
    };
    let (Some(state), true) = (request.run.state, needs_home) else { return Ok(None) };
    let caller = CallerHome::of(&request.run.exec.environment);
    let home = PrivateDirectory::home(state, &request.plan.workspace, &caller.links())?;
    world.environment = caller.moved(home.path());
    world.confines.home = Some(home.path().into());
    Ok(Some(home))
}

impl Confined {
    /// Returns the host that the evaluator runs in. It is no check, and may need files of its user's home.
    pub(crate) fn evaluators_world(&self, request: &TaskRequest<'_>) -> Host {
        let mut world = Host { environment: request.run.exec.environment.clone(), ..self.world.clone() };
        world.confines.home = None;
        world
    }

    /// Adds the confinement of the commands, redacted, to the run header.
    pub(crate) fn tell(&self, run: &mut RunRecord, redact: &dyn Fn(&str) -> String) {
        let Some(mut facts) = self.facts.clone() else { return };
        for path in &mut facts.writable {
            *path = redact(path);
        }
        if let FileConfinement::Missing { reason } = &mut facts.files {
            *reason = redact(reason);
            let outcome = if self.block.is_some() { "nothing was run" } else { "commands could write anywhere" };
            run.notices
                .push(format!("commands were to be confined, and this machine cannot do it ({reason}): {outcome}"));
        }
        run.run_context.confinement = Some(facts);
    }
}

/// Returns the directories that commands may write to: the workspace, the run's own directories, and the caches
/// of tools.
fn places<'own>(request: &TaskRequest<'_>, state: &Path, own: impl Iterator<Item = &'own Path>) -> Vec<PathBuf> {
    let plan = request.plan;
    let caches = sandbox::writable(&request.run.exec.environment, &[state, &plan.workspace, &plan.evidence_root]);
    let own = own.map(Path::to_path_buf);
    std::iter::once(plan.workspace.clone()).chain(own).chain(caches).take(WRITABLE_MAX).collect()
}

/// Returns whether control groups are needed.
fn needs_groups(limits: &Limits, confines: &Confines) -> bool {
    confines.sandbox.is_some() || limits.processes.is_some() || limits.memory_bytes.is_some()
}

fn enforced(limits: &Limits, groups: Option<&ControlGroups>) -> Vec<Limit> {
    let by = |holds: bool| if holds { Enforcement::ControlGroup } else { Enforcement::Sampled };
    let rows = [
        (Resource::Processes, limits.processes, by(groups.is_some_and(ControlGroups::bounds_processes))),
        (Resource::Memory, limits.memory_bytes, by(groups.is_some_and(ControlGroups::bounds_memory))),
        (Resource::Output, limits.output_bytes, Enforcement::Counted),
    ];
    let limit = |(resource, value, enforced_by)| Some(Limit { resource, value: value?, enforced_by });
    rows.into_iter().filter_map(limit).collect()
}
