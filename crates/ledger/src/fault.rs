//! The places where a file operation may fail or the program may die.
//!
//! Every change on disk passes through [`point`] first. Outside tests it does nothing; in tests it ends the process or
//! reports a full disk at the n-th place, so that each place is tried.

/// Passes one place. An error here stands for the operation that was about to happen.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "the tests' version fails")]
pub(crate) fn point() -> std::io::Result<()> {
    Ok(())
}

/// Says whether the file system can exchange two directories, as far as tests have a word in it.
#[cfg(not(test))]
pub(crate) fn exchange_works() -> bool {
    true
}

/// Takes note that a file's content, or a directory's names, are on disk.
#[cfg(not(test))]
pub(crate) fn landed(_: impl std::os::fd::AsFd) {}

/// As [`landed`], of a whole file system.
#[cfg(not(test))]
pub(crate) fn all_landed() {}

/// Says whether a file system is synced as a whole, as far as tests have no word in it.
#[cfg(not(test))]
pub(crate) fn syncs_whole(is_cheap: bool) -> bool {
    is_cheap
}

#[cfg(test)]
pub(crate) use injected::{all_landed, exchange_works, landed, point, syncs_whole};

#[cfg(test)]
pub(crate) mod injected {
    use std::cell::{Cell, RefCell};
    use std::io;
    use std::os::fd::AsFd;

    /// What happens at the chosen place.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Fault {
        /// The process is killed, as by `kill -9`.
        Kill,
        /// The disk is full, once.
        Full,
    }

    /// What a deed does to the disk.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Step {
        /// Something is about to change.
        Change,
        /// The content of the file, or the names in the directory, of this number are on disk.
        Landed(u64),
        /// Everything is on disk.
        AllLanded,
    }

    type Watcher = Box<dyn FnMut(Step)>;

    /// What somebody else does meanwhile.
    type Interference = Box<dyn FnOnce()>;

    thread_local! {
        static ARMED: Cell<Option<(u32, Fault)>> = const { Cell::new(None) };
        static DEED: RefCell<Option<(u32, Interference)>> = const { RefCell::new(None) };
        static EXCHANGE_WORKS: Cell<bool> = const { Cell::new(true) };
        static SYNCS_WHOLE: Cell<Option<bool>> = const { Cell::new(None) };
        static WATCHER: RefCell<Option<Watcher>> = const { RefCell::new(None) };
    }

    /// Lets the fault happen at the place that is passed after `places` others on this thread.
    pub(crate) fn arm(places: u32, fault: Fault) {
        ARMED.set(Some((places, fault)));
    }

    /// Lets somebody else do something at the place that is passed after `places` others on this thread.
    pub(crate) fn meanwhile(places: u32, deed: impl FnOnce() + 'static) {
        DEED.set(Some((places, Box::new(deed))));
    }

    /// Lets nobody do anything any more; says whether somebody still was to.
    pub(crate) fn nobody_meanwhile() -> bool {
        DEED.take().is_some()
    }

    /// Lets nothing happen any more; says whether something still was to happen.
    pub(crate) fn disarm() -> bool {
        ARMED.take().is_some()
    }

    /// Plays a file system that can exchange directories, or one that cannot.
    pub(crate) fn let_exchange_work(works: bool) {
        EXCHANGE_WORKS.set(works);
    }

    pub(crate) fn exchange_works() -> bool {
        EXCHANGE_WORKS.get()
    }

    /// Has file systems synced as a whole, or file by file.
    pub(crate) fn let_sync_whole(whole: bool) {
        SYNCS_WHOLE.set(Some(whole));
    }

    pub(crate) fn syncs_whole(is_cheap: bool) -> bool {
        SYNCS_WHOLE.get().unwrap_or(is_cheap)
    }

    /// Has every step on this thread told, or none any more.
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

    pub(crate) fn all_landed() {
        tell(Step::AllLanded);
    }

    pub(crate) fn point() -> io::Result<()> {
        tell(Step::Change);
        match DEED.take() {
            Some((0, deed)) => deed(),
            Some((places, deed)) => DEED.set(Some((places - 1, deed))),
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
