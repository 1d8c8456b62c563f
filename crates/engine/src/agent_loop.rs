//! The parts shared by all repair loops (ruling 24): running an agent one turn at a time, its input and output,
//! the time it spends, and the answers of the gate. The loops themselves are [`crate::repair`] and
//! [`crate::incident::repair_loop`].

use std::path::PathBuf;
use std::sync::Arc;

use referee_model::gate::GateAnswer;
use referee_model::record::Stream;
use referee_model::verdict::Exit;

use crate::context::Context;
use crate::error::EngineError;

mod checkpoint;
mod drive;
mod environment;
mod lease;
mod runner;
mod streams;
mod takeover;
mod worker_turn;

pub(crate) use self::checkpoint::{CheckpointGround, LoopRecord, open, put_documents};
pub(crate) use self::drive::{RepairLoop, Step, drive};
pub(crate) use self::environment::inherited;
pub use self::lease::Standby;
pub(crate) use self::runner::{AgentRunner, AgentTurn, COPIES, TurnEnd, copies, marker, moved_on, sweep, written};
pub(crate) use self::streams::Kept;
pub(crate) use self::takeover::Takeover;
pub use self::worker_turn::AgentWorkers;

/// Receives the agent's output, redacted, while it is printed.
pub type Live = Arc<dyn Fn(Stream, &[u8]) + Send + Sync>;

/// The agent that a repair loop runs.
#[derive(Clone)]
pub struct Agent {
    /// The agent's command: a program and its arguments. It is run without a shell.
    pub command: Vec<String>,
    /// Time limit of one turn, in milliseconds.
    pub timeout: u64,
    /// Paths of keys and held-out checks, both as named and as absolute paths. No environment variable of the
    /// agent may refer to them.
    pub secrets: Vec<PathBuf>,
    /// Receives the agent's output. `None`: the output is not shown.
    pub live: Option<Live>,
    /// The workers that run the agent. `None`: this machine does.
    pub workers: Option<AgentWorkers>,
}

impl Agent {
    /// Tells something of the loop, where the output of the agent is shown.
    pub(crate) fn tell(&self, text: &str) {
        if let Some(live) = &self.live {
            live(Stream::Stderr, text.as_bytes());
        }
    }
}

/// Returns the paths that no environment variable of an agent may refer to, both as named and as absolute paths.
pub(crate) fn secrets<'path>(context: &Context, named: impl IntoIterator<Item = &'path PathBuf>) -> Vec<PathBuf> {
    named.into_iter().flat_map(|path| [path.clone(), context.directory.join(path)]).collect()
}

/// Reply of the gate to a loop.
#[derive(Debug)]
pub enum GateReply {
    /// The gate's answer.
    Answer(Box<GateAnswer>),
    /// The gate could not answer. This is never a pass.
    None {
        /// Exit of the program.
        exit: Exit,
        /// Why there is no answer, one sentence.
        reason: String,
    },
}

impl GateReply {
    /// Converts the result of asking the gate. An error becomes [`GateReply::None`], which is never a pass.
    pub fn of(answer: Result<GateAnswer, EngineError>) -> Self {
        match answer {
            Ok(answer) => Self::Answer(Box::new(answer)),
            Err(problem) => Self::None { exit: problem.exit(), reason: problem.message },
        }
    }
}
