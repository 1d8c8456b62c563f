//! Fault injection: the points at which a file operation may fail or the program may die.
//!
//! Every change on disk passes [`point`] first. Outside tests it does nothing; in tests it ends the process or
//! reports a full disk at the n-th point, so that each point can be tried.

/// Passes one point. An error here stands for the failure of the operation that follows.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "the tests' version fails")]
pub(crate) fn point() -> std::io::Result<()> {
    Ok(())
}

/// Returns whether the file system can exchange two directories; tests can override it.
#[cfg(not(test))]
pub(crate) fn exchange_works() -> bool {
    true
}

/// Records that a file's content, or a directory's names, are on disk.
#[cfg(not(test))]
pub(crate) fn landed(_: impl std::os::fd::AsFd) {}

/// Like [`landed`], for a whole file system.
#[cfg(all(not(test), target_os = "linux", not(feature = "portable")))]
pub(crate) fn all_landed() {}

/// Returns whether a file system is synced as a whole; tests can override it.
#[cfg(all(not(test), target_os = "linux", not(feature = "portable")))]
pub(crate) fn syncs_whole(is_cheap: bool) -> bool {
    is_cheap
}

#[cfg(all(test, target_os = "linux", not(feature = "portable")))]
pub(crate) use injected::{all_landed, syncs_whole};
#[cfg(test)]
pub(crate) use injected::{exchange_works, landed, point};

#[cfg(test)]
pub(crate) mod injected {
    use std::cell::{Cell, RefCell};
    use std::io;
    use std::os::fd::AsFd;

    /// The fault that happens at the chosen point.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// The process is killed, as by `kill -9`.
        Kill,
        /// The disk is full, once.
        Full,
    }

    /// Effect of an operation on the disk.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Step {
        /// A change is about to happen.
        Change,
        /// The content of the file, or the names in the directory, with this number are on disk.
        Landed(u64),
        /// Everything is on disk.
        #[cfg(all(target_os = "linux", not(feature = "portable")))]
        AllLanded,
    }

    type Watcher = Box<dyn FnMut(Step)>;

    /// An action of another process in the meantime.
    type Interference = Box<dyn FnOnce()>;

    thread_local! {
        static ARMED: Cell<Option<(u32, Fault)>> = const { Cell::new(None) };
        static DEED: RefCell<Option<(u32, Interference)>> = const { RefCell::new(None) };
        static EXCHANGE_WORKS: Cell<bool> = const { Cell::new(true) };
        static SYNCS_WHOLE: Cell<Option<bool>> = const { Cell::new(None) };
        static WATCHER: RefCell<Option<Watcher>> = const { RefCell::new(None) };
    }

    /// Arms the fault for the point that follows after `places` others on this thread.
    pub(crate) fn arm(places: u32, fault: Fault) {
        ARMED.set(Some((places, fault)));
    }

    /// Schedules an action of another process at the point that follows after `places` others on this thread.
    pub(crate) fn meanwhile(places: u32, operation: impl FnOnce() + 'static) {
        DEED.set(Some((places, Box::new(operation))));
    }

    /// Cancels the scheduled action; returns whether it was still pending.
    pub(crate) fn nobody_meanwhile() -> bool {
        DEED.take().is_some()
    }

    /// Cancels the armed fault; returns whether it was still pending.
    pub(crate) fn disarm() -> bool {
        ARMED.take().is_some()
    }

    /// Simulates a file system that can or cannot exchange directories.
    pub(crate) fn let_exchange_work(works: bool) {
        EXCHANGE_WORKS.set(works);
    }

    pub(crate) fn exchange_works() -> bool {
        EXCHANGE_WORKS.get()
    }

    /// Makes file systems sync as a whole, or file by file.
    pub(crate) fn let_sync_whole(whole: bool) {
        SYNCS_WHOLE.set(Some(whole));
    }

    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) fn syncs_whole(is_cheap: bool) -> bool {
        SYNCS_WHOLE.get().unwrap_or(is_cheap)
    }

    /// Sets or removes the watcher that is called for every step on this thread.
    pub(crate) fn watch(watcher: Option<Watcher>) {
        WATCHER.set(watcher);
    }

    fn tell(step: Step) {
        WATCHER.with_borrow_mut(|watcher| {
            if let Some(watcher) = watcher {
                watcher(step);
            }
        });
    }

    pub(crate) fn landed(file: impl AsFd) {
        if let Ok(found) = rustix::fs::fstat(file) {
            tell(Step::Landed(found.st_ino));
        }
    }

    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) fn all_landed() {
        tell(Step::AllLanded);
    }

    pub(crate) fn point() -> io::Result<()> {
        tell(Step::Change);
        match DEED.take() {
            Some((0, operation)) => operation(),
            Some((places, operation)) => DEED.set(Some((places - 1, operation))),
            None => {}
        }
        match ARMED.get() {
            None => Ok(()),
            Some((0, Fault::Full)) => {
                ARMED.set(None);
                Err(io::Error::from(rustix::io::Errno::NOSPC))
            }
            Some((0, Fault::Kill)) => {
                rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)?;
                std::thread::park();
                Ok(())
            }
            Some((places, fault)) => {
                ARMED.set(Some((places - 1, fault)));
                Ok(())
            }
        }
    }
}
