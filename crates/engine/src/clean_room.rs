//! A run in a clean room: the tree it runs in, and how its dependencies are provided (design, "Lock").

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use referee_exec::git::Repository;
use referee_ledger::State;
use referee_ledger::clean_room::{Circumstance, Dependencies, Kept, Restored, Room, RoomError, TreeScope, key};
use referee_model::id::{Digest, WorkspacePath};
use referee_model::limit;
use referee_model::plan::Plan;
use referee_model::plan::guard::Setup;
use referee_model::record::{Executable, Host};
use referee_model::run_context::CleanRoom;
use referee_model::run_context::clean_room::{Provision, SetUp};
use referee_model::suite::Suite;
use referee_syntax::count::list;

/// The tree that the tasks of a specification run in.
#[derive(Debug)]
pub enum Workspace {
    /// The workspace directory itself.
    InPlace,
    /// A separate tree that was built for the tasks.
    CleanRoom(Box<ReadyRoom>),
    /// No tree: a clean room was requested and could not be built.
    NoCleanRoom {
        /// Why the clean room could not be built.
        reason: String,
    },
}

impl Workspace {
    /// Returns the clean room, if the tasks run in one.
    pub(crate) fn room(&self) -> Option<&ReadyRoom> {
        match self {
            Self::CleanRoom(room) => Some(room),
            Self::InPlace | Self::NoCleanRoom { .. } => None,
        }
    }
}

/// Returns the path of a plan's evidence root below the workspace. `None`: it lies elsewhere.
pub(crate) fn evidence_within(plan: &Plan, workspace: &Path) -> Option<WorkspacePath> {
    WorkspacePath::parse(plan.evidence_root.strip_prefix(workspace).ok()?.to_str()?).ok()
}

/// Returns the evidence root of a project with these tasks.
pub(crate) fn evidence_root(tasks: &[Plan], workspace: &Path) -> PathBuf {
    let of_task = tasks.first().map(|plan| plan.evidence_root.clone());
    of_task.unwrap_or_else(|| workspace.join("evidence"))
}

/// Returns what of a workspace is left out of what is copied: evidence, and what checks write.
pub(crate) fn scope(tasks: &[Plan], workspace: &Path) -> TreeScope {
    let mut excluded: Vec<WorkspacePath> = tasks.iter().filter_map(|plan| evidence_within(plan, workspace)).collect();
    let mut outputs: Vec<String> = tasks.iter().flat_map(|plan| plan.guard.outputs.iter().cloned()).collect();
    excluded.dedup();
    outputs.dedup();
    TreeScope { excluded, outputs, known: Vec::new() }
}

/// A clean room, ready for a run. Dropping it removes the room.
#[derive(Debug)]
pub struct ReadyRoom {
    room: Room,
    setup: Option<SetUp>,
    /// Cache for the dependencies that the set-up installs, and their cache key; used after the set-up
    /// succeeded. `None`: they are not cached.
    keeping: Option<(Dependencies, Digest)>,
    notes: Vec<String>,
}

/// Prepares a room for the tasks of a specification that was loaded from it: their evidence goes to the
/// candidate's directory, and their dependencies come from the cache of an earlier run, or the set-up becomes
/// the first prerequisite.
///
/// # Errors
/// Fails if the room or the state directory cannot be used.
pub fn make_ready(
    room: Room,
    suite: &mut Suite,
    state: &State,
    world: &referee_exec::Host,
    host: &Host,
) -> Result<ReadyRoom, RoomError> {
    let mut ready = ReadyRoom { notes: room.notes().to_vec(), room, setup: None, keeping: None };
    ready.keep_evidence(suite);
    // All tasks share the room, so one of them runs the set-up for all.
    let Some(plan) = suite.tasks.iter_mut().find(|plan| plan.guard.setup.is_some()) else { return Ok(ready) };
    let Some(setup) = plan.guard.setup.clone() else { return Ok(ready) };
    let provision = ready.provide(plan, &setup, state, world, host)?;
    if !matches!(provision, Provision::Cached { .. }) {
        plan.actions.insert(0, setup.action());
    }
    ready.setup = Some(SetUp { command: setup.command, provision });
    Ok(ready)
}

/// Prepares a room whose files are sent to workers. Evidence goes to the candidate's directory, and the set-up is the first
/// prerequisite of every task. No dependencies are cached, because they are installed elsewhere.
pub(crate) fn make_ready_to_send(
    room: Room,
    suite: &mut Suite,
    world: &referee_exec::Host,
    host: &Host,
) -> Result<ReadyRoom, RoomError> {
    let mut ready = ReadyRoom { notes: room.notes().to_vec(), room, setup: None, keeping: None };
    ready.keep_evidence(suite);
    let plan = suite.tasks.iter().find_map(|plan| Some((plan, plan.guard.setup.clone()?)));
    if let Some((plan, setup)) = plan {
        let provision = match ready.key(plan, &setup, world, host)? {
            Some(key) => Provision::Installed { key },
            None => Provision::InstalledWithoutLockFile,
        };
        ready.setup = Some(SetUp { command: setup.command, provision });
    }
    suite.tasks.iter_mut().for_each(always_set_up);
    Ok(ready)
}

/// Makes the set-up of a task its first prerequisite: a worker performs each task in a tree of its own, which holds no
/// dependencies of an earlier run.
pub(crate) fn always_set_up(plan: &mut Plan) {
    if let Some(setup) = plan.guard.setup.clone() {
        plan.actions.insert(0, setup.action());
    }
}

/// Copies the git history into a room, so that tools can ask git. Does nothing if the workspace is in no repository.
pub(crate) fn give_history(room: &mut Room, search_path: Option<&OsStr>) -> Result<(), String> {
    let workspace = room.candidate();
    let repository = match Repository::open(workspace, search_path) {
        Ok(repository) => repository,
        Err(_) if !workspace.join(".git").exists() => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    let directory = room.make_history().map_err(|error| error.to_string())?;
    let history = repository.copy_history(&directory, room.tree()).map_err(|error| error.to_string())?;
    room.take_history(&history.shallow).map_err(|error| error.to_string())
}

/// Returns the programs that a set-up command names, as far as they are installed.
fn executables(plan: &Plan, setup: &Setup, world: &referee_exec::Host) -> Vec<Executable> {
    let alone = Plan { actions: vec![setup.action()], ..plan.clone() };
    referee_exec::programs(&alone, world).into_iter().filter_map(|programs| programs.found.ok()).flatten().collect()
}

impl ReadyRoom {
    /// Returns the room.
    pub fn room(&self) -> &Room {
        &self.room
    }

    /// Returns the room mutably, for example to mark it as one to keep.
    pub fn room_mut(&mut self) -> &mut Room {
        &mut self.room
    }

    /// Has the evidence of tasks that were loaded from the room go to the candidate's directory.
    fn keep_evidence(&self, suite: &mut Suite) {
        for plan in &mut suite.tasks {
            if let Ok(below) = plan.evidence_root.strip_prefix(self.room.tree()) {
                plan.evidence_root = self.room.candidate().join(below);
            }
        }
    }

    /// Returns the cache key of what a set-up installs. `None`: there is no lock file.
    fn key(
        &self,
        plan: &Plan,
        setup: &Setup,
        world: &referee_exec::Host,
        host: &Host,
    ) -> Result<Option<Digest>, RoomError> {
        let circumstance = Circumstance {
            command: &setup.command,
            environment: &plan.environment,
            executables: &executables(plan, setup, world),
            platform: &host.platform,
            architecture: &host.architecture,
        };
        key(&self.room, &circumstance)
    }

    /// Determines where the dependencies come from, and copies cached ones into the room.
    fn provide(
        &mut self,
        plan: &Plan,
        setup: &Setup,
        state: &State,
        world: &referee_exec::Host,
        host: &Host,
    ) -> Result<Provision, RoomError> {
        let Some(key) = self.key(plan, setup, world, host)? else {
            self.notes.push("there is no lock file, so what the set-up makes is not kept for other runs".to_owned());
            return Ok(Provision::InstalledWithoutLockFile);
        };
        let dependencies = Dependencies::of(state, self.room.candidate())?;
        match dependencies.restore(&key, &self.room) {
            Restored::Whole => return Ok(Provision::Cached { key }),
            Restored::Nothing => {}
            Restored::Unusable { why } => {
                self.notes.push(format!("what was kept of an earlier set-up cannot be used, so it runs again: {why}"));
            }
        }
        self.keeping = Some((dependencies, key));
        Ok(Provision::Installed { key })
    }

    /// Caches the dependencies, right after the set-up succeeded and before anything else ran. Returns why they
    /// cannot be cached.
    pub(crate) fn set_up(&self) -> Option<String> {
        let (dependencies, key) = self.keeping.as_ref()?;
        match dependencies.keep(key, &self.room) {
            Kept::Whole => None,
            Kept::Nothing { why } => Some(format!("what the set-up made is not kept for other runs: {why}")),
        }
    }

    /// Returns the facts about the room for the run header.
    pub(crate) fn facts(&self, redact: &dyn Fn(&str) -> String) -> CleanRoom {
        let restored = self.room.restored().iter().take(limit::ROOM_RESTORED_LISTED);
        CleanRoom {
            candidate: redact(&self.room.candidate().to_string_lossy()),
            files: self.room.files(),
            restored: restored.map(|path| redact(path.as_str())).collect(),
            setup: self
                .setup
                .as_ref()
                .map(|setup| SetUp { command: redact(&setup.command), provision: setup.provision }),
        }
    }

    /// Returns the notices about the room for a person, one sentence each.
    pub(crate) fn notices(&self, redact: &dyn Fn(&str) -> String) -> Vec<String> {
        let mut notices = vec![format!("it ran in a clean room, built of {} files", self.room.files())];
        let restored = self.room.restored();
        if !restored.is_empty() {
            notices.push(format!(
                "protected files were taken from the baseline, where the candidate has them otherwise: {}",
                list(restored.iter().map(WorkspacePath::as_str), limit::ROOM_RESTORED_LISTED)
            ));
        }
        if let Some(SetUp { provision: Provision::Cached { .. }, .. }) = self.setup {
            notices.push("its set-up did not run: what it makes was kept of an earlier run".to_owned());
        }
        notices.extend(self.notes.iter().cloned());
        notices.iter().map(|notice| redact(notice)).collect()
    }
}
