//! Temporal's server: the one in memory, or, where `REFEREE_TEMPORAL_SERVER` names it, the one that keeps its state.

use std::sync::OnceLock;

use referee_testkit::temporal::{TemporalProgram, TemporalServer};

/// Starts a server. None: it is not installed, which is told.
pub(crate) fn start() -> Option<TemporalServer> {
    start_if(|_| true, "no Temporal server, .ci/temporal installs it")
}

/// Starts a server that keeps its state. None: there is none, which is told.
pub(crate) fn start_lasting() -> Option<TemporalServer> {
    let missing = "no Temporal server that keeps its state, `.ci/temporal --server` builds it";
    start_if(TemporalProgram::is_lasting, missing)
}

/// Starts a server that forgets all when it ends. None: there is none, which is told.
pub(crate) fn start_forgetful() -> Option<TemporalServer> {
    start_if(|program| !program.is_lasting(), "no Temporal server in memory, .ci/temporal installs it")
}

fn start_if(is_meant: impl Fn(&TemporalProgram) -> bool, missing: &str) -> Option<TemporalServer> {
    let program = TemporalProgram::installed().filter(is_meant);
    if program.is_none() {
        println!("skipped: {missing}");
    }
    program.map(|program| TemporalServer::start(program).unwrap())
}

/// Returns the server that tests share, each one with queues of its own.
pub(crate) fn shared() -> Option<&'static TemporalServer> {
    static SHARED: OnceLock<Option<TemporalServer>> = OnceLock::new();
    SHARED.get_or_init(start).as_ref()
}
