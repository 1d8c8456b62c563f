//! Requests that are answered without a judgement, for lack of time. Never a pass.

use referee_model::gate::{Cause, GateAnswer};
use referee_model::plan::Plan;
use referee_model::verdict::{Decision, Exit};
use referee_syntax::duration::short;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unanswered {
    /// The last run took longer than the time available: a new one would be stopped, and replace its verdict.
    TookTooLong {
        last_ms: u64,
        /// Milliseconds available for the checks.
        time_ms: u64,
        /// Milliseconds available for the answer.
        timeout: u64,
        /// Whether a recorded verdict may answer for them.
        is_reused: bool,
    },
    /// Other callers asked about the same workspace all the time.
    OthersAsk { timeout: u64 },
    /// No time was left when the checks could have started.
    NoTimeLeft {
        timeout: u64,
        /// Whether a recorded verdict may answer for them.
        is_reused: bool,
    },
    /// A command of a run asked about the workspace while that run, or another caller, has the turn.
    WithinARun,
    /// A signal arrived while waiting for another caller.
    Interrupted { signal: i32 },
}

impl Unanswered {
    pub(super) fn answer(self, tasks: &[Plan]) -> GateAnswer {
        let (exit, message, next) = match self {
            Self::TookTooLong { last_ms, time_ms, timeout, is_reused } => (
                Exit::Timeout,
                format!(
                    "the checks were not begun: the last run that passed took {}, and they have {} of the {} within which the \
                     answer is wanted",
                    short(last_ms),
                    short(time_ms),
                    short(timeout)
                ),
                ask_without_deadline(is_reused),
            ),
            Self::OthersAsk { timeout } => (
                Exit::Timeout,
                format!(
                    "the checks were not begun: another process asks about this workspace, and the answer was wanted within {}",
                    short(timeout)
                ),
                "ask again when the other question is answered: what it recorded is then reused".to_owned(),
            ),
            Self::NoTimeLeft { timeout, is_reused } => (
                Exit::Timeout,
                format!("the checks were not begun: of {} no time was left for them", short(timeout)),
                ask_without_deadline(is_reused),
            ),
            Self::WithinARun => (
                Exit::NothingRan,
                "the checks were not begun: asked from within a run, while checks of this workspace run".to_owned(),
                "take the question out of the checks: a run cannot wait for itself".to_owned(),
            ),
            Self::Interrupted { signal } => (
                Exit::Interrupted { signal },
                "interrupted while another process asked about this workspace".to_owned(),
                "ask again".to_owned(),
            ),
        };
        let cause = |plan: &Plan| Cause::whole(Some(plan.task.clone()), message.clone());
        let causes: Vec<Cause> = tasks.first().map(cause).into_iter().collect();
        GateAnswer {
            decision: Decision::Blocked,
            exit,
            tasks: Vec::new(),
            causes_in_all: causes.len() as u64,
            causes,
            next,
            held_out: None,
            contradictions: Vec::new(),
            notes: Vec::new(),
            reuse: Vec::new(),
        }
    }
}

/// Advice for checks that take longer than the time available. `is_reused` says whether a recorded verdict can
/// answer for them at all.
pub(super) fn ask_without_deadline(is_reused: bool) -> String {
    if is_reused {
        "run `referee gate` without a deadline, which has all the time that the checks take: its verdict is then reused; where \
         this is said again, raise the deadline and the host's time limit above it"
            .to_owned()
    } else {
        "raise the deadline, and the host's time limit above it: no verdict of these checks is reused; `referee gate` without a \
         deadline says what they come to"
            .to_owned()
    }
}
