//! A run in a clean room: where it takes place, and how dependencies come into it (design, "Lock").

use std::ffi::OsStr;
use std::path::Path;

use referee_exec::git::Repository;
use referee_ledger::State;
use referee_ledger::clean_room::{Circumstance, Dependencies, Kept, Restored, Room, RoomError, key};
use referee_model::id::{Digest, WorkspacePath};
use referee_model::limit;
use referee_model::plan::Plan;
use referee_model::plan::guard::Setup;
use referee_model::record::{Executable, Host};
use referee_model::run_context::CleanRoom;
use referee_model::run_context::clean_room::{Provision, SetUp};
use referee_model::suite::Suite;
use referee_syntax::count::list;

/// Where the tasks of a specification run.
#[derive(Debug)]
pub enum Workspace {
    /// In the workspace itself.
    InPlace,
    /// In a tree that was built for them.
    CleanRoom(Box<ReadyRoom>),
    /// Nowhere: such a tree was asked for and could not be built.
    NoCleanRoom {
        /// Why not.
        reason: String,
    },
}

impl Workspace {
    /// The room, where the tasks run in one.
    pub(crate) fn room(&self) -> Option<&ReadyRoom> {
        match self {
            Self::CleanRoom(room) => Some(room),
            Self::InPlace | Self::NoCleanRoom { .. } => None,
        }
    }
}

/// Where a plan's evidence lies in a workspace. None: elsewhere.
pub(crate) fn evidence_within(plan: &Plan, workspace: &Path) -> Option<WorkspacePath> {
    WorkspacePath::parse(plan.evidence_root.strip_prefix(workspace).ok()?.to_str()?).ok()
}

/// A clean room with all that a run needs of it. It is removed when this is dropped.
#[derive(Debug)]
pub struct ReadyRoom {
    room: Room,
    setup: Option<SetUp>,
    /// Where what the set-up makes is kept, once it has succeeded, and by what. None: it is not to be kept.
    keeping: Option<(Dependencies, Digest)>,
    notes: Vec<String>,
}

/// Makes a room ready for the tasks of a specification that was loaded from it: their evidence goes to the candidate's
/// directory, and what their set-up makes is taken from an earlier run, or the set-up becomes their first prerequisite.
///
/// # Errors
/// Fails where the room or the state directory cannot be used.
pub fn make_ready(
    room: Room,
    suite: &mut Suite,
    state: &State,
    world: &referee_exec::Host,
    host: &Host,
) -> Result<ReadyRoom, RoomError> {
    for plan in &mut suite.tasks {
        if let Ok(below) = plan.evidence_root.strip_prefix(room.tree()) {
            plan.evidence_root = room.candidate().join(below);
        }
    }
    let mut ready = ReadyRoom { notes: room.notes().to_vec(), room, setup: None, keeping: None };
    // All tasks share the room, so one of them sets it up for all.
    let Some(plan) = suite.tasks.iter_mut().find(|plan| plan.guard.setup.is_some()) else { return Ok(ready) };
    let Some(setup) = plan.guard.setup.clone() else { return Ok(ready) };
    let provision = ready.provide(plan, &setup, state, world, host)?;
    if !matches!(provision, Provision::Cached { .. }) {
        plan.actions.insert(0, setup.action());
    }
    ready.setup = Some(SetUp { command: setup.command, provision });
    Ok(ready)
}

/// Puts a copy of the history into a room, so that tools can ask git; none where the workspace lies in no repository.
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

/// The programs that a set-up names, as far as they are there.
fn executables(plan: &Plan, setup: &Setup, world: &referee_exec::Host) -> Vec<Executable> {
    let alone = Plan { actions: vec![setup.action()], ..plan.clone() };
    referee_exec::programs(&alone, world).into_iter().filter_map(|programs| programs.found.ok()).flatten().collect()
}

impl ReadyRoom {
    /// The room.
    pub fn room(&self) -> &Room {
        &self.room
    }

    /// The room, to say that it is to be kept.
    pub fn room_mut(&mut self) -> &mut Room {
        &mut self.room
    }

    /// Finds out where dependencies come from, and puts those that are kept into the room.
    fn provide(
        &mut self,
        plan: &Plan,
        setup: &Setup,
        state: &State,
        world: &referee_exec::Host,
        host: &Host,
    ) -> Result<Provision, RoomError> {
        let circumstance = Circumstance {
            command: &setup.command,
            environment: &plan.environment,
            executables: &executables(plan, setup, world),
            platform: &host.platform,
            architecture: &host.architecture,
        };
        let Some(key) = key(&self.room, &circumstance)? else {
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

    /// Keeps what the set-up made, now that it has succeeded and nothing else has run. Returns why it cannot be kept.
    pub(crate) fn set_up(&self) -> Option<String> {
        let (dependencies, key) = self.keeping.as_ref()?;
        match dependencies.keep(key, &self.room) {
            Kept::Whole => None,
            Kept::Nothing { why } => Some(format!("what the set-up made is not kept for other runs: {why}")),
        }
    }

    /// Returns the facts of the room, for the run's header.
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

    /// Returns what a person must know of the room, one sentence each.
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
