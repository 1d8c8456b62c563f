//! A real S3 server over a temporary directory.

use std::path::PathBuf;

use referee_fleet::access::Access;
use referee_fleet::depot::Depot;
use referee_model::depot::DepotAddress;
use referee_testkit::object_storage::{ACCESS_KEY, BUCKET, ObjectStorage, SECRET_KEY};

/// A running server. It is killed when this is dropped.
pub(crate) struct Server {
    storage: ObjectStorage,
    _directory: tempfile::TempDir,
}

impl Server {
    /// Starts a server with a bucket. None: the program is not installed, which is told.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = ObjectStorage::program() else {
            println!("skipped: no versitygw");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        let storage = ObjectStorage::start(program, directory.path(), &[]).unwrap();
        Some(Self { storage, _directory: directory })
    }

    pub(crate) fn access(&self, secret: &str) -> Access {
        let endpoint = self.storage.url();
        let secret = secret.to_owned();
        Access::read(move |name| match name {
            "AWS_ACCESS_KEY_ID" => Some(ACCESS_KEY.to_owned()),
            "AWS_SECRET_ACCESS_KEY" => Some(secret.clone()),
            "AWS_ENDPOINT_URL" => Some(endpoint.clone()),
            _ => None,
        })
    }

    pub(crate) fn depot(&self, prefix: &str) -> Depot {
        let address = DepotAddress::S3 { bucket: BUCKET.to_owned(), prefix: prefix.to_owned() };
        Depot::open(&address, &self.access(SECRET_KEY)).unwrap()
    }

    /// The file behind an object.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.storage.file(name)
    }
}
