//! Reads properties that all types of actions have.

use crate::form::full as keys;
use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::outcome::Outcome;
use referee_model::plan::{Action, EvidenceCapture, Expectation, Interaction, Phase, Work};
use referee_model::selection::Level;
use referee_syntax::distance::nearest;
use referee_syntax::tree::{Entry, Member, Node};

use super::Reader;
use super::draft::Draft;
use crate::complaint::{Code, Finding};
use crate::expectation::{impossible, is_empty};
use crate::source::quote;
use crate::task::{Check, Need};

/// Work of an action, with its time limit.
pub(super) struct Task {
    pub(super) work: Work,
    /// Deadline in the document, in milliseconds.
    pub(super) asked_ms: Option<u64>,
    /// Default deadline, in milliseconds.
    pub(super) default_ms: u64,
}

impl Reader<'_> {
    /// Reads an action, and adds it to the task.
    pub(super) fn action(&mut self, node: &Node, phase: Phase, draft: &mut Draft<'_>) {
        let written = keys::Action::of(node);
        let Some((named, id)) = written.action_id.text_node() else { return };
        let Ok(id) = ActionId::parse(id) else { return };
        if !draft.ids.insert(id.clone()) {
            let message = format!("there is another action {}", quote(id.as_str()));
            self.findings.push(Finding::error(Code::DuplicateAction, named.span, message));
            return;
        }
        self.filler.action = Some(id.clone());
        let parameters = written.parameters.node();
        let work_place = what_is_done(parameters).unwrap_or(named).span;
        let asked = self.timeout(written.timeout);
        let task = parameters.and_then(|parameters| self.work(written.kind, parameters, &id, phase, asked, draft));
        let timeout_ms = task.as_ref().and_then(|task| task.asked_ms);
        let action = self.described(written, &id, phase, task);
        let needs = written.depends_on.one_or_more().iter();
        let needs = needs.filter_map(|need| Some(Need { name: need.text()?.to_owned(), place: need.span }));
        draft.checks.push(Check {
            name: written.name.text().map_or_else(|| id.to_string(), str::to_owned),
            id,
            phase,
            place: named.span,
            work_place,
            needs: needs.collect(),
            timeout_ms,
            action,
        });
    }

    fn described(
        &mut self,
        written: keys::Action<'_>,
        id: &ActionId,
        phase: Phase,
        task: Option<Task>,
    ) -> Option<Action> {
        let retries = self.retries(written);
        let grace_ms = self.grace(written.grace);
        let expect = self.expectation(written.expect.node(), task.as_ref().map(|task| &task.work));
        let Task { work, asked_ms, default_ms } = task?;
        let name = written.description.text().map_or_else(|| id.to_string(), str::to_owned);
        Some(Action {
            name,
            timeout_ms: asked_ms.unwrap_or(default_ms),
            grace_ms,
            continue_on_failure: written.continue_on_failure.is_true(),
            retries,
            expect,
            evidence: evidence(written.evidence_capture.node()),
            level: written.profile.text().and_then(Level::parse),
            ..plain(id.clone(), phase, work)
        })
    }

    /// Reads the work, by action type.
    fn work(
        &mut self,
        kind: Member<'_>,
        parameters: &Node,
        id: &ActionId,
        phase: Phase,
        asked: Option<u64>,
        draft: &mut Draft<'_>,
    ) -> Option<Task> {
        let tag = kind.node()?;
        self.weigh_available(tag);
        let request_ms = asked.or(self.settings.request_deadline_ms);
        let command_ms = asked.or(self.settings.command_deadline_ms);
        let task = |work, asked_ms, default_ms| Some(Task { work, asked_ms, default_ms });
        match tag.text()? {
            "TERMINAL_COMMAND" => self.terminal(parameters, id, phase, asked, draft),
            "CUSTOM_SCRIPT" => {
                let command = self.script(parameters, &draft.variables)?;
                task(Work::Command(command), command_ms, limit::ACTION_DEADLINE_MS)
            }
            "HTTP_REQUEST" => {
                let request = self.request(parameters, draft)?;
                task(Work::Http(Box::new(request)), request_ms, limit::HTTP_DEADLINE_MS)
            }
            "FILE_VALIDATION" => {
                let check = self.file(parameters, &draft.variables)?;
                task(Work::File(check), asked, limit::ACTION_DEADLINE_MS)
            }
            "MCP_BROWSER_COMMAND" => {
                let browser = Interaction::Browser(self.browser(parameters, &draft.variables)?);
                task(Work::Interaction(Box::new(browser)), asked, limit::ACTION_DEADLINE_MS)
            }
            "DOCKER_COMMAND" => {
                let command = self.container(parameters, &draft.variables)?;
                task(Work::Command(command), asked, limit::ACTION_DEADLINE_MS)
            }
            "DATABASE_QUERY" => {
                let query = Interaction::Query(self.query(parameters, &draft.variables)?);
                task(Work::Interaction(Box::new(query)), asked, limit::ACTION_DEADLINE_MS)
            }
            _ => None,
        }
    }

    /// Refuses an action type that the document does not list (ruling 3).
    fn weigh_available(&mut self, tag: &Node) {
        let Some((available, word)) = self.settings.available.as_ref().zip(tag.text()) else { return };
        if available.iter().any(|known| known == word) {
            return;
        }
        let message = format!("{} is not among the `availableActionTypes` of this document", quote(word));
        let finding = Finding::error(Code::UnavailableType, tag.span, message);
        let listed = nearest(word, available.iter().map(String::as_str)).map(str::to_owned);
        self.findings.push(match listed {
            Some(listed) => finding.meant(Some(&listed)),
            None => finding.help("add it there, or give the action another type"),
        });
    }

    fn retries(&mut self, written: keys::Action<'_>) -> u32 {
        fn given(member: Member<'_>) -> Option<(&Entry, u32)> {
            let entry = member.entry()?;
            Some((entry, u32::try_from(entry.value.integer()?).ok()?))
        }
        match (given(written.retry_attempts), given(written.retries)) {
            (Some((_, first)), Some((entry, second))) if first != second => {
                let message = "`retryAttempts` says otherwise, and only one can hold";
                self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
                0
            }
            (given, other) => given.or(other).map_or(0, |(_, count)| count.min(limit::RETRIES)),
        }
    }

    fn expectation(&mut self, node: Option<&Node>, work: Option<&Work>) -> Option<Expectation> {
        let node = node?;
        let written = keys::Expect::of(node);
        let named = keys::ExpectedTests::of(written.tests.node());
        let outcome = written.outcome.text().and_then(Outcome::parse);
        let mut tests = |member: Member<'_>| {
            let list = member.one_or_more();
            for test in list.iter().filter(|test| test.text().is_some_and(|name| name.trim().is_empty())) {
                self.findings.push(Finding::error(Code::Vacuous, test.span, "the name of a test is empty"));
            }
            list.iter().filter_map(Node::text).map(str::to_owned).collect::<Vec<_>>()
        };
        let (fail_to_pass, pass_to_pass) = (tests(named.fail_to_pass), tests(named.pass_to_pass));
        let expectation = Expectation { outcome, fail_to_pass, pass_to_pass };
        if is_empty(node, !self.is_short()) {
            let message = "this expectation is empty: it needs `outcome` or `tests`";
            self.findings.push(Finding::error(Code::Vacuous, node.span, message));
        }
        if expectation == Expectation::default() {
            return None;
        }
        self.findings.extend(work.iter().flat_map(|work| impossible(node, &expectation, work)));
        Some(expectation)
    }
}

/// Returns an action with default properties for its work.
pub(super) fn plain(id: ActionId, phase: Phase, work: Work) -> Action {
    let name = id.to_string();
    Action { continue_on_failure: false, ..Action::of(id, phase, name, work) }
}

/// Returns the text that describes the work, whatever the type.
fn what_is_done(parameters: Option<&Node>) -> Option<&Node> {
    let (command, script) = (keys::Terminal::of(parameters), keys::Script::of(parameters));
    let (request, file) = (keys::Http::of(parameters), keys::File::of(parameters));
    command.command.or(command.argv).or(request.url).or(file.file_path).or(script.script_path).node()
}

fn evidence(node: Option<&Node>) -> EvidenceCapture {
    let kept = keys::EvidenceCapture::of(node);
    let default = EvidenceCapture::default();
    EvidenceCapture {
        stdout: kept.stdout.boolean().unwrap_or(default.stdout),
        stderr: kept.stderr.boolean().unwrap_or(default.stderr),
        exchange: kept.request_response.or(kept.response_body).boolean().unwrap_or(default.exchange),
        file_contents: kept.file_contents.boolean().unwrap_or(default.file_contents),
        duration: kept.duration.boolean().unwrap_or(default.duration),
    }
}
