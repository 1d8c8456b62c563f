//! `{{NAME}}` in what checks do: a template of another program left it behind (ruling 3).

use std::sync::LazyLock;

use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::plan::{Phase, SpecificationProblem};
use regex::Regex;

use super::{action_id, prefix};
use crate::complaint::Findings;
use crate::problem::{UNRESOLVED, left_behind, problem};
use crate::source::Source;
use crate::tree::{Kind, Node};

/// Capitals alone: Go, docker, helm and mustache have `{{.Dir}}`, `{{json .}}` and `{{name}}` for themselves.
static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{\s*[A-Z_][A-Z0-9_]*\s*\}\}").expect("the form above is a regular expression"));

/// What a check does stands in these. What is expected of it may speak of placeholders.
const DEEDS: [&str; 9] = ["run", "argv", "cwd", "env", "file", "http", "headers", "body", "ready"];

/// Warns of every placeholder, and returns what keeps the task from running.
pub(crate) fn placeholders(root: &Node, source: &Source, findings: &mut Findings) -> Vec<SpecificationProblem> {
    let mut problems: Vec<SpecificationProblem> = Vec::new();
    for (action, node) in parts(root) {
        let mut look = |node: &Node, text: &str| {
            for found in PLACEHOLDER.find_iter(text) {
                let finding = left_behind(found.as_str(), node.span);
                let problem = problem(root, source, action.as_ref(), UNRESOLVED, &finding);
                findings.push(finding);
                if problems.len() < limit::COMPLAINTS_KEPT && !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
        };
        texts(node, &mut look);
    }
    problems
}

/// The parts of a document that say what is done, each with the action that it is of; none: it is of the whole task.
fn parts(root: &Node) -> Vec<(Option<ActionId>, &Node)> {
    let whole = root.get("env").into_iter();
    let whole = whole.chain(["setup", "evaluator"].into_iter().filter_map(|key| root.get(key)).flat_map(deeds));
    let mut parts: Vec<(Option<ActionId>, &Node)> = whole.map(|node| (None, node)).collect();
    let lists = [
        ("prerequisites", prefix(Phase::Prerequisite)),
        ("services", "SERVICE"),
        ("checks", prefix(Phase::Step)),
        ("cleanup", prefix(Phase::Cleanup)),
    ];
    for (list, prefix) in lists {
        for (index, entry) in root.get(list).map(Node::entries).unwrap_or_default().iter().enumerate() {
            parts.extend(deeds(&entry.value).into_iter().map(|node| (Some(action_id(prefix, index + 1)), node)));
        }
    }
    parts
}

fn deeds(check: &Node) -> Vec<&Node> {
    match check.kind {
        Kind::Text(_) => vec![check],
        _ => DEEDS.into_iter().filter_map(|key| check.get(key)).collect(),
    }
}

fn texts(node: &Node, look: &mut impl FnMut(&Node, &str)) {
    match &node.kind {
        Kind::Text(text) => look(node, text),
        Kind::List(elements) => elements.iter().for_each(|element| texts(element, look)),
        Kind::Map(entries) => entries.iter().for_each(|entry| texts(&entry.value, look)),
        Kind::Null | Kind::Bool(_) | Kind::Integer { .. } | Kind::Float { .. } => {}
    }
}
