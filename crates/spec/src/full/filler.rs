//! Texts of a document and what stands for something else in them: `${NAME}` and `{{NAME}}` (ruling 3).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::plan::{CaptureName, SpecificationProblem, Template};
use regex::Regex;

use crate::complaint::{Code, Finding, Findings};
use crate::problem::{UNRESOLVED, left_behind, problem};
use crate::source::{Source, Span, quote};
use crate::tree::{Entry, Kind, Node};
use crate::variables::{API_BASE_URL, Budget, DEFAULT_BASE_URL, Names, Variables, late, too_large};

/// What a template of another program leaves behind.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\{\{\s*[A-Za-z_][A-Za-z0-9_]*\s*\}\}").expect("the form above is a regular expression")
});

/// A text after everything that is known has been filled in.
pub(super) struct Filled<Text> {
    /// The text; what is not known stands as it is written.
    pub(super) text: Text,
    /// Whether everything is known. Where it is not, there is a problem that says so.
    pub(super) complete: bool,
}

/// Fills texts, and keeps what is wrong with them as problems of the action that is being read.
pub(super) struct Filler<'a> {
    root: &'a Node,
    source: &'a Source,
    budget: Budget,
    /// The action that is being read. None: what concerns the whole task.
    pub(super) action: Option<ActionId>,
    /// What the task captures, and by which action.
    pub(super) captures: BTreeMap<CaptureName, ActionId>,
    /// Variables that are declared further down, beside the one that is being read.
    pub(super) ahead: BTreeSet<String>,
    problems: Vec<SpecificationProblem>,
}

impl<'a> Filler<'a> {
    pub(super) fn new(root: &'a Node, source: &'a Source) -> Self {
        let (action, captures, ahead, problems) = (None, BTreeMap::new(), BTreeSet::new(), Vec::new());
        Self { root, source, budget: Budget::default(), action, captures, ahead, problems }
    }

    /// Returns the problems found since the last time.
    pub(super) fn take_problems(&mut self) -> Vec<SpecificationProblem> {
        std::mem::take(&mut self.problems)
    }

    /// Warns of something, and keeps it as a problem of what is being read. The first ones are kept: each stands in the
    /// way alone.
    pub(super) fn problem(&mut self, keyword: &str, finding: Finding, findings: &mut Findings) {
        if self.problems.len() < limit::COMPLAINTS_KEPT {
            let problem = problem(self.root, self.source, self.action.as_ref(), keyword, &finding);
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
        findings.push(finding);
    }

    /// Fills in what is known, and leaves what is captured while the run goes on as holes. None: it is an error.
    pub(super) fn template(
        &mut self,
        text: &str,
        span: Span,
        variables: &Variables<'_>,
        findings: &mut Findings,
    ) -> Option<Filled<Template>> {
        let expanded = variables.expand(text, Names::Captured, &mut self.budget);
        if expanded.too_large {
            findings.push(too_large(span));
            return None;
        }
        if expanded.assumed {
            findings.push(assumed_origin(span));
        }
        let mut complete = !self.placeholder(text, span, findings);
        for name in &expanded.unknown {
            complete = false;
            let maker = CaptureName::parse(name).and_then(|name| self.captures.get(&name));
            match maker {
                Some(maker) => {
                    let message = format!("{} is used here before {maker} captures it", quote(&format!("${{{name}}}")));
                    findings.push(Finding::error(Code::EarlyUse, span, message));
                }
                None => self.unknown(name, span, variables, findings),
            }
        }
        Some(Filled { text: expanded.template, complete })
    }

    /// Fills in what is known before the run. None: it is an error.
    pub(super) fn fill(
        &mut self,
        text: &str,
        span: Span,
        variables: &Variables<'_>,
        findings: &mut Findings,
    ) -> Option<Filled<String>> {
        let Filled { text: template, complete } = self.template(text, span, variables, findings)?;
        if template.as_plain().is_none() {
            findings.extend(template.captured().map(|name| late(name, span)));
        }
        template.as_plain().map(|text| Filled { text: text.to_owned(), complete })
    }

    /// Fills in every text within a value. None: one is an error.
    pub(super) fn node(&mut self, node: &Node, variables: &Variables<'_>, findings: &mut Findings) -> Option<Node> {
        let kind = match &node.kind {
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

    /// Looks for what a template left behind. Returns whether there is such a thing.
    pub(super) fn placeholder(&mut self, text: &str, span: Span, findings: &mut Findings) -> bool {
        let mut found = PLACEHOLDER.find_iter(text).map(|found| found.as_str()).peekable();
        let any = found.peek().is_some();
        for placeholder in found {
            self.problem(UNRESOLVED, left_behind(placeholder, span), findings);
        }
        any
    }

    /// Keeps the use of a variable that nobody declared as a problem.
    pub(super) fn unknown(&mut self, name: &str, span: Span, variables: &Variables<'_>, findings: &mut Findings) {
        let message = format!("the variable {} is not declared", quote(name));
        let finding = Finding::warning(Code::UnresolvedVariable, span, message);
        let help = self.help(name);
        let similar = if findings.is_full() || help.is_some() { None } else { variables.similar(name) };
        let finding =
            match similar {
                Some(known) => finding.meant(Some(known)),
                None => finding.help(help.unwrap_or(
                    "declare it under `globalConfiguration.environment`; until then what holds it cannot run",
                )),
            };
        self.problem(UNRESOLVED, finding, findings);
    }

    /// Returns what helps where it is known why a variable is not.
    fn help(&self, name: &str) -> Option<&'static str> {
        if self.ahead.contains(name) {
            return Some("declare it before the value that uses it; until then what holds it cannot run");
        }
        (name == API_BASE_URL).then_some(
            "its port is found as the dev server starts, and nothing that comes before knows it: use it in a step, or \
             declare it under `globalConfiguration.environment`",
        )
    }
}

/// The warning about an origin that nothing tells.
pub(super) fn assumed_origin(span: Span) -> Finding {
    let message = format!("nothing says what `{API_BASE_URL}` is, and it is taken to be {DEFAULT_BASE_URL}");
    let help = "declare it under `globalConfiguration.environment`, or name the `healthCheckUrl` or the `port` of the \
                `devServer`";
    Finding::warning(Code::DefaultBaseUrl, span, message).help(help)
}
