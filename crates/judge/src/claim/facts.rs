//! Checks of claims against an answer of the gate.

use referee_model::claim::{ClaimGrade, ClaimKind};
use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{CheckStanding, GateAnswer, GateCheck};
use referee_model::outcome::Outcome;
use referee_model::plan::Role;
use referee_model::reading::TestCounts;
use referee_model::verdict::Decision;
use referee_syntax::count::{clauses, count};
use referee_syntax::line;

use super::phrases;
use super::sentence::Claim;

/// Maximum number of checks named in a sentence; further ones are counted.
const CHECKS_NAMED: usize = 3;

/// Maximum length of a check's name in a sentence, in characters.
const NAME_CHARACTERS: usize = 80;

pub(super) fn kind(claim: &Claim) -> ClaimKind {
    match claim {
        Claim::Done => ClaimKind::Done,
        Claim::Count(_) => ClaimKind::TestCount,
        Claim::Passes { role, .. } => match role {
            Some(Role::Test) => ClaimKind::TestsPass,
            Some(Role::Typecheck) => ClaimKind::TypesPass,
            Some(Role::Compile) => ClaimKind::BuildPasses,
            Some(Role::Lint | Role::Format) => ClaimKind::LintPasses,
            Some(Role::Other) | None => ClaimKind::AllPasses,
        },
    }
}

/// Checks a claim against the results. None: nothing contradicts it. If the message has several numbers, a
/// number is compared only if it is the total.
pub(super) fn weigh(claim: &Claim, tells_of_several: bool, answer: &GateAnswer) -> Option<(ClaimGrade, String)> {
    match claim {
        Claim::Done | Claim::Passes { role: None, .. } => of_all(answer),
        Claim::Passes { role: Some(role), part } => of_role(*role, part.as_deref(), answer),
        Claim::Count(passed) => of_count(*passed, tells_of_several, answer),
    }
}

fn of_all(answer: &GateAnswer) -> Option<(ClaimGrade, String)> {
    let word = match answer.decision {
        Decision::Pass => {
            let checks: Vec<&GateCheck> =
                all(answer).filter(|check| check.standing == CheckStanding::NotBlocking).collect();
            let facts = || format!("it may be called done, and {}, which does not block", listed(&checks));
            return (!checks.is_empty()).then(|| (ClaimGrade::Unsupported, facts()));
        }
        decision @ (Decision::Fail | Decision::Blocked) => decision.as_str(),
    };
    Some((ClaimGrade::Contradicted, format!("the verdict is {word}: {}", why(answer))))
}

/// Returns a short reason why the decision is not a pass.
fn why(answer: &GateAnswer) -> String {
    let blocking: Vec<&GateCheck> = all(answer).filter(|check| check.standing == CheckStanding::Blocking).collect();
    if !blocking.is_empty() {
        return listed(&blocking);
    }
    let of_tasks = answer.tasks.iter().filter(|task| task.decision != Decision::Pass);
    if let Some(reason) = of_tasks.flat_map(|task| &task.reasons).next() {
        return line::bounded(reason, NAME_CHARACTERS);
    }
    match &answer.held_out {
        Some(held_out) if held_out.decision != Decision::Pass => {
            format!("{} of {} held-out checks did not pass", held_out.failures(), held_out.checks)
        }
        _ if answer.tasks.is_empty() => "no check ran".to_owned(),
        _ => "not everything was looked at".to_owned(),
    }
}

/// Checks the claim that something of a role passes.
fn of_role(wanted: Role, part: Option<&str>, answer: &GateAnswer) -> Option<(ClaimGrade, String)> {
    let of_kind = checks(wanted, answer);
    if of_kind.is_empty() {
        return Some(absent(wanted, answer));
    }
    // A tool is the only check of its kind, unless another is known; a part of the tests may be any part of the
    // only check.
    let is_only = |part: &str| match of_kind.as_slice() {
        [only] if wanted != Role::Test => !is_tool(part) || tools(only, answer).next().is_none(),
        _ => false,
    };
    let is_meant = |check: &GateCheck| part.is_none_or(|part| is_named(check, part, answer) || is_only(part));
    let meant = |is_so: &dyn Fn(&GateCheck) -> bool| -> Vec<&GateCheck> {
        of_kind.iter().copied().filter(|check| is_meant(check) && is_so(check)).collect()
    };
    let has_passed = |check: &GateCheck| wanted == Role::Test && has_only_passed(check);
    let of_skipped = if answer.decision == Decision::Pass { ClaimGrade::Unsupported } else { ClaimGrade::Contradicted };
    let blocks = |check: &GateCheck| check.standing == CheckStanding::Blocking;
    let found = [
        (meant(&|check| blocks(check) && !has_passed(check)), ClaimGrade::Contradicted, ""),
        (meant(&|check| check.standing == CheckStanding::Skipped), of_skipped, ""),
        (meant(&blocks), ClaimGrade::Unsupported, ", and blocks all the same"),
        (
            meant(&|check| check.standing == CheckStanding::NotBlocking),
            ClaimGrade::Unsupported,
            ", which does not block",
        ),
    ];
    let found = found.into_iter().find(|(checks, ..)| !checks.is_empty());
    found.map(|(checks, grade, but)| (grade, format!("{}{but}", listed(&checks))))
}

/// Returns whether a check has this name, or a tool with this name reported its findings.
fn is_named(check: &GateCheck, part: &str, answer: &GateAnswer) -> bool {
    let is_it = |tool: &str| tool.split('-').any(|word| word == part) || (tool == "rustc" && part == "clippy");
    check.name.to_lowercase().contains(part) || tools(check, answer).any(is_it)
}

fn is_tool(part: &str) -> bool {
    phrases::is_ecosystem(part) || phrases::tool(part).is_some()
}

/// Returns the tools that reported the blocking findings of a check.
fn tools<'a>(check: &'a GateCheck, answer: &'a GateAnswer) -> impl Iterator<Item = &'a str> {
    let causes = answer.causes.iter().filter(|cause| cause.check.as_deref() == Some(check.name.as_str()));
    causes.filter_map(|cause| cause.tool.as_deref())
}

/// Handles a role for which the specification has no check. Nothing contradicts such a claim; but the claim
/// that tests pass implies that they ran.
fn absent(role: Role, answer: &GateAnswer) -> (ClaimGrade, String) {
    let what = match role {
        Role::Test => "runs tests",
        Role::Typecheck => "checks types",
        Role::Compile => "builds",
        Role::Lint => "lints",
        Role::Format => "checks the format",
        Role::Other => "ran",
    };
    let grade = if role == Role::Test && answer.decision != Decision::Pass {
        ClaimGrade::Contradicted
    } else {
        ClaimGrade::Unsupported
    };
    if answer.tasks.iter().all(|task| task.checks.is_empty()) {
        return (grade, "no check took part in this verdict, so nothing supports it".to_owned());
    }
    (grade, format!("no check of this specification {what}, so nothing supports it"))
}

/// Checks the claim that this many tests passed. It is compared with the number only if all test checks were counted.
fn of_count(claimed: u64, tells_of_several: bool, answer: &GateAnswer) -> Option<(ClaimGrade, String)> {
    let checks: Vec<&GateCheck> = all(answer).filter(|check| check.role == Some(Role::Test)).collect();
    if checks.is_empty() || answer.tasks.is_empty() {
        return (answer.decision != Decision::Pass).then(|| absent(Role::Test, answer));
    }
    let counted: Option<Vec<TestCounts>> = checks.iter().map(|check| check.tests).collect();
    let sum = |of: fn(&TestCounts) -> u64, counted: &[TestCounts]| counted.iter().map(of).fold(0, u64::saturating_add);
    let counted = counted?;
    let (passed, failed, total) =
        (sum(|tests| tests.passed, &counted), sum(|tests| tests.failed, &counted), sum(|tests| tests.total, &counted));
    if claimed <= passed || (tells_of_several && claimed != total) {
        return None;
    }
    // A number above the total includes other tests, such as ones run by hand.
    let grade = if failed == 0 || claimed > total { ClaimGrade::Unsupported } else { ClaimGrade::Contradicted };
    let skipped = sum(|tests| tests.skipped, &counted);
    Some((
        grade,
        format!(
            "of {} that {} counted, {passed} passed, {failed} failed, {skipped} were skipped",
            count(total, "test"),
            was(total)
        ),
    ))
}

fn all(answer: &GateAnswer) -> impl Iterator<Item = &GateCheck> {
    answer.tasks.iter().flat_map(|task| &task.checks)
}

/// Returns the role of a check. A request counts as a test.
pub(super) fn role(check: &GateCheck) -> Option<Role> {
    check.role.or_else(|| (check.source == DiagnosticSource::Test).then_some(Role::Test))
}

/// Returns the checks of a claim. Requests count as tests if nothing else runs tests.
fn checks(wanted: Role, answer: &GateAnswer) -> Vec<&GateCheck> {
    let declared: Vec<&GateCheck> = all(answer).filter(|check| check.role == Some(wanted)).collect();
    if declared.is_empty() { all(answer).filter(|check| role(check) == Some(wanted)).collect() } else { declared }
}

/// Returns whether all tests passed although the check did not: the claim is true, and the check blocks for
/// another reason.
fn has_only_passed(check: &GateCheck) -> bool {
    let is_count = matches!(check.outcome, Some(Outcome::Success | Outcome::TestFailure));
    is_count && check.tests.is_some_and(|tests| tests.failed == 0 && tests.passed > 0)
}

/// Lists checks with their outcomes.
fn listed(checks: &[&GateCheck]) -> String {
    clauses(checks.iter().map(|check| told(check)), CHECKS_NAMED)
}

fn told(check: &GateCheck) -> String {
    let id = check.action.as_str();
    let name =
        if check.name == id { id.to_owned() } else { format!("{id} {}", line::bounded(&check.name, NAME_CHARACTERS)) };
    let Some(outcome) = check.outcome else { return format!("{name} never ran") };
    let counts = match check.tests {
        Some(counts) if counts.total == 0 => ", no test ran".to_owned(),
        Some(counts) if counts.failed == 0 => {
            format!(", all of {} passed or were skipped", count(counts.total, "test"))
        }
        Some(counts) => format!(", {} of {} failed", counts.failed, count(counts.total, "test")),
        None => String::new(),
    };
    format!("{name}: {}{counts}", outcome.as_str())
}

fn was(number: u64) -> &'static str {
    if number == 1 { "was" } else { "were" }
}
