//! Position of an evidence directory in the chain of its task, determined from the chain head kept outside the
//! workspace and from the seals in the task's directory and its history. Only reports facts; callers judge what
//! they mean.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::chain_head::{ChainHead, Link};
use referee_model::evidence_name;
use referee_model::id::{Digest, TaskId};
use referee_model::seal::Seal;

use crate::chain;
use crate::chain_heads;
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::evidence_root::EvidenceRoot;
use crate::lock;
use crate::paths;
use crate::published_run;
use crate::seal::{self, SealState};

/// Status of an evidence directory in its chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainStatus {
    pub standing: ChainStanding,
    /// Whether the directory is in the history rather than the task's latest run.
    pub in_history: bool,
    /// The run's own number in the chain, if its seal has one.
    pub sequence: Option<u64>,
    /// The latest run of the chain. None: no chain head is kept.
    pub head: Option<Link>,
    /// Contradictions to the chain in the task's directory or its history; one sentence each.
    pub breaks: Vec<String>,
    /// Runs that were known to be missing when the next one was sealed; one sentence each.
    pub gaps: Vec<String>,
}

/// Where an evidence directory stands in the chain of its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainStanding {
    /// The directory has no seal.
    Unsealed,
    /// No chain head is kept, so the latest run is unknown.
    NotKept,
    /// The directory is the run that the chain head names.
    Head,
    /// Its publication was interrupted just before the chain head was moved to it; the next run does that.
    Publishing,
    /// The directory is in the history, and later seals name it.
    Earlier,
    /// The directory is in the place of the latest run, where a later run of the chain should be.
    RolledBack,
    /// The chain has a different seal at the position that this one claims.
    Foreign,
    /// The directory is in the history, and no seal names it: it was superseded, or lies before a gap.
    Unnamed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spot {
    Place,
    History,
}

/// Determines the chain status of a directory. None: the directory is a copy outside any evidence root.
pub(crate) fn survey(
    directory: &Path,
    task: &TaskId,
    state: Option<&crate::State>,
) -> Result<Option<ChainStatus>, LedgerError> {
    let whole = std::fs::canonicalize(directory).map_err(LedgerError::io("find", directory))?;
    let Some((root, spot)) = root_of(&whole, task) else { return Ok(None) };
    let site = EvidenceRoot::to_read(Directory::open(&root)?, state)?;
    let _lock = lock::of_task_to_read(&site.root, task)?;
    let kept = chain_heads::read(&site, task)?;
    let members = Members::read(&site, task)?;
    let mut survey = ChainStatus {
        standing: ChainStanding::Unsealed,
        in_history: spot == Spot::History,
        sequence: None,
        head: kept.as_ref().and_then(|kept| kept.head.clone()),
        breaks: members.breaks.clone(),
        gaps: Vec::new(),
    };
    let open = Directory::open(&whole)?;
    // A seal that cannot be read still has a digest, which tells it from the one that was published.
    let Some(bytes) = open.read(evidence_name::SEAL)? else { return Ok(Some(survey)) };
    let digest = Digest::of(&bytes);
    let seal = referee_model::seal::read(&bytes).ok();
    survey.sequence = seal.as_ref().and_then(|seal| seal.sequence);
    let Some(tip) = kept.as_ref().and_then(|kept| tip(kept, members.place)) else {
        survey.standing = ChainStanding::NotKept;
        return Ok(Some(survey));
    };
    let walk = members.walk(&tip.link);
    survey.standing = match spot {
        Spot::Place if digest == tip.link.seal_digest => tip.standing,
        Spot::Place => walk.in_wrong_place(&tip.link, seal.as_ref(), digest),
        Spot::History => walk.in_history(&tip.link, seal.as_ref(), digest),
    };
    survey.breaks.extend(walk.breaks);
    if spot == Spot::History && !tip.may_be_moving && members.place != Some(tip.link.seal_digest) {
        survey.breaks.push(format!(
            "the latest run of the chain ({}, number {}) does not stand in the task's place",
            tip.link.execution_id, tip.link.sequence
        ));
    }
    survey.gaps = walk.gaps;
    survey.head = Some(tip.link);
    Ok(Some(survey))
}

/// Returns the evidence root that contains a directory, and where below the root it lies. None: it is not where
/// runs are kept.
fn root_of(whole: &Path, task: &TaskId) -> Option<(PathBuf, Spot)> {
    let above = whole.parent()?;
    if whole.file_name()? == task.as_str() {
        return Some((above.to_path_buf(), Spot::Place));
    }
    let history = above.parent()?;
    let is_history = above.file_name()? == task.as_str() && history.file_name()? == paths::HISTORY;
    is_history.then(|| history.parent().map(|root| (root.to_path_buf(), Spot::History))).flatten()
}

/// The latest run of a chain.
struct Tip {
    link: Link,
    /// The standing of a directory in the task's place that has this run's seal.
    standing: ChainStanding,
    /// Whether a publication was interrupted, so that the task's place may be empty.
    may_be_moving: bool,
}

/// Returns the latest run: the one that the head names, or the pending one if it is already in the task's
/// place.
fn tip(kept: &ChainHead, place: Option<Digest>) -> Option<Tip> {
    let pending = kept.pending.as_ref().filter(|pending| !pending.superseded);
    if let Some(pending) = pending.filter(|pending| place == Some(pending.link.seal_digest)) {
        let standing = ChainStanding::Publishing;
        return Some(Tip { link: pending.link.clone(), standing, may_be_moving: false });
    }
    let may_be_moving = pending.is_some() && place.is_none();
    Some(Tip { link: kept.head.clone()?, standing: ChainStanding::Head, may_be_moving })
}

/// All sealed runs of a task, by the digest of their seals.
struct Members {
    /// The seal in the task's place.
    place: Option<Digest>,
    seals: BTreeMap<Digest, Seal>,
    breaks: Vec<String>,
}

impl Members {
    fn read(site: &EvidenceRoot, task: &TaskId) -> Result<Self, LedgerError> {
        let root = &site.root;
        let mut members = Self { place: None, seals: BTreeMap::new(), breaks: Vec::new() };
        for directory in chain::earlier_runs(root, task)? {
            members.take_in(&directory, task)?;
        }
        if let Some(directory) = root.child(task.as_str())?
            && let SealState::Sealed { seal, digest } = seal::find(&directory)?
        {
            members.place = Some(digest);
            members.take_in_replaced(site, task, seal.execution_id.as_str())?;
            members.seals.insert(digest, *seal);
        }
        Ok(members)
    }

    /// Adds the run that the latest one replaced, if it is still in staging under the latest run's name: the
    /// publication was interrupted after the exchange.
    fn take_in_replaced(&mut self, site: &EvidenceRoot, task: &TaskId, latest: &str) -> Result<(), LedgerError> {
        for runs in site.all_runs(task)? {
            if let Some(directory) = runs.child(latest)?
                && let SealState::Sealed { seal, digest } = seal::find(&directory)?
                && seal.task_id == *task
            {
                self.seals.insert(digest, *seal);
            }
        }
        Ok(())
    }

    /// Adds a run of the history. Its directory must be named after it, and its tombstone must name its seal.
    fn take_in(&mut self, directory: &Directory, task: &TaskId) -> Result<(), LedgerError> {
        let name = directory.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = seal::find(directory)?;
        let digest = found.digest();
        if let Some(bytes) = directory.read(evidence_name::TOMBSTONE)? {
            match crate::tombstone::read(&bytes) {
                Ok(tombstone) if tombstone.seal_digest == digest => {}
                Ok(_) => self.breaks.push(format!("the tombstone of {name} names another seal than the one beside it")),
                Err(error) => self.breaks.push(format!("the tombstone of {name} cannot be read: {error}")),
            }
        }
        if let SealState::Sealed { seal, digest } = found
            && seal.task_id == *task
        {
            if !is_name_of(&name, &seal) {
                self.breaks.push(format!("the directory {name} of the history holds {}", seal.execution_id));
            }
            self.seals.insert(digest, *seal);
        }
        Ok(())
    }

    /// Follows the chain back from its latest run.
    fn walk(&self, tip: &Link) -> Walk {
        let mut walk = Walk::default();
        let mut rest = self.seals.clone();
        let mut next = Some((tip.seal_digest, tip.sequence));
        let mut was_said_gone = false;
        while let Some((digest, number)) = next {
            // Each run is removed when it is visited, so a cycle of seals ends.
            let Some(seal) = rest.remove(&digest) else {
                let sentence = format!("number {number} of the chain is gone (its seal is {})", short(digest));
                if was_said_gone {
                    walk.gaps.push(sentence);
                } else {
                    walk.breaks.push(sentence);
                }
                break;
            };
            if let Some(own) = seal.sequence.filter(|own| *own != number) {
                walk.breaks.push(format!("{} calls itself number {own}, and is number {number}", seal.execution_id));
            }
            walk.numbers.insert(digest, number);
            was_said_gone = seal.previous_gone;
            next = seal.previous_seal.map(|previous| (previous, number.saturating_sub(1)));
        }
        walk
    }
}

/// Result of following the chain.
#[derive(Debug, Default)]
struct Walk {
    /// The runs that were visited, with their numbers.
    numbers: BTreeMap<Digest, u64>,
    breaks: Vec<String>,
    gaps: Vec<String>,
}

impl Walk {
    fn in_wrong_place(&self, tip: &Link, seal: Option<&Seal>, digest: Digest) -> ChainStanding {
        let is_before =
            |seal: &Seal| seal.sequence.is_none_or(|own| own < tip.sequence) && seal.sealed_at < tip.sealed_at;
        let is_older = self.numbers.contains_key(&digest) || seal.is_some_and(is_before);
        if is_older { ChainStanding::RolledBack } else { ChainStanding::Foreign }
    }

    fn in_history(&self, tip: &Link, seal: Option<&Seal>, digest: Digest) -> ChainStanding {
        if self.numbers.contains_key(&digest) {
            return ChainStanding::Earlier;
        }
        let is_taken = |own: u64| own > tip.sequence || self.numbers.values().any(|number| *number == own);
        if seal.and_then(|seal| seal.sequence).is_some_and(is_taken) {
            ChainStanding::Foreign
        } else {
            ChainStanding::Unnamed
        }
    }
}

/// Returns whether a history directory may hold this run: it is named after the run, with a number appended if
/// the name was taken.
fn is_name_of(name: &str, seal: &Seal) -> bool {
    let is_number =
        |rest: &str| rest.is_empty() || rest.strip_prefix('-').is_some_and(|rest| rest.parse::<u32>().is_ok());
    let bears = |wanted: &str| name.strip_prefix(wanted).is_some_and(is_number);
    bears(seal.execution_id.as_str()) || bears(published_run::UNKNOWN)
}

/// Returns the first characters of a digest, for messages.
fn short(digest: Digest) -> String {
    digest.to_string().chars().take(12).collect()
}

#[cfg(test)]
mod tests;
