//! Objects in S3-compatible storage.

use std::error::Error as _;
use std::fs::File;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, Error, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload,
    RetryConfig, UpdateVersion,
};
use referee_model::depot::DepotFailureKind;

use crate::access::Access;
use crate::content::{self, Blob, Content, Object, UNSIZED_BYTES, Version};
use crate::error::DepotError;

/// Time limit for a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Time limit for a request of one part.
const REQUEST: Duration = Duration::from_mins(2);

/// Number of retries of a request, and the time after which there are no more.
const RETRIES: usize = 3;
const RETRY: Duration = Duration::from_secs(20);

/// Largest object that is written by one request, and size of a part of larger ones, in bytes.
const PART_BYTES: usize = 16 * 1024 * 1024;

/// Largest part of a server's message that is shown, in characters.
const SHOWN_CHARACTERS: usize = 300;

/// Objects below a prefix of a bucket.
#[derive(Debug)]
pub struct Objects {
    store: Arc<dyn ObjectStore>,
    prefix: String,
    access: Access,
}

impl Objects {
    /// Returns the objects of a bucket.
    pub(crate) fn open(bucket: &str, prefix: &str, access: &Access) -> Result<Self, DepotError> {
        // Another part of the program may have chosen it already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let credentials = access.credentials()?;
        let client = ClientOptions::new().with_connect_timeout(CONNECT).with_timeout(REQUEST).with_allow_http(true);
        let backoff = BackoffConfig { max_backoff: Duration::from_secs(5), ..BackoffConfig::default() };
        let retry = RetryConfig { backoff, max_retries: RETRIES, retry_timeout: RETRY };
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_region(credentials.region)
            .with_access_key_id(credentials.key)
            .with_secret_access_key(credentials.secret)
            .with_client_options(client)
            .with_retry(retry);
        if let Some(token) = credentials.token {
            builder = builder.with_token(token);
        }
        if let Some(endpoint) = credentials.endpoint {
            builder = builder.with_endpoint(endpoint);
        }
        let store = builder.build().map_err(|error| {
            DepotError::new(
                DepotFailureKind::Address,
                access.redact(&format!("object storage cannot be used: {error}")),
            )
        })?;
        Ok(Self { store: Arc::new(store), prefix: prefix.to_owned(), access: access.clone() })
    }

    /// Returns the objects of another store, such as one in memory.
    pub fn over(store: Arc<dyn ObjectStore>) -> Self {
        Self { store, prefix: String::new(), access: Access::default() }
    }

    fn path(&self, name: &str) -> Path {
        if self.prefix.is_empty() { Path::from(name) } else { Path::from(format!("{}/{name}", self.prefix)) }
    }

    /// Writes a file's content. Returns false if the name was taken meanwhile.
    pub(crate) async fn put(&self, name: &str, blob: Blob, source: File) -> Result<bool, DepotError> {
        if blob.bytes.is_none_or(|bytes| bytes <= PART_BYTES as u64) {
            let mut content = Vec::new();
            content::copy(source, blob, name, &mut content).map_err(DepotError::local)?;
            return self.create(name, &content).await;
        }
        let path = self.path(name);
        let mut upload = self.store.put_multipart(&path).await.map_err(|error| self.error(name, &error))?;
        let stored = async {
            let mut content = Content::new(name, blob);
            let mut source = source.take(u64::MAX);
            loop {
                let mut part = Vec::with_capacity(PART_BYTES);
                source.set_limit(PART_BYTES as u64);
                source.read_to_end(&mut part).map_err(DepotError::local)?;
                if part.is_empty() {
                    break;
                }
                content.take(&part, &mut std::io::sink()).map_err(DepotError::changed)?;
                upload.put_part(part.into()).await.map_err(|error| self.error(name, &error))?;
            }
            // The parts of a file that changed are never put together.
            content.end().map_err(DepotError::changed)?;
            upload.complete().await.map_err(|error| self.error(name, &error))
        };
        let stored = stored.await;
        if stored.is_err() {
            // What cannot be taken back is left to the rules of the bucket.
            let _ = upload.abort().await;
        }
        stored.map(|_| true)
    }

    /// Passes the pieces of an object on as they arrive.
    pub(crate) async fn get(
        &self,
        name: &str,
        each: &mut dyn FnMut(&[u8]) -> Result<(), DepotError>,
    ) -> Result<(), DepotError> {
        let found = self.store.get(&self.path(name)).await.map_err(|error| self.error(name, &error))?;
        let mut pieces = found.into_stream();
        while let Some(piece) = pieces.next().await {
            each(&piece.map_err(|error| self.error(name, &error))?)?;
        }
        Ok(())
    }

    pub(crate) async fn read(&self, name: &str) -> Result<Option<(Vec<u8>, Version)>, DepotError> {
        let found = match self.store.get(&self.path(name)).await {
            Err(Error::NotFound { .. }) => return Ok(None),
            found => found.map_err(|error| self.error(name, &error))?,
        };
        let tag = found.meta.e_tag.clone();
        if found.meta.size > UNSIZED_BYTES {
            return Err(DepotError::corrupt(name, "it is too large"));
        }
        let bytes: Bytes = found.bytes().await.map_err(|error| self.error(name, &error))?;
        Ok(Some((bytes.into(), version(tag)?)))
    }

    pub(crate) async fn create(&self, name: &str, bytes: &[u8]) -> Result<bool, DepotError> {
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.store.put_opts(&self.path(name), PutPayload::from(bytes.to_vec()), options).await {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. }) => Ok(false),
            Err(Error::NotFound { .. }) => {
                Err(DepotError::new(DepotFailureKind::Address, "the bucket does not exist: create it first"))
            }
            Err(error) => Err(self.error(name, &error)),
        }
    }

    pub(crate) async fn exchange(&self, name: &str, expected: &Version, bytes: &[u8]) -> Result<bool, DepotError> {
        let version = UpdateVersion { e_tag: Some(expected.0.clone()), version: None };
        let options = PutOptions { mode: PutMode::Update(version), ..PutOptions::default() };
        match self.store.put_opts(&self.path(name), PutPayload::from(bytes.to_vec()), options).await {
            Ok(_) => Ok(true),
            Err(Error::Precondition { .. } | Error::AlreadyExists { .. } | Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(self.error(name, &error)),
        }
    }

    pub(crate) async fn list(&self, prefix: &str) -> Result<Vec<Object>, DepotError> {
        let found = self.below(prefix).await?;
        Ok(found.into_iter().map(|(name, meta)| Object { name, bytes: meta.size }).collect())
    }

    /// Lists the objects below a prefix with their versions, sorted by name.
    pub(crate) async fn versions(&self, prefix: &str) -> Result<Vec<(String, Version)>, DepotError> {
        let found = self.below(prefix).await?.into_iter();
        found.map(|(name, meta)| Ok((name, version(meta.e_tag)?))).collect()
    }

    /// Lists what is below a prefix, sorted by name.
    async fn below(&self, prefix: &str) -> Result<Vec<(String, ObjectMeta)>, DepotError> {
        let own = if self.prefix.is_empty() { 0 } else { self.prefix.len() + 1 };
        let found = self.store.list(Some(&self.path(prefix)));
        let named = found.map_ok(|meta| (meta.location.as_ref().get(own..).unwrap_or_default().to_owned(), meta));
        let mut objects: Vec<_> = named.try_collect().await.map_err(|error| self.error(prefix, &error))?;
        objects.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(objects)
    }

    pub(crate) async fn remove(&self, name: &str) -> Result<(), DepotError> {
        match self.store.delete(&self.path(name)).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.error(name, &error)),
        }
    }

    pub(crate) async fn size(&self, name: &str) -> Result<Option<u64>, DepotError> {
        match self.store.head(&self.path(name)).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.error(name, &error)),
        }
    }

    /// Describes an error of the store. Credentials that a server repeats are not shown.
    fn error(&self, name: &str, error: &Error) -> DepotError {
        match error {
            Error::NotFound { .. } => DepotError::missing(name),
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => {
                let message = format!(
                    "the object storage refuses access to `{name}`: check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the \
                     rights on the bucket"
                );
                DepotError::new(DepotFailureKind::Denied, message)
            }
            other => {
                let shown = self.access.redact(&innermost(other));
                let shown: String = shown.lines().next().unwrap_or_default().chars().take(SHOWN_CHARACTERS).collect();
                let message = format!("the object storage does not answer as it should, for `{name}`: {shown}");
                DepotError::new(DepotFailureKind::Unavailable, message)
            }
        }
    }
}

fn version(tag: Option<String>) -> Result<Version, DepotError> {
    tag.map(Version).ok_or_else(|| {
        DepotError::new(DepotFailureKind::Address, "the object storage gives no ETag, so heads cannot be moved safely")
    })
}

/// Returns the cause of an error that says most.
fn innermost(error: &Error) -> String {
    let mut cause = error.source();
    let mut texts = vec![error.to_string()];
    while let Some(inner) = cause {
        texts.push(inner.to_string());
        cause = inner.source();
    }
    texts.pop().unwrap_or_default()
}
