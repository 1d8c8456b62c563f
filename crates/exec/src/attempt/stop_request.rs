//! Lets one thread request that work on another thread stops.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicU8, Ordering};

use super::Demand;
use crate::signal::Bell;

/// The strongest stop demand on work in another thread. It never becomes weaker.
#[derive(Debug)]
pub(crate) struct StopRequest {
    level: AtomicU8,
    bell: Bell,
}

impl StopRequest {
    /// Creates a request that demands nothing.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { level: AtomicU8::new(level(Demand::GoOn)), bell: Bell::new()? })
    }

    /// Raises the demand to this level, if it is lower.
    pub(crate) fn raise(&self, demand: Demand) {
        if self.level.fetch_max(level(demand), Ordering::SeqCst) < level(demand) {
            self.bell.ring();
        }
    }

    pub(crate) fn demand(&self) -> Demand {
        self.bell.silence();
        match self.level.load(Ordering::SeqCst) {
            0 => Demand::GoOn,
            1 => Demand::Stop,
            _ => Demand::Kill,
        }
    }

    /// Returns a descriptor that is readable while the demand was raised since it was last queried.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.bell.wake()
    }
}

fn level(demand: Demand) -> u8 {
    match demand {
        Demand::GoOn => 0,
        Demand::Stop => 1,
        Demand::Kill => 2,
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec};

    use super::*;

    fn is_awake(order: &StopRequest) -> bool {
        let wake = order.wake();
        let mut waiting = [PollFd::from_borrowed_fd(wake, PollFlags::IN)];
        rustix::event::poll(&mut waiting, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).unwrap() == 1
    }

    #[test]
    fn a_demand_wakes_until_it_is_seen_and_never_becomes_less() {
        let order = StopRequest::new().unwrap();
        assert!(!is_awake(&order) && order.demand() == Demand::GoOn);
        order.raise(Demand::Kill);
        order.raise(Demand::Stop);
        assert!(is_awake(&order));
        assert_eq!(order.demand(), Demand::Kill);
        assert!(!is_awake(&order) && order.demand() == Demand::Kill);
    }
}
