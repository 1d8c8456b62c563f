//! Seed 1's statements on a task's status under each blocking strategy and in each scenario, row by row and by
//! their names. Its FAILED is the decision FAIL; PARTIAL is a pass without full success; SUCCESS is both.
//!
//! | seed 1  | decision | overall status                                         |
//! |---------|----------|--------------------------------------------------------|
//! | FAILED  | FAIL     | FAILURE, or PARTIAL_SUCCESS where another step passed  |
//! | PARTIAL | PASS     | PARTIAL_SUCCESS                                        |
//! | SUCCESS | PASS     | SUCCESS                                                |

use referee_model::plan::{Category, Strategy, ToolPolicy};
use referee_model::verdict::{Decision, OverallStatus};

use super::*;

const FAILED: (Decision, OverallStatus) = (Decision::Fail, OverallStatus::Failure);
const PARTIAL: (Decision, OverallStatus) = (Decision::Pass, OverallStatus::PartialSuccess);
const SUCCESS: (Decision, OverallStatus) = (Decision::Pass, OverallStatus::Success);

fn on(strategy: Strategy) -> ToolPolicy {
    ToolPolicy { block_on: Some(strategy), ..ToolPolicy::default() }
}

/// Returns the status of a task of one step under a policy of its tool.
fn status(tool: &str, policy: Option<ToolPolicy>, code: i32, errors: u64, warnings: u64) -> (Decision, OverallStatus) {
    let mut task = Task::new();
    task.plan.policies.tools.extend(policy.map(|policy| (tool.to_owned(), policy)));
    let verdict = task.ran("STEP.1", &format!("npx {tool} ."), code, findings(tool, errors, warnings, 0)).verdict();
    (verdict.decision, verdict.overall)
}

#[test]
fn the_blocking_strategies() {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    for (name, strategy, code, errors, warnings, expected) in [
        ("BLOCK_ON_ERRORS_ALWAYS: exit code 1+", ErrorsAlways, 1, 1, 0, FAILED),
        // Ruling 11, if the row does not mention them.
        ("BLOCK_ON_ERRORS_ALWAYS: warnings", ErrorsAlways, 0, 0, 1, PARTIAL),
        ("BLOCK_ON_ERRORS_ONLY: errors", ErrorsOnly, 1, 1, 1, FAILED),
        ("BLOCK_ON_ERRORS_ONLY: warnings", ErrorsOnly, 0, 0, 1, PARTIAL),
        ("BLOCK_ON_ERRORS_AND_WARNINGS: errors", ErrorsAndWarnings, 1, 1, 0, FAILED),
        ("BLOCK_ON_ERRORS_AND_WARNINGS: warnings", ErrorsAndWarnings, 0, 0, 1, FAILED),
        ("WARN_ONLY: errors", WarnOnly, 1, 1, 0, PARTIAL),
        ("WARN_ONLY: warnings", WarnOnly, 0, 0, 1, PARTIAL),
        // The row says "always": without findings there is nothing to warn about.
        ("WARN_ONLY: no findings", WarnOnly, 0, 0, 0, SUCCESS),
        ("NEVER: errors", Never, 1, 1, 0, SUCCESS),
        ("NEVER: warnings", Never, 0, 0, 1, SUCCESS),
    ] {
        assert_eq!(status("eslint", Some(on(strategy)), code, errors, warnings), expected, "{name}");
    }
    // Ruling 9: NEVER hides findings, but not a tool that did not work.
    let broken = Task::new().ran("STEP.1", "npx eslint .", 2, nothing()).verdict();
    assert_eq!(broken.decision, Decision::Fail);
}

#[test]
fn the_scenarios() {
    let limited = ToolPolicy { max_warnings: Some(10), ..on(Strategy::ErrorsOnly) };
    for (name, tool, policy, code, errors, warnings, expected) in [
        ("1: ESLint with BLOCK_ON_ERRORS_ONLY", "eslint", on(Strategy::ErrorsOnly), 1, 5, 12, FAILED),
        ("2: ESLint with BLOCK_ON_ERRORS_ONLY + maxWarnings", "eslint", limited, 0, 0, 15, FAILED),
        ("3: ESLint with WARN_ONLY", "eslint", on(Strategy::WarnOnly), 1, 3, 8, PARTIAL),
        ("4: TypeScript with BLOCK_ON_ERRORS_ALWAYS", "tsc", on(Strategy::ErrorsAlways), 2, 1, 0, FAILED),
    ] {
        assert_eq!(status(tool, Some(policy), code, errors, warnings), expected, "{name}");
    }
}

#[test]
fn the_default_policies_by_tool_type() {
    for (name, tool, code, errors, warnings, expected) in [
        ("TypeScript", "tsc", 2, 1, 0, FAILED),
        ("Compilation", "javac", 1, 1, 0, FAILED),
        ("ESLint: errors", "eslint", 1, 1, 0, FAILED),
        ("ESLint: warnings", "eslint", 0, 0, 1, PARTIAL),
        ("Prettier", "prettier --check", 1, 0, 3, PARTIAL),
        ("Other Linters", "flake8", 1, 1, 0, FAILED),
    ] {
        let (program, _) = tool.split_once(' ').unwrap_or((tool, ""));
        let task = Task::new().ran("STEP.1", &format!("npx {tool} ."), code, findings(program, errors, warnings, 0));
        let verdict = task.verdict();
        assert_eq!((verdict.decision, verdict.overall), expected, "{name}");
    }
}

#[test]
fn a_failure_beside_a_success_is_a_partial_success_that_fails() {
    let mut task = Task::new().passed("STEP.1");
    task.plan.policies.categories.insert(Category::Linting, Strategy::ErrorsAndWarnings);
    let verdict = task.ran("STEP.2", "npx eslint .", 0, findings("eslint", 0, 1, 0)).verdict();
    assert_eq!((verdict.decision, verdict.overall), (Decision::Fail, OverallStatus::PartialSuccess));
}
