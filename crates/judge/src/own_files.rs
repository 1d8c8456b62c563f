//! Findings in Referee's own files. Its evidence, the specification and the lock are not part of the project: a
//! formatter or linter that reads every file must not fail the project for them, whether or not it is
//! configured to ignore them.

use std::path::Path;

use referee_model::plan::Plan;
use referee_model::reading::{Counts, Diagnostic, Level, Reading};

/// Path of the lock in the workspace.
const LOCK: &str = "referee.lock";

/// Returns whether a finding is in a file of Referee itself.
pub(crate) fn is_own(plan: &Plan, found: &Diagnostic) -> bool {
    let Some(file) = found.file.as_deref().filter(|file| !file.split('/').any(|part| part == "..")) else {
        return false;
    };
    let path = plan.workspace.join(Path::new(file.strip_prefix("./").unwrap_or(file)));
    let evidence = &plan.evidence_root;
    // An evidence directory that is the workspace itself excludes nothing.
    let is_evidence = !plan.workspace.starts_with(evidence) && path.starts_with(evidence);
    is_evidence || path == plan.workspace.join(&plan.specification.file) || path == plan.workspace.join(LOCK)
}

/// Returns a reading without the findings in Referee's own files, and their number. None: there were none.
pub(crate) fn without(plan: &Plan, reading: &Reading) -> Option<(Reading, u64)> {
    let (own, kept): (Vec<_>, Vec<_>) = reading.diagnostics.iter().cloned().partition(|found| is_own(plan, found));
    let number = own.len() as u64;
    (number > 0).then(|| {
        let mut counts = reading.counts.clone();
        for found in &own {
            take(&mut counts, found);
        }
        (Reading { diagnostics: kept, counts, ..reading.clone() }, number)
    })
}

/// Removes one finding from the counts.
fn take(counts: &mut Counts, found: &Diagnostic) {
    let rule = counts.by_rule.entry(found.code.clone().unwrap_or_default()).or_default();
    let (all, of_rule) = match found.level {
        Level::Error => (&mut counts.errors, &mut rule.errors),
        Level::Warning => (&mut counts.warnings, &mut rule.warnings),
        Level::Info => (&mut counts.infos, &mut rule.infos),
    };
    *all = all.saturating_sub(1);
    *of_rule = of_rule.saturating_sub(1);
    counts.fixable = counts.fixable.saturating_sub(u64::from(found.fixable));
    counts.by_rule.retain(|_, rule| rule.errors + rule.warnings + rule.infos > 0);
}
