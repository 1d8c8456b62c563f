//! Checks hooks of agent hosts: finds and reads their files, and applies the pure rules of `judge` to them.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::enrolment;
use referee_judge::doctor::{
    self as rules, Examined, HostFile, InstalledHook, Question, Scope, Script, Trust, Use, Written,
};
use referee_model::doctor::{Check, Finding, Grade};
use referee_model::hook::AgentHost;
use referee_report::hosts;
use referee_report::hosts::configuration::{self, HookRequest, Reach};

use super::project::Project;
use super::{Hooks, file, home, variable, version};

/// Directories of the administrator's settings for Claude Code.
const MANAGED: [&str; 2] = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

/// Checks the requested hosts, or else those that seem to be used.
pub(super) fn look(context: &Context, project: &Project, asked: &[AgentHost]) -> Hooks {
    let mut all = Hooks::default();
    for host in AgentHost::ALL {
        if !asked.is_empty() && !asked.contains(&host) {
            continue;
        }
        let files = files(context, project, host);
        let used = used(context, project, host, &files);
        let used = if asked.is_empty() { used } else { Some(Use::Asked) };
        let examined = examine(context, project, host, used, &files);
        // A host that is not used is not reported, unless it has a hook of Referee.
        if used.is_some() || !examined.hooks.is_empty() {
            if host == AgentHost::Claude && can_be_taken_away(&examined, &files) {
                all.findings.extend(version::of_claude(context, project));
            }
            all.findings.extend(examined.findings);
            let placed = examined.hooks.into_iter().filter_map(|hook| Some((files.get(hook.file)?.clone(), hook)));
            all.installed.extend(placed);
        }
    }
    all.findings.extend(above(context, project, &all.installed));
    if all.installed.is_empty() && !all.findings.iter().any(is_missing_hook) {
        let what = "no host of coding agents has a hook of Referee here";
        all.findings.push(Finding::bad(Check::Hook, Grade::Problem, what));
    }
    all
}

/// Returns whether there are hooks, and settings of a project or a user can disable all of them.
fn can_be_taken_away(examined: &Examined, files: &[HostFile]) -> bool {
    let scope = |hook: &InstalledHook| files.get(hook.file).map(|file| file.scope);
    !examined.hooks.is_empty() && examined.hooks.iter().all(|hook| scope(hook) != Some(Scope::Managed))
}

/// Returns the findings about a host, as if it had been requested.
pub(super) fn examined(context: &Context, project: &Project, host: AgentHost) -> Vec<Finding> {
    let files = files(context, project, host);
    examine(context, project, host, Some(Use::Asked), &files).findings
}

fn examine(context: &Context, project: &Project, host: AgentHost, used: Option<Use>, files: &[HostFile]) -> Examined {
    let directory = project.directory.display().to_string();
    let deadline_ms = hosts::deadline_ms(host);
    let reaches = [(Scope::Project, Reach::Project), (Scope::User, Reach::User), (Scope::Managed, Reach::Managed)];
    let written = reaches.into_iter().flat_map(|(scope, reach)| {
        let wanted = HookRequest { host, reach, program: "referee", deadline_ms };
        let hooks = configuration::hooks(&wanted).into_iter();
        hooks.map(move |hook| Written { scope, event: hook.event, line: hook.command })
    });
    let written: Vec<Written<'_>> = written.collect();
    rules::examine(&Question {
        host,
        used: used.unwrap_or(Use::Machine),
        project: &directory,
        files,
        deadline_ms,
        written: &written,
        trust: &trust(context, project, host),
        limits: hosts::limits(host),
    })
}

/// Returns whether a host trusts the directory in which it would be opened: the repository, else the project.
fn trust(context: &Context, project: &Project, host: AgentHost) -> Trust {
    let directory = repository(project).unwrap_or(&project.directory);
    let of_user = |name: &str| Some(users(context, host)?.join(name));
    let read = |path: Option<PathBuf>| {
        let shown = path.as_ref().map_or_else(|| "the home directory".to_owned(), |path| path.display().to_string());
        (path.and_then(|path| file::read(&path)?.ok()), shown)
    };
    match host {
        AgentHost::Copilot => {
            let (config, shown) = read(of_user("config.json"));
            rules::of_copilot(directory, config.as_deref(), &shown)
        }
        AgentHost::Gemini => {
            let elsewhere = variable(context, "GEMINI_CLI_TRUSTED_FOLDERS_PATH");
            let (trusted, shown) = read(elsewhere.or_else(|| of_user("trustedFolders.json")));
            let (settings, _) = read(of_user("settings.json"));
            rules::of_gemini(directory, trusted.as_deref(), settings.as_deref(), &shown)
        }
        AgentHost::Claude
        | AgentHost::Codex
        | AgentHost::Qwen
        | AgentHost::OpenCode
        | AgentHost::Cursor
        | AgentHost::VsCode => Trust::Unasked,
    }
}

/// Returns the script beside a configuration, and whether it is the one that this version writes.
fn script(project: &Project, configuration: &Path) -> Script {
    let path = PathBuf::from(configuration::script_beside(&configuration.to_string_lossy()));
    let fault = match file::read(&path) {
        None => Some("is gone"),
        Some(Err(_)) => Some("cannot be read"),
        Some(Ok(bytes)) => (bytes != configuration::SCRIPT.as_bytes()).then_some("is not what this version writes"),
    };
    Script { path: path.display().to_string(), shown: project.shown(&path), fault }
}

/// Returns the repository in which the project is a subdirectory. None: the project is its root, or there is no
/// repository.
fn repository(project: &Project) -> Option<&Path> {
    let root = project.directory.ancestors().find(|directory| directory.join(".git").symlink_metadata().is_ok());
    root.filter(|root| *root != project.directory)
}

/// Reports hooks at the root of the repository, if the specification is in a subdirectory: the lock does not
/// cover them, and a session opened at the root belongs to the root.
fn above(context: &Context, project: &Project, installed: &[(HostFile, InstalledHook)]) -> Vec<Finding> {
    let Some(root) = repository(project) else { return Vec::new() };
    let is_above =
        |file: &HostFile| file.scope.is_in_project() && !Path::new(&file.path).starts_with(&project.directory);
    let mut paths: Vec<&str> =
        installed.iter().map(|(file, _)| file).filter(|file| is_above(file)).map(|file| file.shown.as_str()).collect();
    paths.dedup();
    if paths.is_empty() {
        return Vec::new();
    }
    let what = format!("above the project, out of its lock's reach: {}", paths.join(", "));
    let mut findings = vec![Finding::bad(Check::Protected, Grade::Warning, what)];
    if matches!(enrolment::look(context, root, project.state.as_ref()), Ok(enrolment::EnrolmentState::Nothing)) {
        let what = format!(
            "{} is not enrolled: hooks have no opinion of a session that is opened there, above the project",
            root.display()
        );
        let fix = "Put a specification there, or open sessions in the project and have its own hooks there.";
        findings.push(Finding::bad(Check::Enrolment, Grade::Problem, what).fixed_by(fix));
    }
    findings
}

fn is_missing_hook(finding: &Finding) -> bool {
    finding.check == Check::Hook && finding.grade == Grade::Problem
}

/// Returns how a host seems to be used. None: there is no sign of it.
fn used(context: &Context, project: &Project, host: AgentHost, files: &[HostFile]) -> Option<Use> {
    let directory = match host {
        AgentHost::Claude => ".claude",
        AgentHost::Codex => ".codex",
        AgentHost::Gemini => ".gemini",
        AgentHost::Qwen => ".qwen",
        AgentHost::OpenCode => ".opencode",
        AgentHost::Cursor => ".cursor",
        // Both use the same files of the project, whose content shows to which host they belong.
        AgentHost::Copilot | AgentHost::VsCode => {
            let copilot = host == AgentHost::Copilot;
            let speaks_of_it = |file: &HostFile| {
                let other = if copilot { "hook vscode" } else { "hook copilot" };
                file.content.as_ref().is_ok_and(|bytes| !String::from_utf8_lossy(bytes).contains(other))
            };
            let in_project = files.iter().filter(|file| file.scope.is_in_project());
            let is_used = copilot && in_project.filter(|file| file.path.contains("/.github/")).any(speaks_of_it);
            let at_home = copilot && home(context).is_some_and(|home| home.join(".copilot").is_dir());
            return if is_used { Some(Use::Project) } else { at_home.then_some(Use::Machine) };
        }
    };
    if project.directory.join(directory).is_dir()
        || repository(project).is_some_and(|root| root.join(directory).is_dir())
    {
        Some(Use::Project)
    } else {
        let of_user = if host == AgentHost::OpenCode { "opencode" } else { "" };
        users(context, host).is_some_and(|directory| directory.join(of_user).is_dir()).then_some(Use::Machine)
    }
}

/// Reads the existing configuration files of a host.
fn files(context: &Context, project: &Project, host: AgentHost) -> Vec<HostFile> {
    let heres: Vec<&Path> = std::iter::once(project.directory.as_path()).chain(repository(project)).collect();
    let user = users(context, host);
    let of_user = |names: &[&str]| -> Vec<(Scope, PathBuf)> {
        user.iter().flat_map(|directory| names.iter().map(|name| (Scope::User, directory.join(name)))).collect()
    };
    let mut paths: Vec<(Scope, PathBuf)> = Vec::new();
    match host {
        AgentHost::Claude => {
            paths.extend(heres.iter().map(|here| (Scope::Project, here.join(".claude/settings.json"))));
            paths.extend(heres.iter().map(|here| (Scope::Local, here.join(".claude/settings.local.json"))));
            paths.extend(of_user(&["settings.json"]));
            for directory in MANAGED.map(Path::new) {
                paths.push((Scope::Managed, directory.join("managed-settings.json")));
                let parts = file::entries(&directory.join("managed-settings.d"), ".json");
                paths.extend(parts.into_iter().map(|path| (Scope::Managed, path)));
            }
        }
        AgentHost::Codex => {
            let names = ["hooks.json", "config.toml"];
            let of = |here: &&Path| names.map(|name| (Scope::Project, here.join(".codex").join(name)));
            paths.extend(heres.iter().flat_map(of));
            paths.extend(of_user(&names));
        }
        AgentHost::Gemini | AgentHost::Qwen => {
            let settings = if host == AgentHost::Qwen { ".qwen/settings.json" } else { ".gemini/settings.json" };
            paths.extend(heres.iter().map(|here| (Scope::Project, here.join(settings))));
            paths.extend(of_user(&["settings.json"]));
        }
        AgentHost::OpenCode => {
            paths.extend(heres.iter().map(|here| (Scope::Project, here.join(".opencode/plugin/referee.js"))));
            paths.extend(of_user(&["opencode/plugin/referee.js"]));
        }
        AgentHost::Cursor => {
            paths.extend(heres.iter().map(|here| (Scope::Project, here.join(".cursor/hooks.json"))));
            paths.extend(of_user(&["hooks.json"]));
        }
        AgentHost::Copilot | AgentHost::VsCode => {
            let hooks = |scope: Scope, directory: PathBuf| {
                file::entries(&directory, ".json").into_iter().map(move |path| (scope, path))
            };
            paths.extend(heres.iter().flat_map(|here| hooks(Scope::Project, here.join(".github/hooks"))));
            paths.extend(user.iter().flat_map(|directory| hooks(Scope::User, directory.join("hooks"))));
        }
    }
    let read = |(scope, path): (Scope, PathBuf)| {
        let hooks =
            |bytes: Vec<u8>| configuration::plain(host, &bytes).map(<[u8]>::to_vec).map_err(|why| why.to_string());
        let content = file::read(&path)?.and_then(hooks);
        let shown = project.shown(&path);
        let script = script(project, &path);
        Some(HostFile { path: path.display().to_string(), shown, scope, content, script })
    };
    paths.into_iter().filter_map(read).collect()
}

/// Returns the directory of a host's user configuration.
fn users(context: &Context, host: AgentHost) -> Option<PathBuf> {
    let (moved_by, name) = match host {
        AgentHost::Claude => (Some("CLAUDE_CONFIG_DIR"), ".claude"),
        AgentHost::Codex => (Some("CODEX_HOME"), ".codex"),
        AgentHost::Copilot | AgentHost::VsCode => (Some("COPILOT_HOME"), ".copilot"),
        AgentHost::Gemini => (None, ".gemini"),
        AgentHost::Qwen => (Some("QWEN_HOME"), ".qwen"),
        AgentHost::OpenCode => (Some("XDG_CONFIG_HOME"), ".config"),
        AgentHost::Cursor => (None, ".cursor"),
    };
    let moved = moved_by.and_then(|name| variable(context, name));
    moved.or_else(|| home(context).map(|home| home.join(name)))
}
