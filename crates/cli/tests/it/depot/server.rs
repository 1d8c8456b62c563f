//! Depots of tests: a directory, and a bucket of a real S3 server.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::support::{skipped, wait_until};

pub(super) const KEY: &str = "referee-tests";
pub(super) const SECRET: &str = "a-secret-of-tests";

/// A depot, which is gone when the test is over.
pub(super) struct Depot {
    ground: TempDir,
    server: Option<(Child, u16)>,
}

/// One depot of each kind that the machine can have.
pub(super) fn depots() -> Vec<Depot> {
    let mut depots = vec![Depot { ground: tempfile::tempdir().unwrap(), server: None }];
    depots.extend(bucket());
    depots
}

/// A bucket of a real server, versitygw over a directory. None: the machine has none.
pub(super) fn bucket() -> Option<Depot> {
    start(&[])
}

/// The same over TLS, with a certificate for `localhost` of an authority that no machine knows. Returns the certificate of
/// the authority.
pub(super) fn bucket_over_tls() -> Option<(Depot, TempDir)> {
    let authority = tempfile::tempdir().unwrap();
    let openssl = |arguments: &str| {
        let mut openssl = Command::new("openssl");
        openssl.args(arguments.split(' ')).current_dir(authority.path()).stdout(Stdio::null()).stderr(Stdio::null());
        openssl.status().is_ok_and(|status| status.success())
    };
    fs::write(authority.path().join("names"), "subjectAltName=DNS:localhost\n").unwrap();
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
    let is_made = openssl(&format!("req -x509 {key} -keyout ca.key -out ca.pem -days 2 -subj /CN=nobody"))
        && openssl(&format!("req {key} -keyout key.pem -out request -subj /CN=localhost"))
        && openssl(
            "x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out cert.pem",
        );
    if !is_made {
        skipped("no openssl");
        return None;
    }
    let path = |name: &str| authority.path().join(name).display().to_string();
    let depot = start(&["--cert", &path("cert.pem"), "--key", &path("key.pem")])?;
    Some((depot, authority))
}

fn start(options: &[&str]) -> Option<Depot> {
    let Some(program) = installed() else {
        skipped("no versitygw");
        return None;
    };
    let ground = tempfile::tempdir().unwrap();
    for directory in ["data/evidence", "meta"] {
        fs::create_dir_all(ground.path().join(directory)).unwrap();
    }
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Command::new(program)
        .args(["--port", &format!("127.0.0.1:{port}"), "--access", KEY, "--secret", SECRET])
        .args(options)
        .args(["posix", "--sidecar"])
        .arg(ground.path().join("meta"))
        .arg(ground.path().join("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let depot = Depot { ground, server: Some((server, port)) };
    wait_until("the server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    Some(depot)
}

/// Finds the server on the search path, and where `.ci/run` installs it.
fn installed() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let search = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&search).chain(cache.map(|cache| cache.join("referee-ci/bin")));
    directories.map(|directory| directory.join("versitygw")).find(|program| program.is_file())
}

impl Depot {
    pub(super) fn url(&self) -> String {
        match self.server {
            Some(_) => "s3://evidence/team-a".to_owned(),
            None => format!("file://{}", self.ground.path().display()),
        }
    }

    pub(super) fn environment(&self, secret: &str) -> Vec<(&'static str, String)> {
        let endpoint = self.server.as_ref().map(|(_, port)| format!("http://127.0.0.1:{port}"));
        let mut environment = vec![("REFEREE_PROJECT", "quote".to_owned())];
        environment.extend(endpoint.map(|endpoint| ("AWS_ENDPOINT_URL", endpoint)));
        environment.extend([("AWS_ACCESS_KEY_ID", KEY.to_owned()), ("AWS_SECRET_ACCESS_KEY", secret.to_owned())]);
        environment
    }

    /// The file behind an object.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        let below = if self.server.is_some() { "data/evidence/team-a" } else { "" };
        self.ground.path().join(below).join(name)
    }

    /// Takes an object away, with what the server knows of it.
    pub(super) fn lose(&self, name: &str) {
        fs::remove_file(self.file(name)).unwrap();
        if self.server.is_some() {
            fs::remove_dir_all(self.ground.path().join("meta/evidence/team-a").join(name)).unwrap();
        }
    }

    /// The name of the object with this content.
    pub(super) fn blob(content: &[u8]) -> String {
        let digest = referee_model::id::Digest::of(content).to_string();
        format!("blobs/sha256/{}/{}", &digest[..2], &digest[2..])
    }

    pub(super) fn port(&self) -> u16 {
        self.server.as_ref().unwrap().1
    }

    pub(super) fn stop(&mut self) {
        if let Some((server, _)) = &mut self.server {
            server.kill().unwrap();
            server.wait().unwrap();
        }
    }
}

impl Drop for Depot {
    fn drop(&mut self) {
        if let Some((server, _)) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}
