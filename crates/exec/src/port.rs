//! Determines which processes listen at a port of this machine, and which ports are free.
//!
//! Linux says which processes listen (`tables`). Elsewhere it is only known that one does (`connection`).

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

#[cfg(any(not(target_os = "linux"), feature = "portable"))]
mod connection;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod tables;

#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub(crate) use self::connection::{NAMES_HOLDERS, check};
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) use self::tables::{NAMES_HOLDERS, check};

/// Maximum number of ports that are tried before none counts as free.
const TRIES: usize = 64;

/// Finds a port that is free right now, for both IPv4 and IPv6.
///
/// # Errors
/// Fails where the system has no free port.
pub(crate) fn free() -> io::Result<u16> {
    for _ in 0..TRIES {
        let four = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = four.local_addr()?.port();
        match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            // Without IPv6, the port cannot be in use there.
            _ => return Ok(port),
        }
    }
    Err(io::Error::new(io::ErrorKind::AddrInUse, "no port is free in both versions of the protocol"))
}

#[cfg(test)]
mod tests {
    use referee_model::record::service::PortCheck;

    use super::*;

    #[test]
    fn a_listener_is_found_with_its_process_and_gone_when_it_is_closed() {
        let own = std::process::id();
        for address in ["127.0.0.1:0", "[::1]:0"] {
            // A machine without IPv6 has no listener to be found there.
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let port = listener.local_addr().unwrap().port();
            let found = check(port, &|pid| pid == own);
            assert!(found.in_use, "{address}");
            if NAMES_HOLDERS {
                let holder = found.holders.iter().find(|holder| holder.pid == own).unwrap();
                assert!(holder.own && !holder.name.is_empty() && !holder.command.is_empty(), "{holder:?}");
            }
            drop(listener);
        }
        let port = free().unwrap();
        assert_eq!(check(port, &|_| false), PortCheck { port, in_use: false, holders: Vec::new() });
    }
}
