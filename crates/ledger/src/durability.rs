//! Brings what was written to disk: a sealed run before it is published, the files of a change before it counts.

use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;

/// Waits until a run's directory and the chain heads are on disk: first the files, then the directories that
/// name them.
pub(crate) fn persist(site: &EvidenceRoot, runs: &Directory, run: &Directory) -> Result<(), LedgerError> {
    let files = run.names_of(Kind::File)?;
    match sync_contents(run, &files.iter().map(|name| (run, name.as_str())).collect::<Vec<_>>())? {
        Synced::FileSystem => match site.heads() {
            Some(heads) if !heads.shares_file_system(run) => heads.sync(),
            _ => Ok(()),
        },
        Synced::Contents => [Some(run), Some(runs), site.heads()].into_iter().flatten().try_for_each(Directory::sync),
    }
}

/// What a sync brought to disk.
pub(crate) enum Synced {
    /// Everything on the file system, with all names.
    #[cfg_attr(
        not(all(target_os = "linux", not(feature = "portable"))),
        expect(dead_code, reason = "only Linux syncs one file system")
    )]
    FileSystem,
    /// The contents of the files, and no name.
    Contents,
}

/// Waits until the contents of files on the file system of a directory are on disk.
pub(crate) fn sync_contents(on: &Directory, files: &[(&Directory, &str)]) -> Result<Synced, LedgerError> {
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    if crate::fault::syncs_whole(is_whole_cheaper(files.len())) {
        return on.sync_file_system().map(|()| Synced::FileSystem);
    }
    #[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
    let _ = on;
    files.iter().try_for_each(|(directory, name)| directory.sync_file(name)).map(|()| Synced::Contents)
}

/// Returns whether one sync of the whole file system is cheaper than syncing this number of files.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
fn is_whole_cheaper(files: usize) -> bool {
    /// Number of files up to which each is synced alone, unless little is unwritten on the machine.
    const FILES_SYNCED_ALONE: usize = 32;
    /// Amount of unwritten data on the machine, in KiB, up to which one sync of the file system is cheaper than
    /// syncing a few files. A build that has just ended leaves gigabytes, which this run need not wait for.
    const LITTLE_KIB: u64 = 16 * 1024;

    if files > FILES_SYNCED_ALONE {
        return true;
    }
    // Where the system does not say how much is unwritten, the files are synced alone.
    let facts = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let waiting = facts.lines().find_map(|line| line.strip_prefix("Dirty:")?.trim().strip_suffix(" kB")?.parse().ok());
    waiting.is_some_and(|kib: u64| kib <= LITTLE_KIB)
}
