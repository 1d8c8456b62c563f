//! Waits for the verdict, but no longer than the host does.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use referee_exec::signal::Cancellation;
use referee_model::hook::HookVerdict;
use referee_model::limit;

use super::context::HookContext;

/// Polling interval for signals.
const LOOK: Duration = Duration::from_millis(20);

/// Margin after the deadline in which stopped checks may still provide the answer.
const MARGIN: Duration = Duration::from_millis(limit::HOOK_MARGIN_MS);

/// Signal that a stop is attributed to.
const TERM: i32 = 15;

/// Waits for the verdict. At the deadline, or at a signal, running checks are asked to stop; in the middle of
/// the margin they are killed; at its end the answer is given without them. If none are running, it is given at
/// once.
pub(super) fn wait(
    verdicts: &Receiver<HookVerdict>,
    hook_context: &HookContext,
    (began, deadline): (Instant, Duration),
    cancellation: &Cancellation,
) -> HookVerdict {
    let mut stopping: Option<(Instant, String)> = None;
    let mut is_killed = false;
    loop {
        match verdicts.recv_timeout(LOOK) {
            Ok(verdict) => return verdict,
            Err(RecvTimeoutError::Disconnected) => {
                return hook_context.fault("Referee itself failed: the question was lost");
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        match &stopping {
            None => {
                let signal = cancellation.requests().first().copied();
                let Some(why) = reason(signal, began.elapsed() >= deadline, deadline) else { continue };
                if !hook_context.asks() {
                    return hook_context.fault(&why);
                }
                if signal.is_none() {
                    cancellation.request(TERM);
                }
                stopping = Some((Instant::now(), why));
            }
            Some((since, why)) if since.elapsed() >= MARGIN => return hook_context.fault(why),
            Some((since, _)) if !is_killed && since.elapsed() >= MARGIN / 2 => {
                cancellation.request(TERM);
                is_killed = true;
            }
            Some(_) => {}
        }
    }
}

fn reason(signal: Option<i32>, is_late: bool, deadline: Duration) -> Option<String> {
    match signal {
        Some(signal) => {
            Some(format!("the host ended the hook (signal {signal}) before there was a verdict\n{}", advice()))
        }
        None if is_late => Some(format!("there was no verdict within {:.1} s\n{}", deadline.as_secs_f64(), advice())),
        None => None,
    }
}

fn advice() -> &'static str {
    "`referee run` has no such deadline; what it comes to is recorded, and answers the next time where nothing has changed"
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use referee_model::hook::AgentHost;

    use super::*;

    #[test]
    fn a_question_that_never_ends_is_answered_with_a_refusal_after_its_checks_were_stopped() {
        let hook_context = HookContext::new(AgentHost::Claude);
        let (sender, verdicts) = mpsc::channel();
        let wait = |cancellation: &Cancellation| {
            super::wait(&verdicts, &hook_context, (Instant::now(), Duration::from_millis(1)), cancellation)
        };
        let is_refusal = |verdict: &HookVerdict, part: &str| match verdict {
            HookVerdict::Block { reason } => reason.contains(part),
            HookVerdict::Allow { .. } | HookVerdict::NoOpinion => false,
        };
        let cancellation = Cancellation::new().unwrap();
        assert!(is_refusal(&wait(&cancellation), "no verdict within"));
        assert_eq!(cancellation.requests(), Vec::<i32>::new(), "nothing runs");
        hook_context.is_asking(true);
        assert!(is_refusal(&wait(&cancellation), "no verdict within"));
        assert_eq!(cancellation.requests(), [TERM, TERM], "asked, then killed");
        assert!(is_refusal(&wait(&cancellation), "signal 15"));
        drop(sender);
        assert!(is_refusal(&wait(&cancellation), "the question was lost"));
    }
}
