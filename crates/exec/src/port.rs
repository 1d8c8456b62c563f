//! Determines which processes listen at a port of this machine, and which ports are free.
//!
//! Linux says which processes listen (`tables`). Elsewhere a connection tells that one does, and the program `lsof`, where
//! it works, which (`connection`).

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

use referee_model::record::service::{PortCheck, PortHolder};

#[cfg(any(not(target_os = "linux"), feature = "portable"))]
mod connection;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod tables;

#[cfg(any(not(target_os = "linux"), feature = "portable"))]
pub(crate) use self::connection::check;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
pub(crate) use self::tables::check;

/// Maximum number of ports that are tried before none counts as free.
const TRIES: usize = 64;

/// Who listens at a port.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listeners {
    pub(crate) port: u16,
    pub(crate) in_use: bool,
    /// Processes that listen, as far as this user may see them. None: the system does not say.
    pub(crate) holders: Option<Vec<PortHolder>>,
}

/// Whether what listens at a port are processes of the service that is to listen there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PortOwner {
    Nobody,
    Service,
    /// Somebody, and the system does not say who.
    Unknown,
    Other,
}

impl Listeners {
    pub(crate) fn owner(&self) -> PortOwner {
        match &self.holders {
            _ if !self.in_use => PortOwner::Nobody,
            None => PortOwner::Unknown,
            // Processes of other users are not shown.
            Some(holders) if !holders.is_empty() && holders.iter().all(|holder| holder.own) => PortOwner::Service,
            Some(_) => PortOwner::Other,
        }
    }
}

impl From<Listeners> for PortCheck {
    fn from(listeners: Listeners) -> Self {
        let Listeners { port, in_use, holders } = listeners;
        Self { port, in_use, holders: holders.unwrap_or_default() }
    }
}

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
            if let Some(holders) = found.holders {
                let holder = holders.iter().find(|holder| holder.pid == own).unwrap();
                assert!(holder.own && !holder.name.is_empty() && !holder.command.is_empty(), "{holder:?}");
            }
            drop(listener);
        }
        let port = free().unwrap();
        assert_eq!(check(port, &|_| false), Listeners { port, in_use: false, holders: Some(Vec::new()) });
    }
    #[test]
    fn the_service_listens_where_all_that_are_seen_are_its_own_and_one_is_seen() {
        let holder = |own| PortHolder { pid: 7, name: "web".to_owned(), command: "web".to_owned(), own };
        for (in_use, holders, expected) in [
            (false, Some(vec![]), PortOwner::Nobody),
            (false, None, PortOwner::Nobody),
            (true, None, PortOwner::Unknown),
            (true, Some(vec![]), PortOwner::Other),
            (true, Some(vec![holder(true), holder(true)]), PortOwner::Service),
            (true, Some(vec![holder(true), holder(false)]), PortOwner::Other),
        ] {
            assert_eq!(Listeners { port: 1, in_use, holders }.owner(), expected);
        }
    }
}
