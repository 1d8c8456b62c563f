//! Jobs of a worker, which its queues share.
//!
//! A queue is asked for an order only while a job is free. Several queues are asked at once, so that more orders may come than
//! jobs are free: these are returned.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use temporalio_sdk_core::{
    ActivitySlotKind, SlotMarkUsedContext, SlotReleaseContext, SlotReservationContext, SlotSupplier, SlotSupplierPermit,
};
use tokio::sync::watch;

/// The jobs of a worker.
#[derive(Clone)]
pub(super) struct Jobs {
    limit: usize,
    state: Arc<watch::Sender<State>>,
}

#[derive(Default)]
struct State {
    /// Orders that came and are not answered.
    taken: usize,
    /// Orders that are performed.
    running: usize,
    /// Requests for an order that are open, by queue.
    open: BTreeMap<String, usize>,
}

/// A job that is taken until this is dropped.
pub(super) struct Job(Jobs);

impl Jobs {
    pub(super) fn new(limit: NonZeroUsize) -> Self {
        Self { limit: limit.get(), state: Arc::new(watch::Sender::new(State::default())) }
    }

    /// Takes a job, if one is free.
    pub(super) fn take(&self) -> Option<Job> {
        let is_taken = self.state.send_if_modified(|state| {
            let is_free = state.running < self.limit;
            state.running += usize::from(is_free);
            is_free
        });
        is_taken.then(|| Job(self.clone()))
    }

    /// Returns the number of orders that are performed.
    pub(super) fn running(&self) -> usize {
        self.state.borrow().running
    }

    /// Notes a request for an order, if one may come from this queue.
    fn open(&self, queue: &str) -> bool {
        self.state.send_if_modified(|state| {
            let open = state.open.entry(queue.to_owned()).or_default();
            let may_come = state.taken + *open < self.limit;
            *open += usize::from(may_come);
            may_come
        })
    }

    fn close(&self, queue: &str, has_order: bool) {
        self.state.send_modify(|state| {
            if let Some(open) = state.open.get_mut(queue) {
                *open = open.saturating_sub(1);
            }
            state.taken += usize::from(has_order);
        });
    }

    fn answered(&self) {
        self.state.send_modify(|state| state.taken = state.taken.saturating_sub(1));
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.0.state.send_modify(|state| state.running = state.running.saturating_sub(1));
    }
}

/// Hands out requests for orders of one queue.
pub(super) struct QueueSlots {
    pub(super) queue: String,
    pub(super) jobs: Jobs,
}

#[async_trait::async_trait]
impl SlotSupplier for QueueSlots {
    type SlotKind = ActivitySlotKind;

    async fn reserve_slot(&self, _context: &dyn SlotReservationContext) -> SlotSupplierPermit {
        let mut changes = self.jobs.state.subscribe();
        while !self.jobs.open(&self.queue) {
            // Fails only if the sender is gone, which this holds.
            let _ = changes.changed().await;
        }
        SlotSupplierPermit::default()
    }

    /// Nothing is performed that was not asked for.
    fn try_reserve_slot(&self, _context: &dyn SlotReservationContext) -> Option<SlotSupplierPermit> {
        None
    }

    fn mark_slot_used(&self, _context: &dyn SlotMarkUsedContext<SlotKind = ActivitySlotKind>) {
        self.jobs.close(&self.queue, true);
    }

    fn release_slot(&self, context: &dyn SlotReleaseContext<SlotKind = ActivitySlotKind>) {
        match context.info() {
            Some(_) => self.jobs.answered(),
            None => self.jobs.close(&self.queue, false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_is_asked_only_while_a_job_is_free() {
        let jobs = Jobs::new(NonZeroUsize::new(1).unwrap());
        assert!(jobs.open("a"));
        assert!(!jobs.open("a"), "an order may come already");
        assert!(jobs.open("b"), "another queue is asked as well");
        jobs.close("a", true);
        assert!(!jobs.open("a"));
        let job = jobs.take().unwrap();
        jobs.close("b", true);
        assert!(jobs.take().is_none(), "the order of the other queue is returned");
        jobs.answered();
        assert!(!jobs.open("b"));
        drop(job);
        jobs.answered();
        assert!(jobs.open("b"));
        assert_eq!(jobs.running(), 0);
        assert!(jobs.take().is_some());
    }
}
