//! A depot: objects that are created once, and heads that move from the version that was read.

use std::fs::File;
use std::io::Write;

use referee_ledger::LedgerError;
use referee_ledger::file_depot::FileDepot;
use referee_model::depot::{DepotAddress, DepotFailureKind};
use referee_model::id::Digest;

use crate::access::Access;
use crate::content::{self, Content};
pub use crate::content::{Blob, Object, Version};
use crate::error::DepotError;
pub use crate::objects::Objects;

/// A depot.
#[derive(Debug)]
pub enum Depot {
    /// A directory.
    Files(FileDepot),
    /// Object storage.
    Objects(Objects),
}

/// What became of content that was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// It was written.
    New,
    /// The depot has it already.
    Present,
}

impl Depot {
    /// Opens a depot.
    ///
    /// # Errors
    /// Fails if its address or the credentials cannot be used. Whether a server answers is not asked.
    pub fn open(address: &DepotAddress, access: &Access) -> Result<Self, DepotError> {
        match address {
            DepotAddress::Files { directory } => FileDepot::open(directory).map(Self::Files).map_err(unavailable),
            DepotAddress::S3 { bucket, prefix } => Objects::open(bucket, prefix, access).map(Self::Objects),
        }
    }

    /// Stores the content of a file, unless the depot has an object of that name and size.
    ///
    /// # Errors
    /// Fails if the file does not hold this content, and if the depot has an object of another size.
    pub async fn put(&self, name: &str, blob: Blob, source: File) -> Result<Stored, DepotError> {
        if let Some(bytes) = self.size(name).await? {
            return present(name, blob, bytes);
        }
        let created = match self {
            Self::Files(files) => {
                files.create(name, |out| content::copy(source, blob, name, out)).map_err(unavailable)?
            }
            Self::Objects(objects) => objects.put(name, blob, source).await?,
        };
        if created {
            return Ok(Stored::New);
        }
        if let Some(bytes) = self.size(name).await? {
            return present(name, blob, bytes);
        }
        let message = format!("the object storage says that `{name}` exists, and does not show it: push again");
        Err(DepotError::new(DepotFailureKind::Unavailable, message))
    }

    /// Writes content to `out` as it arrives, and checks its size and digest. After an error what was written must be
    /// discarded.
    ///
    /// # Errors
    /// Fails if the object is missing, or is not this content.
    pub async fn get(&self, name: &str, blob: Blob, out: &mut dyn Write) -> Result<u64, DepotError> {
        let mut content = Content::new(name, blob);
        match self {
            Self::Files(files) => {
                let mut file = files.find(name).map_err(unavailable)?.ok_or_else(|| DepotError::missing(name))?;
                content.take_all(&mut file, out)?;
            }
            Self::Objects(objects) => objects.get(name, &mut |piece| content.take(piece, out)).await?,
        }
        content.end()
    }

    /// Reads a small document with its version. None: there is none of this name.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub async fn read(&self, name: &str) -> Result<Option<(Vec<u8>, Version)>, DepotError> {
        match self {
            Self::Files(files) => {
                let found = files.read(name).map_err(unavailable)?;
                Ok(found.map(|bytes| {
                    let version = Version(Digest::of(&bytes).to_string());
                    (bytes, version)
                }))
            }
            Self::Objects(objects) => objects.read(name).await,
        }
    }

    /// Creates an object. Returns false if the name is taken.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub async fn create(&self, name: &str, bytes: &[u8]) -> Result<bool, DepotError> {
        match self {
            Self::Files(files) => files.create(name, |out| out.write_all(bytes)).map_err(unavailable),
            Self::Objects(objects) => objects.create(name, bytes).await,
        }
    }

    /// Replaces a document that has the expected version; None: that does not exist. Returns false if it has another one
    /// by now.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub async fn move_head(&self, name: &str, expected: Option<&Version>, bytes: &[u8]) -> Result<bool, DepotError> {
        match self {
            Self::Files(files) => {
                let digest = |version: &Version| Digest::parse(&version.0).map_err(DepotError::local);
                files.exchange(name, expected.map(digest).transpose()?, bytes).map_err(unavailable)
            }
            Self::Objects(objects) => match expected {
                Some(version) => objects.exchange(name, version, bytes).await,
                None => objects.create(name, bytes).await,
            },
        }
    }

    /// Lists the objects below a prefix, sorted by name.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub async fn list(&self, prefix: &str) -> Result<Vec<Object>, DepotError> {
        match self {
            Self::Files(files) => {
                let found = files.list(prefix).map_err(unavailable)?;
                Ok(found.into_iter().map(|object| Object { name: object.name, bytes: object.bytes }).collect())
            }
            Self::Objects(objects) => objects.list(prefix).await,
        }
    }

    /// Lists the objects below a prefix with their versions, sorted by name.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub async fn versions(&self, prefix: &str) -> Result<Vec<(String, Version)>, DepotError> {
        if let Self::Objects(objects) = self {
            return objects.versions(prefix).await;
        }
        let mut versions = Vec::new();
        for Object { name, .. } in self.list(prefix).await? {
            // It may be gone by now.
            versions.extend(self.read(&name).await?.map(|(_, version)| (name, version)));
        }
        Ok(versions)
    }

    /// Removes an object, if there is one of this name.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub async fn remove(&self, name: &str) -> Result<(), DepotError> {
        match self {
            Self::Files(files) => files.remove(name).map_err(unavailable),
            Self::Objects(objects) => objects.remove(name).await,
        }
    }

    /// Returns the size of an object in bytes. None: there is none of this name.
    ///
    /// # Errors
    /// Fails if the depot does not answer.
    pub async fn size(&self, name: &str) -> Result<Option<u64>, DepotError> {
        match self {
            Self::Files(files) => {
                let file = files.find(name).map_err(unavailable)?;
                file.map(|file| file.metadata().map(|facts| facts.len()).map_err(DepotError::local)).transpose()
            }
            Self::Objects(objects) => objects.size(name).await,
        }
    }
}

fn present(name: &str, blob: Blob, found: u64) -> Result<Stored, DepotError> {
    match blob.bytes.filter(|bytes| *bytes != found) {
        Some(bytes) => Err(DepotError::corrupt(name, &format!("it has {found} of {bytes} bytes"))),
        None => Ok(Stored::Present),
    }
}

/// Turns an error of the directory of a depot into one of the depot, unless it is that of the file that was to be stored.
fn unavailable(error: LedgerError) -> DepotError {
    let of_depot = DepotError::new(DepotFailureKind::Unavailable, error.to_string());
    match error {
        LedgerError::Io { source, .. } => source.downcast::<DepotError>().unwrap_or(of_depot),
        _ => of_depot,
    }
}
