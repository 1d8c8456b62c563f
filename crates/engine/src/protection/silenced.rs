//! Suppressions that a change adds, found by comparing files with the baseline (design, "Lock").

use std::collections::{BTreeMap, BTreeSet};

use referee_exec::Host;
use referee_judge::suppressions::{self, Before, Compared, SuppressionReport};
use referee_ledger::workspace::{self, Listed, Looked};
use referee_model::plan::Plan;
use referee_model::plan::guard::Answer;
use referee_syntax::program::Language;

use super::{Baseline, Contents, ProtectionError, RuleBook, hollowed};

/// Maximum number of a commit's files in memory at once.
const FILES_AT_ONCE: usize = 256;

/// The note for a lock without suppressions of the sources.
const NOT_COMPARED: &str = "the lock does not know what silences tools in the sources, so suppressions outside of protected files are not \
                            compared: write it again with `referee lock`";

/// Finds the suppressions added since the baseline. A commit has all files; a lock has the suppressions of the
/// sources, or, if it was written before locks had these, only those of protected files.
pub(super) fn find(
    baseline: &Baseline,
    plan: &Plan,
    listed: &[Listed],
    host: &Host,
    redact: &dyn Fn(&str) -> String,
) -> Result<SuppressionReport, ProtectionError> {
    let now = |path: &str| match workspace::look(&plan.workspace, path) {
        Looked::File(held) => held.content,
        Looked::Missing | Looked::Link(_) | Looked::Unreadable(_) => None,
    };
    let paths = paths(baseline, listed)?;
    let mut then: BTreeMap<String, Before> = BTreeMap::new();
    let mut differing = Vec::new();
    for paths in paths.chunks(FILES_AT_ONCE) {
        for (path, before) in paths.iter().zip(before(baseline, paths)) {
            let is_same = match &before {
                Some(Before::Text(before)) => now(path).as_ref() == Some(before),
                Some(Before::Known(_)) | None => false,
            };
            if !is_same {
                differing.push(path.clone());
                then.extend(before.map(|before| (path.clone(), before)));
            }
        }
    }
    let compared = Compared {
        paths: &differing,
        baseline: &|path| then.get(path).cloned(),
        candidate: &now,
        answer: plan.guard.suppressions,
        redact,
    };
    let mut found = suppressions::find(&compared);
    found.extend(hollowed::find(&compared, host));
    let is_compared = baseline.knows_all_files() || baseline.lock.sources.is_some();
    if !is_compared && plan.guard.suppressions != Answer::Ignore {
        found.notes.push(NOT_COMPARED.to_owned());
    }
    Ok(found)
}

/// Returns the files of both sides that may contain a suppression, sorted, each once.
fn paths(baseline: &Baseline, listed: &[Listed]) -> Result<Vec<String>, ProtectionError> {
    let book = RuleBook::new(&baseline.lock.rules).map_err(ProtectionError::Content)?;
    let knows_sources = baseline.knows_all_files() || baseline.lock.sources.is_some();
    let is_known = |path: &str| knows_sources || book.of(path).is_some();
    let now = listed.iter().filter(|file| !file.ignored && is_known(&file.path)).map(|file| file.path.clone());
    let then: Vec<String> = match (&baseline.contents, &baseline.lock.sources) {
        (Contents::Committed(committed), _) => committed.paths().map(str::to_owned).collect(),
        (_, Some(sources)) => sources.keys().cloned().collect(),
        (Contents::Kept(_), None) => baseline.lock.files.iter().map(|file| file.path.clone()).collect(),
        (Contents::Unknown, None) => return Ok(Vec::new()),
    };
    let all: BTreeSet<String> = now.chain(then).filter(|path| Language::of(path).is_some()).collect();
    Ok(all.into_iter().collect())
}

/// Returns the baseline's data of files, in the order of their paths.
fn before(baseline: &Baseline, paths: &[String]) -> Vec<Option<Before>> {
    if let Contents::Committed(committed) = &baseline.contents {
        return committed.contents(paths).into_iter().map(|content| content.map(Before::Text)).collect();
    }
    let known = |path: &String| baseline.lock.sources.as_ref()?.get(path).cloned().map(Before::Known);
    paths.iter().map(|path| baseline.content(path).map(Before::Text).or_else(|| known(path))).collect()
}
