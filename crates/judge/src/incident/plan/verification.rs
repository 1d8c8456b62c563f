//! Verification that an incident is resolved.
//!
//! | facts about the incident                    | verification                                         |
//! |---------------------------------------------|------------------------------------------------------|
//! | actions that failed, checks among them      | those checks; what they need runs with them          |
//! | no such check, but the command that failed  | that command; the check, where one is the same       |
//! | a command whose secrets were removed        | all checks: without them it is another command       |
//! | neither                                     | all checks                                           |
//! | no checks either                            | none: the plan says so, and the loop refuses it      |

use std::collections::BTreeSet;

use referee_model::incident::remediation::Verification;
use referee_model::plan::Invocation;

use super::Case;

/// Verification, and whether a planner may leave some of it out.
pub(super) struct Chosen {
    pub(super) commands: Vec<Verification>,
    /// Whether these are exactly the failed checks. They stay, whatever a planner says.
    pub(super) is_what_failed: bool,
}

pub(super) fn chosen(case: &Case<'_>) -> Chosen {
    let named = named(case);
    let commands: Vec<Verification> = case
        .checks
        .iter()
        .filter(|check| matches!(check, Verification::Check { action, .. } if named.contains(action.as_str())))
        .cloned()
        .collect();
    if !commands.is_empty() {
        return Chosen { commands, is_what_failed: true };
    }
    match captured(case.command) {
        Some(captured) => {
            let same = case.checks.iter().find(|check| check.command() == captured.command()).cloned();
            Chosen { commands: vec![same.unwrap_or(captured)], is_what_failed: true }
        }
        None => Chosen { commands: case.checks.to_vec(), is_what_failed: false },
    }
}

/// Returns the failed command as it was captured.
fn captured(argv: &[String]) -> Option<Verification> {
    let is_usable = argv.first().is_some_and(|program| !program.trim().is_empty());
    is_usable
        .then(|| Verification::Captured { command: Invocation::Argv(argv.to_vec()).as_line(), argv: argv.to_vec() })
}

/// Returns the ids of failed actions. A step may be given by its name, which diagnostics use.
fn named<'case>(case: &Case<'case>) -> BTreeSet<&'case str> {
    let blocking = case.findings.iter().any(|finding| finding.blocking);
    let failed = case.findings.iter().filter(|finding| finding.blocking || !blocking);
    let of_step = case.findings.iter().filter(|finding| finding.action_name.as_deref() == Some(case.step));
    let shown = failed.chain(of_step).filter_map(|finding| finding.action.as_deref());
    shown.chain(case.failed.iter().map(String::as_str)).chain([case.step]).collect()
}
