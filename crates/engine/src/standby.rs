//! A machine that stands by for a project: it goes on with every loop whose machine is gone, each in a worktree of its own.
//!
//! What it does about a loop is what a person would type there: `referee agent run --resume`, or `referee incident run`, with
//! `--from`. These decide whether this machine may go on, and with what.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use referee_exec::Cancellation;
use referee_exec::git::Committer;
use referee_ledger::attest::Signer;
use referee_model::agent_checkpoint::AgentLoopId;
use referee_model::id::ProjectName;

pub use self::loop_board::LoopBoard;
use self::roster::LoopRoster;
use self::takeover::TakeoverGround;
use crate::context::Context;
use crate::depot::DepotClient;
use crate::error::EngineError;
use crate::event_sink::{Note, NoteSink};
use crate::path::straight;

mod loop_board;
mod roster;
mod silence;
mod takeover;

/// Time between two looks at the depot.
const LOOK: Duration = Duration::from_secs(5);

/// Longest time until a request to stop, or the end of a loop, is noticed.
const PAUSE: Duration = Duration::from_millis(200);

/// The signal with which what runs is stopped.
const SIGTERM: i32 = 15;

/// Returns what is typed to Referee to go on with a loop, or why it cannot.
pub type LoopWords<'run> = dyn Fn(&AgentLoopId, &ProjectName) -> Result<Vec<String>, String> + 'run;

/// A machine that stands by for the loops of a project.
pub struct ProjectStandby<'run> {
    /// The context of the call, in the project.
    pub context: &'run Context,
    /// The project, in the depot that has its checkpoints.
    pub depot: DepotClient,
    /// The key that signs the next checkpoints.
    pub signer: &'run Signer,
    /// Time without a renewal after which a machine is gone, in milliseconds.
    pub silence_ms: u64,
    /// Maximum number of loops at once.
    pub jobs: NonZeroUsize,
    /// Directory of the worktrees. `None`: one beside the repository.
    pub worktrees: Option<PathBuf>,
    /// How a loop goes on.
    pub words: &'run LoopWords<'run>,
    /// The first request ends the watch, once the loops at hand have ended; the second one leaves these to other machines.
    pub cancellation: &'run Cancellation,
    /// Receives notes, and what the loops print.
    pub notes: NoteSink,
}

impl ProjectStandby<'_> {
    /// Stands by until a request to stop. Returns whether the loops at hand had ended then.
    ///
    /// # Errors
    /// Fails, before it stands by, if there is no state directory, no repository, or no place for worktrees.
    pub fn watch(&self) -> Result<bool, EngineError> {
        let context = self.context;
        let state = context.state([context.directory.as_path()])?.ok_or_else(|| {
            EngineError::usage("loops are kept in the state directory: set REFEREE_STATE_DIR, or HOME".to_owned())
        })?;
        let committer = Committer::open(&context.directory, &context.environment)
            .map_err(|error| EngineError::usage(format!("loops go on in worktrees of a repository: {error}")))?;
        let worktrees = self.worktrees(committer.root())?;
        let stop = Cancellation::new().map_err(EngineError::internal)?;
        let ground = TakeoverGround {
            context,
            depot: &self.depot,
            committer: &committer,
            own: self.signer.public(),
            stop: &stop,
            notes: self.notes.clone(),
        };
        let (project, address, seconds) = (self.depot.project(), self.depot.address(), self.silence_ms / 1000);
        self.tell(format!(
            "standing by for the loops of {project} in {address}: each is taken over when it is silent for {seconds} s"
        ));
        let (ends, ended) = mpsc::channel();
        let mut roster = LoopRoster::new(self, (state, worktrees));
        thread::scope(|scope| {
            let mut looked: Option<Instant> = None;
            loop {
                for end in ended.try_iter() {
                    roster.end(end);
                }
                let requests = self.cancellation.level();
                if requests > 1 && stop.level() == 0 {
                    stop.request(SIGTERM);
                }
                if requests > 0 && roster.is_idle() {
                    return Ok(requests == 1);
                }
                if requests == 0 && looked.is_none_or(|looked| LOOK <= looked.elapsed()) {
                    for silent in roster.look() {
                        let (ground, ends) = (ground.clone(), ends.clone());
                        scope.spawn(move || {
                            let end = ground.take_over(&silent);
                            // Whoever receives it waits for all.
                            ends.send((silent, end)).is_ok()
                        });
                    }
                    looked = Some(Instant::now());
                }
                thread::sleep(PAUSE);
            }
        })
    }

    /// Returns the directory of the worktrees.
    fn worktrees(&self, root: &Path) -> Result<PathBuf, EngineError> {
        let beside = || {
            let name = root.file_name().unwrap_or_default().to_string_lossy();
            root.with_file_name(format!("{name}.loops"))
        };
        let named = self.worktrees.as_ref().map(|directory| straight(&self.context.directory.join(directory)));
        let worktrees = named.unwrap_or_else(beside);
        if worktrees.starts_with(root) {
            let worktrees = worktrees.display();
            return Err(EngineError::usage(format!("worktrees cannot lie in {worktrees}: it is in the repository")));
        }
        Ok(worktrees)
    }

    fn tell(&self, text: String) {
        (self.notes)(&Note::Text(text));
    }
}
