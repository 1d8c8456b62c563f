//! Input of a hook, and faults.

use std::time::{Duration, Instant};

use referee_engine::error::EngineError;
use referee_exec::signal::Cancellation;
use referee_model::time::Timestamp;

use super::complaint;
use super::context::HookContext;
use crate::args::Global;
use crate::args::hook::Answering;

pub(super) struct Question<'question> {
    pub(super) hook_context: &'question HookContext,
    pub(super) global: &'question Global,
    /// Options of the answer; an error message if the arguments are invalid.
    pub(super) answering: Result<Answering, String>,
    pub(super) cancellation: &'question Cancellation,
    pub(super) began: Instant,
    pub(super) now: Timestamp,
    pub(super) deadline: Duration,
}

/// Reason why there is no verdict, with one line per detail.
#[derive(Debug)]
pub(super) struct Fault(pub(super) String);

impl From<EngineError> for Fault {
    fn from(problem: EngineError) -> Self {
        Self(complaint::told(&problem))
    }
}
