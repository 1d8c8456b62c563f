//! How actions are run where they say nothing about it (`executionEngine`).

use referee_model::id::WorkspacePath;
use referee_model::plan::Shell;
use referee_syntax::tree::Node;

use super::Reader;
use crate::variables::Variables;

/// Defaults of a document.
pub(super) struct Settings {
    /// Types that actions may have. None: all.
    pub(super) available: Option<Vec<String>>,
    /// The shell for command lines.
    pub(super) shell: Shell,
    /// Milliseconds after which a command is stopped.
    pub(super) command_deadline_ms: Option<u64>,
    /// Milliseconds after which a request is given up.
    pub(super) request_deadline_ms: Option<u64>,
    pub(super) follow_redirects: bool,
    pub(super) verify_tls: bool,
    /// Interpreters that scripts may have. None: all.
    pub(super) interpreters: Option<Vec<String>>,
    /// Folder that relative paths of scripts start from.
    pub(super) script_directory: WorkspacePath,
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
        }
    }
}

impl Reader<'_> {
    /// Reads the defaults, and lists the folders outside the workspace.
    pub(super) fn settings(&mut self, variables: &Variables<'_>) -> Settings {
        let root = self.root;
        let engine = root.get("executionEngine");
        let executor = |name: &str| engine?.get("executorConfigurations")?.get(name);
        let setting = |name: &str, key: &str| executor(name)?.get(key);
        let mut deadline = |name| setting(name, "defaultTimeout").and_then(|node| self.timeout(node));
        let (command_deadline_ms, request_deadline_ms) = (deadline("TERMINAL_COMMAND"), deadline("HTTP_REQUEST"));
        for folder in setting("FILE_VALIDATION", "allowedDirectories").map(Node::elements).unwrap_or_default() {
            let filled = folder.text().and_then(|text| self.filler.fill(text, folder.span, variables, self.findings));
            if let Some(filled) = filled.filter(|filled| filled.complete) {
                self.place.list(&filled.text);
            }
        }
        let directory = setting("CUSTOM_SCRIPT", "scriptDirectory");
        Settings {
            available: engine.and_then(|node| node.get("availableActionTypes")).map(texts),
            shell: setting("TERMINAL_COMMAND", "defaultShell").and_then(default_shell).unwrap_or_default(),
            command_deadline_ms,
            request_deadline_ms,
            follow_redirects: setting("HTTP_REQUEST", "followRedirects").and_then(Node::boolean).unwrap_or(true),
            verify_tls: setting("HTTP_REQUEST", "validateSSL").and_then(Node::boolean).unwrap_or(true),
            interpreters: setting("CUSTOM_SCRIPT", "allowedInterpreters").map(texts),
            script_directory: directory
                .and_then(|node| self.workspace_path(node, variables))
                .unwrap_or_else(WorkspacePath::root),
        }
    }
}

/// Returns the texts of a list.
pub(super) fn texts(node: &Node) -> Vec<String> {
    node.elements().iter().filter_map(Node::text).map(str::to_owned).collect()
}

/// Reads the shell for all commands: one of another system is taken where it is there.
fn default_shell(node: &Node) -> Option<Shell> {
    Some(match shell(node)? {
        Shell::PowerShell => Shell::PreferPowerShell,
        Shell::Cmd => Shell::PreferCmd,
        other => other,
    })
}

/// Reads the shell that a command asks for.
pub(super) fn shell(node: &Node) -> Option<Shell> {
    Some(match node.text()? {
        "powershell" | "powershell.exe" | "pwsh" => Shell::PowerShell,
        "cmd" | "cmd.exe" => Shell::Cmd,
        "bash" => Shell::Bash,
        "sh" => Shell::Sh,
        _ => return None,
    })
}
