//! Compares properties that all actions have, and the work of an action.

use referee_model::outcome::Outcome;
use referee_model::plan::{Action, Expectation, Phase, Work};
use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::weaker::Weaker;
use super::{answer, command, file, interaction, service};

/// Compares an action with its former version.
pub(super) fn compare(before: &Action, after: &Action, weaker: &mut Weaker) {
    let name = after.name.as_str();
    if after.phase == Phase::Cleanup && before.phase != Phase::Cleanup {
        weaker.add(Kind::CheckDemoted, name, "a check", "a cleanup");
    }
    if before.phase == Phase::Cleanup {
        // Nothing depends on it, neither before nor now.
        return;
    }
    match (&before.work, &after.work) {
        (Work::Command(old), Work::Command(new)) => command::compare(name, old, new, weaker),
        (Work::File(old), Work::File(new)) => file::compare(name, old, new, weaker),
        (Work::Http(old), Work::Http(new)) => answer::compare(name, old, new, weaker),
        (Work::Service(old), Work::Service(new)) => service::compare(name, old, new, weaker),
        (Work::Interaction(old), Work::Interaction(new)) => interaction::compare(name, old, new, weaker),
        _ => {
            weaker.add(Kind::CheckReplaced, name, described(before), described(after));
            return;
        }
    }
    if after.timeout_ms > before.timeout_ms {
        let shown = |action: &Action| format!("{} ms", action.timeout_ms);
        weaker.add(Kind::TimeoutRaised, name, shown(before), shown(after));
    }
    if after.retries > before.retries {
        weaker.add(Kind::RetriesRaised, name, before.retries.to_string(), after.retries.to_string());
    }
    expectation(name, before.expect.as_ref(), after.expect.as_ref(), weaker);
    evidence(name, before, after, weaker);
}

/// Compares expected outcomes other than success (ruling 12).
fn expectation(name: &str, before: Option<&Expectation>, after: Option<&Expectation>, weaker: &mut Weaker) {
    let outcome = |expectation: Option<&Expectation>| expectation.and_then(|it| it.outcome).unwrap_or(Outcome::Success);
    let (old, new) = (outcome(before), outcome(after));
    if new != old && new != Outcome::Success {
        weaker.add(Kind::FailureExpected, name, old.as_str(), new.as_str());
    }
    let tests = |expectation: Option<&Expectation>| -> Vec<String> {
        expectation.into_iter().flat_map(|it| it.fail_to_pass.iter().chain(&it.pass_to_pass)).cloned().collect()
    };
    weaker.gone(Kind::ExpectedTestRemoved, name, (&tests(before), &tests(after)), Clone::clone);
}

/// Compares which data is kept as evidence (ruling 18).
fn evidence(name: &str, before: &Action, after: &Action, weaker: &mut Weaker) {
    let (old, new) = (before.evidence, after.evidence);
    for (was, is, what) in [
        (old.stdout, new.stdout, "standard output"),
        (old.stderr, new.stderr, "standard error"),
        (old.exchange, new.exchange, "the body of the answer"),
        (old.file_contents, new.file_contents, "the content of the file"),
        (old.duration, new.duration, "the duration"),
    ] {
        if was && !is {
            weaker.add(Kind::EvidenceOff, name, what, "not kept");
        }
    }
}

pub(super) fn described(action: &Action) -> String {
    match &action.work {
        Work::Command(command) => command.invocation.as_line(),
        Work::File(check) => format!("the file {}", check.path.as_str()),
        Work::Http(request) => format!("{} {}", request.method.as_str(), request.url),
        Work::Service(service) => match &service.command {
            Some(command) => format!("the service {}", command.invocation.as_line()),
            None => "a service that somebody else runs".to_owned(),
        },
        Work::Interaction(interaction) => interaction.as_line(),
    }
}
