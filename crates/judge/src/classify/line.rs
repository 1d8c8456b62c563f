//! Command lines with several tools, such as the script `eslint . && node --test`: which of them failed.
//!
//! The exit code alone cannot say it, but the readings can. They only distinguish a failure of the work from a
//! tool that did not work: every outcome of this module blocks, under every policy and baseline, because the
//! results of the rest of the line are not known.
//!
//! | exit code                                      | read                                     | outcome            |
//! |------------------------------------------------|------------------------------------------|--------------------|
//! | 0                                              | no summary of a known runner of it       | EXECUTION_ERROR    |
//! | 0                                              | its summary, with failures or no test    | TEST_FAILURE       |
//! | 0                                              | anything else                            | not judged here    |
//! | says that the work was not done                | any                                      | not judged here    |
//! | any other                                      | a summary of a runner of it, with failures | TEST_FAILURE     |
//! | any other                                      | errors of another tool of it             | VALIDATION_FAILURE |
//! | any other                                      | anything else                            | not judged here    |

use referee_model::outcome::{AgentAction, Rule};
use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, Level};
use referee_model::severity::Severity;
use referee_syntax::count::count;

use super::case::Case;
use super::draft::Draft;
use super::exit_code;
use super::test_run::{self, Summary};
use crate::role::{self, Member};

/// Judges a line without a known role that exited with 0.
pub(super) fn exited_zero(case: &Case<'_>) -> Option<Draft> {
    let members = members(case);
    let mut runners: Vec<&str> =
        members.iter().filter(|member| member.role == Role::Test).filter_map(|member| member.tool).collect();
    runners.dedup();
    test_run::of_line(case, &runners).map(|draft| draft.note(several(case)))
}

/// Judges a line without a known role, in which a test runner reports failed tests.
pub(super) fn tests_failed(case: &Case<'_>, code: i32) -> Option<Draft> {
    let results = case.reading.tests.as_ref().filter(|results| results.authority != CountAuthority::Lines)?;
    let reader = case.reading.reader.as_ref()?;
    let summary = Summary { results, own: false };
    let is_of = |member: &Member| {
        let by_name =
            |runner: &str| runner == reader.tool || runner == results.framework || role::writes(runner, &reader.tool);
        member.role == Role::Test && member.tool.is_none_or(by_name)
    };
    let is_ours = members(case).iter().any(is_of) && !exit_code::says_not_done(None, code);
    (is_ours && summary.has_failures()).then(|| {
        Draft::test_failure(Rule::ToolOfLineFailed, summary.failed())
            .advise("Make the failed tests pass")
            .note(several(case))
    })
}

/// Judges a line in which a tool that runs no tests found errors.
pub(super) fn found(case: &Case<'_>, code: i32) -> Option<Draft> {
    let members = members(case);
    let found = case.reading.diagnostics.iter().filter(|found| found.level == Level::Error);
    let (tool, member) =
        found.filter(|found| !exit_code::says_not_done(Some(&found.tool), code)).find_map(|found| {
            let is_of = |member: &&Member| match member.tool {
                Some(tool) => tool == found.tool,
                None => role::of_tool(&found.tool).any(|role| role == member.role),
            };
            let of_validation = members.iter().filter(|member| !matches!(member.role, Role::Test | Role::Other));
            Some((&found.tool, of_validation.into_iter().find(is_of)?))
        })?;
    let (remedy, advice) = match member.role {
        Role::Typecheck => (AgentAction::FixTypes, "Correct the types that the diagnostics name"),
        Role::Compile => (AgentAction::FixTypes, "Correct what does not compile"),
        Role::Format => (AgentAction::FixCode, "Format the files that are named"),
        _ => (AgentAction::FixCode, "Fix the code that the findings name"),
    };
    let errors = count(case.reading.counts.errors, "error");
    let reason = format!("{tool}, one of the tools that the command runs, found {errors}: exit code {code}");
    let draft = Draft::validation_failure(Rule::ToolOfLineFailed, reason, true, Severity::High);
    Some(draft.ask(remedy).advise(advice).note(several(case)))
}

/// Returns the tools of a line with several; none if the specification says that the exit code alone counts.
fn members(case: &Case<'_>) -> Vec<Member> {
    let members = role::members(case.command);
    if case.command.role == Some(Role::Other) || members.len() < 2 { Vec::new() } else { members }
}

fn several(case: &Case<'_>) -> Option<String> {
    case.told.because.contains("split").then(|| case.told.because.clone())
}
