//! What a machine that stands by knows of the loops of its project, and which ones it has at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use referee_ledger::State;
use referee_ledger::trust::{Role, TrustStore};
use referee_model::agent_checkpoint::AgentCheckpoint;
use referee_model::depot::CheckpointVersion;
use referee_model::id::{Digest, ExecutionId};

use super::ProjectStandby;
use super::silence::LoopWatch;
use super::takeover::{SilentLoop, TakeoverEnd};
use crate::agent_loop::open;
use crate::error::EngineError;

/// Maximum number of times that a machine goes on with a loop that comes no further.
const ATTEMPTS: u32 = 3;

pub(super) struct LoopRoster<'run> {
    standby: &'run ProjectStandby<'run>,
    state: State,
    worktrees: PathBuf,
    watch: LoopWatch,
    at_hand: BTreeSet<ExecutionId>,
    /// How often this machine went on with a loop, and how far that had come.
    attempts: BTreeMap<ExecutionId, (Progress, u32)>,
    /// Why loops were not taken over, which is told once.
    refusals: BTreeMap<ExecutionId, String>,
    /// Whether the depot does not answer, which is told once.
    is_away: bool,
}

/// How far a loop has come: digests of its workspace and of its documents.
type Progress = (Digest, Digest);

/// What a silent loop turns out to be.
enum Inspected {
    Silent(Box<SilentLoop>),
    /// Who worked at it has stopped.
    Ended,
    /// This machine cannot go on with it, and why.
    Refused(String),
}

impl<'run> LoopRoster<'run> {
    pub(super) fn new(standby: &'run ProjectStandby<'run>, (state, worktrees): (State, PathBuf)) -> Self {
        Self {
            standby,
            state,
            worktrees,
            watch: LoopWatch::new(Duration::from_millis(standby.silence_ms)),
            at_hand: BTreeSet::new(),
            attempts: BTreeMap::new(),
            refusals: BTreeMap::new(),
            is_away: false,
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.at_hand.is_empty()
    }

    /// Looks at the depot, and returns the loops that this machine is to go on with. They are at hand from now on.
    pub(super) fn look(&mut self) -> Vec<SilentLoop> {
        let mut begun = Vec::new();
        match self.begin(&mut begun) {
            Ok(()) => self.is_away = false,
            Err(error) => {
                self.watch.see_nothing(Instant::now());
                if !std::mem::replace(&mut self.is_away, true) {
                    self.standby.tell(format!("still standing by: {}", error.message));
                }
            }
        }
        begun
    }

    fn begin(&mut self, begun: &mut Vec<SilentLoop>) -> Result<(), EngineError> {
        self.watch.see(self.standby.depot.checkpoints()?, Instant::now());
        for found in self.watch.silent(Instant::now()) {
            if self.standby.jobs.get() <= self.at_hand.len() {
                break;
            }
            if self.at_hand.contains(&found.run) {
                continue;
            }
            match self.inspect(&found)? {
                Inspected::Silent(silent) => {
                    self.refusals.remove(&found.run);
                    self.at_hand.insert(found.run);
                    begun.push(*silent);
                }
                Inspected::Ended => self.watch.settle(&found),
                Inspected::Refused(why) => {
                    // A key may be trusted by then, or a commit fetched.
                    self.watch.wait_again(&found.run, Instant::now());
                    if self.refusals.get(&found.run) != Some(&why) {
                        self.standby.tell(why.clone());
                        self.refusals.insert(found.run, why);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads the checkpoint of a silent loop.
    fn inspect(&mut self, found: &CheckpointVersion) -> Result<Inspected, EngineError> {
        let ProjectStandby { context, depot, signer, words, .. } = self.standby;
        let envelope = match depot.find_checkpoint(&found.run)? {
            Ok(Some(envelope)) => envelope,
            Ok(None) => return Ok(Inspected::Ended),
            Err(failure) => return Ok(Inspected::Refused(failure.message)),
        };
        let mut keys = TrustStore::read(&self.state)?.believed(Role::Runner, context.now());
        keys.push(signer.public().clone());
        let checkpoint = match open(&envelope, &keys, &found.run) {
            Ok((checkpoint, _)) => checkpoint,
            Err(error) => return Ok(Inspected::Refused(error.message)),
        };
        let AgentCheckpoint { of, is_ended, .. } = &checkpoint;
        if *is_ended {
            return Ok(Inspected::Ended);
        }
        let refused = |why: &str| Ok(Inspected::Refused(format!("{of} is silent, and is not taken over: {why}")));
        if !of.is_named(&found.run) {
            return refused("its checkpoint has the name of another loop");
        }
        let Some(commit) = checkpoint.commit.clone() else {
            return refused("it began outside of a git repository");
        };
        let words = match words(of, depot.project()) {
            Ok(words) => words,
            Err(why) => return refused(&why),
        };
        if !self.tries(&found.run, (checkpoint.tree.sha256, checkpoint.record.sha256)) {
            return refused(&format!("this machine tried {ATTEMPTS} times, and it came no further"));
        }
        let directory = self.worktrees.join(found.run.as_str().trim_start_matches("exec-"));
        self.standby.tell(format!("{of} is silent: going on with it in {}", directory.display()));
        let digest = Digest::of(&envelope);
        let found = found.clone();
        Ok(Inspected::Silent(Box::new(SilentLoop { found, checkpoint, digest, commit, directory, words })))
    }

    /// Counts an attempt, unless there were enough.
    fn tries(&mut self, run: &ExecutionId, progress: Progress) -> bool {
        let (last, attempts) = self.attempts.entry(run.clone()).or_insert((progress, 0));
        if *last != progress {
            (*last, *attempts) = (progress, 0);
        }
        let is_tried = *attempts < ATTEMPTS;
        *attempts += u32::from(is_tried);
        is_tried
    }

    /// Takes in what became of a loop that was at hand.
    pub(super) fn end(&mut self, (silent, end): (SilentLoop, Result<TakeoverEnd, EngineError>)) {
        let SilentLoop { found, checkpoint, directory, .. } = &silent;
        self.at_hand.remove(&found.run);
        let (of, directory) = (&checkpoint.of, directory.display());
        let exit = |exit: Option<i32>| exit.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
        self.standby.tell(match end {
            Ok(TakeoverEnd::Here { exit: code, is_ended: true }) => {
                format!("{of} has ended with {}: its work is in {directory}", exit(code))
            }
            Ok(TakeoverEnd::Here { exit: code, is_ended: false }) => {
                format!(
                    "{of} was left with {}, and is gone on with once it is silent: its work is in {directory}",
                    exit(code)
                )
            }
            Ok(TakeoverEnd::Elsewhere) => format!("{of} goes on on another machine"),
            Ok(TakeoverEnd::Refused) => format!("{of} was not taken over"),
            Err(error) => format!("{of} was not taken over: {}", error.message),
        });
        // Whatever it was may be over then.
        self.watch.wait_again(&found.run, Instant::now());
    }
}
