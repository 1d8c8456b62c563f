//! Reads commands of docker or podman.

use crate::form::full as keys;
use referee_model::plan::{Command, Container, ContainerOperation, ContainerProgram, Invocation};
use referee_syntax::shell::{self, lex};
use referee_syntax::tree::{Entry, Member, Node};

use super::Reader;
use super::command::{Environment, described};
use crate::complaint::{Code, Finding};
use crate::http::vacuous;
use crate::source::quote;
use crate::variables::Variables;

/// What holds for all commands of docker or podman, or for one check in the short form.
#[derive(Clone)]
pub(super) struct ContainerSettings {
    program: ContainerProgram,
    /// Options before the subcommand.
    global_options: Vec<String>,
    /// Options of subcommands that may fetch images.
    fetch_options: Vec<String>,
}

impl Default for ContainerSettings {
    fn default() -> Self {
        Self { program: ContainerProgram::Any, global_options: Vec::new(), fetch_options: Vec::new() }
    }
}

impl Reader<'_> {
    pub(super) fn container_settings(&mut self, node: Option<&Node>, variables: &Variables<'_>) -> ContainerSettings {
        let written = keys::DockerExecutor::of(node);
        let program = match written.program.text() {
            Some("docker") => ContainerProgram::Docker,
            Some("podman") => ContainerProgram::Podman,
            _ => ContainerProgram::Any,
        };
        let mut settings = ContainerSettings { program, ..ContainerSettings::default() };
        if let Some((node, text)) = written.docker_host.text_node()
            && let Some(host) = self.filler.fill(text, node.span, variables, self.findings)
        {
            // podman knows it as a hidden alias of `--url`.
            settings.global_options = vec!["--host".to_owned(), host.text];
        }
        if let Some(entry) = written.registry_auth.entry() {
            self.registry(entry, &mut settings, variables);
        }
        settings
    }

    /// Reads the file with the logins for registries. The logins themselves are secrets, and are refused.
    fn registry(&mut self, entry: &Entry, settings: &mut ContainerSettings, variables: &Variables<'_>) {
        let secret = entry.value.entries().iter().find(|entry| entry.key != "authFile" && !entry.key.starts_with("x-"));
        if let Some(secret) = secret {
            let message = format!("`{}` would be a secret in the specification, and is not taken", secret.key);
            let finding = Finding::error(Code::LiteralSecret, secret.key_span, message);
            self.findings.push(finding.help("log in with `docker login` before, or name a file with `authFile`"));
            return;
        }
        let Some(node) = Member::of(Some(&entry.value), "authFile").node() else { return };
        let Some(text) = node.text() else {
            let finding = Finding::error(Code::LiteralSecret, node.span, "`authFile` takes the path of a file");
            return self.findings.push(finding);
        };
        let Some(path) = self.filler.fill(text, node.span, variables, self.findings) else { return };
        match settings.program {
            ContainerProgram::Podman => settings.fetch_options = vec!["--authfile".to_owned(), path.text],
            ContainerProgram::Docker => match path.text.strip_suffix("config.json") {
                Some(directory) if directory.is_empty() || directory.ends_with('/') => {
                    let directory = if directory.is_empty() { "." } else { directory };
                    settings.global_options.splice(0..0, ["--config".to_owned(), directory.to_owned()]);
                }
                _ => {
                    let message = "docker takes its logins from a file `config.json`, and this file has another name";
                    self.findings.push(Finding::error(Code::Contradiction, node.span, message));
                }
            },
            ContainerProgram::Any => {
                let message = "docker and podman take this file by different options";
                let finding = Finding::error(Code::Contradiction, node.span, message);
                self.findings.push(finding.help("say which by `program`"));
            }
        }
    }

    /// Reads a command of docker or podman.
    pub(super) fn container(&mut self, parameters: &Node, outside: &Variables<'_>) -> Option<Command> {
        let written = keys::Docker::of(parameters);
        let command = keys::Terminal::of(parameters);
        let (tag, word) = written.docker_command.text_node()?;
        let operation = ContainerOperation::parse(word)?;
        self.weigh_exit_codes(command);
        let is_fitting = self.weigh_keys(written, tag, operation);
        let mut variables = outside.inside();
        let mut environment = Environment::default();
        self.environment(written.environment.node(), &mut environment, &mut variables);
        let directory = self.directory(written.working_directory, &variables);
        let own = written.executor.node().filter(|_| self.is_short());
        let own = own.map(|node| self.container_settings(Some(node), &variables));
        let settings = own.unwrap_or_else(|| self.settings.container.clone());
        let arguments = self.container_arguments(written, &settings, operation, &mut environment, &variables);
        if !is_fitting {
            return None;
        }
        let container = Container {
            program: settings.program,
            global_options: settings.global_options,
            operation,
            arguments: arguments?,
            detached: written.detached.is_true(),
        };
        Some(described(command, Invocation::Container(Box::new(container)), directory?, environment))
    }

    /// Complains about keys that a subcommand does not take, and about missing ones.
    fn weigh_keys(&mut self, written: keys::Docker<'_>, tag: &Node, operation: ContainerOperation) -> bool {
        use ContainerOperation::{Build, Compose, Exec, Inspect, Logs, Ps, Run};
        let starts = operation == Run;
        let is_inside = matches!(operation, Run | Exec);
        let named = written.container_or_image;
        let keys = [
            (named, !matches!(operation, Compose | Ps), matches!(operation, Run | Exec | Logs | Inspect)),
            (written.volumes, starts, false),
            (written.ports, starts, false),
            (written.environment, is_inside || matches!(operation, Build | Compose), false),
            (written.command, is_inside || operation == Compose, matches!(operation, Exec | Compose)),
            (written.detached, is_inside || operation == Compose, false),
        ];
        let mut is_fitting = true;
        for (member, fits, _) in keys {
            if let Some(entry) = member.entry().filter(|_| !fits) {
                let key = self.filler.written_key(entry);
                let message = format!("`{key}` says nothing of `{}`", operation.as_str());
                self.findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
                is_fitting = false;
            }
        }
        let missing = if !named.is_given() && keys[0].2 {
            match operation {
                _ if !self.is_short() => "`containerOrImage`",
                Run => "`image`",
                Inspect => "`image` or `container`",
                _ => "`container`",
            }
        } else if !written.command.is_given() && keys[4].2 {
            "`command`"
        } else {
            return is_fitting;
        };
        vacuous(tag.span, &format!("`{}` needs {missing}", operation.as_str()), self.findings);
        false
    }

    /// Returns the words after the subcommand, in docker's order.
    fn container_arguments(
        &mut self,
        written: keys::Docker<'_>,
        settings: &ContainerSettings,
        operation: ContainerOperation,
        environment: &mut Environment,
        variables: &Variables<'_>,
    ) -> Option<Vec<String>> {
        use ContainerOperation::{Build, Compose, Exec, Inspect, Logs, Ps, Run};
        let mut words: Vec<String> = Vec::new();
        if written.detached.is_true() && operation != Compose {
            words.push("-d".to_owned());
        }
        if matches!(operation, Run | Exec) {
            self.weigh_late(written, environment);
            for (name, value) in std::mem::take(&mut environment.known) {
                words.extend(["-e".to_owned(), format!("{name}={value}")]);
            }
            environment.late.clear();
        }
        for (option, member) in [("-v", written.volumes), ("-p", written.ports)] {
            let values = self.words(member.elements(), variables)?;
            words.extend(values.into_iter().flat_map(|value| [option.to_owned(), value]));
        }
        if matches!(operation, Run | Build) {
            words.extend(settings.fetch_options.iter().cloned());
        }
        words.extend(self.words(written.arguments.elements(), variables)?);
        let named = match written.container_or_image.text_node() {
            Some((node, text)) => {
                let filled = self.filler.fill(text, node.span, variables, self.findings)?.text;
                if filled.starts_with('-') {
                    let message = format!("{} would be taken for an option", quote(&filled));
                    self.findings.push(Finding::error(Code::Contradiction, node.span, message));
                    return None;
                }
                Some(filled)
            }
            None => (operation == Build).then(|| ".".to_owned()),
        };
        let command = match written.command.node() {
            Some(node) => self.command_words(node, variables)?,
            None => Vec::new(),
        };
        match operation {
            Run | Exec | Build | Logs | Inspect => words.extend(named),
            Compose | Ps => {}
        }
        let at = words.len();
        words.extend(command);
        let is_up = words.get(at).is_some_and(|word| word == "up");
        if operation == Compose && written.detached.is_true() && is_up {
            words.insert(at + 1, "-d".to_owned());
        }
        Some(words)
    }

    /// Complains about variables in a container whose values are known only during the run.
    fn weigh_late(&mut self, written: keys::Docker<'_>, environment: &Environment) {
        for entry in written.environment.entries().iter().filter(|entry| environment.late.contains_key(&entry.key)) {
            let message = format!("{} is captured during the run, and a container cannot have it", quote(&entry.key));
            let finding = Finding::error(Code::EarlyUse, entry.value.span, message);
            self.findings.push(finding.help("run docker by a command line, where a shell fills it in"));
        }
    }

    /// Reads a command that is given as a list, or as a text that is split into words.
    pub(super) fn command_words(&mut self, node: &Node, variables: &Variables<'_>) -> Option<Vec<String>> {
        let Some(text) = node.text() else { return self.words(node.elements(), variables) };
        let script = lex(text.trim());
        let mut words = Vec::new();
        let mut needs_shell = !script.is_whole;
        for token in script.tokens {
            let shell::Kind::Word(word) = token.kind else {
                needs_shell = true;
                continue;
            };
            let filled = self.filler.fill(&word.text, node.span, variables, self.findings)?;
            needs_shell |= word.is_expanded && filled.complete && filled.text == word.text;
            words.push(filled.text);
        }
        if needs_shell {
            let message = format!("only a shell could run {}, and it is given to none", quote(text));
            let finding = Finding::error(Code::Contradiction, node.span, message);
            self.findings.push(finding.help("write it as a list, such as `[sh, -c, \"…\"]`"));
            return None;
        }
        if words.is_empty() {
            vacuous(node.span, "this command holds no word", self.findings);
            return None;
        }
        Some(words)
    }
}
