//! Names of the files in an evidence directory (design, "Evidence and trust").
//!
//! A file of an action begins with the action's id, which contains no hyphen, so the part before the first hyphen
//! or after the id identifies its owner. Each action has one slug, so its files differ in their endings.

use crate::id::{ActionId, slug};
use crate::plan::Action;

/// The judged report.
pub const EXECUTION_REPORT: &str = "execution-report.json";
/// The judged report of all tasks of one specification; stored next to their directories.
pub const SUITE_REPORT: &str = "suite-report.json";
/// The plan of the run.
pub const PLAN: &str = "plan.json";
/// The run's header.
pub const RUN: &str = "run.json";
/// The baseline that the run was compared with; present only if there was one.
pub const BASELINE: &str = "baseline.json";
/// All events, in order.
pub const JOURNAL: &str = "journal.jsonl";
/// The technical debt that the run leaves.
pub const TECHNICAL_DEBT: &str = "technical-debt-data.json";
/// The register of debt as it was when the run was sealed.
pub const DEBT_STANDING: &str = "debt-standing.json";
/// Size and hash of every file.
pub const SEAL: &str = "seal.json";
/// The remainder of a run whose files were removed on purpose.
pub const TOMBSTONE: &str = "tombstone.json";
/// The signature of a tombstone, if it was signed.
pub const TOMBSTONE_ATTESTATION: &str = "tombstone.intoto.jsonl";
/// Signed statements about the sealed run: the only file that no seal lists. Present only if the run was signed.
pub const ATTESTATION: &str = "attestation.intoto.jsonl";

/// What the worker signed that performed the run; present only if one did.
pub const FLEET_RESULT: &str = "fleet-result.dsse.json";

/// Returns the file name of what the worker signed that performed a part of the run, counted from 1:
/// `fleet-result.part-2.dsse.json`.
pub fn fleet_result_of_part(number: usize) -> String {
    format!("fleet-result.part-{number}.dsse.json")
}

const DIAGNOSTICS: &str = "diagnostics";
const TEST_RESULTS: &str = "test-results";

/// Returns the file name of an attempt's log: `STEP.3-types.log`.
pub fn log(action: &Action, attempt: u32) -> String {
    format!("{}.log", stem(action, attempt))
}

/// Returns the file name of the output of a container that an attempt left running: `STEP.3-web.container.log`.
pub fn container_log(action: &Action, attempt: u32) -> String {
    format!("{}.container.log", stem(action, attempt))
}

/// Returns the file name of a picture of an attempt, counted from 1: `STEP.3-types.picture-1.png`.
pub fn picture(action: &Action, attempt: u32, number: usize) -> String {
    format!("{}.picture-{number}.png", stem(action, attempt))
}

/// Returns the file name of an attempt's record: `STEP.3-types.json`.
pub fn record(action: &Action, attempt: u32) -> String {
    format!("{}.json", stem(action, attempt))
}

/// Returns the file name of an action's findings: `STEP.3-diagnostics.json`.
pub fn diagnostics(action: &ActionId) -> String {
    format!("{action}-{DIAGNOSTICS}.json")
}

/// Returns the file name of an action's test results: `STEP.3-test-results.json`.
pub fn test_results(action: &ActionId) -> String {
    format!("{action}-{TEST_RESULTS}.json")
}

fn stem(action: &Action, attempt: u32) -> String {
    let check = match slug(&action.name) {
        slug if slug.is_empty() => String::new(),
        // A check with the name of one of the fixed files must not take that file's name.
        slug if slug == DIAGNOSTICS || slug == TEST_RESULTS => format!("-{slug}-check"),
        slug => format!("-{slug}"),
    };
    let again = if attempt > 1 { format!(".attempt-{attempt}") } else { String::new() };
    format!("{}{check}{again}", action.id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::id::ActionId;
    use crate::id::WorkspacePath;
    use crate::plan::{Action, FileCheck, FileExpectation, FileRoot, Phase, Work};
    use proptest::prelude::*;

    use super::*;

    fn action(id: &str, name: &str) -> Action {
        Action {
            timeout_ms: 1,
            grace_ms: 1,
            ..Action::of(
                ActionId::parse(id).unwrap(),
                Phase::Step,
                name,
                Work::File(FileCheck {
                    root: FileRoot::Workspace,
                    path: WorkspacePath::root(),
                    glob: false,
                    expectation: FileExpectation::Absent,
                }),
            )
        }
    }

    #[test]
    fn files_are_named_after_action_and_check() {
        for (name, attempt, stem) in [
            ("Run TypeScript compiler", 1, "STEP.3-run-typescript-compiler"),
            ("types", 2, "STEP.3-types.attempt-2"),
            ("…", 1, "STEP.3"),
            ("…", 12, "STEP.3.attempt-12"),
            ("diagnostics", 1, "STEP.3-diagnostics-check"),
            ("Test results!", 1, "STEP.3-test-results-check"),
        ] {
            let action = action("STEP.3", name);
            assert_eq!(log(&action, attempt), format!("{stem}.log"));
            assert_eq!(record(&action, attempt), format!("{stem}.json"));
            assert_eq!(picture(&action, attempt, 2), format!("{stem}.picture-2.png"));
        }
        let id = ActionId::parse("STEP.3").unwrap();
        assert_eq!(diagnostics(&id), "STEP.3-diagnostics.json");
        assert_eq!(test_results(&id), "STEP.3-test-results.json");
    }

    proptest! {
        #[test]
        fn names_never_collide_and_are_single_components(
            names in prop::collection::btree_map(
                "(STEP|PREREQ|T001)\\.[0-9]{1,2}",
                ".{0,60}|diagnostics(-check)?|test-results(-check)?|attempt-2",
                1..8,
            ),
        ) {
            let mut taken: BTreeSet<String> =
                [
                    EXECUTION_REPORT, SUITE_REPORT, PLAN, RUN, BASELINE, JOURNAL, SEAL, TECHNICAL_DEBT, DEBT_STANDING,
                    TOMBSTONE, TOMBSTONE_ATTESTATION, FLEET_RESULT,
                ].map(str::to_owned).into();
            taken.extend((1..4).map(fleet_result_of_part));
            for (id, name) in &names {
                let action = action(id, name);
                let mut files = vec![diagnostics(&action.id), test_results(&action.id)];
                for attempt in 1..=1 + crate::limit::RETRIES {
                    files.extend([log(&action, attempt), record(&action, attempt), picture(&action, attempt, 1)]);
                }
                for file in files {
                    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
                    prop_assert!(file.bytes().all(plain), "{}", file);
                    // File names must also be distinct on case-insensitive file systems.
                    prop_assert!(taken.insert(file.to_ascii_lowercase()), "{} twice", file);
                }
            }
        }
    }
}
