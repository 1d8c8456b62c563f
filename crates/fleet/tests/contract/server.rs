//! A real S3 server, versitygw over a temporary directory.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use referee_fleet::access::Access;
use referee_fleet::depot::Depot;
use referee_model::depot::DepotAddress;

pub(crate) const KEY: &str = "referee-tests";
pub(crate) const SECRET: &str = "a-secret-of-tests";

/// A running server. It is killed when this is dropped.
pub(crate) struct Server {
    process: Child,
    ground: tempfile::TempDir,
    pub(crate) port: u16,
}

impl Server {
    /// Starts a server with a bucket `evidence`. None: the program is not installed, which is told.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program() else {
            println!("skipped: no versitygw");
            return None;
        };
        let ground = tempfile::tempdir().unwrap();
        for directory in ["data/evidence", "meta"] {
            std::fs::create_dir_all(ground.path().join(directory)).unwrap();
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(program)
            .args(["--port", &format!("127.0.0.1:{port}"), "--access", KEY, "--secret", SECRET, "posix", "--sidecar"])
            .arg(ground.path().join("meta"))
            .arg(ground.path().join("data"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { process, ground, port };
        let until = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "the server does not listen");
            thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    pub(crate) fn access(&self, secret: &str) -> Access {
        let endpoint = format!("http://127.0.0.1:{}", self.port);
        let secret = secret.to_owned();
        Access::read(move |name| match name {
            "AWS_ACCESS_KEY_ID" => Some(KEY.to_owned()),
            "AWS_SECRET_ACCESS_KEY" => Some(secret.clone()),
            "AWS_ENDPOINT_URL" => Some(endpoint.clone()),
            _ => None,
        })
    }

    pub(crate) fn depot(&self, prefix: &str) -> Depot {
        let address = DepotAddress::S3 { bucket: "evidence".to_owned(), prefix: prefix.to_owned() };
        Depot::open(&address, &self.access(SECRET)).unwrap()
    }

    /// The file behind an object.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.ground.path().join("data/evidence").join(name)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Finds the program on the search path, and where `.ci/run` installs it.
fn program() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let search = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&search).chain(cache.map(|cache| cache.join("referee-ci/bin")));
    directories.map(|directory| directory.join("versitygw")).find(|program| program.is_file())
}
