//! Servers that run for the time of the tests that use them.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use referee_model::database::DatabaseAnswer;
use referee_model::plan::interaction::Transaction;
use tempfile::TempDir;

use crate::driver;

/// Longest time that a server may take to start.
const BOUND: Duration = Duration::from_mins(1);

/// A running server, which ends when no test uses it any more.
pub(crate) struct Server {
    pub(crate) port: u16,
    process: Child,
    pub(crate) directory: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server whose data is thrown away need not end by itself; its group holds the processes that it started.
        if let Some(group) = i32::try_from(self.process.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.process.wait();
    }
}

/// How a kind of server is started.
pub(crate) struct Kind {
    /// User that it runs as if the tests are root's.
    pub(crate) user: &'static str,
    pub(crate) find: fn() -> Option<PathBuf>,
    /// Prepares the data in a directory.
    pub(crate) prepare: fn(&Path, &Path) -> Command,
    /// Starts the server on a port.
    pub(crate) start: fn(&Path, &Path, u16) -> Command,
    /// URL by which it answers once it is ready.
    pub(crate) url: fn(u16) -> String,
}

/// The server of a kind that tests share.
pub(crate) type Shared = Mutex<Weak<Server>>;

/// Returns the running server, or starts it. None: it is not installed.
pub(crate) fn shared(shared: &Shared, kind: &Kind) -> Option<Arc<Server>> {
    let mut running = shared.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = running.upgrade() {
        return Some(server);
    }
    let server = Arc::new(start(kind, &(kind.find)()?));
    *running = Arc::downgrade(&server);
    Some(server)
}

fn start(kind: &Kind, program: &Path) -> Server {
    let directory = tempfile::tempdir().unwrap();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        let id = |option| {
            let output = Command::new("id").args([option, kind.user]).output().unwrap();
            String::from_utf8(output.stdout).unwrap().trim().parse::<u32>().unwrap()
        };
        chown(directory.path(), Some(id("-u")), Some(id("-g"))).unwrap();
    }
    let mut prepare = lowered(&(kind.prepare)(program, directory.path()), kind.user, is_root);
    let output = prepare.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let log = fs::File::create(directory.path().join("server.log")).unwrap();
    let mut start = lowered(&(kind.start)(program, directory.path(), port), kind.user, is_root);
    start.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).process_group(0);
    let server = Server { port, process: start.spawn().unwrap(), directory };
    let request = driver::request(&(kind.url)(port), Path::new("/"), "SELECT 1", Transaction::ReadOnly);
    let begun = Instant::now();
    while !matches!(driver::answer(&request), DatabaseAnswer::Answered(_)) {
        let log = || fs::read_to_string(server.directory.path().join("server.log")).unwrap();
        assert!(begun.elapsed() < BOUND, "{:?}\n{}", driver::answer(&request), log());
        std::thread::sleep(Duration::from_millis(50));
    }
    server
}

/// Servers refuse to run as root.
fn lowered(command: &Command, user: &str, is_root: bool) -> Command {
    let mut lowered = Command::new("setpriv");
    if is_root {
        lowered.args(["--reuid", user, "--regid", user, "--clear-groups"]);
    }
    lowered.arg("--").arg(command.get_program()).args(command.get_args()).current_dir("/");
    lowered
}
