//! What a host asks, and why there may be no answer.

use std::time::{Duration, Instant};

use referee_engine::error::EngineError;
use referee_exec::signal::Cancellation;
use referee_model::time::Timestamp;

use super::complaint;
use super::context::HookContext;
use crate::args::Global;
use crate::args::hook::Answering;

pub(super) struct Question<'question> {
    pub(super) desk: &'question HookContext,
    pub(super) global: &'question Global,
    /// How it is to be answered; what is wrong with it, where it was typed wrongly.
    pub(super) answering: Result<Answering, String>,
    pub(super) cancellation: &'question Cancellation,
    pub(super) began: Instant,
    pub(super) now: Timestamp,
    pub(super) deadline: Duration,
}

/// Why there is no verdict, a line each.
#[derive(Debug)]
pub(super) struct Fault(pub(super) String);

impl From<EngineError> for Fault {
    fn from(problem: EngineError) -> Self {
        Self(complaint::told(&problem))
    }
}
