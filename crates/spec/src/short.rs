//! Converts the short form to the full form, tree to tree: converted values keep their spans, so that
//! complaints point to the original text.
//!
//! Parts without an equivalent in the full form have keys that no document of that form may have: `name`,
//! `grace`, `syntax`, `absent`, `glob`, `content`, `service`, `alias`, `executor`, and `tools` beside the categories
//! of a policy. Errors that only the short form can have are reported here.

mod browser;
mod check;
mod container;
mod policy;
mod query;
mod service;

use crate::form::short::{self as keys, Specification};
use referee_model::id::TaskId;
use referee_model::plan::Phase;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Member, Node};

use crate::complaint::Findings;

/// A member of the short form with its key in the full form.
type Rename<'a> = (Member<'a>, &'static str);

/// Converts a document in the short form to the full form.
pub(crate) fn full_form(root: &Node, findings: &mut Findings) -> Node {
    let root = &Specification::of(root);
    let mut global = renamed(&[(root.evidence, "evidenceDirectory"), (root.env, "environment")]);
    global.extend(kept([root.timeout, root.incidents, root.report]));
    global.extend(root.evaluator.entry().map(|entry| put("evaluator", entry, check::evaluator(&entry.value))));
    global.push(policy::policies(root));
    let id = root.task.text().and_then(|id| TaskId::parse(id).ok());
    let task = said(id.as_ref().map_or("T001", TaskId::as_str), Span::BEGINNING, task(root, findings));
    let debt = root.debt.entry();
    let debt = debt.map(|entry| put("technicalDebtConfiguration", entry, policy::debt(&entry.value, findings)));
    let mut document = vec![
        said("metadata", Span::BEGINNING, map(kept([root.validation_policy_rationale]).collect())),
        said("globalConfiguration", Span::BEGINNING, map(global)),
        said("tasks", Span::BEGINNING, map(vec![task])),
    ];
    document.extend(debt);
    map(document)
}

fn task(root: &Specification<'_>, findings: &mut Findings) -> Node {
    let mut task: Vec<Entry> = kept([root.title, root.profile]).collect();
    let list = |checks: Member<'_>, phase: Phase, findings: &mut Findings| -> Vec<Node> {
        let entries = checks.entries().iter().enumerate();
        entries.map(|(index, entry)| check::action(root, entry, phase, index + 1, findings)).collect()
    };
    let mut prerequisites = list(root.prerequisites, Phase::Prerequisite, findings);
    prerequisites.extend(service::actions(root, findings));
    let steps = list(root.checks, Phase::Step, findings);
    let cleanup = list(root.cleanup, Phase::Cleanup, findings);
    let lists = [("prerequisites", prerequisites), ("steps", steps), ("cleanup", cleanup)];
    let lists = lists.map(|(key, actions)| said(key, Span::BEGINNING, node(Kind::List(actions), Span::BEGINNING)));
    task.push(said("testExecution", Span::BEGINNING, map(lists.into())));
    task.push(said("executionWorkflow", Span::BEGINNING, map(renamed(&[(root.parallel, "parallelExecution")]))));
    task.push(said("validationCriteria", Span::BEGINNING, conditions(root)));
    task.extend(renamed(&[(root.completion, "completionCriteria")]));
    task.extend(root.tdd_phase.entry().map(|entry| put("tddPhase", entry, upper(&entry.value))));
    map(task)
}

fn conditions(root: &Specification<'_>) -> Node {
    let lists = [(root.conditions, "successConditions"), (root.failure_conditions, "failureConditions")];
    let lists = lists.into_iter().filter_map(|(short, full)| {
        let entry = short.entry()?;
        let conditions = entry.value.elements().iter().filter_map(condition).collect();
        Some(put(full, entry, node(Kind::List(conditions), entry.value.span)))
    });
    map(lists.collect())
}

/// Converts a condition, which describes itself if there is no other description. An empty one has its complaint.
fn condition(written: &Node) -> Option<Node> {
    let keys::Condition { condition, description } = keys::Condition::of(written);
    let stated = condition.node().unwrap_or(written);
    stated.text().filter(|text| !text.trim().is_empty())?;
    let description = description.node().unwrap_or(stated);
    let entries = [("condition", stated), ("description", description)];
    let entries = entries.map(|(key, value)| said(key, value.span, value.clone()));
    Some(node(Kind::Map(entries.into()), written.span))
}

/// Returns the given members, renamed to keys of the full form.
fn renamed(members: &[Rename<'_>]) -> Vec<Entry> {
    let found = members.iter().filter_map(|(short, full)| Some((full, short.entry()?)));
    found.map(|(full, entry)| put(full, entry, entry.value.clone())).collect()
}

/// Returns the given members whose keys are the same in both forms.
fn kept<'a>(members: impl IntoIterator<Item = Member<'a>>) -> impl Iterator<Item = Entry> {
    members.into_iter().filter_map(Member::entry).cloned()
}

/// Returns an entry with the span of another one.
fn put(key: &str, place: &Entry, value: Node) -> Entry {
    said(key, place.key_span, value)
}

fn said(key: &str, key_span: Span, value: Node) -> Entry {
    Entry { key: key.to_owned(), key_span, value }
}

fn node(kind: Kind, span: Span) -> Node {
    Node { kind, span }
}

/// Returns a string node at a span.
fn text(text: impl Into<String>, span: Span) -> Node {
    node(Kind::Text(text.into()), span)
}

/// Returns a mapping without a span.
fn map(entries: Vec<Entry>) -> Node {
    node(Kind::Map(entries), Span::BEGINNING)
}

fn upper(written: &Node) -> Node {
    match written.text() {
        Some(word) => text(word.to_ascii_uppercase(), written.span),
        None => written.clone(),
    }
}
