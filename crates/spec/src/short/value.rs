//! Values that mean something: paths, durations, texts to fill in.

use std::collections::BTreeSet;
use std::path::Path;

use referee_model::id::WorkspacePath;
use referee_model::plan::{CaptureName, SchemaSource, Template};
use referee_syntax::duration;

use super::Reader;
use super::scope::{Scope, names};
use crate::complaint::{Code, Finding, Findings};
use crate::http::schema_source;
use crate::source::{Span, quote};
use crate::tree::{Entry, Kind, Node};

impl Reader<'_> {
    pub(super) fn fill(&mut self, text: &str, span: Span, scope: &Scope<'_>) -> Option<String> {
        self.look_ahead(text, span, scope)?;
        scope.fill(text, span, &mut self.budget, self.findings)
    }

    pub(super) fn template(&mut self, text: &str, span: Span, scope: &Scope<'_>) -> Option<Template> {
        self.look_ahead(text, span, scope)?;
        scope.template(text, span, &mut self.budget, self.findings)
    }

    /// Complains about what is captured only by a check further down. None: there is a complaint.
    pub(super) fn look_ahead(&mut self, text: &str, span: Span, scope: &Scope<'_>) -> Option<()> {
        look_ahead(&self.ahead, text, span, scope, self.findings)
    }

    /// Fills in the texts in a value, but for regular expressions. What cannot be filled in has its complaint, and is left
    /// as it is written.
    pub(super) fn filled(&mut self, node: &Node, scope: &Scope<'_>) -> Node {
        let kind = match &node.kind {
            Kind::Text(text) => Kind::Text(self.fill(text, node.span, scope).unwrap_or_else(|| text.clone())),
            Kind::List(elements) => Kind::List(elements.iter().map(|element| self.filled(element, scope)).collect()),
            Kind::Map(entries) => {
                let filled = entries.iter().map(|entry| match entry.key.as_str() {
                    "matches" => entry.clone(),
                    _ => Entry { value: self.filled(&entry.value, scope), ..entry.clone() },
                });
                Kind::Map(filled.collect())
            }
            other => other.clone(),
        };
        Node { kind, span: node.span }
    }

    /// Reads a path that must stay in the workspace. An absolute one that lies in it becomes relative.
    pub(super) fn path(&mut self, node: &Node, scope: &Scope<'_>) -> Option<WorkspacePath> {
        let filled = self.relative(node, scope)?;
        let path = WorkspacePath::parse(&filled);
        if path.is_err() {
            let message = format!("the path {} leaves the workspace: a path below it is needed", quote(&filled));
            self.findings.push(Finding::error(Code::LeavesWorkspace, node.span, message));
        }
        path.ok()
    }

    fn relative(&mut self, node: &Node, scope: &Scope<'_>) -> Option<String> {
        let filled = self.fill(node.text()?, node.span, scope)?;
        let relative = Path::new(&filled).strip_prefix(self.workspace).ok().and_then(Path::to_str);
        Some(relative.map_or(filled.clone(), str::to_owned))
    }

    /// Reads a JSON Schema, or the path of one.
    pub(super) fn schema(&mut self, node: &Node, scope: &Scope<'_>) -> Option<SchemaSource> {
        match &node.kind {
            Kind::Map(_) => schema_source(node, self.findings),
            Kind::Text(_) => {
                let relative = self.relative(node, scope)?;
                schema_source(&Node { kind: Kind::Text(relative), span: node.span }, self.findings)
            }
            _ => None,
        }
    }

    /// Reads a duration: whole milliseconds, or a number with its unit.
    pub(super) fn milliseconds(&mut self, node: &Node, min: u64, max: u64) -> Option<u64> {
        milliseconds(node, min, max, self.findings)
    }
}

/// Reads a duration: whole milliseconds, or a number with its unit.
pub(super) fn milliseconds(node: &Node, min: u64, max: u64, findings: &mut Findings) -> Option<u64> {
    let Some(text) = node.text() else {
        // A number out of range is a complaint about the shape.
        return u64::try_from(node.integer()?).ok().filter(|value| (min..=max).contains(value));
    };
    let value = duration::parse(text)?;
    if !(min..=max).contains(&value) {
        let message = format!("expected {min} to {max} milliseconds, found {} ({value} milliseconds)", quote(text));
        findings.push(Finding::error(Code::DurationOutOfRange, node.span, message));
        return None;
    }
    Some(value)
}

/// Complains about what is captured only by a check further down; `ahead` names it. None: there is a complaint.
pub(super) fn look_ahead(
    ahead: &BTreeSet<CaptureName>,
    text: &str,
    span: Span,
    scope: &Scope<'_>,
    findings: &mut Findings,
) -> Option<()> {
    let is_ahead = |name: &CaptureName| ahead.contains(name) && !scope.knows(name.as_str());
    let Some(name) = names(text).find(is_ahead) else { return Some(()) };
    let message = format!("{} is not known yet here: what makes it comes later", quote(name.as_str()));
    let finding = Finding::error(Code::UnresolvedVariable, span, message);
    findings.push(finding.help("list what makes it before what uses it"));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit_and_may_have_a_fraction() {
        for (text, milliseconds) in [
            ("500ms", Some(500)),
            ("60s", Some(60_000)),
            ("1.5m", Some(90_000)),
            ("1h", Some(3_600_000)),
            ("0.4ms", Some(0)),
            ("60", None),
            ("1d", None),
            ("1.2.3s", None),
            ("", None),
        ] {
            assert_eq!(duration::parse(text), milliseconds, "{text}");
        }
    }
}
