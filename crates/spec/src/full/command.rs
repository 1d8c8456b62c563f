//! Reads commands and scripts.

use std::collections::BTreeMap;

use crate::form::full::{Script, Terminal};
use referee_model::id::{ActionId, WorkspacePath};
use referee_model::limit;
use referee_model::plan::{Command, Invocation, Phase, Role, Shell, Template, Work};
use referee_syntax::span::Span;
use referee_syntax::tree::{Member, Node};

use super::Reader;
use super::action::Task;
use super::draft::Draft;
use super::filler::{Filled, assumed_origin};
use crate::complaint::{Code, Finding};
use crate::source::quote;
use crate::task::{idle_exit_code_only, idle_exit_codes};
use crate::variables::{API_BASE_URL, BuiltIn, Variables, is_name, mentions, names, shell_variables};

/// Variables of a command.
#[derive(Default)]
pub(super) struct Environment {
    /// Variables whose values are known.
    pub(super) known: BTreeMap<String, String>,
    /// Variables whose values are only known during the run.
    pub(super) late: BTreeMap<String, Template>,
}

impl Environment {
    /// Adds a variable, or replaces its value.
    fn insert(&mut self, name: &str, value: Template) {
        self.known.remove(name);
        self.late.remove(name);
        match value.as_plain() {
            Some(text) => drop(self.known.insert(name.to_owned(), text.to_owned())),
            None => drop(self.late.insert(name.to_owned(), value)),
        }
    }
}

impl Reader<'_> {
    /// Reads a command, or a service that a command starts.
    pub(super) fn terminal(
        &mut self,
        parameters: &Node,
        id: &ActionId,
        phase: Phase,
        asked: Option<u64>,
        draft: &mut Draft<'_>,
    ) -> Option<Task> {
        let written = Terminal::of(parameters);
        let is_server = phase == Phase::Prerequisite && self.names_dev_server(written, &draft.variables);
        if written.background.is_true() || is_server {
            return self.background(parameters, id, phase, is_server, asked, draft);
        }
        for entry in [written.ready, written.port, written.external].into_iter().filter_map(Member::entry) {
            let message = format!("`{}` goes with a service, and this command is none", entry.key);
            let finding = Finding::error(Code::Contradiction, entry.key_span, message);
            self.findings.push(finding.help("add `background: true`, or leave it out"));
        }
        let command = self.command(parameters, &[written.environment.node()], &draft.variables)?;
        let asked_ms = asked.or(self.settings.command_deadline_ms);
        Some(Task { work: Work::Command(command), asked_ms, default_ms: limit::ACTION_DEADLINE_MS })
    }

    /// Reads a command. Later environments take precedence over earlier ones.
    pub(super) fn command(
        &mut self,
        parameters: &Node,
        environments: &[Option<&Node>],
        outside: &Variables<'_>,
    ) -> Option<Command> {
        let mut environment = Environment::default();
        let mut variables = outside.inside();
        for declared in environments {
            self.environment(*declared, &mut environment, &mut variables);
        }
        let written = Terminal::of(parameters);
        self.weigh_exit_codes(written);
        let directory = self.directory(written.working_directory, &variables);
        let invocation = self.invocation(written, &variables)?;
        if let Invocation::Shell { line, .. } = &invocation {
            let place = written.command.node().unwrap_or(parameters).span;
            self.mentioned(line, place, &variables, &mut environment);
        }
        Some(described(written, invocation, directory?, environment))
    }

    /// Warns about exit codes that do not count for the role of the command (ruling 12).
    pub(super) fn weigh_exit_codes(&mut self, written: Terminal<'_>) {
        let role = written.role.text().and_then(Role::parse);
        self.findings.extend(idle_exit_codes(role, written.expected_exit_codes.entry()));
        self.findings.extend(idle_exit_code_only(role, written.exit_code_only.entry()));
    }

    /// Adds the variables that a shell line mentions and the shell does not know by itself: those known only
    /// during the run, and those that need no declaration.
    pub(super) fn mentioned(
        &mut self,
        line: &str,
        place: Span,
        variables: &Variables<'_>,
        environment: &mut Environment,
    ) {
        for name in names(line).filter(|name| !is_name(name) && variables.late(name).is_some()) {
            let message = format!("no shell can read {}", quote(&format!("${{{name}}}")));
            let help = format!("declare a variable, such as `VALUE: \"${{{name}}}\"`, and use `$VALUE`");
            self.findings.push(Finding::error(Code::UnresolvedVariable, place, message).help(help));
        }
        for name in shell_variables(line) {
            if let Some(value) = variables.late(name) {
                environment.insert(name, value.clone());
            }
        }
        for BuiltIn { name, value, assumed } in variables.built_in_mentioned(line) {
            if assumed && !self.filler.is_short() {
                self.findings.push(assumed_origin(place));
            }
            environment.insert(name, value);
        }
        if mentions(line, API_BASE_URL) && !variables.has(API_BASE_URL) {
            self.filler.unknown(API_BASE_URL, place, variables, self.findings);
        }
    }

    /// Reads the working directory.
    pub(super) fn directory(&mut self, named: Member<'_>, variables: &Variables<'_>) -> Option<WorkspacePath> {
        match named.node() {
            Some(node) => self.workspace_path(node, variables),
            None => Some(WorkspacePath::root()),
        }
    }

    fn invocation(&mut self, written: Terminal<'_>, variables: &Variables<'_>) -> Option<Invocation> {
        if let Some(argv) = written.argv.node() {
            let filled = self.words(argv.elements(), variables)?;
            if filled.first()?.trim().is_empty() {
                let message = "the first element names the program, and it is empty";
                self.findings.push(Finding::error(Code::Vacuous, argv.span, message));
                return None;
            }
            return Some(Invocation::Argv(filled));
        }
        let pipefail = written.pipefail.boolean().unwrap_or(true);
        self.line(written.command.node()?, pipefail, written.shell.node().and_then(shell), variables)
    }

    /// Reads a line for a shell, which expands its own variables.
    pub(super) fn line(
        &mut self,
        node: &Node,
        pipefail: bool,
        shell: Option<Shell>,
        variables: &Variables<'_>,
    ) -> Option<Invocation> {
        let (text, span) = (node.text()?, node.span);
        let idle = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
        if !text.trim().is_empty() && text.lines().all(idle) {
            let message = "this command line holds nothing but comments, and would always succeed";
            self.findings.push(Finding::error(Code::Vacuous, span, message));
            return None;
        }
        self.filler.placeholder(text, span, self.findings);
        if self.filler.early_in_line(text, span, variables, self.findings) {
            return None;
        }
        let shell = shell.unwrap_or(self.settings.shell);
        Some(Invocation::Shell { line: text.to_owned(), pipefail, shell })
    }

    pub(super) fn words(&mut self, list: &[Node], variables: &Variables<'_>) -> Option<Vec<String>> {
        let words =
            list.iter().map(|word| Some(self.filler.fill(word.text()?, word.span, variables, self.findings)?.text));
        // All of them are processed, so that every complaint is made.
        words.collect::<Vec<Option<String>>>().into_iter().collect()
    }

    /// Reads the variables declared in a mapping. Each may use those declared before it and those outside.
    pub(super) fn environment(
        &mut self,
        node: Option<&Node>,
        environment: &mut Environment,
        variables: &mut Variables<'_>,
    ) {
        let entries = node.map(Node::entries).unwrap_or_default();
        self.filler.ahead = entries.iter().map(|entry| entry.key.clone()).collect();
        for entry in entries {
            let Some(written) = entry.value.scalar() else { continue };
            // A value with a complaint still counts as declared, so that its users are not complained about too.
            let value = self.filler.value(written, entry.value.span, variables, self.findings).unwrap_or_default();
            variables.declare(&entry.key, &value);
            environment.insert(&entry.key, value);
            self.filler.ahead.remove(&entry.key);
        }
        self.filler.ahead.clear();
    }

    pub(super) fn script(&mut self, parameters: &Node, outside: &Variables<'_>) -> Option<Command> {
        let (written, command) = (Script::of(parameters), Terminal::of(parameters));
        let mut variables = outside.inside();
        let mut environment = Environment::default();
        self.environment(written.environment.node(), &mut environment, &mut variables);
        let interpreter = written.interpreter.text_node();
        if let Some(((node, word), allowed)) = interpreter.zip(self.settings.interpreters.as_ref())
            && !allowed.iter().any(|known| known == word)
        {
            let message = format!("{} is not among the `allowedInterpreters` of this document", quote(word));
            self.findings.push(Finding::error(Code::ForbiddenInterpreter, node.span, message));
        }
        self.weigh_exit_codes(command);
        let directory = self.directory(written.working_directory, &variables);
        let script = written.script_path.node().and_then(|node| self.script_path(node, &variables));
        let arguments = self.words(written.arguments.elements(), &variables);
        let (directory, script) = (directory?, script?);
        let mut argv = vec![interpreter?.1.to_owned(), seen_from(&directory, &script)];
        argv.extend(arguments?);
        Some(Command { script: Some(script), ..described(command, Invocation::Argv(argv), directory, environment) })
    }

    fn script_path(&mut self, node: &Node, variables: &Variables<'_>) -> Option<WorkspacePath> {
        let Filled { text, complete } = self.filler.fill(node.text()?, node.span, variables, self.findings)?;
        let directory = self.settings.script_directory.as_str();
        let path = if super::workspace_root::is_absolute(&text) || directory.is_empty() {
            self.inside(&text, complete, node.span)?
        } else {
            self.inside(&format!("{directory}/{text}"), complete, node.span)?
        };
        if path.as_str().is_empty() && complete {
            let message = "the workspace itself is not a script: the path of a file is needed";
            self.findings.push(Finding::error(Code::Vacuous, node.span, message));
            return None;
        }
        Some(path)
    }
}

/// Returns a command with the properties in its parameters, besides its invocation.
pub(super) fn described(
    written: Terminal<'_>,
    invocation: Invocation,
    directory: WorkspacePath,
    environment: Environment,
) -> Command {
    let codes = written.expected_exit_codes.elements().iter();
    let codes: Vec<i32> = codes.filter_map(|code| i32::try_from(code.integer()?).ok()).collect();
    Command {
        invocation,
        directory,
        environment: environment.known,
        late_environment: environment.late,
        script: None,
        expected_exit_codes: if codes.is_empty() { vec![0] } else { codes },
        role: written.role.text().and_then(Role::parse),
        seen_through: Vec::new(),
        allow_no_tests: written.allow_no_tests.is_true(),
        exit_code_only: written.exit_code_only.is_true(),
    }
}

/// Returns a command with default properties for its invocation.
pub(super) fn plain(invocation: Invocation, environment: Environment) -> Command {
    described(Terminal::of(None), invocation, WorkspacePath::root(), environment)
}

/// Returns the relative path from a directory to a file, both in the workspace. It never looks like an option.
fn seen_from(directory: &WorkspacePath, file: &WorkspacePath) -> String {
    let directories: Vec<&str> = directory.as_str().split('/').filter(|part| !part.is_empty()).collect();
    let parts: Vec<&str> = file.as_str().split('/').collect();
    let common = directories.iter().zip(&parts).take_while(|(left, right)| left == right).count();
    let common = common.min(parts.len().saturating_sub(1));
    let up = if common == directories.len() { "./".to_owned() } else { "../".repeat(directories.len() - common) };
    format!("{up}{}", parts[common..].join("/"))
}

/// Reads the shell that a command requires.
pub(super) fn shell(node: &Node) -> Option<Shell> {
    Some(match node.text()? {
        "powershell" | "powershell.exe" | "pwsh" => Shell::PowerShell,
        "cmd" | "cmd.exe" => Shell::Cmd,
        "bash" => Shell::Bash,
        "sh" => Shell::Sh,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_named_as_it_is_seen_from_its_directory() {
        for (directory, file, seen) in [
            ("", "a.py", "./a.py"),
            ("", "-x/a.py", "./-x/a.py"),
            ("tools", "tools/a.py", "./a.py"),
            ("web/src", "tools/a.py", "../../tools/a.py"),
            ("web/src", "web/a.py", "../a.py"),
            ("a", "a", "../a"),
        ] {
            let path = |text| WorkspacePath::parse(text).unwrap();
            assert_eq!(seen_from(&path(directory), &path(file)), seen, "{directory} {file}");
        }
    }
}
