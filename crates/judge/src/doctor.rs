//! Whether the hooks of an agent host are effective, by its configuration alone (conventions, "Agent hook
//! contracts"; attacks 9 and 10). Callers read the files; invalid content is a finding.
//!
//! | situation | finding |
//! |---|---|
//! | no hook where the agent hands back | `hook`: problem if the project uses the host, or it was requested; else warning |
//! | the hook in the user's file alone, or twice for one event | `hook`: warning |
//! | a command that is neither a plain call nor the line that Referee writes | `hook`: problem |
//! | a file that the host ignores | `hook-file`: problem |
//! | hooks switched off | `hook-switch`: problem |
//! | other events without the hook | `hook-events`: warning |
//! | a command that fails open if Referee cannot answer, or is run in the background | `hook-fail-closed`: problem |
//! | the script that the command runs is missing, or of another version | `hook-script`: problem |
//! | the host's time limit at or below the hook's deadline | `hook-timeout`: problem |
//! | the host releases the agent after fewer blocks than the loop guard | `hook-cap`: warning |
//! | Codex: not trusted, changed since, or switched off one by one | `hook-trust`: problem |
//! | Copilot, Gemini CLI: the project's hooks, in a directory that is not trusted | `hook-trust`: problem |
//! | Claude Code: a version for which persistence of hooks during a session is not verified | `hook-version`: warning |

use referee_model::doctor::{Check, Finding, Grade};
use referee_model::hook::AgentHost;
use referee_syntax::duration::exact;
pub use referee_syntax::shell::plain_words as shell_words;

pub use self::command::Program;
use self::events::Events;
use self::installed::{Configuration, Handler};
pub use self::switches::is_low_cap;
pub use self::trust::{of_copilot, of_gemini};
pub use self::version::of_claude;

mod certain;
mod codex;
mod command;
mod events;
mod installed;
mod switches;
mod trust;
mod version;

/// Number of blocks after which the gate's loop guard has called a person at the latest (ruling 24).
const BLOCKS: u64 = 8;

/// Scope of a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The project, for everyone who works in it.
    Project,
    /// The project, for one person.
    Local,
    /// The user, for all projects.
    User,
    Managed,
}

impl Scope {
    /// Returns whether the file is in the project.
    pub fn is_in_project(self) -> bool {
        matches!(self, Self::Project | Self::Local)
    }
}

/// An existing configuration file of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFile {
    /// Absolute path.
    pub path: String,
    /// Path as displayed to people.
    pub shown: String,
    pub scope: Scope,
    /// Content, or the reason why the file cannot be read.
    pub content: Result<Vec<u8>, String>,
    /// Script beside it, which commands written by Referee run.
    pub script: Script,
}

/// The script beside a configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Absolute path.
    pub path: String,
    /// Path as displayed to people.
    pub shown: String,
    /// Defect of the script. None: it is the script that this version writes.
    pub fault: Option<&'static str>,
}

impl HostFile {
    /// Returns whether the file is TOML; all others are JSON.
    fn is_toml(&self) -> bool {
        std::path::Path::new(&self.path).extension().is_some_and(|ending| ending == "toml")
    }
}

/// Evidence that a host is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Asked,
    /// The project has a directory of the host.
    Project,
    /// The user has a directory of the host.
    Machine,
}

/// A command as Referee would write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<'written> {
    pub scope: Scope,
    pub event: &'written str,
    pub line: String,
}

/// Whether a host trusts the directory of a project, and runs the hooks configured in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// The host does not require trust, or has its own rules for each hook.
    Unasked,
    /// Trusted, by this file.
    Given(String),
    /// Not trusted, by this file, or because this file does not say otherwise.
    Lacking(String),
}

/// A host to examine.
#[derive(Debug, Clone, Copy)]
pub struct Question<'question> {
    pub host: AgentHost,
    pub used: Use,
    /// Absolute path of the project directory.
    pub project: &'question str,
    /// Existing configuration files of the host.
    pub files: &'question [HostFile],
    /// Maximum duration of a hook in milliseconds, if its command does not set one.
    pub deadline_ms: u64,
    /// Commands that Referee would write for each event of the host, in the file of each scope.
    pub written: &'question [Written<'question>],
    /// Whether the host trusts the directory in which it is opened, if it requires that.
    pub trust: &'question Trust,
    /// Limitations of the host, whatever its configuration, one sentence each.
    pub limits: &'question [&'question str],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// Findings, good and bad.
    pub findings: Vec<Finding>,
    /// Hooks of Referee that run when work is handed back.
    pub hooks: Vec<InstalledHook>,
}

/// A hook of Referee that runs when the agent hands work back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledHook {
    /// Whether its command runs the script beside its file.
    pub runs_script: bool,
    pub event: String,
    /// Index of the configuration file.
    pub file: usize,
    pub program: Program,
    /// Signing key that the command names. None: it names none.
    pub key: Option<String>,
}

pub fn examine(question: &Question<'_>) -> Examined {
    let mut findings = Vec::new();
    let mut found = Vec::new();
    for (index, file) in question.files.iter().enumerate() {
        let read = installed::read(question.host, file, question.written);
        findings.extend(read.problems.iter().map(|problem| {
            Finding::bad(Check::HookFile, Grade::Problem, format!("{}: {problem}", file.shown)).fixed_by(format!(
                "Fix {}, or `referee hook config {} --write`.",
                file.shown,
                question.host.as_str()
            ))
        }));
        found.push((index, file, read));
    }
    findings.extend(switches::find(question.host, &found));
    let ours: Vec<Ours<'_>> = found.iter().flat_map(|(index, file, read)| of_file(*index, file, read)).collect();
    findings.extend(rules(question, &ours));
    if question.host == AgentHost::Codex {
        findings.extend(codex::trust(question, &ours));
    }
    findings.extend(directory_trust(question, &ours));
    let hooks = ours.iter().filter(|ours| Events::of(question.host).is_gated(&ours.handler.event));
    let hooks = hooks.map(|ours| InstalledHook {
        runs_script: ours.handler.call.is_written,
        event: ours.handler.event.clone(),
        file: ours.index,
        program: ours.handler.call.program.clone(),
        key: ours.handler.call.key.clone(),
    });
    let hooks = hooks.collect();
    let subject = question.host.as_str();
    Examined { findings: findings.into_iter().map(|finding| finding.about(subject)).collect(), hooks }
}

/// A handler of Referee, with its file.
#[derive(Debug, Clone, Copy)]
struct Ours<'found> {
    index: usize,
    file: &'found HostFile,
    handler: &'found Handler,
}

fn of_file<'found>(
    index: usize,
    file: &'found HostFile,
    read: &'found Configuration,
) -> impl Iterator<Item = Ours<'found>> {
    read.handlers.iter().map(move |handler| Ours { index, file, handler })
}

/// Applies the rules for all hosts.
fn rules(question: &Question<'_>, ours: &[Ours<'_>]) -> Vec<Finding> {
    let events = Events::of(question.host);
    let of_event = |names: &'static [&'static str]| -> Vec<&Ours<'_>> {
        ours.iter().filter(|ours| names.contains(&ours.handler.event.as_str())).collect()
    };
    let stops = of_event(events.stop);
    if stops.is_empty() {
        return vec![missing(question)];
    }
    let mut findings = vec![present(question, &stops)];
    let gated: Vec<&Ours<'_>> = ours.iter().filter(|ours| events.is_gated(&ours.handler.event)).collect();
    findings.extend(uncertain(question.host, &gated));
    findings.push(covered(question.host, &events, ours));
    findings.push(fails_closed(question.host, &gated));
    findings.extend(scripts(question.host, &gated));
    findings.push(in_time(question, &gated));
    findings.extend(capped(question.host, &gated));
    findings.push(events.limits(question.limits));
    findings
}

fn missing(question: &Question<'_>) -> Finding {
    let (grade, why) = match question.used {
        Use::Asked => (Grade::Problem, "was asked for"),
        Use::Project => (Grade::Problem, "has its directory in the project"),
        Use::Machine => (Grade::Warning, "is used on this machine"),
    };
    let title = question.host.title();
    Finding::bad(Check::Hook, grade, format!("{title} {why}, and has no hook of Referee where its agent hands back"))
        .fixed_by(format!("`referee hook config {} --write`, then `referee lock`.", question.host.as_str()))
}

fn present(question: &Question<'_>, stops: &[&Ours<'_>]) -> Finding {
    let title = question.host.title();
    let mut files: Vec<&str> = stops.iter().map(|ours| ours.file.shown.as_str()).collect();
    let count = files.len();
    files.dedup();
    let places = files.join(" and ");
    if count > 1 {
        let what = format!("{title} asks the gate {count} times when its agent hands back: {places}");
        return Finding::bad(Check::Hook, Grade::Warning, what)
            .fixed_by("Take out all but one: the gate answers each, and a person waits for all of them.");
    }
    if stops.iter().all(|ours| ours.file.scope == Scope::User) {
        // These hosts do not run hooks of untrusted projects.
        if matches!(question.host, AgentHost::Codex | AgentHost::Copilot | AgentHost::Gemini) {
            let what = format!("{title} asks the gate by the user's own {places}, in every directory, trusted or not");
            return Finding::ok(Check::Hook, what);
        }
        let what = format!("{title} asks the gate by the user's own {places}, which no lock protects and no clone has");
        return Finding::bad(Check::Hook, Grade::Warning, what)
            .fixed_by(format!("`referee hook config {} --write` puts it into the project.", question.host.as_str()));
    }
    Finding::ok(Check::Hook, format!("{title} asks the gate when its agent hands back: {places}"))
}

/// Finds commands for which it is uncertain, without running them, whether they call Referee.
fn uncertain(host: AgentHost, gated: &[&Ours<'_>]) -> Option<Finding> {
    let is_uncertain = |ours: &&&Ours<'_>| !ours.handler.call.is_certain;
    let names: Vec<String> =
        gated.iter().filter(is_uncertain).map(|ours| format!("{} ({})", ours.handler.event, ours.file.shown)).collect();
    if names.is_empty() {
        return None;
    }
    let host = host.as_str();
    let what = format!("cannot determine whether this calls Referee: {}", names.join(", "));
    Some(Finding::bad(Check::Hook, Grade::Problem, what).fixed_by(format!(
        "See `referee hook test {host}`, or have it written by `referee hook config {host} --write`."
    )))
}

fn covered(host: AgentHost, events: &Events, ours: &[Ours<'_>]) -> Finding {
    let is_there = |names: &[&str]| ours.iter().any(|ours| names.contains(&ours.handler.event.as_str()));
    let lacking: Vec<&str> =
        events.others.iter().filter(|names| !is_there(names)).filter_map(|names| names.first().copied()).collect();
    if lacking.is_empty() {
        return Finding::ok(Check::HookEvents, format!("all events of {} that matter have the hook", host.title()));
    }
    let what =
        format!("{} without the hook: {}", if lacking.len() == 1 { "an event" } else { "events" }, lacking.join(", "));
    Finding::bad(Check::HookEvents, Grade::Warning, what)
        .fixed_by(format!("`referee hook config {} --write`.", host.as_str()))
}

fn fails_closed(host: AgentHost, gated: &[&Ours<'_>]) -> Finding {
    let advice = format!("`referee hook config {} --write`.", host.as_str());
    let named = |ours: &[&&Ours<'_>]| -> String {
        let names: Vec<String> =
            ours.iter().map(|ours| format!("{} ({})", ours.handler.event, ours.file.shown)).collect();
        names.join(", ")
    };
    let background: Vec<_> = gated.iter().filter(|ours| ours.handler.is_in_background).collect();
    if !background.is_empty() {
        let what = format!("runs in the background, where it can block nothing: {}", named(&background));
        return Finding::bad(Check::HookFailClosed, Grade::Problem, what).fixed_by("Take `async` out.");
    }
    let open: Vec<_> = gated.iter().filter(|ours| !ours.handler.call.is_written).collect();
    if open.is_empty() {
        return Finding::ok(Check::HookFailClosed, "each gated hook answers where Referee does not");
    }
    let what = format!("the host goes on where Referee is missing, dies or hangs: {}", named(&open));
    Finding::bad(Check::HookFailClosed, Grade::Problem, what).fixed_by(advice)
}

/// Reports whether the scripts that the hooks run are those that this version writes.
fn scripts(host: AgentHost, gated: &[&Ours<'_>]) -> Option<Finding> {
    let mut files: Vec<&HostFile> =
        gated.iter().filter(|ours| ours.handler.call.is_written).map(|ours| ours.file).collect();
    files.dedup_by_key(|file| &file.script.path);
    let names: Vec<&str> = files.iter().map(|file| file.script.shown.as_str()).collect();
    let (file, fault) = match files.iter().find_map(|file| Some((file, file.script.fault?))) {
        Some(found) => found,
        None if files.is_empty() => return None,
        None => {
            let what = format!("what the hooks run is what this version writes: {}", names.join(", "));
            return Some(Finding::ok(Check::HookScript, what));
        }
    };
    let option = match file.scope {
        Scope::User => " --user",
        Scope::Managed => " --managed",
        Scope::Project | Scope::Local => "",
    };
    let what = format!("{} {fault}: the hooks do not ask Referee", file.script.shown);
    let fix = format!("Look who changed it, then `referee hook config {} --write{option}`.", host.as_str());
    Some(Finding::bad(Check::HookScript, Grade::Problem, what).fixed_by(fix))
}

/// Reports whether the host runs the project's hooks at all.
fn directory_trust(question: &Question<'_>, ours: &[Ours<'_>]) -> Option<Finding> {
    let is_elsewhere = ours.iter().any(|ours| !ours.file.scope.is_in_project());
    if ours.is_empty() || is_elsewhere {
        return None;
    }
    let (title, host) = (question.host.title(), question.host.as_str());
    match question.trust {
        Trust::Unasked => None,
        Trust::Given(file) => Some(Finding::ok(Check::HookTrust, format!("{title} trusts the directory: {file}"))),
        Trust::Lacking(file) => {
            let what =
                format!("{title} does not trust this directory ({file}), and runs no hook of it, without a word");
            let fix = format!(
                "`referee hook config {host} --user --write`: the user's own hooks run in every directory. Or start {title} in \
                 the directory, and trust it."
            );
            Some(Finding::bad(Check::HookTrust, Grade::Problem, what).fixed_by(fix))
        }
    }
}

fn in_time(question: &Question<'_>, gated: &[&Ours<'_>]) -> Finding {
    let default = Events::of(question.host).timeout_ms;
    let mut unread = Vec::new();
    for ours in gated {
        let handler = ours.handler;
        let place = format!("{} ({})", handler.event, ours.file.shown);
        let Ok(deadline) = handler.call.deadline_ms else {
            unread.push(place);
            continue;
        };
        let deadline = deadline.unwrap_or(question.deadline_ms);
        let timeout = handler.timeout_ms.unwrap_or(default);
        if timeout <= deadline {
            let (timeout, deadline) = (exact(timeout), exact(deadline));
            let what = format!("{place}: the host gives up after {timeout}, and the hook answers within {deadline}");
            return Finding::bad(Check::HookTimeout, Grade::Problem, what);
        }
    }
    if unread.is_empty() {
        return Finding::ok(Check::HookTimeout, "the host waits longer than the hook takes at most");
    }
    let what = format!("the `--deadline` cannot be read: {}", unread.join(", "));
    Finding::bad(Check::HookTimeout, Grade::Unknown, what)
}

/// Checks Cursor's limit: it ends its turns after a number of messages of the hook. No other host has such a
/// limit in its hooks.
fn capped(host: AgentHost, gated: &[&Ours<'_>]) -> Option<Finding> {
    let default = (host == AgentHost::Cursor).then_some(5)?;
    let low = gated.iter().find(|ours| ours.handler.loop_limit.unwrap_or(default) < BLOCKS)?;
    let limit = low.handler.loop_limit.unwrap_or(default);
    let what = format!("{} ({}) may send the agent back {limit} times", low.handler.event, low.file.shown);
    Some(Finding::bad(Check::HookCap, Grade::Warning, what).fixed_by("Set `loop_limit` to 8 or more."))
}

#[cfg(test)]
mod tests;
