//! How a run is told to stop: the first request stops it politely, the second at once.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::EventfdFlags;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;

/// Requests beyond this many change nothing and are not kept.
const REQUESTS_KEPT: usize = 16;

/// Requests to stop a run. Clones share their requests, so that one thread may ask another.
#[derive(Debug, Clone)]
pub struct Cancellation {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    requests: Mutex<Vec<i32>>,
    /// Rung at a request, until [`Cancellation::level`] is asked.
    bell: Bell,
}

/// Wakes up whoever waits for it in `poll`: readable from a ring until it is silenced.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    pub(crate) fn ring(&self) {
        // What cannot be counted any more is readable already: nothing is lost.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    pub(crate) fn silence(&self) {
        // Where it was not rung there is nothing to read.
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }

    /// Returns what becomes readable.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Cancellation {
    /// Makes one that no signal reaches.
    pub fn new() -> io::Result<Self> {
        Ok(Self { shared: Arc::new(Shared { requests: Mutex::new(Vec::new()), bell: Bell::new()? }) })
    }

    /// Asks the run to stop, as if this signal had come.
    pub fn request(&self, signal: i32) {
        let mut requests = self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.len() < REQUESTS_KEPT {
            requests.push(signal);
        }
        drop(requests);
        self.shared.bell.ring();
    }

    /// Returns how many requests there were.
    pub fn level(&self) -> usize {
        self.shared.bell.silence();
        self.requests().len()
    }

    /// Returns the signals that came, in order.
    pub fn requests(&self) -> Vec<i32> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns what is readable while there is a request that [`Cancellation::level`] has not told of.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.shared.bell.wake()
    }
}

/// Signals that ask a program to stop: from the keyboard, from another program, when the terminal is closed, and those
/// that would else end it at once and leave its children behind.
const ASKING: [i32; 8] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU];

/// Those that stay ignored where whoever started this process has it ignore them, as `nohup` wants it. SIGINT and
/// SIGTERM are none of them: a script's background job starts with SIGINT ignored, and must be stoppable all the same.
const SPARED: [i32; 2] = [SIGHUP, SIGQUIT];

/// Takes the signals that ask a program to stop as requests from here on, for as long as the process lives.
///
/// A file that grows beyond what the caller allows (SIGXFSZ) does not end the process either: the write fails, which is
/// evidence that cannot be kept.
///
/// A SIGHUP or SIGQUIT that was ignored when this process started stays ignored. Only the first SIGHUP counts.
pub fn install() -> io::Result<Cancellation> {
    let cancellation = Cancellation::new()?;
    let ignored = ignored();
    let is_spared = |signal: &i32| SPARED.contains(signal) && is_in(ignored, *signal);
    let mut signals = Signals::new(ASKING.iter().filter(|signal| !is_spared(signal)))?;
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let requested = cancellation.clone();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut hung_up = false;
        for signal in signals.forever() {
            // A terminal is closed once, but its shell and the system may both say so.
            if signal != SIGHUP || !std::mem::replace(&mut hung_up, true) {
                requested.request(signal);
            }
        }
    })?;
    Ok(cancellation)
}

/// Whether this process ignores a signal.
pub(crate) fn is_ignored(signal: i32) -> bool {
    is_in(ignored(), signal)
}

/// The signals that this process ignores, a bit each; none where the system does not tell.
fn ignored() -> u64 {
    std::fs::read("/proc/self/status").ok().and_then(|status| mask(&status)).unwrap_or(0)
}

fn mask(status: &[u8]) -> Option<u64> {
    let status = String::from_utf8_lossy(status);
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

fn is_in(mask: u64, signal: i32) -> bool {
    mask & (1 << (signal - 1)) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_and_kept_in_order_and_their_number_is_bounded() {
        let cancellation = Cancellation::new().unwrap();
        assert_eq!(cancellation.level(), 0);
        cancellation.clone().request(SIGINT);
        cancellation.request(SIGTERM);
        assert_eq!(cancellation.level(), 2);
        assert_eq!(cancellation.requests(), [SIGINT, SIGTERM]);
        (0..200_000).for_each(|_| cancellation.request(SIGINT));
        assert_eq!(cancellation.level(), REQUESTS_KEPT);
    }

    #[test]
    fn ignored_signals_are_read_from_their_mask() {
        assert_eq!(mask(b"Name:\tx\nSigIgn:\t0000000000010000\nSigCgt:\t0\n"), Some(1 << 16));
        assert_eq!(mask(b"Name:\tx\n"), None);
        assert_eq!(mask(b"SigIgn:\tx\n"), None);
        assert!(is_in(1 << 16, signal_hook::consts::SIGCHLD) && is_in(1, SIGHUP) && !is_in(1, SIGQUIT));
    }
}
