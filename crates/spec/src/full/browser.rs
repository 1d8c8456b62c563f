//! Reads browser actions.

use crate::form::full as keys;
use referee_model::plan::interaction::{BrowserCommand, BrowserEngine, BrowserOperation};
use referee_model::plan::{Browser, Piece, Template};
use referee_syntax::span::Span;
use referee_syntax::tree::{Member, Node};

use super::Reader;
use crate::complaint::{Code, Finding};
use crate::http::{is_url_shaped, vacuous, weigh_url};
use crate::source::quote;
use crate::variables::Variables;

/// Default time limit of a command, in milliseconds.
const WAIT_MS: u64 = 30_000;

/// Actions, each with the keys that say what it does.
const ACTIONS: [(&str, &[&str]); 8] = [
    ("browser_navigate", &["url"]),
    ("browser_click", &["selector"]),
    ("browser_fill_form", &["formData", "selector", "text"]),
    ("browser_evaluate", &["script"]),
    ("browser_screenshot", &["name"]),
    ("browser_wait_for_selector", &["selector"]),
    ("browser_get_content", &["selector"]),
    ("browser_see", &["text"]),
];

/// The browser of the document, or of one check in the short form.
#[derive(Clone)]
pub(super) struct BrowserSettings {
    engine: BrowserEngine,
    headless: bool,
    server: Vec<String>,
}

impl Default for BrowserSettings {
    fn default() -> Self {
        Self { engine: BrowserEngine::Chromium, headless: true, server: Vec::new() }
    }
}

impl Reader<'_> {
    pub(super) fn browser_settings(&mut self, node: Option<&Node>, variables: &Variables<'_>) -> BrowserSettings {
        let written = keys::BrowserExecutor::of(node);
        let server = written.mcp_server_command.node().and_then(|node| self.command_words(node, variables));
        BrowserSettings {
            engine: written.browser_type.text().and_then(BrowserEngine::parse).unwrap_or(BrowserEngine::Chromium),
            headless: written.headless.boolean().unwrap_or(true),
            server: server.unwrap_or_default(),
        }
    }

    /// Reads what is done in the browser.
    pub(super) fn browser(&mut self, parameters: &Node, variables: &Variables<'_>) -> Option<Browser> {
        let written = keys::Browser::of(parameters);
        let commands = match (written.action.node(), written.steps.entry()) {
            (Some(_), None) => vec![self.browser_command(parameters, variables)],
            (None, Some(steps)) => {
                let steps = steps.value.elements().iter();
                steps.map(|step| self.browser_command(step, variables)).collect()
            }
            (Some(_), Some(steps)) => {
                let message = "`action` says already what is done, and `steps` would not be looked at";
                self.findings.push(Finding::error(Code::Contradiction, steps.key_span, message));
                return None;
            }
            (None, None) => {
                vacuous(parameters.span, "this action needs `action` or `steps`", self.findings);
                return None;
            }
        };
        let own = written.executor.node().filter(|_| self.is_short());
        let own = own.map(|node| self.browser_settings(Some(node), variables));
        let BrowserSettings { engine, headless, server } = own.unwrap_or_else(|| self.settings.browser.clone());
        Some(Browser {
            engine,
            headless,
            server,
            // All of them are read, so that every complaint is made.
            commands: commands.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect(),
        })
    }

    /// Reads one command. Some of None: its action is not known, which is a problem of the task.
    #[expect(clippy::option_option, reason = "an error is something else than a problem of the task")]
    fn browser_command(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Option<BrowserCommand>> {
        let written = keys::BrowserStep::of(node);
        let (tag, word) = written.action.text_node()?;
        let Some((action, own)) = ACTIONS.into_iter().find(|(action, _)| *action == word) else {
            let message = format!("a browser does nothing of the name {}", quote(word));
            let names: Vec<String> = ACTIONS.iter().map(|(action, _)| format!("`{action}`")).collect();
            let finding = Finding::warning(Code::UnknownWord, tag.span, message);
            self.filler.problem("enum", finding.help(format!("it can be {}", names.join(", "))), self.findings);
            return Some(None);
        };
        let operation = self.browser_operation(written, tag.span, action, variables);
        let wait_ms = self.timeout(written.wait_timeout).unwrap_or(WAIT_MS);
        let mut is_fitting = true;
        for member in [written.url, written.selector, written.script, written.form_data, written.text, written.name] {
            if let Some(entry) = member.entry().filter(|entry| !own.contains(&entry.key.as_str())) {
                let message = format!("`{}` says nothing of `{action}`", entry.key);
                self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
                is_fitting = false;
            }
        }
        is_fitting.then_some(())?;
        Some(Some(BrowserCommand { operation: operation?, wait_ms }))
    }

    /// Reads the URL of a page. Files are allowed here: whether one is in the workspace is known when it is opened.
    fn page_url(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Template> {
        let written = node.text().filter(|text| is_url_shaped(text))?;
        let filled = self.filler.template(written, node.span, variables, self.findings)?;
        let is_local = match filled.text.pieces() {
            [Piece::Text(text)] if text == "about:blank" => true,
            [Piece::Text(text), ..] => text.starts_with("file:///"),
            _ => false,
        };
        let usable = !filled.complete || is_local || weigh_url(&filled.text, node.span, self.findings);
        usable.then_some(filled.text)
    }

    fn browser_operation(
        &mut self,
        written: keys::BrowserStep<'_>,
        place: Span,
        action: &str,
        variables: &Variables<'_>,
    ) -> Option<BrowserOperation> {
        Some(match action {
            "browser_navigate" => {
                let node = self.browser_needs(written.url, "url", place, action)?;
                BrowserOperation::Navigate(self.page_url(node, variables)?)
            }
            "browser_click" => BrowserOperation::Click(self.selector(written.selector, place, action, variables)?),
            "browser_wait_for_selector" => {
                BrowserOperation::WaitFor(self.selector(written.selector, place, action, variables)?)
            }
            "browser_fill_form" => self.form(written, place, action, variables)?,
            "browser_evaluate" => {
                let node = self.browser_needs(written.script, "script", place, action)?;
                BrowserOperation::Evaluate(self.filler.value(node.text()?, node.span, variables, self.findings)?)
            }
            "browser_screenshot" => {
                let name = match written.name.text_node() {
                    Some((node, name)) => self.filler.fill(name, node.span, variables, self.findings)?.text,
                    None => "page".to_owned(),
                };
                BrowserOperation::Screenshot(name)
            }
            "browser_get_content" if !written.selector.is_given() => BrowserOperation::Content(None),
            "browser_get_content" => {
                BrowserOperation::Content(Some(self.selector(written.selector, place, action, variables)?))
            }
            _ => {
                let node = self.browser_needs(written.text, "text", place, action)?;
                BrowserOperation::See(self.filler.template(node.text()?, node.span, variables, self.findings)?.text)
            }
        })
    }

    fn form(
        &mut self,
        written: keys::BrowserStep<'_>,
        place: Span,
        action: &str,
        variables: &Variables<'_>,
    ) -> Option<BrowserOperation> {
        if !written.form_data.is_given() && !written.selector.is_given() {
            let message = format!("`{action}` needs `formData`, or `selector` and `text`");
            vacuous(place, &message, self.findings);
            return None;
        }
        let mut fields = Vec::new();
        for entry in written.form_data.entries() {
            let value = self.filler.template(entry.value.scalar()?, entry.value.span, variables, self.findings)?;
            fields.push((entry.key.clone(), value.text));
        }
        if written.selector.or(written.text).is_given() {
            let selector = self.selector(written.selector, place, action, variables);
            let Some((node, text)) = written.text.text_node() else {
                self.browser_needs(written.text, "text", place, action)?;
                return None;
            };
            let value = self.filler.template(text, node.span, variables, self.findings)?;
            fields.push((selector?, value.text));
        }
        Some(BrowserOperation::Fill(fields))
    }

    fn selector(&mut self, member: Member<'_>, place: Span, action: &str, variables: &Variables<'_>) -> Option<String> {
        let node = self.browser_needs(member, "selector", place, action)?;
        Some(self.filler.fill(node.text()?, node.span, variables, self.findings)?.text)
    }

    /// Complains if a key that an action needs is missing or empty.
    fn browser_needs<'n>(&mut self, member: Member<'n>, key: &str, place: Span, action: &str) -> Option<&'n Node> {
        match member.text_node() {
            Some((node, text)) if !text.trim().is_empty() => Some(node),
            Some((node, _)) => {
                vacuous(node.span, &format!("the `{key}` of `{action}` is empty"), self.findings);
                None
            }
            None => {
                vacuous(place, &format!("`{action}` needs `{key}`"), self.findings);
                None
            }
        }
    }
}
