//! The variables at one point of a document, with those whose values are known only while the run goes on.

use std::collections::BTreeMap;

use referee_model::plan::{CaptureName, Piece, Template};

use crate::complaint::{Code, Finding, Findings};
use crate::source::{Span, quote};
use crate::variables::{Budget, BuiltIn, Names, Variables, is_name, shell_variables};

/// How the names begin under which the ports of services are known.
const SERVICES: &str = "${services.";

/// The variables at one point of a document.
pub(super) struct Scope<'a> {
    variables: Variables<'a>,
    /// Values that are known only while the run goes on, by name: mostly themselves, else what they stand for, such as
    /// the long name of a port, or what a variable is made of. None: the name is taken by a variable that is known.
    late: BTreeMap<CaptureName, Option<Template>>,
    /// What is known around this point; what is known here goes before it.
    outside: Option<&'a Scope<'a>>,
}

impl<'a> Scope<'a> {
    /// The variables that need no declaration.
    pub(super) fn built_in(workspace: &str) -> Self {
        Self { variables: Variables::built_in(workspace), late: BTreeMap::new(), outside: None }
    }

    /// What is known inside: everything that is known here, and what is declared there.
    pub(super) fn inside(&'a self) -> Self {
        Self { variables: self.variables.inside(), late: BTreeMap::new(), outside: Some(self) }
    }

    /// Adds a variable.
    pub(super) fn declare(&mut self, name: &str, value: &Template) {
        match (value.as_plain(), CaptureName::parse(name)) {
            (None, Some(late)) => self.declare_late(late, value.clone()),
            // The name is too long for a late value: whoever uses it is told that there is no such variable.
            (None, None) => {}
            (Some(text), late) => {
                self.variables.declare(name, text);
                self.late.extend(late.map(|name| (name, None)));
            }
        }
    }

    /// Adds a value that is known only while the run goes on.
    pub(super) fn declare_late(&mut self, name: CaptureName, stands_for: Template) {
        self.variables.declare_late(name.clone());
        self.late.insert(name, Some(stands_for));
    }

    /// Returns what a value stands for that is known only while the run goes on. None: there is no such value.
    fn late(&self, name: &CaptureName) -> Option<&Template> {
        match self.late.get(name) {
            Some(stands_for) => stands_for.as_ref(),
            None => self.outside?.late(name),
        }
    }

    /// Returns whether something of this name is known.
    pub(super) fn knows(&self, name: &str) -> bool {
        let expanded = self.variables.expand(&format!("${{{name}}}"), Names::Captured, &mut Budget::default());
        expanded.unknown.is_empty()
    }

    /// Fills in a text that must be known before the run.
    pub(super) fn fill(&self, text: &str, span: Span, budget: &mut Budget, findings: &mut Findings) -> Option<String> {
        let filled = self.variables.fill(text, span, budget, findings)?;
        if text.contains(SERVICES) {
            // Such a name is known here, and then it is late, or it is misspelt.
            let message = "`${services.…}` names no service whose port is known here".to_owned();
            let help = "the port of a service is known as `${services.NAME.port}`, in a url, header, body or env, \
                        where the service has `port: auto`";
            findings.push(Finding::error(Code::UnresolvedVariable, span, message).help(help));
            return None;
        }
        Some(filled)
    }

    /// Fills in what is known before the run, and leaves the rest as holes.
    pub(super) fn template(
        &self,
        text: &str,
        span: Span,
        budget: &mut Budget,
        findings: &mut Findings,
    ) -> Option<Template> {
        let filled = self.variables.template(text, span, budget, findings)?;
        let mut template = Template::default();
        for piece in filled.pieces() {
            match piece {
                Piece::Text(text) => template.push_text(text),
                Piece::Captured(name) => self.append(name, &mut template),
            }
        }
        Some(template)
    }

    /// Fills in the value of a variable: like [`Scope::template`] where it holds a late name, like [`Scope::fill`] where it
    /// does not, so that other uses of `${…}` are left alone.
    pub(super) fn value(
        &self,
        text: &str,
        span: Span,
        budget: &mut Budget,
        findings: &mut Findings,
    ) -> Option<Template> {
        if names(text).any(|name| self.late(&name).is_some()) {
            self.template(text, span, budget, findings)
        } else {
            self.fill(text, span, budget, findings).map(Template::plain)
        }
    }

    fn append(&self, name: &CaptureName, template: &mut Template) {
        let Some(stands_for) = self.late(name) else { return template.push_captured(name.clone()) };
        for piece in stands_for.pieces() {
            match piece {
                Piece::Text(text) => template.push_text(text),
                Piece::Captured(name) => template.push_captured(name.clone()),
            }
        }
    }

    /// Returns the late values that a line for a shell mentions, and what they stand for. One whose name no shell can
    /// read is an error.
    pub(super) fn mentioned(&self, line: &str, span: Span, findings: &mut Findings) -> Vec<(String, Template)> {
        for name in names(line).filter(|name| !is_name(name.as_str()) && self.late(name).is_some()) {
            let message = format!("no shell can read {}", quote(&format!("${{{name}}}")));
            let help = format!("declare a variable, such as `env: {{ VALUE: \"${{{name}}}\" }}`, and use `$VALUE`");
            findings.push(Finding::error(Code::UnresolvedVariable, span, message).help(help));
        }
        let late = |name: &str| Some((name.to_owned(), self.late(&CaptureName::parse(name)?)?.clone()));
        shell_variables(line).filter_map(late).collect()
    }

    /// Returns the variables that nobody declared and a line for a shell mentions.
    pub(super) fn built_in_mentioned(&self, line: &str) -> Vec<BuiltIn> {
        self.variables.built_in_mentioned(line)
    }
}

/// Returns a template that is one value captured under a name.
pub(super) fn captured(name: CaptureName) -> Template {
    let mut template = Template::default();
    template.push_captured(name);
    template
}

/// Returns the names that stand in a text as `${NAME}`.
pub(super) fn names(text: &str) -> impl Iterator<Item = CaptureName> + '_ {
    text.split("${").skip(1).filter_map(|after| CaptureName::parse(after.split_once('}')?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_what_they_are_made_of() {
        let mut scope = Scope::built_in("/w");
        let token = CaptureName::parse("token").unwrap();
        scope.declare_late(token.clone(), captured(token));
        let mut inner = scope.inside();
        let budget = &mut Budget::default();
        let findings = &mut Findings::default();
        let bearer = inner.value("Bearer ${token}", Span::BEGINNING, budget, findings).unwrap();
        inner.declare("AUTH", &bearer);
        let again = inner.value("${AUTH}, ${AUTH}", Span::BEGINNING, budget, findings).unwrap();
        assert_eq!(again.to_string(), "Bearer ${token}, Bearer ${token}");
        inner.declare("token", &Template::plain("known"));
        assert_eq!(inner.fill("${token}", Span::BEGINNING, budget, findings).as_deref(), Some("known"));
        assert!(scope.knows("token") && !scope.knows("AUTH") && inner.knows("AUTH"));
        assert!(!findings.has_errors());
        assert_eq!(inner.fill("${services.x.port}", Span::BEGINNING, budget, findings), None);
        assert!(findings.has_errors());
    }
}
