//! The queue of orders in tests: Temporal's server in memory, or the one that keeps its state, where that is named.

use std::sync::OnceLock;

use referee_testkit::temporal::{TemporalProgram, TemporalServer};

use crate::support::skipped;

/// A running server.
pub(super) struct Queue(TemporalServer);

impl Queue {
    /// Returns the server that tests share, each one with labels of its own. None: it is not installed.
    pub(super) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Queue>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    fn start() -> Option<Self> {
        let program = TemporalProgram::installed();
        if program.is_none() {
            skipped("no queue of orders: .ci/temporal installs the server that REFEREE_TEMPORAL names");
        }
        program.map(|program| Self(TemporalServer::start(program).unwrap()))
    }

    /// Returns the variable that names the server.
    pub(super) fn address(&self) -> (&'static str, String) {
        ("TEMPORAL_ADDRESS", format!("127.0.0.1:{}", self.0.port))
    }
}
