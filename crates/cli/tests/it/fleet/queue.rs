//! The queue of orders in tests: Temporal's server in memory.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;

use crate::support::{skipped, wait_until};

/// Starts a server that ends with whoever holds its standard input, also if it is killed.
const SCRIPT: &str = r#"java -cp "$1/jars/*" io.temporal.testserver.TestServer "$2" & read -r _; kill -9 $!; wait"#;

/// A running server.
pub(super) struct Queue {
    _process: Child,
    _hold: Option<ChildStdin>,
    port: u16,
}

impl Queue {
    /// Returns the server that tests share, each one with labels of its own. None: it is not installed.
    pub(super) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Queue>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    fn start() -> Option<Self> {
        let directory = std::env::var_os("REFEREE_TEMPORAL").map(PathBuf::from).filter(|path| path.is_dir());
        if directory.is_none() {
            skipped("no queue of orders: .ci/temporal installs the server that REFEREE_TEMPORAL names");
        }
        directory.map(|directory| Self::listen(&directory))
    }

    fn listen(directory: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut script = Command::new("sh");
        script.args(["-c", SCRIPT, "sh"]).arg(directory).arg(port.to_string());
        let mut process = script.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let hold = process.stdin.take();
        wait_until("the queue listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Self { _process: process, _hold: hold, port }
    }

    /// Returns the variable that names the server.
    pub(super) fn address(&self) -> (&'static str, String) {
        ("TEMPORAL_ADDRESS", format!("127.0.0.1:{}", self.port))
    }
}
