//! The listener that a request came in on, and what protects its connection.

use std::net::SocketAddr;

/// The listener that a request came in on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Door {
    /// TCP, at this local address.
    Tcp(SocketAddr, Channel),
    /// A Unix socket, from a process of the same user.
    Unix,
}

/// What a connection is protected by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Plain,
    Tls,
}

impl Door {
    pub(crate) fn channel(self) -> Channel {
        match self {
            Self::Tcp(_, channel) => channel,
            Self::Unix => Channel::Plain,
        }
    }
}
