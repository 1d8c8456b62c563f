//! Depots of tests: a directory, and a bucket of a real S3 server.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use referee_testkit::object_storage::{ACCESS_KEY, ObjectStorage};
use tempfile::TempDir;

use crate::support::skipped;

/// A depot, which is gone when the test is over.
pub(super) struct Depot {
    server: Option<ObjectStorage>,
    ground: TempDir,
}

/// One depot of each kind that the machine can have.
pub(super) fn depots() -> Vec<Depot> {
    let mut depots = vec![Depot { server: None, ground: tempfile::tempdir().unwrap() }];
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
    let Some(program) = ObjectStorage::program() else {
        skipped("no versitygw");
        return None;
    };
    let ground = tempfile::tempdir().unwrap();
    let server = ObjectStorage::start(program, ground.path(), options).unwrap();
    Some(Depot { server: Some(server), ground })
}

impl Depot {
    pub(super) fn url(&self) -> String {
        match self.server {
            Some(_) => "s3://evidence/team-a".to_owned(),
            None => format!("file://{}", self.ground.path().display()),
        }
    }

    pub(super) fn environment(&self, secret: &str) -> Vec<(&'static str, String)> {
        let endpoint = self.server.as_ref().map(ObjectStorage::url);
        let mut environment = vec![("REFEREE_PROJECT", "quote".to_owned())];
        environment.extend(endpoint.map(|endpoint| ("AWS_ENDPOINT_URL", endpoint)));
        environment
            .extend([("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()), ("AWS_SECRET_ACCESS_KEY", secret.to_owned())]);
        environment
    }

    /// The file behind an object.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        match &self.server {
            Some(server) => server.file(&format!("team-a/{name}")),
            None => self.ground.path().join(name),
        }
    }

    /// Takes an object away, with what the server knows of it.
    pub(super) fn lose(&self, name: &str) {
        match &self.server {
            Some(server) => server.remove(&format!("team-a/{name}")).unwrap(),
            None => fs::remove_file(self.file(name)).unwrap(),
        }
    }

    /// The name of the object with this content.
    pub(super) fn blob(content: &[u8]) -> String {
        let digest = referee_model::id::Digest::of(content).to_string();
        format!("blobs/sha256/{}/{}", &digest[..2], &digest[2..])
    }

    pub(super) fn port(&self) -> u16 {
        self.server.as_ref().unwrap().port
    }

    pub(super) fn stop(&mut self) {
        if let Some(server) = &mut self.server {
            server.kill().unwrap();
        }
    }
}
