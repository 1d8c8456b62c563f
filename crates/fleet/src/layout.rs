//! Names of the objects of a depot.

use referee_model::id::{Digest, ExecutionId, ProjectName, ServerName, TaskId};

/// Version of the layout.
pub(crate) const DEPOT: &str = "depot.json";

/// Whether files are being removed.
pub(crate) const GENERATION: &str = "generation.json";

/// Prefix of all content.
pub(crate) const BLOBS: &str = "blobs/sha256";

/// Prefix of the statements about all runs.
pub(crate) const STATEMENTS: &str = "statements/sha256";

/// Prefix of the records of all trees.
pub(crate) const TREES: &str = "trees/sha256";

/// Prefix of all receipts.
pub(crate) const RECEIPTS: &str = "receipts/sha256";

/// Prefix of the checkpoints of all loops of agents.
pub(crate) const CHECKPOINTS: &str = "checkpoints";

/// Prefix of all heads.
pub(crate) const HEADS: &str = "heads";

/// Prefix of all audit logs.
pub(crate) const AUDIT: &str = "audit";

/// Returns the name of a line of an audit log. Names sort as the numbers do.
pub(crate) fn audit(server: &ServerName, number: u64) -> String {
    format!("{AUDIT}/{server}/{number:020}")
}

/// Returns the name of content.
pub(crate) fn blob(sha256: Digest) -> String {
    by_digest(BLOBS, sha256)
}

/// Returns the name of the statements about a sealed run, by the digest of its seal. They are written once the run's
/// files are stored, and are empty if the run is not signed.
pub(crate) fn statements(seal: Digest) -> String {
    by_digest(STATEMENTS, seal)
}

/// Returns the name of the tombstone of a run, by the digest of its seal.
pub(crate) fn tombstone(seal: Digest) -> String {
    by_digest("tombstones/sha256", seal)
}

/// Returns the name of the record of a tree, by the digest of its manifest.
pub(crate) fn tree_record(manifest: Digest) -> String {
    by_digest(TREES, manifest)
}

/// Returns the name of the receipt of an order, by the digest of the order.
pub(crate) fn receipt(order: Digest) -> String {
    by_digest(RECEIPTS, order)
}

/// Returns the prefix of the checkpoints of the loops of a project.
pub(crate) fn checkpoints(project: &ProjectName) -> String {
    format!("{CHECKPOINTS}/{project}")
}

/// Returns the name of the checkpoint of a loop of an agent.
pub(crate) fn checkpoint(project: &ProjectName, run: &ExecutionId) -> String {
    format!("{}/{run}.json", checkpoints(project))
}

/// Returns the name of a head.
pub(crate) fn head(project: &ProjectName, task: &TaskId) -> String {
    format!("{HEADS}/{project}/{task}.json")
}

/// Returns the digest that names an object below a prefix. `None`: none does.
pub(crate) fn digest(prefix: &str, name: &str) -> Option<Digest> {
    let (first, rest) = name.strip_prefix(prefix)?.strip_prefix('/')?.split_once('/')?;
    Digest::parse(&format!("{first}{rest}")).ok().filter(|digest| by_digest(prefix, *digest) == name)
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
        assert_eq!(super::digest(BLOBS, &blob(digest)), Some(digest));
        for other in ["", "blobs/sha256", "blobs/sha256/ab/cd", "trees/sha256/ab/cd"] {
            assert_eq!(super::digest(BLOBS, other), None);
        }
        let (project, task) = (ProjectName::parse("quote-service").unwrap(), TaskId::parse("T001").unwrap());
        assert_eq!(head(&project, &task), "heads/quote-service/T001.json");
    }
}
