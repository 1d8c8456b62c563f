//! Brings a sealed run to disk before it is published.

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::fault;

/// Number of files up to which each is synced alone; for more, one sync of the whole file system is cheaper,
/// whatever else is unwritten.
const FILES_SYNCED_ALONE: usize = 32;

/// Amount of unwritten data on the machine, in KiB, up to which one sync of the file system is cheaper than
/// syncing a few files. A build that has just ended leaves gigabytes, which this run need not wait for.
const LITTLE_KIB: u64 = 16 * 1024;

/// Waits until a run's directory and the chain heads are on disk: first the files, then the directories that
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

/// Returns whether the machine has little unwritten data; false if the system does not say.
#[cfg(target_os = "linux")]
fn little_waits() -> bool {
    let facts = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let waiting = facts.lines().find_map(|line| line.strip_prefix("Dirty:")?.trim().strip_suffix(" kB")?.parse().ok());
    waiting.is_some_and(|kib: u64| kib <= LITTLE_KIB)
}
