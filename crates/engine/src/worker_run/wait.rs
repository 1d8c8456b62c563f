//! How long an order is waited for, and how often it is asked for.

use referee_exec::Clock;
use referee_exec::signal::Cancellation;
use referee_model::limit;
use referee_model::order_protocol::OrderRequest;
use referee_model::plan::Action;

use crate::error::EngineError;
use crate::event_sink::OrderProgress;
use crate::order_queue::{OrderAnswer, OrderQueue, fault};
use crate::request::TaskRequest;

/// How often an order is put in the queue that others, who asked the same before, give up.
const TIMES_ASKED: usize = 10;

/// How long an order is waited for.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'run> {
    clock: Clock,
    /// Remaining time when it is first asked, in milliseconds. `None`: there is no limit.
    time_left: Option<u64>,
    cancellation: &'run Cancellation,
}

impl<'run> Wait<'run> {
    pub(crate) fn of(request: &TaskRequest<'_>, cancellation: &'run Cancellation) -> Self {
        Self { clock: request.run.exec.clock, time_left: request.time_left, cancellation }
    }

    /// Waits as long as the order is in the queue.
    pub(crate) fn until_given_up(clock: Clock, cancellation: &'run Cancellation) -> Self {
        Self { clock, time_left: None, cancellation }
    }

    /// Has an order performed. Where somebody else had asked the same first, and gave it up, it is asked for anew.
    pub(crate) fn ask(
        self,
        queue: &OrderQueue,
        asked: &OrderRequest,
        progress: &mut dyn FnMut(&OrderProgress),
    ) -> Result<OrderAnswer, EngineError> {
        let begun = self.clock.elapsed_ms();
        for _ in 0..TIMES_ASKED {
            let passed = self.clock.elapsed_ms().saturating_sub(begun);
            let left = self.time_left.map(|left| left.saturating_sub(passed));
            if let Some(answer) = queue.order(asked, (self.cancellation, left), progress)? {
                return Ok(answer);
            }
        }
        Err(fault(format!("the order was given up {TIMES_ASKED} times by others who asked the same: ask again later")))
    }
}

/// Returns how long a run may take, in milliseconds.
pub(super) fn longest_ms(request: &TaskRequest<'_>) -> u64 {
    let of_action = |action: &Action| {
        let once = action.timeout_ms.saturating_add(action.grace_ms);
        once.saturating_mul(u64::from(action.retries) + 1)
    };
    let all = request.plan.actions.iter().map(of_action).fold(0, u64::saturating_add);
    // Cleanup has time of its own.
    let own = request.plan.timeout_ms.into_iter().chain(request.time_left).min();
    let longest = own.map_or(all, |own| all.min(own.saturating_mul(2)));
    longest.min(limit::TASK_DEADLINE_MS_MAX)
}
