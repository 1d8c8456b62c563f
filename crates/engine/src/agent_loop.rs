//! What all loops of repairs share (ruling 24): an agent that works a turn at a time, what it is given and what it prints, the time
//! that is spent, and what the gate says. The loops are [`crate::repair`] and [`crate::incident::repair_loop`].

use std::path::PathBuf;
use std::sync::Arc;

use referee_model::gate::GateAnswer;
use referee_model::record::Stream;
use referee_model::verdict::Exit;

use crate::context::Context;
use crate::error::EngineError;

mod drive;
mod environment;
mod runner;
mod streams;

pub(crate) use self::drive::{RepairLoop, Step, drive};
pub(crate) use self::environment::inherited;
pub(crate) use self::runner::{AgentRunner, AgentTurn, COPIES, TurnEnd, copies, moved_on, sweep, written};
pub(crate) use self::streams::Kept;

/// What an agent prints, redacted, as it comes.
pub type Live = Arc<dyn Fn(Stream, &[u8]) + Send + Sync>;

/// The agent of a loop.
#[derive(Clone)]
pub struct Agent {
    /// Its command: a program and its arguments. No shell ever sees it.
    pub command: Vec<String>,
    /// Milliseconds that a turn of it may take.
    pub timeout: u64,
    /// Keys and held-out checks, as they were named and as absolute paths: no variable of the agent leads there.
    pub secrets: Vec<PathBuf>,
    /// What it prints is shown here. None: to nobody.
    pub live: Option<Live>,
}

/// Returns the files that no variable of an agent may lead to, as they were named and as absolute paths.
pub(crate) fn secrets<'path>(context: &Context, named: impl IntoIterator<Item = &'path PathBuf>) -> Vec<PathBuf> {
    named.into_iter().flat_map(|path| [path.clone(), context.directory.join(path)]).collect()
}

/// What the gate says.
#[derive(Debug)]
pub enum GateReply {
    /// Its answer.
    Answer(Box<GateAnswer>),
    /// Why there is none; never a pass.
    None {
        /// What a program exits with.
        exit: Exit,
        /// Why, in a sentence.
        reason: String,
    },
}

impl GateReply {
    /// What a loop makes of an answer, or of there being none: that is never a pass.
    pub fn of(answer: Result<GateAnswer, EngineError>) -> Self {
        match answer {
            Ok(answer) => Self::Answer(Box::new(answer)),
            Err(problem) => Self::None { exit: problem.exit(), reason: problem.message },
        }
    }
}
