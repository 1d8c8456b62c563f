//! Waiting, with an end.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

/// Waits until something holds.
pub(super) fn wait_until(what: &str, limit: Duration, mut holds: impl FnMut() -> bool) -> io::Result<()> {
    let until = Instant::now() + limit;
    while !holds() {
        if until < Instant::now() {
            return Err(io::Error::other(format!("waited {} s in vain: {what}", limit.as_secs())));
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
