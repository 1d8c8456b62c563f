//! Reads prerequisites of a task, and the order of its actions (`executionWorkflow`).

use std::collections::HashMap;

use crate::form::full::{self as keys, Prerequisite};
use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::plan::service::{PrerequisiteKind, Probe};
use referee_model::plan::{
    Action, Command, FileCheck, FileContent, FileExpectation, Interaction, Phase, Role, Service, Work,
};
use referee_syntax::count::more;
use referee_syntax::distance::nearest;
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Member, Node};

use super::Reader;
use super::action;
use super::command::{self, Environment};
use super::draft::Draft;
use crate::complaint::{Code, Finding};
use crate::http::vacuous;
use crate::service::port_probe;
use crate::source::quote;
use crate::task::Check;

impl Reader<'_> {
    /// Sorts the actions of each phase as the document requires; the others come after, as listed.
    pub(super) fn put_in_order(&mut self, lists: [&mut Vec<&Node>; 3], order: Option<&Entry>) {
        let Some(order) = order.filter(|order| !order.value.elements().is_empty()) else { return };
        let known: Vec<&str> = lists.iter().flat_map(|list| list.iter().filter_map(|node| id(node))).collect();
        let known_set: std::collections::HashSet<&str> = known.iter().copied().collect();
        let mut ranks: HashMap<&str, usize> = HashMap::new();
        for (rank, node) in order.value.elements().iter().enumerate() {
            let Some(named) = node.text() else { continue };
            if !known_set.contains(named) {
                let finding =
                    Finding::error(Code::UnknownAction, node.span, format!("action not found: {}", quote(named)));
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

    /// Adds prerequisites, and the dev server if the steps need it.
    pub(super) fn workflow(&mut self, prerequisites: &[Node], steps: &[&Node], draft: &mut Draft<'_>) {
        for (index, item) in prerequisites.iter().enumerate() {
            self.prerequisite(item, index + 1, draft);
        }
        let startable = keys::DevServer::of(self.dev_server()).command.is_given();
        if startable && !draft.server.started && self.asks_server(steps, &draft.variables) {
            self.start_server("Start the dev server", draft);
        }
    }

    fn prerequisite(&mut self, item: &Node, number: usize, draft: &mut Draft<'_>) {
        let (written, place) = (Prerequisite::of(item), item.span);
        let Some(kind) = written.kind.text().and_then(PrerequisiteKind::parse) else { return };
        let Some(name) = written.description.text() else { return };
        self.weigh_ways(written, kind);
        let way = ways(written).into_iter().find_map(Member::node);
        if kind == PrerequisiteKind::DevServerRunning && self.dev_server().is_some() {
            if !draft.server.started {
                self.start_server(name, draft);
            }
            if way.is_none() {
                return;
            }
        }
        let id = ActionId::parse(format!("WORKFLOW.{number}")).expect("capital letters, a dot and a number are an id");
        if !draft.ids.insert(id.clone()) {
            let message = format!("this prerequisite is {}, and there is such an action already", quote(id.as_str()));
            self.findings.push(Finding::error(Code::DuplicateAction, place, message));
            return;
        }
        self.filler.action = Some(id.clone());
        let asked = self.timeout(written.timeout);
        let default = match written.check_command.node() {
            Some(_) => self.settings.command_deadline_ms.unwrap_or(limit::ACTION_DEADLINE_MS),
            None => limit::STARTUP_DEADLINE_MS,
        };
        let work = self.prerequisite_work(written, place, kind, draft);
        let action = work.map(|work| Action {
            name: name.to_owned(),
            timeout_ms: asked.unwrap_or(default),
            prerequisite: Some(kind),
            ..action::plain(id.clone(), Phase::Prerequisite, work)
        });
        draft.checks.push(Check {
            name: id.to_string(),
            id,
            phase: Phase::Prerequisite,
            place,
            work_place: way.map_or(place, |node| node.span),
            needs: Vec::new(),
            timeout_ms: asked,
            action,
        });
    }

    /// Complains about keys that do not apply to this kind of prerequisite, or exclude each other.
    fn weigh_ways(&mut self, written: Prerequisite<'_>, kind: PrerequisiteKind) {
        let Prerequisite { check_command, connection_string, url, host, port, path, file_path, .. } = written;
        let is_file = kind == PrerequisiteKind::FileExists;
        let is_database = kind == PrerequisiteKind::DatabaseAvailable;
        let asks_url = matches!(kind, PrerequisiteKind::DevServerRunning | PrerequisiteKind::ServiceHealthy);
        let fitting = [
            (connection_string, is_database),
            (url, asks_url),
            (host, !is_file),
            (port, !is_file),
            (path, is_file),
            (file_path, is_file),
        ];
        for (member, fits) in fitting {
            let Some(entry) = member.entry() else { continue };
            let is = |other: Member<'_>| other.entry().is_some_and(|other| std::ptr::eq(other, entry));
            let message = if !fits {
                format!("`{}` says nothing of a `{}`", entry.key, kind.as_str())
            } else if check_command.is_given() {
                format!("`checkCommand` says already what is looked for, and `{}` would not be looked at", entry.key)
            } else if (is(host) || is(port)) && connection_string.is_given() {
                format!("`connectionString` names the database already, and `{}` would not be looked at", entry.key)
            } else if is(file_path) && path.is_given() {
                "`path` names the file already".to_owned()
            } else if is(host) && !port.is_given() {
                "a `host` needs a `port`".to_owned()
            } else {
                continue;
            };
            self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
        }
    }

    fn prerequisite_work(
        &mut self,
        written: Prerequisite<'_>,
        place: Span,
        kind: PrerequisiteKind,
        draft: &Draft<'_>,
    ) -> Option<Work> {
        if let Some((node, line)) = written.check_command.text_node() {
            let invocation = self.line(node, true, None, &draft.variables)?;
            let mut environment = Environment::default();
            self.mentioned(line, node.span, &draft.variables, &mut environment);
            return Some(Work::Command(Command { role: Some(Role::Other), ..command::plain(invocation, environment) }));
        }
        if kind == PrerequisiteKind::FileExists {
            let Some(node) = written.path.or(written.file_path).node() else {
                return self.nothing_to_look_for(place, "`path` or `checkCommand`");
            };
            let (root, path, _) = self.file_path(node, &draft.variables)?;
            let expectation = FileExpectation::Present(FileContent::default());
            return Some(Work::File(FileCheck { root, path, glob: false, expectation }));
        }
        if let Some(node) = written.connection_string.node().filter(|_| kind == PrerequisiteKind::DatabaseAvailable) {
            let query = Interaction::Query(self.first_query(node, &draft.variables)?);
            return Some(Work::Interaction(Box::new(query)));
        }
        let mut ready = Vec::new();
        if let Some(node) = written.url.node() {
            let (url, verify_tls) = (self.url(node, &draft.variables)?, self.settings.verify_tls);
            ready.push(Probe::Url { url, verify_tls });
        }
        if let Some(port) = written.port.node() {
            ready.extend(port_probe(written.host.text(), port, None, self.findings));
        }
        if ready.is_empty() {
            let needed = match kind {
                PrerequisiteKind::DatabaseAvailable => "`connectionString`, `checkCommand` or `port`",
                _ => "`url`, `port` or `checkCommand`",
            };
            return self.nothing_to_look_for(place, needed);
        }
        Some(Work::Service(Box::new(Service { command: None, ready, port: None, external: true, kind })))
    }

    fn nothing_to_look_for(&mut self, place: Span, needed: &str) -> Option<Work> {
        vacuous(
            place,
            &format!("this prerequisite says nothing that could be looked for: it needs {needed}"),
            self.findings,
        );
        None
    }
}

fn id(action: &Node) -> Option<&str> {
    keys::Action::of(action).action_id.text()
}

/// Returns the keys that say how a prerequisite is checked.
fn ways(written: Prerequisite<'_>) -> [Member<'_>; 7] {
    let Prerequisite { check_command, connection_string, url, host, port, path, file_path, .. } = written;
    [check_command, connection_string, url, host, port, path, file_path]
}
