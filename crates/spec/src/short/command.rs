//! Commands, and the variables that they are given.

use std::collections::BTreeMap;

use referee_model::id::WorkspacePath;
use referee_model::plan::{Command, Invocation, Shell, Template};

use super::Reader;
use super::scope::Scope;
use crate::complaint::{Code, Finding};
use crate::task::{idle_exit_code_only, idle_exit_codes};
use crate::tree::Node;
use crate::variables::BuiltIn;
use crate::word;

/// Variables that are declared at one place of a document.
pub(super) struct Environment<'a> {
    /// Those whose values are known.
    pub(super) known: BTreeMap<String, String>,
    /// Those whose values are known only while the run goes on.
    pub(super) late: BTreeMap<String, Template>,
    /// What is known after them.
    pub(super) scope: Scope<'a>,
}

impl Reader<'_> {
    /// Reads a command.
    pub(super) fn command(&mut self, node: &Node, outside: &Scope<'_>) -> Option<Command> {
        let Environment { mut known, mut late, scope } = self.environment(node, outside);
        let directory = match node.get("cwd") {
            Some(cwd) => self.path(cwd, &scope)?,
            None => WorkspacePath::root(),
        };
        let codes = node.get("expectedExitCodes").map(Node::elements).unwrap_or_default().iter();
        let codes: Vec<i32> = codes.filter_map(|code| i32::try_from(code.integer()?).ok()).collect();
        let declared = node.get("role").and_then(Node::text).and_then(word::role);
        self.findings.extend(idle_exit_codes(declared, node.entry("expectedExitCodes")));
        self.findings.extend(idle_exit_code_only(declared, node.entry("exitCodeOnly")));
        let invocation = self.invocation(node, &scope)?;
        if let Invocation::Shell { line, .. } = &invocation {
            let place = node.get("run").unwrap_or(node).span;
            for (name, value) in scope.mentioned(line, place, self.findings) {
                late.entry(name).or_insert(value);
            }
            for BuiltIn { name, value, .. } in scope.built_in_mentioned(line) {
                known.extend(value.as_plain().map(|value| (name.to_owned(), value.to_owned())));
            }
        }
        Some(Command {
            invocation,
            directory,
            environment: known,
            late_environment: late,
            script: None,
            expected_exit_codes: if codes.is_empty() { vec![0] } else { codes },
            role: declared,
            seen_through: Vec::new(),
            allow_no_tests: node.get("allowNoTests").and_then(Node::boolean).unwrap_or(false),
            exit_code_only: node.get("exitCodeOnly").and_then(Node::boolean).unwrap_or(false),
        })
    }

    fn invocation(&mut self, node: &Node, scope: &Scope<'_>) -> Option<Invocation> {
        if let Some(argv) = node.get("argv") {
            let mut filled = Vec::with_capacity(argv.elements().len());
            for element in argv.elements() {
                filled.push(self.fill(element.text()?, element.span, scope));
            }
            let argv_filled: Vec<String> = filled.into_iter().collect::<Option<_>>()?;
            if argv_filled.first()?.trim().is_empty() {
                let message = "the first element names the program, and it is empty";
                self.findings.push(Finding::error(Code::Vacuous, argv.span, message));
                return None;
            }
            return Some(Invocation::Argv(argv_filled));
        }
        let line = node.get("run").unwrap_or(node);
        let text = line.text()?;
        let idle = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        if !text.trim().is_empty() && text.lines().all(idle) {
            let message = "this command line holds nothing but comments, and would always succeed";
            self.findings.push(Finding::error(Code::Vacuous, line.span, message));
            return None;
        }
        // What is captured further down would be nothing at all to the shell.
        self.look_ahead(text, line.span, scope)?;
        let pipefail = node.get("pipefail").and_then(Node::boolean).unwrap_or(true);
        Some(Invocation::Shell { line: text.to_owned(), pipefail, shell: Shell::Posix })
    }

    /// Reads the variables declared in a mapping. Each may use those declared before it and those outside.
    pub(super) fn environment<'a>(&mut self, node: &Node, outside: &'a Scope<'a>) -> Environment<'a> {
        let mut declared = Environment { known: BTreeMap::new(), late: BTreeMap::new(), scope: outside.inside() };
        for entry in node.get("env").map(Node::entries).unwrap_or_default() {
            let Some(written) = entry.value.scalar() else { continue };
            let place = entry.value.span;
            let ready = self.look_ahead(written, place, &declared.scope);
            let value = ready.and_then(|()| declared.scope.value(written, place, &mut self.budget, self.findings));
            // A value with a complaint still counts as declared, so that its users are not complained about too.
            let value = value.unwrap_or_default();
            declared.scope.declare(&entry.key, &value);
            match value.as_plain() {
                Some(text) => drop(declared.known.insert(entry.key.clone(), text.to_owned())),
                None => drop(declared.late.insert(entry.key.clone(), value)),
            }
        }
        declared
    }
}
