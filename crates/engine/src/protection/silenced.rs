//! Ways to silence a tool that a change adds, found by holding files against the baseline (design, "Lock").

use std::collections::{BTreeMap, BTreeSet};

use referee_ledger::workspace::{self, Listed, Looked};
use referee_model::plan::Plan;

use super::{Baseline, Contents, ProtectionError, RuleBook};
use crate::suppressions::{self, Compared, Found};

/// How many files of a commit are held in memory at once.
const FILES_AT_ONCE: usize = 256;

/// Finds what was added since the baseline. Of a lock only protected files are known, so others are not looked at.
pub(super) fn find(
    baseline: &Baseline,
    plan: &Plan,
    listed: &[Listed],
    redact: &dyn Fn(&str) -> String,
) -> Result<Found, ProtectionError> {
    let now = |path: &str| match workspace::look(&plan.workspace, path) {
        Looked::File(held) => held.content,
        Looked::Missing | Looked::Link(_) | Looked::Unreadable(_) => None,
    };
    let paths = paths(baseline, listed)?;
    let mut then: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut differing = Vec::new();
    for paths in paths.chunks(FILES_AT_ONCE) {
        for (path, before) in paths.iter().zip(before(baseline, paths)) {
            if before != now(path) {
                differing.push(path.clone());
                then.extend(before.map(|before| (path.clone(), before)));
            }
        }
    }
    Ok(suppressions::find(&Compared {
        paths: &differing,
        baseline: &|path| then.get(path).cloned(),
        candidate: &now,
        answer: plan.guard.suppressions,
        redact,
    }))
}

/// The files of both sides that may hold a suppression, sorted, each once.
fn paths(baseline: &Baseline, listed: &[Listed]) -> Result<Vec<String>, ProtectionError> {
    let book = RuleBook::new(&baseline.lock.rules).map_err(ProtectionError::Content)?;
    let is_known = |path: &str| baseline.knows_all_files() || book.of(path).is_some();
    let now = listed.iter().filter(|file| !file.ignored && is_known(&file.path)).map(|file| file.path.clone());
    let then: Vec<String> = match &baseline.contents {
        Contents::Committed(committed) => committed.paths().map(str::to_owned).collect(),
        Contents::Kept(_) => baseline.lock.files.iter().map(|file| file.path.clone()).collect(),
        Contents::Unknown => return Ok(Vec::new()),
    };
    let all: BTreeSet<String> = now.chain(then).filter(|path| suppressions::may_hold_some(path)).collect();
    Ok(all.into_iter().collect())
}

/// What files held at the baseline, in the order of their paths.
fn before(baseline: &Baseline, paths: &[String]) -> Vec<Option<Vec<u8>>> {
    match &baseline.contents {
        Contents::Committed(committed) => committed.contents(paths),
        Contents::Kept(_) | Contents::Unknown => paths.iter().map(|path| baseline.content(path)).collect(),
    }
}
