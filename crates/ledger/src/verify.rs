//! Checks whether a directory still matches its seal. Reads nothing but the directory; judges nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use crate::tombstone::Tombstone;
use referee_model::evidence_name;
use referee_model::id::Digest;
use referee_model::seal::{Seal, SealedFile};

use crate::content_check::{self, Buffer, Difference};
use crate::contents::Written;
use crate::directory::{Directory, Kind};
use crate::error::LedgerError;
use crate::journal_check;
use crate::parallel;
use crate::paths;
use crate::seal::{self, SealState};

/// Result of checking a directory against its seal.
#[derive(Debug, Clone, PartialEq)]
pub struct Integrity {
    /// The seal, if a readable one exists.
    pub seal: Option<Seal>,
    /// Differences from the seal, by file name. Empty: everything matches.
    pub findings: Vec<Finding>,
    /// The tombstone over files that were pruned, if there is one that names exactly this seal and lists only
    /// sealed files. It excuses nothing by itself: [`Integrity::unexplained`] returns the findings that it does
    /// not explain.
    pub tombstone: Option<Tombstone>,
}

impl Integrity {
    /// Returns the findings that the tombstone does not explain; all of them, if there is none. Only for runs
    /// in the history; the latest run is never pruned.
    pub fn unexplained(&self) -> Vec<&Finding> {
        let Some(tombstone) = &self.tombstone else { return self.findings.iter().collect() };
        let is_removed = |name: &str| tombstone.removed.iter().any(|file| file.path == name);
        let is_explained = |finding: &&Finding| match finding.kind {
            FindingKind::Missing | FindingKind::JournalBroken => is_removed(&finding.file),
            FindingKind::Added => {
                [evidence_name::TOMBSTONE, evidence_name::TOMBSTONE_ATTESTATION].contains(&finding.file.as_str())
            }
            _ => false,
        };
        self.findings.iter().filter(|finding| !is_explained(finding)).collect()
    }
}

/// One difference from the seal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    pub file: String,
    pub kind: FindingKind,
    /// Description for display.
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    Changed,
    /// The file was sealed and no longer exists.
    Missing,
    /// The file is not listed in the seal.
    Added,
    /// There is no seal.
    SealMissing,
    /// The seal cannot be read, or contradicts itself.
    SealUnreadable,
    /// A link, a directory or a device, or a name that leads out of the directory.
    NotAFile,
    /// The file exists and cannot be read.
    Unreadable,
    /// The journal has a gap, does not end, or belongs to another run.
    JournalBroken,
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.file, self.detail)
    }
}

/// Compares a directory with its seal: rehashes every file of the sealed size, on all processors.
///
/// # Errors
/// Fails only if the directory itself cannot be opened or listed. Any problem inside is a finding.
pub fn integrity(directory: &Path) -> Result<Integrity, LedgerError> {
    check(&Directory::open(directory)?)
}

/// Compares an open directory with its seal.
pub(crate) fn check(directory: &Directory) -> Result<Integrity, LedgerError> {
    let entries: BTreeMap<String, Kind> = directory.entries()?.into_iter().collect();
    let finding = |kind, detail: String| Finding { file: evidence_name::SEAL.to_owned(), kind, detail };
    let found = seal::find(directory)?;
    let digest = found.digest();
    let (seal, mut findings) = match found {
        SealState::Missing => {
            (None, vec![finding(FindingKind::SealMissing, "file not found: the run never ended".to_owned())])
        }
        SealState::Unreadable { reason } => {
            (None, vec![finding(FindingKind::SealUnreadable, format!("the seal cannot be read: {reason}"))])
        }
        SealState::Sealed { seal, .. } => {
            let findings = compare(directory, &seal, &entries);
            (Some(*seal), findings)
        }
    };
    findings.extend(not_files(&entries));
    findings.extend(journal_check::broken(directory, seal.as_ref()).map(|detail| Finding {
        file: evidence_name::JOURNAL.to_owned(),
        kind: FindingKind::JournalBroken,
        detail,
    }));
    let tombstone = match (entries.get(evidence_name::TOMBSTONE), &seal, digest) {
        (Some(Kind::File), Some(seal), Some(digest)) => tombstone(directory, seal, digest, &mut findings),
        _ => None,
    };
    findings.sort();
    findings.dedup();
    Ok(Integrity { seal, findings, tombstone })
}

/// Reads the tombstone beside a seal. One that does not belong to it is a finding.
fn tombstone(directory: &Directory, seal: &Seal, digest: Digest, findings: &mut Vec<Finding>) -> Option<Tombstone> {
    let read = || -> Result<Tombstone, String> {
        let bytes = directory.read(evidence_name::TOMBSTONE).map_err(|error| error.to_string())?.unwrap_or_default();
        let tombstone = crate::tombstone::read(&bytes).map_err(|error| error.to_string())?;
        if tombstone.seal_digest != Some(digest) {
            return Err("it names another seal than the one beside it".to_owned());
        }
        match tombstone.removed.iter().find(|file| !seal.files.contains(file)) {
            Some(file) => Err(format!("it lists `{}`, which was not sealed so", file.path)),
            None => Ok(tombstone),
        }
    };
    match read() {
        Ok(tombstone) => Some(tombstone),
        Err(detail) => {
            let file = evidence_name::TOMBSTONE.to_owned();
            findings.push(Finding { file, kind: FindingKind::Changed, detail });
            None
        }
    }
}

/// Returns findings for entries that are not files: a directory of evidence contains only files.
fn not_files(entries: &BTreeMap<String, Kind>) -> impl Iterator<Item = Finding> {
    entries.iter().filter(|(_, kind)| **kind != Kind::File).map(|(name, kind)| Finding {
        file: name.clone(),
        kind: FindingKind::NotAFile,
        detail: match kind {
            Kind::Directory => "a directory, which no run puts here".to_owned(),
            _ => "a link or a device, which no run puts here".to_owned(),
        },
    })
}

/// Compares the files with their entries in the seal.
fn compare(directory: &Directory, seal: &Seal, entries: &BTreeMap<String, Kind>) -> Vec<Finding> {
    let sealed: BTreeSet<&str> = seal.files.iter().map(|file| file.path.as_str()).collect();
    // The seal cannot list itself, nor the attestation that signs it.
    let beside = [evidence_name::SEAL, evidence_name::ATTESTATION];
    let mut findings = Vec::new();
    let mut to_hash = Vec::new();
    for file in &seal.files {
        let finding = |kind, detail: &str| Finding { file: file.path.clone(), kind, detail: detail.to_owned() };
        match entries.get(&file.path) {
            _ if paths::component(&file.path).is_err() || beside.contains(&file.path.as_str()) => {
                findings
                    .push(finding(FindingKind::SealUnreadable, "the seal names it, but it cannot be a sealed file"));
            }
            None => findings.push(finding(FindingKind::Missing, "it was sealed and is gone")),
            Some(Kind::File) => to_hash.push(file),
            // Entries that are not files are reported by name anyway.
            Some(Kind::Directory | Kind::Other) => {}
        }
    }
    let added = entries.iter().filter(|(name, kind)| {
        **kind == Kind::File && !beside.contains(&name.as_str()) && !sealed.contains(name.as_str())
    });
    findings.extend(added.map(|(name, _)| Finding {
        file: name.clone(),
        kind: FindingKind::Added,
        detail: "it was not there when the run was sealed".to_owned(),
    }));
    findings.extend(hash_all(directory, &to_hash));
    findings
}

/// Hashes files on all processors, largest first, and returns the mismatches.
fn hash_all(directory: &Directory, files: &[&SealedFile]) -> Vec<Finding> {
    let mut files = files.to_vec();
    files.sort_by_key(|file| std::cmp::Reverse(file.bytes));
    parallel::map(&files, Buffer::new, |file, buffer| hash_one(directory, file, buffer))
}

fn hash_one(directory: &Directory, file: &SealedFile, buffer: &mut Buffer) -> Option<Finding> {
    let finding = |kind, detail| Some(Finding { file: file.path.clone(), kind, detail });
    let written = Written { bytes: file.bytes, sha256: file.sha256 };
    match content_check::difference(directory, &file.path, written, buffer, &mut |_| {}) {
        Ok(None) => None,
        Ok(Some(Difference::Content)) => {
            finding(FindingKind::Changed, "its content is not what was sealed; its size is".to_owned())
        }
        Ok(Some(Difference::Size { found })) => {
            finding(FindingKind::Changed, format!("it has {found} bytes; {} bytes were sealed", file.bytes))
        }
        Err(error) => finding(FindingKind::Unreadable, error.to_string()),
    }
}

#[cfg(test)]
mod tests;
