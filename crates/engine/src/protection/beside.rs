//! Combines several baselines that must all hold: drift from any of them counts.

use referee_model::limit;
use referee_model::run_context::protection::{Drift, Protection};

use super::ProtectionError;

/// Combines the results of several baselines. The first is the one compared with; each other one is named in a
/// note and in the drift that it alone found.
pub(super) fn together(found: Vec<Protection>) -> Result<Protection, ProtectionError> {
    let mut found = found.into_iter();
    let nothing = || ProtectionError::Content("there is nothing to compare with".to_owned());
    let mut all = found.next().ok_or_else(nothing)?;
    for other in found {
        let name = other.baseline.name();
        all.notes.push(format!("protected files are compared with {name}, too"));
        all.files = all.files.max(other.files);
        for drift in other.drift {
            add_drift(&mut all.drift, drift, &name);
        }
        add(&mut all.tests, other.tests);
        add(&mut all.suppressions, other.suppressions);
        add(&mut all.weakenings, other.weakenings);
        add(&mut all.notes, other.notes);
    }
    super::sort(&mut all.drift);
    all.drift.truncate(limit::DRIFT_LISTED);
    all.tests.truncate(limit::LOCKED_TESTS);
    Ok(all)
}

/// Adds a drift that is not listed yet. One that blocks replaces an equal one that does not.
fn add_drift(all: &mut Vec<Drift>, drift: Drift, name: &str) {
    let is_same =
        |known: &&mut Drift| (&known.path, &known.pointer, known.change) == (&drift.path, &drift.pointer, drift.change);
    let detail = format!("{} (by {name})", drift.detail);
    match all.iter_mut().find(is_same) {
        Some(known) if known.blocks || !drift.blocks => {}
        Some(known) => *known = Drift { detail, ..drift },
        None => all.push(Drift { detail, ..drift }),
    }
}

fn add<T: PartialEq>(all: &mut Vec<T>, others: Vec<T>) {
    for other in others {
        if !all.contains(&other) {
            all.push(other);
        }
    }
}
