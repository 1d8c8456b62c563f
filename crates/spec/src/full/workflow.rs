//! What must hold before a task, and in which order its actions run (`executionWorkflow`).

use std::collections::HashMap;

use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::plan::service::{PrerequisiteKind, Probe};
use referee_model::plan::{Action, Command, FileCheck, FileContent, FileExpectation, Phase, Role, Service, Work};
use referee_syntax::count::more;
use referee_syntax::distance::nearest;
use referee_syntax::tree::{Entry, Node};

use super::Reader;
use super::action;
use super::command::{self, Environment};
use super::task::Draft;
use crate::complaint::{Code, Finding};
use crate::http::vacuous;
use crate::service::probes;
use crate::source::quote;
use crate::task::Check;

/// Keys that say how a prerequisite is looked for.
const WAYS: [&str; 6] = ["checkCommand", "url", "host", "port", "path", "filePath"];

impl Reader<'_> {
    /// Puts the actions of each phase in the order that a document asks for; the others come after, as they are listed.
    pub(super) fn put_in_order(&mut self, lists: [&mut Vec<&Node>; 3], order: Option<&Entry>) {
        let Some(order) = order.filter(|order| !order.value.elements().is_empty()) else { return };
        let known: Vec<&str> = lists.iter().flat_map(|list| list.iter().filter_map(|node| id(node))).collect();
        let known_set: std::collections::HashSet<&str> = known.iter().copied().collect();
        let mut ranks: HashMap<&str, usize> = HashMap::new();
        for (rank, node) in order.value.elements().iter().enumerate() {
            let Some(named) = node.text() else { continue };
            if !known_set.contains(named) {
                let finding =
                    Finding::error(Code::UnknownAction, node.span, format!("there is no action {}", quote(named)));
                let meant = if self.findings.is_full() { None } else { nearest(named, known.iter().copied()) };
                self.findings.push(finding.meant(meant));
            } else if ranks.insert(named, rank).is_some() {
                let message = format!("{} is in this order a second time", quote(named));
                self.findings.push(Finding::error(Code::DuplicateName, node.span, message));
            }
        }
        let missing = lists[1].iter().filter_map(|node| id(node)).filter(|id| !ranks.contains_key(id));
        let missing: Vec<String> = missing.map(quote).collect();
        if let Some((first, others)) = missing.split_first() {
            let more = more(others.len());
            let message = format!("this order leaves out {first}{more}: what it leaves out comes after the others");
            self.findings.push(Finding::warning(Code::IncompleteOrder, order.key_span, message));
        }
        for list in lists {
            list.sort_by_key(|node| id(node).and_then(|id| ranks.get(id).copied()).unwrap_or(usize::MAX));
        }
    }

    /// Adds what must hold before, and the dev server where the steps need it.
    pub(super) fn workflow(&mut self, workflow: Option<&Node>, steps: &[&Node], draft: &mut Draft<'_>) {
        let items = workflow.and_then(|node| node.get("prerequisites")).map(Node::elements).unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            self.prerequisite(item, index + 1, draft);
        }
        let startable = self.dev_server().is_some_and(|server| server.get("command").is_some());
        if startable && !draft.server.started && self.asks_server(steps, &draft.variables) {
            self.start_server("Start the dev server", draft);
        }
    }

    fn prerequisite(&mut self, item: &Node, number: usize, draft: &mut Draft<'_>) {
        let Some(kind) = item.get("type").and_then(Node::text).and_then(kind) else { return };
        let Some(name) = item.get("description").and_then(Node::text) else { return };
        self.weigh_ways(item, kind);
        let has_way = WAYS.iter().any(|key| item.entry(key).is_some());
        if kind == PrerequisiteKind::DevServerRunning && self.dev_server().is_some() {
            if !draft.server.started {
                self.start_server(name, draft);
            }
            if !has_way {
                return;
            }
        }
        let id = ActionId::parse(format!("WORKFLOW.{number}")).expect("capital letters, a dot and a number are an id");
        let place = item.span;
        if !draft.ids.insert(id.clone()) {
            let message = format!("this prerequisite is {}, and there is such an action already", quote(id.as_str()));
            self.findings.push(Finding::error(Code::DuplicateAction, place, message));
            return;
        }
        self.filler.action = Some(id.clone());
        let asked = item.get("timeout").and_then(|node| self.timeout(node));
        let default = match item.get("checkCommand") {
            Some(_) => self.settings.command_deadline_ms.unwrap_or(limit::ACTION_DEADLINE_MS),
            None => limit::STARTUP_DEADLINE_MS,
        };
        let work = self.prerequisite_work(item, kind, draft);
        let action = work.map(|work| Action {
            name: name.to_owned(),
            deadline_ms: asked.unwrap_or(default),
            ..action::plain(id.clone(), Phase::Prerequisite, work)
        });
        let work_place = WAYS.iter().find_map(|key| item.get(key)).map_or(place, |node| node.span);
        draft.checks.push(Check {
            name: id.to_string(),
            id,
            phase: Phase::Prerequisite,
            place,
            work_place,
            needs: Vec::new(),
            deadline_ms: asked,
            action,
        });
    }

    /// Complains about keys that say nothing of this kind of prerequisite, or exclude each other.
    fn weigh_ways(&mut self, item: &Node, kind: PrerequisiteKind) {
        let fitting: &[&str] = match kind {
            PrerequisiteKind::FileExists => &["checkCommand", "path", "filePath"],
            PrerequisiteKind::DatabaseAvailable => &["checkCommand", "host", "port"],
            PrerequisiteKind::DevServerRunning | PrerequisiteKind::ServiceHealthy => {
                &["checkCommand", "url", "host", "port"]
            }
        };
        for entry in WAYS.iter().filter_map(|key| item.entry(key)) {
            let message = if !fitting.contains(&entry.key.as_str()) {
                format!("`{}` says nothing of a `{}`", entry.key, kind.as_str())
            } else if entry.key != "checkCommand" && item.entry("checkCommand").is_some() {
                format!("`checkCommand` says already what is looked for, and `{}` would not be looked at", entry.key)
            } else if entry.key == "filePath" && item.entry("path").is_some() {
                "`path` names the file already".to_owned()
            } else if entry.key == "host" && item.entry("port").is_none() {
                "a `host` needs a `port`".to_owned()
            } else {
                continue;
            };
            self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
        }
    }

    fn prerequisite_work(&mut self, item: &Node, kind: PrerequisiteKind, draft: &Draft<'_>) -> Option<Work> {
        if let Some((node, line)) = item.get("checkCommand").and_then(|node| Some((node, node.text()?))) {
            let invocation = self.line(node, true, None, &draft.variables)?;
            let mut environment = Environment::default();
            self.mentioned(line, node.span, &draft.variables, &mut environment);
            return Some(Work::Command(Command { role: Some(Role::Other), ..command::plain(invocation, environment) }));
        }
        if kind == PrerequisiteKind::FileExists {
            let Some(node) = item.get("path").or_else(|| item.get("filePath")) else {
                return self.nothing_to_look_for(item, "`path` or `checkCommand`");
            };
            let (root, path, _) = self.file_path(node, &draft.variables)?;
            let expectation = FileExpectation::Present(FileContent::default());
            return Some(Work::File(FileCheck { root, path, glob: false, expectation }));
        }
        let mut ready = Vec::new();
        if let Some(node) = item.get("url") {
            let (url, verify_tls) = (self.url(node, &draft.variables)?, self.settings.verify_tls);
            ready.push(Probe::Url { url, verify_tls });
        }
        if item.get("port").is_some() {
            ready.extend(probes(item, None, self.findings, &mut |_, _, _| None));
        }
        if ready.is_empty() {
            let needed = match kind {
                PrerequisiteKind::DatabaseAvailable => "`checkCommand`, or `host` and `port`",
                _ => "`url`, `port` or `checkCommand`",
            };
            return self.nothing_to_look_for(item, needed);
        }
        Some(Work::Service(Box::new(Service { command: None, ready, port: None, external: true, kind })))
    }

    fn nothing_to_look_for(&mut self, item: &Node, needed: &str) -> Option<Work> {
        vacuous(
            item.span,
            &format!("this prerequisite says nothing that could be looked for: it needs {needed}"),
            self.findings,
        );
        None
    }
}

fn id(action: &Node) -> Option<&str> {
    action.get("actionId").and_then(Node::text)
}

fn kind(word: &str) -> Option<PrerequisiteKind> {
    [
        PrerequisiteKind::DevServerRunning,
        PrerequisiteKind::DatabaseAvailable,
        PrerequisiteKind::ServiceHealthy,
        PrerequisiteKind::FileExists,
    ]
    .into_iter()
    .find(|kind| kind.as_str() == word)
}
