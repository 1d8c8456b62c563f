//! What is expected of a check beside success, and what of it is kept as evidence.

use referee_model::outcome::Outcome;
use referee_model::plan::{EvidenceCapture, Expectation, Work};

use crate::complaint::Findings;
use crate::expectation::{impossible, is_empty};
use crate::http::vacuous;
use crate::tree::Node;

/// Reads the failure that is expected of a check, and the tests that are (ruling 12).
pub(super) fn expectation(node: &Node, work: Option<&Work>, findings: &mut Findings) -> Option<Expectation> {
    let entry = node.entry("expect")?;
    let tests = entry.value.get("tests");
    let names = |key: &str| -> Vec<String> {
        let names = tests.and_then(|tests| tests.get(key)).map(Node::one_or_more).unwrap_or_default();
        names.iter().filter_map(Node::text).map(str::to_owned).collect()
    };
    let word = entry.value.get("outcome").and_then(Node::text);
    let expectation = Expectation {
        outcome: word.and_then(outcome),
        fail_to_pass: names("failToPass"),
        pass_to_pass: names("passToPass"),
    };
    if is_empty(&entry.value, false) {
        vacuous(entry.key_span, "this expects nothing", findings);
    }
    if word.is_none() && expectation == Expectation::default() {
        return None;
    }
    findings.extend(work.iter().flat_map(|work| impossible(&entry.value, &expectation, work)));
    Some(expectation)
}

/// Returns the outcome that is expected by word.
fn outcome(word: &str) -> Option<Outcome> {
    Outcome::ALL.into_iter().find(|outcome| outcome.as_str() == word)
}

/// Reads what is kept as evidence.
pub(super) fn evidence(node: &Node) -> EvidenceCapture {
    let default = EvidenceCapture::default();
    let choice = |key: &str, default: bool| {
        node.get("evidence").and_then(|node| node.get(key)).and_then(Node::boolean).unwrap_or(default)
    };
    EvidenceCapture {
        stdout: choice("stdout", default.stdout),
        stderr: choice("stderr", default.stderr),
        exchange: choice("body", default.exchange),
        file_contents: choice("content", default.file_contents),
        duration: default.duration,
    }
}

/// Reads how often a check is tried again.
pub(super) fn retries(node: &Node) -> u32 {
    node.get("retries").and_then(Node::integer).and_then(|retries| u32::try_from(retries).ok()).unwrap_or(0)
}
