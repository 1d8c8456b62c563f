//! Progress of a request, shared between the thread that makes it and the one that waits for it.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use referee_model::record::http::Redirect;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stage {
    /// Resolving the host name.
    #[default]
    Name,
    /// Connecting, including TLS.
    Connection,
    Answer,
    Body,
    Assertions,
}

impl Stage {
    /// Returns the stage's name in records.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Name | Self::Connection => "connection",
            Self::Answer => "answer",
            Self::Body => "body",
            Self::Assertions => "assertions",
        }
    }
}

/// How a connection broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    Reset,
    /// TLS ended without a close notification, so the body may be truncated.
    Cut,
}

#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) stage: Stage,
    /// The redirects that were followed.
    pub(super) redirects: Vec<Redirect>,
    /// The host of the current request.
    pub(super) host: String,
    /// The port of the current request.
    pub(super) port: Option<u16>,
    /// The addresses of the host. Empty: none is known.
    pub(super) addresses: Vec<IpAddr>,
    /// The address that was tried last.
    pub(super) address: Option<IpAddr>,
    /// The status of the last response whose head has arrived.
    pub(super) status: Option<u16>,
    pub(super) broken: Option<Break>,
    /// Whether TLS was used without verifying certificates.
    pub(super) unchecked: bool,
}

impl State {
    /// Returns whether the request goes to this machine.
    pub(super) fn is_local(&self) -> bool {
        let host = self.host.to_ascii_lowercase();
        let address = self.address.or_else(|| host.parse().ok());
        match address {
            Some(address) => address.to_canonical().is_loopback() || address.is_unspecified(),
            None => host == "localhost" || host.ends_with(".localhost"),
        }
    }
}

/// Progress of a request, shared between threads.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress(Arc<Mutex<State>>);

impl Progress {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state(&self) -> State {
        self.lock().clone()
    }

    /// Records that a host is requested, at first or after a redirect.
    pub(super) fn asks(&self, host: &str, port: u16) {
        let mut state = self.lock();
        state.stage = Stage::Name;
        host.clone_into(&mut state.host);
        (state.port, state.address, state.status, state.broken) = (Some(port), None, None, None);
        state.addresses.clear();
    }

    /// Records the addresses that are tried, in order.
    pub(super) fn connects(&self, addresses: impl Iterator<Item = SocketAddr>) {
        let mut state = self.lock();
        state.stage = Stage::Connection;
        state.addresses = addresses.map(|address| address.ip()).collect();
        state.address = state.addresses.last().copied();
    }

    pub(super) fn reaches(&self, stage: Stage) {
        self.lock().stage = stage;
    }

    pub(super) fn answers(&self, status: u16) {
        let mut state = self.lock();
        (state.stage, state.status) = (Stage::Body, Some(status));
    }

    pub(super) fn follows(&self, redirect: Redirect) {
        self.lock().redirects.push(redirect);
    }

    pub(super) fn breaks(&self, how: Break) {
        self.lock().broken = Some(how);
    }

    pub(super) fn leaves_unchecked(&self) {
        self.lock().unchecked = true;
    }
}
