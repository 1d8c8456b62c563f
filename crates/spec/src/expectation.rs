//! Expectations that can never be met (ruling 12; docs/specification.md, "What is expected").

use crate::form::full::Expect;
use referee_model::outcome::Outcome;
use referee_model::plan::{Expectation, Interaction, Role, Work};
use referee_syntax::tree::{Kind, Node};

use crate::complaint::{Code, Finding};
use crate::source::quote;

/// Complains about impossible expectations. `node` is the value of `expect`.
pub(crate) fn impossible(node: &Node, expectation: &Expectation, work: &Work) -> Vec<Finding> {
    [outcome(node, expectation, work), tests(node, work), twice(node, expectation)].into_iter().flatten().collect()
}

/// Keys that have no effect if empty.
const TESTS: [&str; 3] = ["tests", "failToPass", "passToPass"];

/// Returns whether nothing is expected. Values with a complaint about their shape are ignored, such as an empty
/// list, if the form forbids it.
pub(crate) fn is_empty(node: &Node, takes_empty_lists: bool) -> bool {
    match &node.kind {
        Kind::Map(entries) => {
            entries.iter().all(|entry| TESTS.contains(&entry.key.as_str()) && is_empty(&entry.value, takes_empty_lists))
        }
        Kind::List(elements) => takes_empty_lists && elements.is_empty(),
        _ => false,
    }
}

/// Checks the expected outcome of a file check or a request against the possible ones.
fn outcome(node: &Node, expectation: &Expectation, work: &Work) -> Option<Finding> {
    let (what, possible): (_, &[Outcome]) = match work {
        Work::File(_) => ("a look at a file", &[Outcome::Success, Outcome::ValidationFailure, Outcome::Timeout]),
        Work::Http(_) => {
            ("a request", &[Outcome::Success, Outcome::TestFailure, Outcome::ExecutionError, Outcome::Timeout])
        }
        Work::Interaction(interaction) => {
            let what = match **interaction {
                Interaction::Query(_) => "a query",
                Interaction::Browser(_) => "a browser action",
            };
            (what, &[Outcome::Success, Outcome::TestFailure, Outcome::ExecutionError, Outcome::Timeout])
        }
        Work::Command(_) | Work::Service(_) => return None,
    };
    let expected = expectation.outcome.filter(|outcome| !possible.contains(outcome))?;
    let place = Expect::of(node).outcome.node().unwrap_or(node).span;
    let message = format!("{what} never comes out as {}", expected.as_str());
    let words: Vec<String> = possible.iter().map(|outcome| format!("`{}`", outcome.as_str())).collect();
    Some(Finding::error(Code::Contradiction, place, message).help(format!("it can be {}", words.join(", "))))
}

/// Complains about named tests of anything but a test run.
fn tests(node: &Node, work: &Work) -> Option<Finding> {
    let named = Expect::of(node).tests.entries().first()?;
    let message = match work {
        Work::File(_) | Work::Http(_) | Work::Interaction(_) => "only a command runs tests".to_owned(),
        Work::Command(command) => {
            let role = command.role.filter(|role| *role != Role::Test)?;
            format!("a command of the role `{}` runs no tests that could be named", role.as_str())
        }
        Work::Service(_) => return None,
    };
    let finding = Finding::error(Code::Contradiction, named.key_span, message);
    Some(if matches!(work, Work::Command(_)) { finding.help("leave `role` out, or make it `test`") } else { finding })
}

fn twice(node: &Node, expectation: &Expectation) -> Option<Finding> {
    let named = Expect::of(node).tests.entries().first()?;
    let name = expectation.fail_to_pass.iter().find(|name| expectation.pass_to_pass.contains(name))?;
    let message = format!("the test {} cannot both have failed and have passed before", quote(name));
    Some(Finding::error(Code::Contradiction, named.key_span, message))
}
