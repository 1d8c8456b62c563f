//! Temporal's server in memory.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// Starts a server that ends with whoever holds its standard input, also if it is killed.
const SCRIPT: &str = r#"java -cp "$1/jars/*" io.temporal.testserver.TestServer "$2" & read -r _; kill -9 $!; wait"#;

/// A running server.
pub(crate) struct Server {
    process: Child,
    hold: Option<ChildStdin>,
    directory: PathBuf,
    pub(crate) port: u16,
}

impl Server {
    /// Starts a server. None: it is not installed, which is told.
    pub(crate) fn start() -> Option<Self> {
        let Some(directory) = std::env::var_os("REFEREE_TEMPORAL").map(PathBuf::from).filter(|path| path.is_dir())
        else {
            println!("skipped: no Temporal test server, .ci/temporal installs it");
            return None;
        };
        Some(Self::listen(&directory, free_port()))
    }

    fn listen(directory: &Path, port: u16) -> Self {
        let mut process = Command::new("sh")
            .args(["-c", SCRIPT, "sh"])
            .arg(directory)
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let hold = process.stdin.take();
        let until = Instant::now() + Duration::from_mins(1);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "the server does not listen");
            thread::sleep(Duration::from_millis(50));
        }
        Self { process, hold, port, directory: directory.to_owned() }
    }

    /// Kills the server, and starts one that knows nothing on the same port.
    pub(crate) fn restart(&mut self) {
        self.kill();
        *self = Self::listen(&self.directory, self.port);
    }

    /// Returns the server that tests share, each one with queues of its own.
    pub(crate) fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Option<Server>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref()
    }

    /// Kills the server.
    pub(crate) fn kill(&mut self) {
        self.hold = None;
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns a port where nobody listens.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
