//! Fingerprints of failures, independent of their position (ruling 23).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::Digest;

/// The identity of a failure or finding, stable when lines move, durations change or temporary directories get
/// other names. Includes the version of the rule that computed it, so that a better rule never regroups records
/// made under an older one. Written as `v1:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint {
    version: u16,
    digest: Digest,
}

/// An error parsing a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a fingerprint: expected `v`, a number, `:` and 64 lower-case hexadecimal digits")]
pub struct FingerprintError(String);

impl Fingerprint {
    /// Creates a fingerprint from a digest computed by version 1 of the rule.
    pub fn version_1(digest: Digest) -> Self {
        Self { version: 1, digest }
    }

    /// Returns the version of the rule.
    pub fn version(self) -> u16 {
        self.version
    }

    /// Parses a fingerprint of any version.
    pub fn parse(text: &str) -> Result<Self, FingerprintError> {
        let wrong = || FingerprintError(text.to_owned());
        let (version, digest) = text.strip_prefix('v').and_then(|rest| rest.split_once(':')).ok_or_else(wrong)?;
        let is_plain = !version.starts_with('0') && version.bytes().all(|byte| byte.is_ascii_digit());
        let version = version.parse().ok().filter(|_| is_plain).ok_or_else(wrong)?;
        Ok(Self { version, digest: Digest::parse(digest).map_err(|_| wrong())? })
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "v{}:{}", self.version, self.digest)
    }
}

written_as_text!(Fingerprint, FingerprintError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_as_it_is_written_and_nothing_else_is() {
        let digest = "0123456789abcdef".repeat(4);
        for version in ["v1", "v2", "v40"] {
            let text = format!("{version}:{digest}");
            assert_eq!(Fingerprint::parse(&text).unwrap().to_string(), text);
        }
        for junk in ["", "v1", "v1:", "v1:00", &digest, &format!("v0:{digest}"), &format!("v01:{digest}")] {
            assert!(Fingerprint::parse(junk).is_err(), "{junk}");
        }
        assert!(Fingerprint::parse(&format!("v+1:{digest}")).is_err());
        assert!(Fingerprint::parse(&format!("v1:{}", digest.to_uppercase())).is_err());
    }
}
