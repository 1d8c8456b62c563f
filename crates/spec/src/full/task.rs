//! Reads one task: its actions in execution order, and its criteria.

use std::collections::HashSet;

use crate::form::full as keys;
use referee_model::id::{ActionId, TaskId};
use referee_model::plan::service::{Port, Probe};
use referee_model::plan::{CaptureName, Phase, Service, StepOrder, Template, Work};
use referee_model::selection::Profile;
use referee_syntax::tree::{Entry, Node};

use super::draft::{Draft, Server};
use super::{Reader, Task};
use crate::complaint::{Code, Finding};
use crate::service::port_name;
use crate::source::quote;
use crate::task::{Check, Extras, Maker, Need};
use crate::variables::Variables;

/// The actions of a task by phase, as they are written.
struct Listed<'n> {
    prerequisites: Vec<&'n Node>,
    steps: Vec<&'n Node>,
    cleanup: Vec<&'n Node>,
}

impl<'n> Listed<'n> {
    fn of(task: keys::Task<'n>) -> Self {
        let written = keys::TestExecution::of(task.test_execution.node());
        let browser = keys::McpValidation::of(task.mcp_validation.node());
        let more = if browser.enabled.is_true() { browser.steps.elements() } else { &[] };
        Self {
            prerequisites: written.prerequisites.elements().iter().collect(),
            steps: written.steps.elements().iter().chain(more).collect(),
            cleanup: written.cleanup.elements().iter().collect(),
        }
    }

    fn all(&self) -> impl Iterator<Item = (&'n Node, Phase)> {
        let lists =
            [(&self.prerequisites, Phase::Prerequisite), (&self.steps, Phase::Step), (&self.cleanup, Phase::Cleanup)];
        lists.into_iter().flat_map(|(list, phase)| list.iter().map(move |node| (*node, phase)))
    }
}

impl Reader<'_> {
    pub(super) fn task(&mut self, id: &TaskId, entry: &Entry, outside: &Variables<'_>) -> Task {
        let written = keys::Task::of(&entry.value);
        let mut listed = Listed::of(written);
        if !self.is_short() {
            self.note_captures(written);
        }
        let workflow = keys::Workflow::of(written.execution_workflow.node());
        let lists = [&mut listed.prerequisites, &mut listed.steps, &mut listed.cleanup];
        self.put_in_order(lists, workflow.execution_order.entry());
        let mut draft =
            Draft { variables: outside.inside(), checks: Vec::new(), ids: HashSet::new(), server: Server::default() };
        for node in &listed.prerequisites {
            self.action(node, Phase::Prerequisite, &mut draft);
        }
        self.workflow(workflow.prerequisites.elements(), &listed.steps, &mut draft);
        for (list, phase) in [(&listed.steps, Phase::Step), (&listed.cleanup, Phase::Cleanup)] {
            for node in list {
                self.action(node, phase, &mut draft);
            }
        }
        self.filler.action = None;
        let mut checks = draft.checks;
        self.need_what_captures(&mut checks);
        let criteria = self.criteria(written.validation_criteria, &checks, &draft.variables);
        let completion = self.completion(written.completion_criteria.node(), &checks);
        let parallel = workflow.parallel_execution.is_true();
        let depends = listed.steps.iter().any(|step| keys::Action::of(*step).depends_on.is_given());
        let extras = Extras {
            criteria,
            red_phase: written.tdd_phase.text() == Some("RED"),
            step_order: if self.is_short() || parallel || depends { StepOrder::Free } else { StepOrder::Listed },
            parallel,
            profile: written.profile.text().and_then(Profile::parse).unwrap_or_default(),
            ..Extras::default()
        };
        self.filler.captures.clear();
        Task {
            id: id.clone(),
            title: written.title.text().map_or_else(|| id.to_string(), str::to_owned),
            checks,
            completion,
            extras,
            depends_on: Vec::new(),
            problems: self.filler.take_problems(),
        }
    }

    /// Records the captures of the task, to distinguish a use before the capture from an unknown name.
    pub(super) fn note_captures(&mut self, task: keys::Task<'_>) {
        self.filler.captures.clear();
        for (node, phase) in Listed::of(task).all() {
            let action = keys::Action::of(node);
            let Some(id) = action.action_id.text().and_then(|id| ActionId::parse(id).ok()) else { continue };
            let maker = Maker { name: action.name.text().unwrap_or(id.as_str()).to_owned(), id, phase };
            // Port variable of a service with a name of its own.
            let service = keys::Terminal::of(action.parameters.node());
            let port = service.service.text().and_then(port_name).filter(|_| service.port.text() == Some("auto"));
            self.filler.captures.extend(port.map(|name| (name, maker.clone())));
            for entry in keys::Http::of(action.parameters.node()).capture.entries() {
                let Some(name) = CaptureName::parse(&entry.key) else { continue };
                if let Some(other) = self.filler.captures.get(&name) {
                    let (key, other) = (quote(&entry.key), quote(&other.name));
                    let message = format!("{key} is captured by {other} too, and only one can hold");
                    self.findings.push(Finding::error(Code::DuplicateName, entry.key_span, message));
                } else {
                    self.filler.captures.insert(name, maker.clone());
                }
            }
        }
    }

    /// Makes every action that uses a captured value need the one that captures it.
    fn need_what_captures(&self, checks: &mut [Check]) {
        let named: HashSet<(Phase, String)> = checks.iter().map(|check| (check.phase, check.name.clone())).collect();
        for check in checks {
            let Some(action) = &check.action else { continue };
            // If another check between the two has the same name, only the phases keep the order.
            let is_hidden = |maker: &Maker| {
                let between = [Phase::Step, Phase::Cleanup].into_iter();
                let mut between = between.filter(|phase| *phase > maker.phase && *phase <= check.phase);
                between.any(|phase| named.contains(&(phase, maker.name.clone())))
            };
            for maker in holes(&action.work).into_iter().filter_map(|name| self.filler.captures.get(name)) {
                let is_named = check.needs.iter().any(|need| need.name == maker.name);
                if maker.id != check.id && !is_named && !is_hidden(maker) {
                    check.needs.push(Need { name: maker.name.clone(), place: check.work_place });
                }
            }
        }
    }
}

/// Returns the names of all placeholders in the work of an action.
fn holes(work: &Work) -> Vec<&CaptureName> {
    let templates: Vec<&Template> = match work {
        Work::Command(command) => command.late_environment.values().collect(),
        Work::Http(request) => {
            let headers = request.headers.iter().map(|(_, value)| value);
            let body = request.body.iter().map(|body| &body.content);
            std::iter::once(&request.url).chain(headers).chain(body).collect()
        }
        Work::Service(service) => {
            let command = service.command.iter().flat_map(|command| command.late_environment.values());
            let probes = service.ready.iter().filter_map(|probe| match probe {
                Probe::Url { url, .. } => Some(url),
                Probe::Port(_) | Probe::Address { .. } | Probe::Output(_) => None,
            });
            let mut names: Vec<&CaptureName> = command.chain(probes).flat_map(Template::captured).collect();
            names.extend(ports(service));
            return names;
        }
        Work::Interaction(interaction) => interaction.templates(),
        Work::File(_) => Vec::new(),
    };
    templates.into_iter().flat_map(Template::captured).collect()
}

/// Returns the names of ports that a service waits for.
fn ports(service: &Service) -> impl Iterator<Item = &CaptureName> {
    service.ready.iter().filter_map(|probe| match probe {
        Probe::Port(Port::Auto(name)) => Some(name),
        _ => None,
    })
}
