//! A command whose role is typecheck, lint, format or compile: ruling 9, with the policies of ruling 10.

use referee_model::outcome::Rule;
use referee_model::plan::{Category, Role};

use super::case::{Case, not_found, read};
use super::draft::Draft;
use super::exit_code;
use super::explained::is_explained;
use crate::policy::{Weighed, weigh};
use crate::role;
use crate::wording::count;

/// Judges a validation tool that exited by itself.
///
/// "Explained" is a non-zero code that the tool's own findings account for: what makes such a code harmless must be
/// known to have made it: see `explained`.
///
/// | exit code            | findings, weighed by policy       | outcome                                 |
/// |----------------------|-----------------------------------|-----------------------------------------|
/// | not 0                | blocking, by any reader           | VALIDATION_FAILURE, blocking            |
/// | not 0, not explained | none, or none that block          | EXECUTION_ERROR                         |
/// | not 0, explained     | not blocking                      | VALIDATION_FAILURE, not blocking        |
/// | not 0, explained     | hidden by NEVER, or all ignored   | SUCCESS                                 |
/// | not 0, explained     | remarks only, by a linter         | SUCCESS                                 |
/// | 0                    | errors, by its own reader         | VALIDATION_FAILURE, by policy           |
/// | 0                    | warnings, by its own reader       | VALIDATION_FAILURE, by policy           |
/// | 0                    | hidden or ignored                 | SUCCESS                                 |
/// | 0                    | none, or by content               | SUCCESS                                 |
pub(super) fn judge(case: &Case<'_>, code: i32, category: Category) -> Draft {
    let counts = &case.reading.counts;
    let weighed = weigh(&case.plan.policies, case.tool(), category, counts);
    let own = case.is_own_reading();
    let draft = match code {
        0 if own => exit_zero(case, &weighed),
        0 => clean_by_exit_code().note(read(case.reading).map(|read| format!("{read}; the exit code decides"))),
        code if weighed.blocking => failure(case, &weighed, Rule::Findings)
            .note(exit_code::says_not_done(case.tool(), code).then(|| unfinished(case, code))),
        code if !is_explained(case, code, &weighed) => return broken(case, code),
        _ if weighed.findings => failure(case, &weighed, Rule::Findings),
        _ if has_findings(case) => ignored(&weighed),
        code => remarks(case, code),
    };
    let was_weighed = counts.errors > 0 || counts.warnings > 0;
    draft.under((was_weighed && (own || code != 0)).then_some(weighed.applied))
}

fn exit_zero(case: &Case<'_>, weighed: &Weighed) -> Draft {
    if !weighed.findings {
        return match case.streams_not_kept() {
            _ if has_findings(case) => ignored(weighed),
            // What was not kept could not be read.
            Some(_) => clean_by_exit_code(),
            None => clean(case),
        };
    }
    if case.reading.counts.errors == 0 {
        return failure(case, weighed, Rule::Findings);
    }
    let mut draft = failure(case, weighed, Rule::FindingsExitZero);
    draft.reason = format!("{}, although the exit code is 0", draft.reason);
    draft
}

fn clean_by_exit_code() -> Draft {
    Draft::success(Rule::Clean, "exit code 0")
}

fn clean(case: &Case<'_>) -> Draft {
    let remarks = case.reading.counts.infos;
    Draft::success(Rule::Clean, "no findings")
        .note((remarks > 0).then(|| format!("{} read, and remarks never count", count(remarks, "remark"))))
}

fn ignored(weighed: &Weighed) -> Draft {
    Draft::success(Rule::FindingsIgnored, weighed.applied.reason.clone())
}

fn remarks(case: &Case<'_>, code: i32) -> Draft {
    let remarks = count(case.reading.counts.infos, "remark");
    Draft::success(Rule::OnlyRemarks, format!("{remarks} made it exit with {code}, and remarks never count"))
}

fn has_findings(case: &Case<'_>) -> bool {
    case.reading.counts.errors > 0 || case.reading.counts.warnings > 0
}

fn failure(case: &Case<'_>, weighed: &Weighed, rule: Rule) -> Draft {
    let mut advice = match case.told.role {
        Role::Typecheck => "Correct the types that the diagnostics name",
        Role::Compile => "Correct what does not compile",
        Role::Format => "Format the files that are named",
        _ => "Mend the code that the findings name",
    }
    .to_owned();
    if !weighed.blocking {
        advice.push_str(" when convenient");
    }
    if case.reading.counts.fixable > 0 {
        advice = format!("{advice} ({} can be mended by the tool itself)", case.reading.counts.fixable);
    }
    Draft::validation_failure(rule, weighed.applied.reason.clone(), weighed.blocking, weighed.severity).advise(advice)
}

fn unfinished(case: &Case<'_>, code: i32) -> String {
    let tool = case.tool().unwrap_or("the tool");
    format!("exit code {code} of {tool} also says that it did not do all its work")
}

fn broken(case: &Case<'_>, code: i32) -> Draft {
    let nothing_read = !has_findings(case);
    if nothing_read && let Some(missing) = exit_code::missing_program(code, case.reading) {
        return not_found(code, &missing);
    }
    let tool = case.tool().unwrap_or("the tool");
    let reason = match read(case.reading) {
        Some(read) => format!("exit code {code}, which nothing that {tool} reported explains; {read}"),
        None => format!("exit code {code} of {tool}, and no finding could be read"),
    };
    let mut draft = Draft::execution_error(Rule::ToolBroken, reason)
        .because_of([
            "the tool crashed, or was called or configured wrongly",
            "its output is in a form that is not known",
        ])
        .because_of(exit_code::meaning(code))
        .advise("Read the end of its output, and make the tool work");
    if !role::exit_is_of_tool(case.command) {
        draft.causes.push("another command of the line failed, or its script runs more than one tool".to_owned());
    }
    draft
}
