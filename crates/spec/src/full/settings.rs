//! Default settings of actions (`executionEngine`).

use crate::form::full as keys;
use referee_model::id::WorkspacePath;
use referee_model::plan::Shell;
use referee_syntax::tree::{Member, Node};

use super::Reader;
use super::browser::BrowserSettings;
use super::command::shell;
use super::container::ContainerSettings;
use super::query::QuerySettings;
use crate::variables::Variables;

pub(super) struct Settings {
    /// Allowed action types. None: all.
    pub(super) available: Option<Vec<String>>,
    /// Shell for command lines.
    pub(super) shell: Shell,
    /// Deadline of commands, in milliseconds.
    pub(super) command_deadline_ms: Option<u64>,
    /// Deadline of requests, in milliseconds.
    pub(super) request_deadline_ms: Option<u64>,
    pub(super) follow_redirects: bool,
    pub(super) verify_tls: bool,
    /// Allowed interpreters of scripts. None: all.
    pub(super) interpreters: Option<Vec<String>>,
    /// Directory to which paths of scripts are relative.
    pub(super) script_directory: WorkspacePath,
    pub(super) browser: BrowserSettings,
    pub(super) container: ContainerSettings,
    pub(super) query: QuerySettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            available: None,
            shell: Shell::Posix,
            command_deadline_ms: None,
            request_deadline_ms: None,
            follow_redirects: true,
            verify_tls: true,
            interpreters: None,
            script_directory: WorkspacePath::root(),
            browser: BrowserSettings::default(),
            container: ContainerSettings::default(),
            query: QuerySettings::default(),
        }
    }
}

impl Reader<'_> {
    /// Reads the defaults, and lists the directories outside of the workspace.
    pub(super) fn settings(&mut self, variables: &Variables<'_>) -> Settings {
        let engine = keys::ExecutionEngine::of(self.root.execution_engine.node());
        let executors = keys::Executors::of(engine.executor_configurations.node());
        let terminal = keys::TerminalExecutor::of(executors.terminal_command.node());
        let http = keys::HttpExecutor::of(executors.http_request.node());
        let script = keys::ScriptExecutor::of(executors.custom_script.node());
        let file = keys::FileExecutor::of(executors.file_validation.node());
        for directory in file.allowed_directories.elements() {
            let filled =
                directory.text().and_then(|text| self.filler.fill(text, directory.span, variables, self.findings));
            if let Some(filled) = filled.filter(|filled| filled.complete) {
                self.place.list(&filled.text);
            }
        }
        let listed = |list: Member<'_>| list.is_given().then(|| list.texts().collect());
        let browser = self.browser_settings(executors.mcp_browser_command.node(), variables);
        let container = self.container_settings(executors.docker_command.node(), variables);
        let query = self.query_settings(executors.database_query.node());
        Settings {
            browser,
            container,
            query,
            available: listed(engine.available_action_types),
            shell: terminal.default_shell.node().and_then(default_shell).unwrap_or_default(),
            command_deadline_ms: self.timeout(terminal.default_timeout),
            request_deadline_ms: self.timeout(http.default_timeout),
            follow_redirects: http.follow_redirects.boolean().unwrap_or(true),
            verify_tls: http.validate_ssl.boolean().unwrap_or(true),
            interpreters: listed(script.allowed_interpreters),
            script_directory: script
                .script_directory
                .node()
                .and_then(|node| self.workspace_path(node, variables))
                .unwrap_or_else(WorkspacePath::root),
        }
    }
}

/// Reads the shell for all commands: a shell of another operating system is accepted if it is installed.
fn default_shell(node: &Node) -> Option<Shell> {
    Some(match shell(node)? {
        Shell::PowerShell => Shell::PreferPowerShell,
        Shell::Cmd => Shell::PreferCmd,
        other => other,
    })
}
