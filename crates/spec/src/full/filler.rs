//! Fills in texts of a document: `${NAME}` and `{{NAME}}` (ruling 3).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::plan::{CaptureName, Form, SpecificationProblem, Template};
use referee_syntax::span::Span;
use referee_syntax::tree::{Entry, Kind, Node};
use regex::Regex;

use crate::complaint::{Code, Finding, Findings};
use crate::problem::{UNRESOLVED, left_behind, problem};
use crate::source::{Source, quote};
use crate::task::Maker;
use crate::variables::{API_BASE_URL, Budget, DEFAULT_BASE_URL, Names, Variables, late, names, too_large};

/// Unfilled placeholder of another program's template.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}").expect("the form above is a regular expression")
});

/// A text after known variables have been filled in.
pub(super) struct Filled<Text> {
    /// Filled text; unknown names are left as written.
    pub(super) text: Text,
    /// Whether everything is known. If not, there is a problem that says so.
    pub(super) complete: bool,
}

/// Fills in texts, and records errors in them as problems of the action that is being read.
///
/// In the short form an undeclared variable is an error instead of a problem. Unless a late value is allowed,
/// `${…}` that does not name a variable is left for the consumer of the text; and expectations are not searched
/// for placeholders.
pub(super) struct Filler<'a> {
    form: Form,
    /// The document as it is written.
    root: &'a Node,
    source: &'a Source,
    budget: Budget,
    /// Action that is being read. None: the whole task is concerned.
    pub(super) action: Option<ActionId>,
    /// Values that are only known while the task runs, with their sources.
    pub(super) captures: BTreeMap<CaptureName, Maker>,
    /// Variables that are declared further down, beside the current one.
    pub(super) ahead: BTreeSet<String>,
    problems: Vec<SpecificationProblem>,
}

impl<'a> Filler<'a> {
    pub(super) fn new(form: Form, root: &'a Node, source: &'a Source) -> Self {
        let (action, captures, ahead, problems) = (None, BTreeMap::new(), BTreeSet::new(), Vec::new());
        Self { form, root, source, budget: Budget::default(), action, captures, ahead, problems }
    }

    pub(super) fn is_short(&self) -> bool {
        self.form == Form::Short
    }

    /// Returns a key as written in the document, whatever its name in the full form.
    pub(super) fn written_key(&self, entry: &Entry) -> &'a str {
        let written = self.source.text().get(entry.key_span.start..entry.key_span.end).unwrap_or_default();
        written.trim_matches(['"', '\''])
    }

    /// Returns the problems since the last call.
    pub(super) fn take_problems(&mut self) -> Vec<SpecificationProblem> {
        std::mem::take(&mut self.problems)
    }

    /// Adds a warning, and a problem of the item that is being read. Only the first ones are kept: a single one
    /// prevents the run.
    pub(super) fn problem(&mut self, keyword: &str, finding: Finding, findings: &mut Findings) {
        if self.problems.len() < limit::COMPLAINTS_KEPT {
            let problem = problem(self.root, self.source, self.action.as_ref(), keyword, &finding);
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        findings.push(finding);
    }

    /// Fills in known values, and leaves values captured during the run as placeholders. None: it is an error.
    pub(super) fn template(
        &mut self,
        text: &str,
        span: Span,
        variables: &Variables<'_>,
        findings: &mut Findings,
    ) -> Option<Filled<Template>> {
        let has_placeholder = self.placeholder(text, span, findings);
        let filled = self.expanded(text, span, Names::Captured, variables, findings)?;
        Some(Filled { complete: filled.complete && !has_placeholder, ..filled })
    }

    /// Fills in the value of a variable, which may only be known during the run. None: it is an error.
    pub(super) fn value(
        &mut self,
        text: &str,
        span: Span,
        variables: &Variables<'_>,
        findings: &mut Findings,
    ) -> Option<Template> {
        self.placeholder(text, span, findings);
        let names = self.names(text, variables);
        Some(self.expanded(text, span, names, variables, findings)?.text)
    }

    /// Fills in values known before the run. None: it is an error.
    pub(super) fn fill(
        &mut self,
        text: &str,
        span: Span,
        variables: &Variables<'_>,
        findings: &mut Findings,
    ) -> Option<Filled<String>> {
        let has_placeholder = self.placeholder(text, span, findings);
        let filled = self.known(text, span, variables, findings)?;
        Some(Filled { complete: filled.complete && !has_placeholder, ..filled })
    }

    /// Returns the names that are recognized in a text: in the short form only those unlikely to occur in other
    /// text, unless one is captured.
    fn names(&self, text: &str, variables: &Variables<'_>) -> Names {
        let is_captured = |name: &str| {
            let captured = CaptureName::parse(name).is_some_and(|name| self.captures.contains_key(&name));
            captured || variables.late(name).is_some()
        };
        if self.is_short() && !names(text).any(is_captured) { Names::Plain } else { Names::Captured }
    }

    fn known(
        &mut self,
        text: &str,
        span: Span,
        variables: &Variables<'_>,
        findings: &mut Findings,
    ) -> Option<Filled<String>> {
        let Filled { text: template, complete } =
            self.expanded(text, span, self.names(text, variables), variables, findings)?;
        if template.as_plain().is_none() {
            findings.extend(template.captured().map(|name| late(name, span)));
        }
        template.as_plain().map(|text| Filled { text: text.to_owned(), complete })
    }

    fn expanded(
        &mut self,
        text: &str,
        span: Span,
        names: Names,
        variables: &Variables<'_>,
        findings: &mut Findings,
    ) -> Option<Filled<Template>> {
        let expanded = variables.expand(text, names, &mut self.budget);
        if expanded.too_large {
            findings.push(too_large(span));
            return None;
        }
        if expanded.assumed && !self.is_short() {
            findings.push(assumed_origin(span));
        }
        for name in &expanded.unknown {
            if !self.early(name, span, findings) {
                self.unknown(name, span, variables, findings);
            }
        }
        Some(Filled { complete: expanded.unknown.is_empty(), text: expanded.template })
    }

    /// Complains about a value that is used before it is known. Returns whether it is one.
    fn early(&self, name: &str, span: Span, findings: &mut Findings) -> bool {
        let maker = CaptureName::parse(name).and_then(|name| self.captures.get(&name));
        if let Some(maker) = maker {
            let message =
                format!("{} is used here before {} makes it known", quote(&format!("${{{name}}}")), quote(&maker.name));
            findings.push(Finding::error(Code::EarlyUse, span, message));
        }
        maker.is_some()
    }

    /// Complains about values that a shell line of the short form uses before they are known: the shell would
    /// expand them to nothing. Returns whether there are any.
    pub(super) fn early_in_line(
        &self,
        line: &str,
        span: Span,
        variables: &Variables<'_>,
        findings: &mut Findings,
    ) -> bool {
        let mut unknown = names(line).filter(|name| self.is_short() && !variables.has(name));
        unknown.any(|name| self.early(name, span, findings))
    }

    /// Fills in every text within an expectation. None: one of them is an error.
    pub(super) fn node(&mut self, node: &Node, variables: &Variables<'_>, findings: &mut Findings) -> Option<Node> {
        let kind = match &node.kind {
            Kind::Text(text) if self.is_short() => Kind::Text(self.known(text, node.span, variables, findings)?.text),
            Kind::Text(text) => Kind::Text(self.fill(text, node.span, variables, findings)?.text),
            Kind::List(elements) => {
                let filled = elements.iter().map(|element| self.node(element, variables, findings));
                Kind::List(filled.collect::<Option<_>>()?)
            }
            Kind::Map(entries) => {
                let filled = entries.iter().map(|entry| {
                    let value = self.node(&entry.value, variables, findings)?;
                    Some(Entry { key: entry.key.clone(), key_span: entry.key_span, value })
                });
                Kind::Map(filled.collect::<Option<_>>()?)
            }
            other => other.clone(),
        };
        Some(Node { kind, span: node.span })
    }

    /// Searches for unfilled placeholders of a template. Returns whether there is one.
    pub(super) fn placeholder(&mut self, text: &str, span: Span, findings: &mut Findings) -> bool {
        // In the short form only upper case counts: Go, docker, helm and mustache use `{{json .}}` and
        // `{{name}}` themselves.
        let is_left = |found: &&str| !self.is_short() || !found.contains(|letter: char| letter.is_ascii_lowercase());
        let left: Vec<&str> = PLACEHOLDER.find_iter(text).map(|found| found.as_str()).filter(is_left).collect();
        for placeholder in &left {
            self.problem(UNRESOLVED, left_behind(placeholder, span), findings);
        }
        !left.is_empty()
    }

    /// Records the use of an undeclared variable as a problem.
    pub(super) fn unknown(&mut self, name: &str, span: Span, variables: &Variables<'_>, findings: &mut Findings) {
        let message = format!("the variable {} is not declared", quote(name));
        let level = if self.is_short() { Finding::error } else { Finding::warning };
        let finding = level(Code::UnresolvedVariable, span, message);
        let help = self.help(name);
        let similar = if findings.is_full() || help.is_some() { None } else { variables.similar(name) };
        let finding = match (similar, help) {
            (Some(known), _) => finding.meant(Some(known)),
            (None, Some(help)) => finding.help(help),
            (None, None) if self.is_short() => finding
                .help("declare it under `env`, before the value that uses it, or use `run`, where a shell fills it in"),
            (None, None) => {
                finding.help("declare it under `globalConfiguration.environment`; until then what holds it cannot run")
            }
        };
        if self.is_short() {
            findings.push(finding);
        } else {
            self.problem(UNRESOLVED, finding, findings);
        }
    }

    /// Returns help for an unknown variable, if the reason is known.
    fn help(&self, name: &str) -> Option<&'static str> {
        if self.is_short() {
            return None;
        }
        if self.ahead.contains(name) {
            return Some("declare it before the value that uses it; until then what holds it cannot run");
        }
        (name == API_BASE_URL).then_some(
            "its port is found as the dev server starts, and nothing that comes before knows it: use it in a step, or \
             declare it under `globalConfiguration.environment`",
        )
    }
}

/// Returns the warning about an unknown origin.
pub(super) fn assumed_origin(span: Span) -> Finding {
    let message = format!("nothing says what `{API_BASE_URL}` is, and it is taken to be {DEFAULT_BASE_URL}");
    let help = "declare it under `globalConfiguration.environment`, or name the `healthCheckUrl` or the `port` of the \
                `devServer`";
    Finding::warning(Code::DefaultBaseUrl, span, message).help(help)
}
