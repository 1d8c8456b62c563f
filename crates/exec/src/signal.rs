//! Requests to stop a run: the first stops it politely, the second at once.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::OFlags;
use rustix::io::Errno;
use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::process_table;

/// Maximum number of requests that are kept; further ones have no effect.
const REQUESTS_KEPT: usize = 16;

/// Requests to stop a run. Clones share their requests, so that one thread can stop another.
#[derive(Debug, Clone)]
pub struct Cancellation {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    requests: Mutex<Vec<i32>>,
    /// Rung at a request, until [`Cancellation::level`] is called.
    bell: Bell,
}

/// Wakes up a thread that waits for it in `poll`: readable from a ring until it is silenced.
#[derive(Debug)]
pub(crate) struct Bell {
    heard: PipeReader,
    rung: PipeWriter,
}

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        let (heard, rung) = io::pipe()?;
        rustix::fs::fcntl_setfl(&heard, OFlags::NONBLOCK)?;
        rustix::fs::fcntl_setfl(&rung, OFlags::NONBLOCK)?;
        Ok(Self { heard, rung })
    }

    pub(crate) fn ring(&self) {
        // A pipe that is full is readable already, so nothing is lost.
        let _ = rustix::io::write(&self.rung, b".");
    }

    pub(crate) fn silence(&self) {
        // Where the bell was not rung, there is nothing to read.
        while matches!(rustix::io::read(&self.heard, &mut [0; 64]), Ok(64)) {}
    }

    /// Returns the descriptor that becomes readable.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.heard.as_fd()
    }
}

impl Cancellation {
    /// Creates one that is not connected to signals.
    pub fn new() -> io::Result<Self> {
        Ok(Self { shared: Arc::new(Shared { requests: Mutex::new(Vec::new()), bell: Bell::new()? }) })
    }

    /// Requests a stop, as if this signal had arrived.
    pub fn request(&self, signal: i32) {
        let mut requests = self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if requests.len() < REQUESTS_KEPT {
            requests.push(signal);
        }
        drop(requests);
        self.shared.bell.ring();
    }

    /// Returns the number of requests.
    pub fn level(&self) -> usize {
        self.shared.bell.silence();
        self.requests().len()
    }

    /// Returns the signals that arrived, in order.
    pub fn requests(&self) -> Vec<i32> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns a descriptor that is readable while there is a request that [`Cancellation::level`] has not returned
    /// yet.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.shared.bell.wake()
    }
}

/// Signals that ask a program to stop: from the keyboard, from another program, when the terminal is closed, and
/// those that would otherwise end it at once and leave its children behind.
const ASKING: [i32; 8] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU];

/// Signals that stay ignored where this process was started with them ignored, as `nohup` requires. SIGINT and
/// SIGTERM are not among them: a script's background job starts with SIGINT ignored, and must be stoppable
/// nevertheless.
const SPARED: [i32; 2] = [SIGHUP, SIGQUIT];

/// Treats the signals that ask a program to stop as requests from now on, for as long as the process lives.
///
/// A file that exceeds the caller's size limit (SIGXFSZ) does not end the process either: the write fails, which is
/// evidence that cannot be stored.
///
/// A SIGHUP or SIGQUIT that was ignored when this process started stays ignored. Only the first SIGHUP counts.
pub fn install() -> io::Result<Cancellation> {
    let cancellation = Cancellation::new()?;
    let ignored = process_table::ignored_signals().unwrap_or(0);
    let is_spared = |signal: &i32| SPARED.contains(signal) && process_table::is_in(ignored, *signal);
    let mut signals = Signals::new(ASKING.iter().filter(|signal| !is_spared(signal)))?;
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let requested = cancellation.clone();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        let mut hung_up = false;
        for signal in signals.forever() {
            // A terminal is closed once, but both its shell and the system may signal it.
            if signal != SIGHUP || !std::mem::replace(&mut hung_up, true) {
                requested.request(signal);
            }
        }
    })?;
    Ok(cancellation)
}

/// Requests a stop, from now on, once nobody can read any more what is written to an output: whoever read it from a pipe is
/// gone, even if nothing is written. Another kind of output asks for nothing.
pub fn stop_without_reader(output: impl AsFd + Send + 'static, cancellation: &Cancellation) -> io::Result<()> {
    let requested = cancellation.clone();
    std::thread::Builder::new().name("reader".to_owned()).spawn(move || {
        loop {
            // An error of the output is told without being asked for.
            let mut watched = [PollFd::new(&output, PollFlags::empty())];
            match rustix::event::poll(&mut watched, None) {
                Ok(_) if watched[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) => {
                    return requested.request(SIGTERM);
                }
                Err(Errno::INTR) => {}
                // It is noticed at the next line that is written.
                Ok(_) | Err(_) => return,
            }
        }
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_stop_is_requested_when_the_reader_of_an_output_is_gone() {
        let cancellation = Cancellation::new().unwrap();
        let (reader, writer) = io::pipe().unwrap();
        stop_without_reader(writer, &cancellation).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        assert!(cancellation.requests().is_empty());
        drop(reader);
        let begun = Instant::now();
        while cancellation.requests().is_empty() {
            assert!(begun.elapsed() < Duration::from_mins(1), "nothing was requested");
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(cancellation.requests(), [SIGTERM]);
    }

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
}
