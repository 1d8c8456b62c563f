//! Whether somebody listens at a port, found by a connection to it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use referee_model::record::service::PortCheck;

/// Time within which this machine answers itself.
const BOUND: Duration = Duration::from_secs(1);

/// The system does not say which processes listen.
pub(crate) const NAMES_HOLDERS: bool = false;

/// Finds whether a process listens at a port. Which one is not known.
pub(crate) fn check(port: u16, _is_own: &dyn Fn(u32) -> bool) -> PortCheck {
    let is_answered = |address: IpAddr| {
        let stream = TcpStream::connect_timeout(&SocketAddr::new(address, port), BOUND);
        // Where nobody listens, a connection may by chance begin at the very port that it leads to.
        stream.is_ok_and(|stream| stream.local_addr().ok() != stream.peer_addr().ok())
    };
    let in_use = is_answered(Ipv4Addr::LOCALHOST.into()) || is_answered(Ipv6Addr::LOCALHOST.into());
    PortCheck { port, in_use, holders: Vec::new() }
}
