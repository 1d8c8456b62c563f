//! A suppression in a source.

use referee_model::id::Digest;
use referee_model::lock::KnownSuppression;
use referee_model::run_context::suppression::SuppressionKind as Kind;

use super::digest;

/// A suppression in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// 1-based line number.
    pub(super) line: u32,
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Text that identifies the suppression in another place: the suppression with its subject.
    pub(super) words: String,
}

impl Mark {
    /// Returns the identity of the suppression, independent of its place.
    pub(super) fn key(&self) -> (Kind, Digest) {
        (self.kind, digest(&self.words))
    }

    pub(super) fn known(&self) -> KnownSuppression {
        KnownSuppression { kind: self.kind, words: digest(&self.words), line: digest(&self.text) }
    }
}
