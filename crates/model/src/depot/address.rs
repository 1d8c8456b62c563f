//! Addresses of depots.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Address of a depot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum DepotAddress {
    /// A directory.
    Files {
        /// Its path.
        directory: PathBuf,
    },
    /// A bucket of S3-compatible object storage.
    S3 {
        /// Name of the bucket.
        bucket: String,
        /// Prefix of all names in it, without slashes at its ends. Empty: none.
        prefix: String,
    },
}

/// An address that cannot be used. The address may hold a password, so it is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DepotAddressError {
    /// Neither a bucket nor a directory.
    #[error("not the address of a depot: expected `s3://BUCKET/PREFIX`, `file:///DIRECTORY` or a path")]
    Scheme,
    /// The bucket's name is not one.
    #[error(
        "not the name of a bucket: expected 3 to 63 lower-case letters, digits, `.` and `-`, as in `s3://evidence`"
    )]
    Bucket,
    /// The prefix has other characters.
    #[error("not a prefix: expected letters, digits, `.`, `_`, `-` and `/`, as in `s3://evidence/team-a`")]
    Prefix,
    /// A URL of a file with a host, an escape or a relative path.
    #[error("not a file URL: expected `file:///` and an absolute path without `%`")]
    File,
}

impl DepotAddress {
    /// Parses an address. Text without a scheme is a path.
    ///
    /// # Errors
    /// Fails for other schemes, and for names that a bucket cannot have.
    pub fn parse(text: &str) -> Result<Self, DepotAddressError> {
        match text.split_once("://") {
            Some(("s3", rest)) => s3(rest),
            Some(("file", rest)) if rest.starts_with('/') && !rest.contains(['%', '?', '#']) => {
                Ok(Self::Files { directory: PathBuf::from(rest) })
            }
            Some(("file", _)) => Err(DepotAddressError::File),
            Some(_) => Err(DepotAddressError::Scheme),
            None if text.is_empty() => Err(DepotAddressError::Scheme),
            None => Ok(Self::Files { directory: PathBuf::from(text) }),
        }
    }

    /// Returns the address with the path of a directory resolved against `base`.
    #[must_use]
    pub fn below(self, base: &Path) -> Self {
        match self {
            Self::Files { directory } => Self::Files { directory: base.join(directory) },
            bucket @ Self::S3 { .. } => bucket,
        }
    }
}

fn s3(rest: &str) -> Result<DepotAddress, DepotAddressError> {
    let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
    let is_bucket = (3..=63).contains(&bucket.len())
        && bucket.starts_with(|first: char| first.is_ascii_alphanumeric())
        && bucket.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    if !is_bucket {
        return Err(DepotAddressError::Bucket);
    }
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphanumeric())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    };
    if prefix.len() > 500 || !(prefix.is_empty() || prefix.split('/').all(is_part)) {
        return Err(DepotAddressError::Prefix);
    }
    Ok(DepotAddress::S3 { bucket: bucket.to_owned(), prefix: prefix.to_owned() })
}

impl fmt::Display for DepotAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Files { directory } => write!(formatter, "{}", directory.display()),
            Self::S3 { bucket, prefix } if prefix.is_empty() => write!(formatter, "s3://{bucket}"),
            Self::S3 { bucket, prefix } => write!(formatter, "s3://{bucket}/{prefix}"),
        }
    }
}

/// An address as text, in documents that people read: `s3://BUCKET/PREFIX`, or the absolute path of a directory.
pub(crate) mod address_text {
    use serde::de::Error as _;
    use serde::ser::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::DepotAddress;

    pub(crate) fn serialize<S: Serializer>(address: &DepotAddress, serializer: S) -> Result<S::Ok, S::Error> {
        match address {
            DepotAddress::Files { directory } => {
                let text = directory.to_str().ok_or_else(|| S::Error::custom("the path of the depot is not text"))?;
                serializer.serialize_str(text)
            }
            DepotAddress::S3 { .. } => serializer.collect_str(address),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DepotAddress, D::Error> {
        let text = String::deserialize(deserializer)?;
        match DepotAddress::parse(&text).map_err(D::Error::custom)? {
            DepotAddress::Files { directory } if !directory.is_absolute() => {
                Err(D::Error::custom(format!("{text:?} is not an absolute path")))
            }
            address => Ok(address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_bucket_a_file_url_or_a_path() {
        for (text, shown) in [
            ("s3://evidence", "s3://evidence"),
            ("s3://evidence/", "s3://evidence"),
            ("s3://my.bucket-1/team/A_b.c/", "s3://my.bucket-1/team/A_b.c"),
            ("file:///srv/depot", "/srv/depot"),
            ("depot", "/work/depot"),
            ("/srv/depot", "/srv/depot"),
        ] {
            let address = DepotAddress::parse(text).unwrap().below(Path::new("/work"));
            assert_eq!(address.to_string(), shown, "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_and_not_repeated() {
        for (text, error) in [
            ("", DepotAddressError::Scheme),
            ("https://key:secret@host/bucket", DepotAddressError::Scheme),
            ("s3://", DepotAddressError::Bucket),
            ("s3://key:secret@evidence", DepotAddressError::Bucket),
            ("s3://Evidence", DepotAddressError::Bucket),
            ("s3://ab", DepotAddressError::Bucket),
            ("s3://evidence/../other", DepotAddressError::Prefix),
            ("s3://evidence//a", DepotAddressError::Prefix),
            ("s3://evidence/a?x=1", DepotAddressError::Prefix),
            ("file://host/srv", DepotAddressError::File),
            ("file:///srv/%2e%2e", DepotAddressError::File),
        ] {
            assert_eq!(DepotAddress::parse(text), Err(error), "{text}");
            assert!(!error.to_string().contains("secret"));
        }
    }
}
