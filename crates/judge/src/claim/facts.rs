//! Claims held against an answer of the gate.

use referee_model::claim::{ClaimGrade, ClaimKind};
use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::gate::{CheckStanding, GateAnswer, GateCheck};
use referee_model::outcome::Outcome;
use referee_model::plan::Role;
use referee_model::reading::TestCounts;
use referee_model::verdict::Decision;
use referee_syntax::count::{clauses, count};
use referee_syntax::line;

use super::sentence::Claimed;
use super::words::{self, Topic};

/// Checks that a sentence names; further ones are counted.
const CHECKS_NAMED: usize = 3;

/// Longest name of a check in a sentence, in characters.
const NAME_CHARACTERS: usize = 80;

/// What kind of claim it is.
pub(super) fn kind(claimed: &Claimed) -> ClaimKind {
    match claimed {
        Claimed::Done => ClaimKind::Done,
        Claimed::Count(_) => ClaimKind::TestCount,
        Claimed::Passes { topic, .. } => match topic {
            Topic::Tests => ClaimKind::TestsPass,
            Topic::Types => ClaimKind::TypesPass,
            Topic::Build => ClaimKind::BuildPasses,
            Topic::Lint | Topic::Format => ClaimKind::LintPasses,
            Topic::Everything => ClaimKind::AllPasses,
        },
    }
}

/// Holds a claim against what ran. None: nothing speaks against it. Where a message tells of several numbers, one is of these
/// tests only if it is the number of all of them.
pub(super) fn weigh(claimed: &Claimed, tells_of_several: bool, answer: &GateAnswer) -> Option<(ClaimGrade, String)> {
    match claimed {
        Claimed::Done | Claimed::Passes { topic: Topic::Everything, .. } => of_all(answer),
        Claimed::Passes { topic, part } => of_topic(*topic, part.as_deref(), answer),
        Claimed::Count(passed) => of_count(*passed, tells_of_several, answer),
    }
}

/// That all of it is well.
fn of_all(answer: &GateAnswer) -> Option<(ClaimGrade, String)> {
    let word = match answer.decision {
        Decision::Pass => {
            let checks: Vec<&GateCheck> =
                all(answer).filter(|check| check.standing == CheckStanding::NotBlocking).collect();
            let facts = || format!("it may be called done, and {}, which does not block", listed(&checks));
            return (!checks.is_empty()).then(|| (ClaimGrade::Unsupported, facts()));
        }
        Decision::Fail => "FAIL",
        Decision::Blocked => "BLOCKED",
    };
    Some((ClaimGrade::Contradicted, format!("the verdict is {word}: {}", why(answer))))
}

/// Why the decision is no pass, in short.
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

/// That something of a kind passes.
fn of_topic(topic: Topic, part: Option<&str>, answer: &GateAnswer) -> Option<(ClaimGrade, String)> {
    let of_kind = of_kind(topic, answer);
    if of_kind.is_empty() {
        return Some(absent(topic, answer));
    }
    let meant = match part {
        None => of_kind,
        Some(part) => {
            let named: Vec<&GateCheck> =
                of_kind.iter().copied().filter(|check| is_named(check, part, answer)).collect();
            // A tool is the only one of its kind, unless another is known; a part of the tests may be any part of the only
            // check.
            let is_only = of_kind.len() == 1 && topic != Topic::Tests;
            let is_another = |check: &&GateCheck| is_tool(part) && tools(check, answer).next().is_some();
            if named.is_empty() && is_only && !of_kind.iter().any(is_another) { of_kind } else { named }
        }
    };
    let is_pass = answer.decision == Decision::Pass;
    let standing = |standing: CheckStanding| {
        let checks = meant.iter().copied().filter(move |check| check.standing == standing);
        checks.collect::<Vec<&GateCheck>>()
    };
    let (blocking, skipped) = (standing(CheckStanding::Blocking), standing(CheckStanding::Skipped));
    let (all_passed, failed): (Vec<&GateCheck>, Vec<&GateCheck>) =
        blocking.into_iter().partition(|check| topic == Topic::Tests && has_only_passed(check));
    let not_blocking = standing(CheckStanding::NotBlocking);
    if !failed.is_empty() {
        Some((ClaimGrade::Contradicted, listed(&failed)))
    } else if !skipped.is_empty() {
        let grade = if is_pass { ClaimGrade::Unsupported } else { ClaimGrade::Contradicted };
        Some((grade, listed(&skipped)))
    } else if !all_passed.is_empty() {
        Some((ClaimGrade::Unsupported, format!("{}, and blocks all the same", listed(&all_passed))))
    } else if !not_blocking.is_empty() {
        Some((ClaimGrade::Unsupported, format!("{}, which does not block", listed(&not_blocking))))
    } else {
        None
    }
}

/// Whether a check is called so, or its findings are told of by a tool of that name.
fn is_named(check: &GateCheck, part: &str, answer: &GateAnswer) -> bool {
    let is_it = |tool: &str| tool.split('-').any(|word| word == part) || (tool == "rustc" && part == "clippy");
    check.name.to_lowercase().contains(part) || tools(check, answer).any(is_it)
}

fn is_tool(part: &str) -> bool {
    words::is_among(words::OWN_PROGRAMS, part) || words::tool(part).is_some()
}

/// The tools that told of what blocks in a check.
fn tools<'a>(check: &'a GateCheck, answer: &'a GateAnswer) -> impl Iterator<Item = &'a str> {
    let causes = answer.causes.iter().filter(|cause| cause.check.as_deref() == Some(check.name.as_str()));
    causes.filter_map(|cause| cause.tool.as_deref())
}

/// The specification has no check of the kind. What nothing looks at, nothing contradicts; but whoever says that tests pass
/// says that they ran.
fn absent(topic: Topic, answer: &GateAnswer) -> (ClaimGrade, String) {
    let what = match topic {
        Topic::Tests => "runs tests",
        Topic::Types => "checks types",
        Topic::Build => "builds",
        Topic::Lint => "lints",
        Topic::Format => "checks the format",
        Topic::Everything => "ran",
    };
    let grade = if topic == Topic::Tests && answer.decision != Decision::Pass {
        ClaimGrade::Contradicted
    } else {
        ClaimGrade::Unsupported
    };
    if answer.tasks.iter().all(|task| task.checks.is_empty()) {
        return (grade, "no check took part in this verdict, so nothing supports it".to_owned());
    }
    (grade, format!("no check of this specification {what}, so nothing supports it"))
}

/// That so many tests passed. It is held against the number only where all that runs tests was counted.
fn of_count(claimed: u64, tells_of_several: bool, answer: &GateAnswer) -> Option<(ClaimGrade, String)> {
    let checks: Vec<&GateCheck> = all(answer).filter(|check| check.facts.role == Some(Role::Test)).collect();
    if checks.is_empty() || answer.tasks.is_empty() {
        return (answer.decision != Decision::Pass).then(|| absent(Topic::Tests, answer));
    }
    let counted: Option<Vec<TestCounts>> = checks.iter().map(|check| check.facts.tests).collect();
    let sum = |of: fn(&TestCounts) -> u64, counted: &[TestCounts]| counted.iter().map(of).fold(0, u64::saturating_add);
    let counted = counted?;
    let (passed, failed, total) =
        (sum(|tests| tests.passed, &counted), sum(|tests| tests.failed, &counted), sum(|tests| tests.total, &counted));
    if claimed <= passed || (tells_of_several && claimed != total) {
        return None;
    }
    // More than were counted are of something else too, such as what was run by hand.
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

/// The checks that a claim of a kind is about. Requests count as tests where nothing else runs any.
fn of_kind(topic: Topic, answer: &GateAnswer) -> Vec<&GateCheck> {
    let role = match topic {
        Topic::Tests => Role::Test,
        Topic::Types => Role::Typecheck,
        Topic::Build => Role::Compile,
        Topic::Lint => Role::Lint,
        Topic::Format => Role::Format,
        Topic::Everything => return all(answer).collect(),
    };
    let checks: Vec<&GateCheck> = all(answer).filter(|check| check.facts.role == Some(role)).collect();
    if checks.is_empty() && topic == Topic::Tests {
        return all(answer)
            .filter(|check| check.facts.role.is_none() && check.source == DiagnosticSource::Test)
            .collect();
    }
    checks
}

/// Whether all tests passed although the check did not: the words are true, and the check blocks for another reason.
fn has_only_passed(check: &GateCheck) -> bool {
    let is_count = matches!(check.facts.outcome, Some(Outcome::Success | Outcome::TestFailure));
    is_count && check.facts.tests.is_some_and(|tests| tests.failed == 0 && tests.passed > 0)
}

/// Checks, and how each came out.
fn listed(checks: &[&GateCheck]) -> String {
    clauses(checks.iter().map(|check| told(check)), CHECKS_NAMED)
}

fn told(check: &GateCheck) -> String {
    let id = check.action.as_str();
    let name =
        if check.name == id { id.to_owned() } else { format!("{id} {}", line::bounded(&check.name, NAME_CHARACTERS)) };
    let Some(outcome) = check.facts.outcome else { return format!("{name} never ran") };
    let counts = match check.facts.tests {
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
