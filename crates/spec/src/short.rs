//! What a document in the short form means (ruling 2). What is not well-shaped is passed over: it has its complaint.

mod command;
mod completion;
mod condition;
mod evaluator;
mod expectation;
mod extras;
mod file;
mod guard;
mod http;
pub(crate) mod placeholder;
pub(crate) mod policy;
mod protect;
mod scope;
mod service;
mod setup;
mod value;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use referee_model::id::{ActionId, TaskId, WorkspacePath};
use referee_model::limit;
use referee_model::plan::service::Probe;
use referee_model::plan::{Action, CaptureName, Completion, Phase, Policies, Template, Work};

use self::command::Environment;
use self::scope::{Scope, captured};
use crate::complaint::{Code, Finding, Findings};
use crate::source::{Span, quote};
use crate::task::{Check, Extras, Need};
use crate::tree::{Entry, Node};
use crate::variables::Budget;
use crate::word;

/// A document, understood.
pub(crate) struct Document {
    pub(crate) task: TaskId,
    pub(crate) title: String,
    pub(crate) evidence: WorkspacePath,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) deadline_ms: Option<u64>,
    pub(crate) checks: Vec<Check>,
    pub(crate) policies: Policies,
    pub(crate) completion: Completion,
    pub(crate) extras: Extras,
}

/// Reads a document's meaning. Without errors among the findings, every check has its action.
pub(crate) fn read(root: &Node, workspace: &Path, findings: &mut Findings) -> Document {
    let built_in = Scope::built_in(&workspace.to_string_lossy());
    let mut reader = Reader::new(root, workspace, findings);
    let text = |key: &str| root.get(key).and_then(Node::text);
    let task =
        TaskId::parse(text("task").unwrap_or("T001")).or_else(|_| TaskId::parse("T001")).expect("T001 is a task id");
    let title = text("title").map_or_else(|| task.to_string(), str::to_owned);
    let Environment { known: environment, mut scope, .. } = reader.environment(root, &built_in);
    let evidence = root.get("evidence").and_then(|node| reader.path(node, &scope));
    let evidence = evidence.or_else(|| WorkspacePath::parse("evidence").ok()).unwrap_or_else(WorkspacePath::root);
    let deadline_ms = root.get("timeout").and_then(|node| reader.milliseconds(node, 1, limit::TASK_DEADLINE_MS_MAX));
    // What checks capture is not known to it: it is given their report.
    let evaluator = root.get("evaluator").and_then(|node| reader.evaluator(node, &scope));
    let mut checks = reader.checks("prerequisites", Phase::Prerequisite, &mut scope);
    checks.extend(reader.services(&mut scope));
    checks.extend(reader.checks("checks", Phase::Step, &mut scope));
    checks.extend(reader.checks("cleanup", Phase::Cleanup, &mut scope));
    let criteria = condition::criteria(root, &checks, reader.findings);
    let extras = extras::extras(root, criteria, evaluator, reader.findings);
    let completion = completion::completion(root.get("completion"), &checks, reader.findings);
    let mut policies = root.get("policy").map(|node| policy::policies(node, reader.findings)).unwrap_or_default();
    policies.rationale = policy::rationale(root);
    Document { task, title, evidence, environment, deadline_ms, checks, policies, completion, extras }
}

/// What is needed to understand the parts of a document.
struct Reader<'a> {
    root: &'a Node,
    workspace: &'a Path,
    budget: Budget,
    /// Whether later checks run although one failed, where a check says nothing about it.
    continue_on_failure: bool,
    /// Late values that checks and services further down make.
    ahead: BTreeSet<CaptureName>,
    /// Late values that have been made, and who made them.
    made: BTreeMap<CaptureName, Maker>,
    findings: &'a mut Findings,
}

/// Who makes a value that is known only while the run goes on.
struct Maker {
    name: String,
    phase: Phase,
}

impl<'a> Reader<'a> {
    fn new(root: &'a Node, workspace: &'a Path, findings: &'a mut Findings) -> Self {
        let lists = ["prerequisites", "checks", "cleanup"].into_iter().filter_map(|key| root.get(key));
        let captures = lists.flat_map(Node::entries).filter_map(|check| check.value.get("capture"));
        let captured = captures.flat_map(Node::entries).filter_map(|capture| CaptureName::parse(&capture.key));
        let services = root.get("services").map(Node::entries).unwrap_or_default().iter();
        let ports =
            services.filter(|entry| has_free_port(entry)).filter_map(|entry| crate::service::port_name(&entry.key));
        Self {
            root,
            workspace,
            budget: Budget::default(),
            continue_on_failure: root.get("continueOnFailure").and_then(Node::boolean).unwrap_or(true),
            ahead: captured.chain(ports).collect(),
            made: BTreeMap::new(),
            findings,
        }
    }

    /// Reads the checks of a phase. What one captures is known to those after it.
    fn checks(&mut self, key: &str, phase: Phase, scope: &mut Scope<'_>) -> Vec<Check> {
        let mut checks = Vec::new();
        for (index, entry) in self.root.get(key).map(Node::entries).unwrap_or_default().iter().enumerate() {
            let check = self.check(entry, phase, action_id(prefix(phase), index + 1), scope);
            self.declare_captures(&check, entry, scope);
            checks.push(check);
        }
        checks
    }

    fn check(&mut self, entry: &Entry, phase: Phase, id: ActionId, scope: &Scope<'_>) -> Check {
        let node = &entry.value;
        let needs = node.get("needs").map(Node::one_or_more).unwrap_or_default().iter();
        let needs = needs.filter_map(|need| Some(Need { name: need.text()?.to_owned(), place: need.span }));
        let mut needs: Vec<Need> = needs.collect();
        let deadline_ms =
            node.get("timeout").and_then(|node| self.milliseconds(node, 1, limit::ACTION_DEADLINE_MS_MAX));
        let grace_ms = node.get("grace").and_then(|node| self.milliseconds(node, 0, limit::GRACE_MS_MAX));
        let tags = ["run", "argv", "file", "http"];
        let work_place = tags.into_iter().find_map(|tag| node.get(tag)).unwrap_or(node).span;
        if let Some(background) = node.entry("background").filter(|entry| entry.value.boolean() == Some(true)) {
            let message = "a check is run to its end, and this one is to run on";
            let finding = Finding::error(Code::Contradiction, background.key_span, message);
            self.findings.push(finding.help("declare it under `services`"));
        }
        let work = self.work(node, scope);
        needs.extend(work.iter().flat_map(|work| self.implied_needs(work, phase, work_place)));
        let expect = expectation::expectation(node, work.as_ref(), self.findings);
        let action = work.map(|work| Action {
            id: id.clone(),
            phase,
            name: entry.key.clone(),
            needs: Vec::new(),
            deadline_ms: deadline_ms.unwrap_or_else(|| default_deadline(&work)),
            grace_ms: grace_ms.unwrap_or(limit::GRACE_MS),
            continue_on_failure: node
                .get("continueOnFailure")
                .and_then(Node::boolean)
                .unwrap_or(self.continue_on_failure),
            retries: expectation::retries(node),
            expect,
            evidence: expectation::evidence(node),
            level: node.get("profile").and_then(Node::text).and_then(word::level),
            work,
        });
        Check { id, name: entry.key.clone(), phase, place: entry.key_span, work_place, needs, deadline_ms, action }
    }

    fn work(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Work> {
        if let Some(file) = node.get("file") {
            self.file(node, file, scope).map(Work::File)
        } else if let Some(url) = node.get("http") {
            self.http(node, url, scope).map(|request| Work::Http(Box::new(request)))
        } else {
            self.command(node, scope).map(Work::Command)
        }
    }

    /// Reads the services. They are started after the prerequisites, one after the other.
    fn services(&mut self, scope: &mut Scope<'_>) -> Vec<Check> {
        let entries = self.root.get("services").map(Node::entries).unwrap_or_default();
        let is_only = entries.iter().filter(|entry| has_free_port(entry)).count() == 1;
        let mut checks = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let check = self.service_check(entry, action_id("SERVICE", index + 1), scope);
            if let Some(Action { work: Work::Service(service), .. }) = &check.action {
                self.declare_port(service, is_only, scope);
            }
            if let Some(name) = crate::service::port_name(&entry.key).filter(|_| has_free_port(entry)) {
                self.made.insert(name, Maker::of(&check));
            }
            checks.push(check);
        }
        checks
    }

    fn service_check(&mut self, entry: &Entry, id: ActionId, scope: &Scope<'_>) -> Check {
        let node = &entry.value;
        let phase = Phase::Prerequisite;
        if self.root.get("prerequisites").and_then(|node| node.entry(&entry.key)).is_some() {
            let message = format!("{} is the name of a prerequisite, too", quote(&entry.key));
            let finding = Finding::error(Code::DuplicateName, entry.key_span, message);
            self.findings.push(finding.help("give one of the two another name, so that `needs` can tell them apart"));
        }
        let deadline_ms =
            node.get("timeout").and_then(|node| self.milliseconds(node, 1, limit::ACTION_DEADLINE_MS_MAX));
        let grace_ms = node.get("grace").and_then(|node| self.milliseconds(node, 0, limit::GRACE_MS_MAX));
        let work_place = ["run", "argv"].into_iter().find_map(|tag| node.get(tag)).unwrap_or(node).span;
        let work = self.service(entry, scope).map(|service| Work::Service(Box::new(service)));
        let needs = work.iter().flat_map(|work| self.implied_needs(work, phase, work_place)).collect();
        let action = work.map(|work| Action {
            id: id.clone(),
            phase,
            name: entry.key.clone(),
            needs: Vec::new(),
            deadline_ms: deadline_ms.unwrap_or_else(|| default_deadline(&work)),
            grace_ms: grace_ms.unwrap_or(limit::GRACE_MS),
            continue_on_failure: self.continue_on_failure,
            retries: expectation::retries(node),
            expect: None,
            evidence: expectation::evidence(node),
            level: None,
            work,
        });
        Check { id, name: entry.key.clone(), phase, place: entry.key_span, work_place, needs, deadline_ms, action }
    }

    /// Makes known what a check captures.
    fn declare_captures(&mut self, check: &Check, entry: &Entry, scope: &mut Scope<'_>) {
        for capture in entry.value.get("capture").map(Node::entries).unwrap_or_default() {
            let Some(name) = CaptureName::parse(&capture.key) else { continue };
            if let Some(maker) = self.made.get(&name) {
                let message = format!("{} is captured by {}, too", quote(name.as_str()), quote(&maker.name));
                self.findings.push(Finding::error(Code::DuplicateName, capture.key_span, message));
            } else if scope.knows(name.as_str()) {
                let message = format!("{} is the name of a variable, too", quote(name.as_str()));
                self.findings.push(Finding::error(Code::DuplicateName, capture.key_span, message));
            }
            self.ahead.remove(&name);
            self.made.insert(name.clone(), Maker::of(check));
            scope.declare_late(name.clone(), captured(name));
        }
    }

    /// Returns what makes the late values that a check uses.
    fn implied_needs(&self, work: &Work, phase: Phase, place: Span) -> Vec<Need> {
        let used: BTreeSet<&CaptureName> = templates(work).into_iter().flat_map(Template::captured).collect();
        let makers = used.into_iter().filter_map(|name| self.made.get(name));
        // Where another check between the two has the same name, the phases alone keep the order.
        let makers = makers.filter(|maker| !self.is_hidden(maker, phase));
        makers.map(|maker| Need { name: maker.name.clone(), place }).collect()
    }

    fn is_hidden(&self, maker: &Maker, from: Phase) -> bool {
        let lists = [("checks", Phase::Step), ("cleanup", Phase::Cleanup)];
        let between = lists.into_iter().filter(|(_, phase)| *phase > maker.phase && *phase <= from);
        between.filter_map(|(key, _)| self.root.get(key)).any(|list| list.entry(&maker.name).is_some())
    }
}

impl Maker {
    fn of(check: &Check) -> Self {
        Self { name: check.name.clone(), phase: check.phase }
    }
}

/// What the ids of a phase's checks begin with.
fn prefix(phase: Phase) -> &'static str {
    match phase {
        Phase::Prerequisite => "PREREQ",
        Phase::Step => "STEP",
        Phase::Cleanup => "CLEANUP",
    }
}

fn action_id(prefix: &str, number: usize) -> ActionId {
    ActionId::parse(format!("{prefix}.{number}")).expect("capital letters, a dot and a number are an id")
}

fn has_free_port(service: &Entry) -> bool {
    service.value.get("port").and_then(Node::text) == Some("auto")
}

/// Returns the time that an action may take where nothing is said about it.
fn default_deadline(work: &Work) -> u64 {
    match work {
        Work::Http(_) => limit::HTTP_DEADLINE_MS,
        Work::Service(_) => limit::STARTUP_DEADLINE_MS,
        Work::Command(_) | Work::File(_) | Work::Unsupported(_) => limit::ACTION_DEADLINE_MS,
    }
}

/// Returns the texts of an action that are filled in while the run goes on.
fn templates(work: &Work) -> Vec<&Template> {
    match work {
        Work::Command(command) => command.late_environment.values().collect(),
        Work::Http(request) => {
            let headers = request.headers.iter().map(|(_, value)| value);
            let body = request.body.as_ref().map(|body| &body.content);
            std::iter::once(&request.url).chain(headers).chain(body).collect()
        }
        Work::Service(service) => {
            let environment = service.command.iter().flat_map(|command| command.late_environment.values());
            let urls = service.ready.iter().filter_map(|probe| match probe {
                Probe::Url { url, .. } => Some(url),
                Probe::Port(_) | Probe::Address { .. } | Probe::Output(_) => None,
            });
            environment.chain(urls).collect()
        }
        Work::File(_) | Work::Unsupported(_) => Vec::new(),
    }
}
