//! Tests that a change made hollow, detected by comparing the syntax of tests with the same name. Markers that
//! skip tests are suppressions, which are detected elsewhere.

use std::collections::BTreeMap;

use tree_sitter::Node;

use crate::call::Callee;
use crate::kind::{BOOLEANS, CLOSURES, IDENTIFIERS, NUMBERS, STRINGS, is};
use crate::source::{Next, Refusal, Source, children, walk};
use crate::test::is_test;
use referee_model::mutant::{Hollow, HollowedTest, Language};

struct TestBody {
    line: usize,
    assertions: usize,
    is_empty: bool,
}

/// Compares the tests of the same name before and after, in order. Omits removed tests.
pub fn hollowed(language: Language, before: &str, after: &str) -> Result<Vec<HollowedTest>, Refusal> {
    let (before, after) = (tests(language, before)?, tests(language, after)?);
    let mut hollowed = Vec::new();
    for (name, now) in after {
        let earlier = before.get(&name).into_iter().flatten();
        for (earlier, now) in earlier.zip(now) {
            let how = if now.is_empty && !earlier.is_empty {
                Hollow::Emptied
            } else if now.assertions < earlier.assertions {
                Hollow::FewerAssertions { before: earlier.assertions, after: now.assertions }
            } else {
                continue;
            };
            hollowed.push(HollowedTest { name: name.clone(), line: now.line, how });
        }
    }
    hollowed.sort_by_key(|test| test.line);
    Ok(hollowed)
}

/// Returns the tests of a text by name, with the enclosing suites, since different suites may have tests of the
/// same name.
fn tests(language: Language, text: &str) -> Result<BTreeMap<String, Vec<TestBody>>, Refusal> {
    let source = Source::parse(language, text)?;
    let mut tests: BTreeMap<String, Vec<TestBody>> = BTreeMap::new();
    source.walk(&mut |trail| {
        let Some(node) = trail.last().map(|step| step.node) else { return Next::Past };
        let Some(name) = is_test(&source, node) else { return Next::Into };
        let body = body(node).unwrap_or(node);
        let is_nothing = |node: &Node| {
            matches!(node.kind(), "pass_statement" | "empty_statement" | "nil")
                || node.kind() == "expression_statement" && matches!(children(*node).as_slice(), [only] if is(&STRINGS, only.kind()) || only.kind() == "ellipsis")
        };
        let statements = children(body);
        tests.entry(name).or_default().push(TestBody {
            line: node.start_position().row + 1,
            assertions: assertions(&source, body),
            is_empty: statements.iter().all(is_nothing),
        });
        Next::Past
    });
    Ok(tests)
}

/// Returns the body of a test; for a call, that of the function passed to it.
fn body(node: Node<'_>) -> Option<Node<'_>> {
    let closures = || node.child_by_field_name("arguments").map(children).unwrap_or_default();
    let closure = closures().into_iter().find(|argument| is(&CLOSURES, argument.kind()));
    let function = closure.or_else(|| node.child_by_field_name("block"));
    function.unwrap_or(node).child_by_field_name("body")
}

fn assertions(source: &Source, body: Node) -> usize {
    let mut count = 0;
    walk(body, &mut |trail| {
        let Some(node) = trail.last().map(|step| step.node) else { return Next::Past };
        let is_statement = node.kind() == "assert_statement";
        let is_call = Callee::of(source, node).is_some_and(|called| called.is_assertion());
        if !(is_statement || is_call) {
            return Next::Into;
        }
        count += usize::from(asks(source, node));
        Next::Past
    });
    count
}

/// Returns whether an assertion depends on the program: one over constants alone has a fixed result.
fn asks(source: &Source, assertion: Node) -> bool {
    let called = Callee::of(source, assertion);
    if called.as_ref().is_some_and(|called| called.names.last().is_some_and(|last| is_refusal(last))) {
        return true;
    }
    let (mut constants, mut others) = (0, 0);
    let arguments = assertion.child_by_field_name("arguments").unwrap_or(assertion);
    let own = called.map(|called| called.names).unwrap_or_default();
    walk(arguments, &mut |trail| {
        let node = trail[trail.len() - 1].node;
        let is_constant = [&STRINGS[..], &BOOLEANS, &NUMBERS].iter().any(|kinds| is(kinds, node.kind()));
        if is_constant && node.is_named() {
            constants += 1;
            return Next::Past;
        }
        if node.child_count() == 0 && node.is_named() {
            let is_own = is(&IDENTIFIERS, node.kind()) && own.iter().any(|own| own == source.of(node));
            others += usize::from(!is_own);
        }
        Next::Into
    });
    others > 0 || constants == 0
}

/// Returns whether a function is an assertion that always fails, for code that must not be reached.
fn is_refusal(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["fail", "fatal", "error", "unreachable"].iter().any(|word| lower.starts_with(word))
        || lower.starts_with("assertthrow")
}
