//! Parallel work on many items.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use referee_model::limit;

/// Calls `work` for each item, on all processors. Each thread passes its own value of `scratch` from item to
/// item. Results are in no particular order; items for which `work` returns None have no result.
pub(crate) fn map<Item: Sync, Scratch, Result: Send>(
    items: &[Item],
    scratch: impl Fn() -> Scratch + Sync,
    work: impl Fn(&Item, &mut Scratch) -> Option<Result> + Sync,
) -> Vec<Result> {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Vec::new());
    let worker = || {
        let (mut own, mut scratch) = (Vec::new(), scratch());
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            own.extend(work(item, &mut scratch));
        }
        all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut own);
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(items.len()).min(limit::TREE_THREADS);
    thread::scope(|scope| {
        for _ in 1..threads {
            // Without another thread, those that are there do all of it.
            if thread::Builder::new().spawn_scoped(scope, worker).is_err() {
                break;
            }
        }
        worker();
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}
