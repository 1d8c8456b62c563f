//! Names of the objects of a depot.

use referee_model::id::{Digest, ProjectName, TaskId};

/// Version of the layout.
pub(crate) const DEPOT: &str = "depot.json";

/// Whether files are being removed.
pub(crate) const GENERATION: &str = "generation.json";

/// Prefix of all content.
pub(crate) const BLOBS: &str = "blobs/sha256";

/// Prefix of all receipts.
pub(crate) const RECEIPTS: &str = "receipts/sha256";

/// Prefix of all heads.
pub(crate) const HEADS: &str = "heads";

/// Returns the name of content.
pub(crate) fn blob(sha256: Digest) -> String {
    by_digest(BLOBS, sha256)
}

/// Returns the name of the statements about a sealed run, by the digest of its seal. They are written once the run's
/// files are stored, and are empty if the run is not signed.
pub(crate) fn statements(seal: Digest) -> String {
    by_digest("statements/sha256", seal)
}

/// Returns the name of the tombstone of a run, by the digest of its seal.
pub(crate) fn tombstone(seal: Digest) -> String {
    by_digest("tombstones/sha256", seal)
}

/// Returns the name of the receipt of an order, by the digest of the order.
pub(crate) fn receipt(order: Digest) -> String {
    by_digest(RECEIPTS, order)
}

/// Returns the name of a head.
pub(crate) fn head(project: &ProjectName, task: &TaskId) -> String {
    format!("{HEADS}/{project}/{task}.json")
}

fn by_digest(prefix: &str, digest: Digest) -> String {
    let text = digest.to_string();
    let (first, rest) = text.split_at(2);
    format!("{prefix}/{first}/{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_named_by_its_digest_and_a_head_by_project_and_task() {
        let digest = Digest::from_bytes([0xab; 32]);
        assert_eq!(blob(digest), format!("blobs/sha256/ab/{}", "ab".repeat(31)));
        let (project, task) = (ProjectName::parse("quote-service").unwrap(), TaskId::parse("T001").unwrap());
        assert_eq!(head(&project, &task), "heads/quote-service/T001.json");
    }
}
