//! A command whose role is typecheck, lint, format or compile: ruling 9, with the policies of ruling 10.

use referee_model::baseline::BaselineStanding;
use referee_model::outcome::{AgentAction, Rule};
use referee_model::plan::{Category, Role};
use referee_model::reading::{CountAuthority, Counts};
use referee_model::severity::Severity;
use referee_syntax::count::count;

use super::case::{Case, read};
use super::draft::Draft;
use super::exit_code;
use super::explained::{self, is_explained};
use crate::baseline::{self, Sorted};
use crate::policy::{Weighed, weigh};
use crate::{own_files, role};

/// Judges a validation tool that exited by itself.
///
/// "Explained" is a non-zero code that the tool's own findings account for: only findings that are known to
/// have caused the code can make it harmless, see `explained`. "Forgiven" is a code that a policy names: see
/// [`Weighed::forgives`]. The level of a finding forgives nothing: if the tool has no levels of its own, its
/// reader assigned it.
///
/// | exit code            | findings, weighed by policy       | outcome                                 |
/// |----------------------|-----------------------------------|-----------------------------------------|
/// | 126, 127             | only of a program that is missing | EXECUTION_ERROR                         |
/// | not 0                | blocking, by any reader           | VALIDATION_FAILURE, blocking            |
/// | not 0, not explained | none, or none that block          | EXECUTION_ERROR                         |
/// | not 0, explained     | not blocking, forgiven            | VALIDATION_FAILURE, not blocking        |
/// | not 0, explained     | hidden by NEVER, or all ignored   | SUCCESS                                 |
/// | not 0, explained     | remarks only, forgiven            | SUCCESS                                 |
/// | not 0, explained     | any other                         | VALIDATION_FAILURE, blocking            |
/// | 0                    | errors, its own                   | VALIDATION_FAILURE, by policy           |
/// | 0                    | warnings, its own                 | VALIDATION_FAILURE, by policy           |
/// | 0                    | hidden or ignored                 | SUCCESS                                 |
/// | 0                    | none, or by content               | SUCCESS                                 |
///
/// "Its own" findings are those read by the tool's reader, and reports of the tool in a common format: see
/// [`Case::is_own_report`].
///
/// If the run is compared with a baseline, and the tool worked, policy weighs only new findings: see
/// [`held_against`].
///
/// | exit code            | findings                          | outcome                                 |
/// |----------------------|-----------------------------------|-----------------------------------------|
/// | 0, or explained      | new ones that count               | as above, by what is new alone          |
/// | 0, or explained      | all that count are in it          | VALIDATION_FAILURE, not blocking, LOW   |
/// | not 0, explained     | new warnings, known errors        | as if forgiven: the errors account for it |
/// | not 0, not explained | any                               | as without a baseline                   |
///
/// Findings in Referee's own files do not count; if there are no others, they are the reason why the tool failed:
///
/// | exit code            | findings                          | outcome                                 |
/// |----------------------|-----------------------------------|-----------------------------------------|
/// | not 0, explained     | in Referee's own files alone      | SUCCESS                                 |
/// | any                  | any others                        | as above, by these alone                |
pub(super) fn judge(case: &Case<'_>, code: i32, category: Category) -> Draft {
    let Some((reading, number)) = own_files::without(case.plan, case.reading) else {
        return of_project(case, code, category);
    };
    let own = count(number, "finding");
    let note = format!("{own} in Referee's own files left out: have the tool ignore the evidence and referee.yaml");
    let is_own = || {
        let all = weigh(&case.plan.policies, case.tool(), category, &case.reading.counts);
        reading.counts.total() == 0 && reading.tests.is_none() && is_explained(case, code, &all)
    };
    if code != 0 && is_own() {
        let reason = format!("no findings but {own} in Referee's own files, which are no part of the project");
        return Draft::success(Rule::FindingsIgnored, reason).note(Some(note));
    }
    of_project(&Case { reading: &reading, ..*case }, code, category).note(Some(note))
}

fn of_project(case: &Case<'_>, code: i32, category: Category) -> Draft {
    if let Some(missing) = exit_code::only_missing_program(case, code) {
        return exit_code::not_found(code, &missing);
    }
    let in_report = failures_of_report(case);
    let counts = in_report.as_ref().unwrap_or(&case.reading.counts);
    let all = weigh(&case.plan.policies, case.tool(), category, counts);
    let own = case.is_own_report();
    let (sorted, doubt) = match held_against(case, code, &all) {
        BaselineMatch::Sorted(sorted) => (Some(sorted), None),
        BaselineMatch::Not(doubt) => (None, doubt),
    };
    let mut weighed = match &sorted {
        Some(sorted) => weigh(&case.plan.policies, case.tool(), category, &sorted.new),
        None => all,
    };
    let draft = match code {
        _ if let Some(sorted) = sorted.as_ref().filter(|_| !weighed.findings) => known(sorted),
        0 if own => exit_zero(case, &weighed),
        0 => clean_by_exit_code().note(read(case.reading).map(|read| format!("{read}; the exit code decides"))),
        _ if weighed.blocking && explained::only_unable(case) => unable(failure(case, &weighed, Rule::Findings)),
        code if weighed.blocking => failure(case, &weighed, Rule::Findings)
            .note(exit_code::says_not_done(case.tool(), code).then(|| unfinished(case, code))),
        code if !is_explained(case, code, &weighed) => return broken(case, code),
        code if !is_forgiven(&weighed, sorted.as_ref()) => unforgiven(case, code, &mut weighed),
        _ if weighed.findings => failure(case, &weighed, Rule::Findings),
        _ if has_findings(case) => ignored(&weighed),
        code => remarks(case, code),
    };
    let was_weighed = counts.errors > 0 || counts.warnings > 0 || weighed.findings;
    let by_number = sorted.as_ref().filter(|sorted| sorted.by_number).map(|_| BY_NUMBER.to_owned());
    let draft = said_new(draft, sorted.map(|sorted| sorted.standing)).note(by_number).note(doubt);
    draft.under((was_weighed && (own || code != 0)).then_some(weighed.applied))
}

/// Counts findings that are failed tests in the tool's report (JUnit): each is an error.
fn failures_of_report(case: &Case<'_>) -> Option<Counts> {
    let tests = case.reading.tests.as_ref().filter(|tests| tests.authority == CountAuthority::MachineReport)?;
    let is_all = case.is_own_report() && case.reading.counts.total() == 0;
    is_all.then(|| Counts { errors: tests.counts.failed, ..Counts::default() })
}

/// Note that not every finding could be compared with the baseline individually.
const BY_NUMBER: &str = "not every finding is kept one by one: of those that are not, as many of each rule as stood in the \
                         baseline are known";

enum BaselineMatch {
    /// Some of the findings that count are in the baseline.
    Sorted(Sorted),
    /// Judged as without a baseline; with the reason, if findings are in the baseline.
    Not(Option<String>),
}

/// Compares the findings with the baseline.
///
/// | the findings                                                        | are judged                            |
/// |---------------------------------------------------------------------|---------------------------------------|
/// | do not count by policy, or none of them is in the baseline          | as without one                        |
/// | were not read by the tool's own reader                              | as without one, and a note            |
/// | were read less whole than the baseline's                            | as without one, and a note            |
/// | do not explain the exit code                                        | as without one, and a note            |
/// | any other                                                           | by what is new alone                  |
fn held_against(case: &Case<'_>, code: i32, all: &Weighed) -> BaselineMatch {
    let Some(known) = case.known.filter(|_| all.findings) else { return BaselineMatch::Not(None) };
    let sorted = baseline::sort(known, case.action, case.reading);
    let Some(number) = sorted.standing.known.said() else { return BaselineMatch::Not(None) };
    let doubt = if !case.is_own_report() {
        "they were not read by the reader of the tool that ran"
    } else if !baseline::is_as_whole(known, case.reading) {
        "the output may not have been read whole"
    } else if code != 0 && !is_explained(case, code, all) {
        "findings do not explain the exit code"
    } else {
        return BaselineMatch::Sorted(sorted);
    };
    BaselineMatch::Not(Some(format!("{number} stood in the baseline, which excuses nothing here: {doubt}")))
}

/// Judges a run in which all findings that count are in the baseline.
fn known(sorted: &Sorted) -> Draft {
    // New findings that do not count by policy, such as by `ignoredRules`, are no failure.
    let new = if sorted.standing.new.total() == 0 { "nothing is new" } else { "nothing that counts is new" };
    let number = sorted.standing.known.said().unwrap_or_default();
    Draft::validation_failure(
        Rule::FindingsKnown,
        format!("{new}; {number} stood in the baseline"),
        false,
        Severity::Low,
    )
}

/// Adds to the reason how many findings are new, and how many are in the baseline.
fn said_new(mut draft: Draft, standing: Option<BaselineStanding>) -> Draft {
    let Some(standing) = standing else { return draft };
    if draft.rule != Rule::FindingsKnown
        && let Some(new) = standing.new.said()
    {
        let verb = if standing.new.total() == 1 { "is" } else { "are" };
        draft.reason = format!("{new} {verb} new; {} stood in the baseline: {}", standing.known.total(), draft.reason);
    }
    draft.standing(Some(standing))
}

fn exit_zero(case: &Case<'_>, weighed: &Weighed) -> Draft {
    if !weighed.findings {
        return match case.streams_not_kept() {
            _ if has_findings(case) => ignored(weighed),
            // Output that was not kept could not be read.
            Some(_) => clean_by_exit_code(),
            None => clean(case),
        };
    }
    if case.reading.counts.errors == 0 && failures_of_report(case).is_none() {
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

/// Returns whether a non-zero exit code that findings explain is forgiven: by a policy that names the case, or
/// by a baseline with the errors that explain it.
fn is_forgiven(weighed: &Weighed, sorted: Option<&Sorted>) -> bool {
    weighed.forgives() || sorted.is_some_and(|sorted| sorted.standing.known.errors > 0)
}

/// Judges a tool that fails because of its findings, by its exit code, without a policy that allows it.
fn unforgiven(case: &Case<'_>, code: i32, weighed: &mut Weighed) -> Draft {
    let tool = case.tool().unwrap_or("the tool");
    let found = if weighed.findings {
        count(weighed.applied.effective_warnings, "warning")
    } else {
        count(case.reading.counts.infos, "remark")
    };
    weighed.blocking = true;
    weighed.applied.blocking = true;
    weighed.severity = Severity::High;
    weighed.applied.reason = format!("{found}, with which {tool} exits with {code}, and no policy forgives that");
    let draft = failure(case, weighed, Rule::FindingsNotForgiven);
    let forgive = format!("a policy of {tool} can let them pass: `maxWarnings`, or WARN_ONLY");
    Draft { advice: format!("{}; {forgive}", draft.advice), ..draft }
}

fn has_findings(case: &Case<'_>) -> bool {
    case.reading.counts.errors > 0 || case.reading.counts.warnings > 0
}

fn failure(case: &Case<'_>, weighed: &Weighed, rule: Rule) -> Draft {
    let mut advice = match case.told.role {
        Role::Typecheck => "Correct the types that the diagnostics name",
        Role::Compile => "Correct what does not compile",
        Role::Format => "Format the files that are named",
        _ => "Fix the code that the findings name",
    }
    .to_owned();
    if !weighed.blocking {
        advice.push_str(" when convenient");
    }
    if case.reading.counts.fixable > 0 {
        advice = format!("{advice} ({} can be fixed by the tool itself)", case.reading.counts.fixable);
    }
    Draft::validation_failure(rule, weighed.applied.reason.clone(), weighed.blocking, weighed.severity).advise(advice)
}

fn unfinished(case: &Case<'_>, code: i32) -> String {
    let tool = case.tool().unwrap_or("the tool");
    format!("exit code {code} of {tool} also says that it did not do all its work")
}

/// Judges a tool that was asked for something that it cannot do, and reports so: the code needs no fix.
fn unable(draft: Draft) -> Draft {
    draft
        .because_of(["its options are wrong", "its configuration, or what it is to look at, is not there"])
        .advise("Correct the tool's options or its configuration as it says")
        .ask(AgentAction::FixPrerequisite)
}

fn broken(case: &Case<'_>, code: i32) -> Draft {
    let nothing_read = !has_findings(case);
    if nothing_read && let Some(missing) = exit_code::missing_program(case, code) {
        return exit_code::not_found(code, &missing);
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
