//! Ports for servers of tests.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Ports from which servers get theirs. The system hands out others to those that do not care.
const FIRST: u16 = 10_000;
const LAST: u16 = 30_000;

/// Number of ports that are handed out together, at most.
const BLOCK: u16 = 10;

/// Time that a server has to listen.
const PATIENCE: Duration = Duration::from_mins(1);

/// Returns the first of ten consecutive ports where nobody listens. No two calls return the same.
///
/// # Errors
/// Fails if there are none.
pub fn free_ports() -> io::Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let blocks = (LAST - FIRST) / BLOCK;
    // Programs that do this at once begin at different places.
    let begin = u16::try_from(std::process::id() % u32::from(blocks)).unwrap_or_default();
    for _ in 0..blocks {
        let block = (begin + NEXT.fetch_add(1, Ordering::Relaxed)) % blocks;
        let first = FIRST + block * BLOCK;
        if (first..first + BLOCK).all(|port| TcpListener::bind(("127.0.0.1", port)).is_ok()) {
            return Ok(first);
        }
    }
    Err(io::Error::other("no ports are free"))
}

/// Waits until somebody listens at a port.
///
/// # Errors
/// Fails if nobody does within a minute.
pub fn wait_for_listener(port: u16) -> io::Result<()> {
    let until = Instant::now() + PATIENCE;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if until < Instant::now() {
            return Err(io::Error::other(format!("nobody listens at port {port}")));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
