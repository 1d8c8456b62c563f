//! Goes on with one loop: checks its commit out, prepares the directory, and starts Referee there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use referee_exec::git::Committer;
use referee_exec::program::Call;
use referee_exec::{Cancellation, environment};
use referee_ledger::key::PublicKey;
use referee_model::agent_checkpoint::AgentCheckpoint;
use referee_model::depot::CheckpointVersion;
use referee_model::id::Digest;
use referee_model::plan::Plan;
use referee_model::plan::guard::Setup;

use crate::agent_loop::open;
use crate::context::{Context, SpecificationNames};
use crate::depot::DepotClient;
use crate::error::EngineError;
use crate::event_sink::{Note, NoteSink};

/// Maximum size of a line that a program prints, in bytes.
const LINE_BYTES: u64 = 16 * 1024 * 1024;

/// A silent loop that this machine goes on with.
pub(super) struct SilentLoop {
    /// Its last checkpoint, as the depot calls it.
    pub(super) found: CheckpointVersion,
    pub(super) checkpoint: AgentCheckpoint,
    /// Digest of the signed checkpoint.
    pub(super) digest: Digest,
    /// The commit that the loop began with.
    pub(super) commit: String,
    /// Where it is checked out.
    pub(super) directory: PathBuf,
    /// What is typed to Referee there.
    pub(super) words: Vec<String>,
}

/// What became of a loop.
pub(super) enum TakeoverEnd {
    /// Its machine lives, or another one goes on with it.
    Elsewhere,
    /// Nobody goes on with it.
    Refused,
    /// This machine went on with it.
    Here {
        /// Exit code of Referee. `None`: a signal ended it.
        exit: Option<i32>,
        /// Whether the loop has ended.
        is_ended: bool,
    },
}

/// The machine that goes on with loops.
#[derive(Clone)]
pub(super) struct TakeoverGround<'run> {
    pub(super) context: &'run Context,
    pub(super) depot: &'run DepotClient,
    pub(super) committer: &'run Committer,
    /// The key with which this machine signs.
    pub(super) own: &'run PublicKey,
    /// Kills what runs.
    pub(super) stop: &'run Cancellation,
    pub(super) notes: NoteSink,
}

impl TakeoverGround<'_> {
    /// Goes on with a loop until it ends. Its worktree stays if this machine worked in it.
    ///
    /// # Errors
    /// Fails, before anything of the loop has changed, if the directory cannot be prepared.
    pub(super) fn take_over(&self, silent: &SilentLoop) -> Result<TakeoverEnd, EngineError> {
        let end = self.prepared(silent).and_then(|directory| self.go_on(silent, &directory));
        if !matches!(end, Ok(TakeoverEnd::Here { .. })) {
            // What cannot be removed is told when it is in the way.
            let _ = self.committer.remove_worktree(&silent.directory);
        }
        end
    }

    /// Checks out what the loop began with, and installs its dependencies. Returns the directory of the project there.
    fn prepared(&self, silent: &SilentLoop) -> Result<PathBuf, EngineError> {
        self.committer
            .add_worktree(&silent.directory, &silent.commit)
            .map_err(|error| EngineError::refused(error.to_string()))?;
        let directory = silent.directory.join(self.committer.workspace());
        let there = Context { directory: directory.clone(), ..self.context.clone() };
        let names = SpecificationNames { files: Vec::new(), workspace: None };
        let suite = there.load_single(&names, "several specifications are there", &mut self.notes.clone())?;
        if suite.specification.digest != silent.checkpoint.specification_sha256 {
            let (of, commit) = (&silent.checkpoint.of, &silent.commit);
            return Err(EngineError::refused(format!("the specification of {of} is not that of commit {commit}")));
        }
        if let Some((plan, setup)) = suite.tasks.iter().find_map(|plan| Some((plan, plan.guard.setup.as_ref()?))) {
            self.install(silent, plan, setup)?;
        }
        Ok(directory)
    }

    fn install(&self, silent: &SilentLoop, plan: &Plan, setup: &Setup) -> Result<(), EngineError> {
        let execution = self.context.new_execution()?;
        let (caller, own) = (&self.context.environment, BTreeMap::new());
        let selected = environment::select(caller, &plan.environment, &own, &execution, &Setup::id(), &plan.workspace);
        let call = Call {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), setup.command.clone().into()],
            directory: plan.workspace.clone(),
            environment: selected.variables.into_iter().collect(),
            input: Vec::new(),
            bound: Duration::from_millis(setup.timeout_ms),
            output_bytes: LINE_BYTES,
        };
        match self.follow(silent, &call)? {
            Some(0) => Ok(()),
            _ => Err(EngineError::refused(format!("`setup` failed: {}", setup.command))),
        }
    }

    fn go_on(&self, silent: &SilentLoop, directory: &Path) -> Result<TakeoverEnd, EngineError> {
        // To prepare the directory may have taken long.
        if !self.depot.checkpoints()?.contains(&silent.found) {
            return Ok(TakeoverEnd::Elsewhere);
        }
        let call = Call {
            program: self.context.for_exec()?.shim,
            arguments: silent.words.iter().map(Into::into).collect(),
            directory: directory.to_path_buf(),
            environment: self.context.environment.clone(),
            input: Vec::new(),
            bound: Duration::MAX,
            output_bytes: LINE_BYTES,
        };
        let exit = self.follow(silent, &call)?;
        let last = match self.depot.find_checkpoint(&silent.found.run) {
            Ok(Ok(Some(last))) => last,
            Ok(_) => return Ok(TakeoverEnd::Elsewhere),
            // Nobody knows, and the work may be here.
            Err(_) => return Ok(TakeoverEnd::Here { exit, is_ended: false }),
        };
        if Digest::of(&last) == silent.digest {
            return Ok(TakeoverEnd::Refused);
        }
        // One that this machine put has its signature.
        let own = open(&last, std::slice::from_ref(self.own), &silent.checkpoint.of);
        Ok(own.map_or(TakeoverEnd::Elsewhere, |(last, _)| TakeoverEnd::Here { exit, is_ended: last.is_ended }))
    }

    /// Runs a program, and tells what it prints. Returns its exit code.
    fn follow(&self, silent: &SilentLoop, call: &Call) -> Result<Option<i32>, EngineError> {
        let of = &silent.checkpoint.of;
        let mut each = |line: &[u8]| (self.notes)(&Note::Text(format!("{of}: {}", String::from_utf8_lossy(line))));
        call.follow_all(self.stop, &mut each).map_err(EngineError::internal)
    }
}
