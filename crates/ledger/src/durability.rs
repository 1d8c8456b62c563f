//! What is on disk before a sealed run takes its place.

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::fault;

/// Up to this many files may be synced one by one; for more, one sync of the whole file system is cheaper whatever else waits.
const FILES_SYNCED_ALONE: usize = 32;

/// Up to so much that the whole machine has yet to write, in KiB, one sync of the file system is cheaper than a few of files. A
/// build that has just ended leaves gigabytes, which are not ours to wait for.
const LITTLE_KIB: u64 = 16 * 1024;

/// Waits until a run, where it lies, and the heads of its chain are on disk: files first, then the directories that
/// name them.
pub(crate) fn persist(site: &EvidenceRoot, runs: &Directory, run: &Directory) -> Result<(), LedgerError> {
    let files = run.names_of(Kind::File)?;
    #[cfg(target_os = "linux")]
    if fault::syncs_whole(files.len() > FILES_SYNCED_ALONE || little_waits()) {
        run.sync_file_system()?;
        return match site.heads() {
            Some(heads) if !heads.shares_file_system(run) => heads.sync(),
            _ => Ok(()),
        };
    }
    files.iter().try_for_each(|name| run.sync_file(name))?;
    [Some(run), Some(runs), site.heads()].into_iter().flatten().try_for_each(Directory::sync)
}

/// Whether the machine has little to write. Where it does not say, it has much.
#[cfg(target_os = "linux")]
fn little_waits() -> bool {
    let facts = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let waiting = facts.lines().find_map(|line| line.strip_prefix("Dirty:")?.trim().strip_suffix(" kB")?.parse().ok());
    waiting.is_some_and(|kib: u64| kib <= LITTLE_KIB)
}
