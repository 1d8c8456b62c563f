//! How a run is told to stop: the first request stops it politely, the second at once.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::pipe::PipeFlags;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
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
    /// Readable from a request until [`Cancellation::level`] is asked, so that whoever waits in `poll` wakes up.
    wake: OwnedFd,
    ring: OwnedFd,
}

impl Cancellation {
    /// Makes one that no signal reaches.
    pub fn new() -> io::Result<Self> {
        let (wake, ring) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        Ok(Self { shared: Arc::new(Shared { requests: Mutex::new(Vec::new()), wake, ring }) })
    }

    /// Asks the run to stop, as if this signal had come.
    pub fn request(&self, signal: i32) {
        let mut requests = self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.len() < REQUESTS_KEPT {
            requests.push(signal);
        }
        drop(requests);
        // A full pipe is readable already: nothing is lost.
        let _ = rustix::io::write(&self.shared.ring, &[0]);
    }

    /// Returns how many requests there were.
    pub fn level(&self) -> usize {
        let mut bytes = [0; REQUESTS_KEPT];
        while rustix::io::read(&self.shared.wake, &mut bytes).is_ok_and(|read| read > 0) {}
        self.requests().len()
    }

    /// Returns the signals that came, in order.
    pub fn requests(&self) -> Vec<i32> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns what is readable while there is a request that [`Cancellation::level`] has not told of.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.shared.wake.as_fd()
    }
}

/// Signals that ask a program to stop: from the keyboard, from another program, and when the terminal is closed.
const ASKING: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

/// Those that stay ignored where whoever started this process has it ignore them, as `nohup` wants it. SIGINT and
/// SIGTERM are none of them: a script's background job starts with SIGINT ignored, and must be stoppable all the same.
const SPARED: [i32; 2] = [SIGHUP, SIGQUIT];

/// Takes SIGINT, SIGTERM, SIGHUP and SIGQUIT as requests from here on, for as long as the process lives.
///
/// A SIGHUP or SIGQUIT that was ignored when this process started stays ignored. Only the first SIGHUP counts.
pub fn install() -> io::Result<Cancellation> {
    let cancellation = Cancellation::new()?;
    let ignored = ignored();
    let is_spared = |signal: &i32| SPARED.contains(signal) && is_in(ignored, *signal);
    let mut signals = Signals::new(ASKING.iter().filter(|signal| !is_spared(signal)))?;
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
