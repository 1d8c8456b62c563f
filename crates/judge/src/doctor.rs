//! Whether the hooks of a host of coding agents are armed, by its configuration alone (conventions, "Agent hook contracts";
//! attacks 9 and 10). Files are read by whoever asks, and junk in them is a finding.
//!
//! | what is found | finding |
//! |---|---|
//! | no hook where the agent hands back | `hook`: problem where the project uses the host, or it was asked for; else warning |
//! | the hook in the user's file alone, or twice for one event | `hook`: warning |
//! | a command that is neither a plain call nor the line that is written | `hook`: problem |
//! | a file that the host passes over | `hook-file`: problem |
//! | hooks switched off | `hook-switch`: problem |
//! | other events without the hook | `hook-events`: warning |
//! | a command that does not answer where Referee does not, or is run in the background | `hook-fail-closed`: problem |
//! | the script that the command runs is gone, or not the one of this version | `hook-script`: problem |
//! | the host's time limit at or below the hook's deadline | `hook-timeout`: problem |
//! | the host lets the agent go after fewer blocks than the loop guard | `hook-cap`: warning |
//! | Codex: not trusted, changed since, or switched off one by one | `hook-trust`: problem |
//! | Copilot, Gemini CLI: the project's hooks, in a directory that is not trusted | `hook-trust`: problem |
//! | Claude Code: a version that nobody saw keeping its hooks in mid-session | `hook-version`: warning |

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

/// Blocks after which the gate's own loop guard has called a person at the latest (ruling 24).
const BLOCKS: u64 = 8;

/// Whose configuration a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The project's, for everybody who works in it.
    Project,
    /// The project's, for one person.
    Local,
    /// The user's, for all projects.
    User,
    Managed,
}

impl Scope {
    /// Whether it lies in the project.
    pub fn is_in_project(self) -> bool {
        matches!(self, Self::Project | Self::Local)
    }
}

/// A file of a host's configuration that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFile {
    /// Where it lies, absolute.
    pub path: String,
    /// The same as people like to see it.
    pub shown: String,
    pub scope: Scope,
    /// What it holds, or why it cannot be read.
    pub content: Result<Vec<u8>, String>,
    /// The script beside it, which the commands run that Referee writes.
    pub script: Script,
}

/// The script beside a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// Where it lies, absolute.
    pub path: String,
    /// The same as people like to see it.
    pub shown: String,
    /// What is the matter with it. None: it is what this version writes.
    pub fault: Option<&'static str>,
}

impl HostFile {
    /// Whether it is TOML; the others are JSON.
    fn is_toml(&self) -> bool {
        std::path::Path::new(&self.path).extension().is_some_and(|ending| ending == "toml")
    }
}

/// How a host seems to be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Asked,
    /// The project has a directory of it.
    Project,
    /// The user has a directory of it.
    Machine,
}

/// A command as it would be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<'written> {
    pub scope: Scope,
    pub event: &'written str,
    pub line: String,
}

/// Whether a host trusts a project's directory, and runs the hooks that stand in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// It asks nobody, or says it by its own rules for each hook.
    Unasked,
    /// It does, as this file says.
    Given(String),
    /// It does not, as this file says, or as nothing says otherwise.
    Lacking(String),
}

/// What is asked about a host.
#[derive(Debug, Clone, Copy)]
pub struct Question<'question> {
    pub host: AgentHost,
    pub used: Use,
    /// The project's directory, absolute.
    pub project: &'question str,
    /// The files of its configuration that are there.
    pub files: &'question [HostFile],
    /// Milliseconds that a hook takes at most where its command does not say.
    pub deadline_ms: u64,
    /// The command that would be written for each event of the host, in the file of each scope.
    pub written: &'question [Written<'question>],
    /// Whether the host trusts the directory that it is opened in, where it asks that.
    pub trust: &'question Trust,
    /// What the host cannot do, whatever its configuration, one sentence each.
    pub limits: &'question [&'question str],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// What stands for or against it.
    pub findings: Vec<Finding>,
    /// Referee's hooks that it runs where work is handed back.
    pub hooks: Vec<InstalledHook>,
}

/// A hook of Referee's where work is handed back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledHook {
    /// Whether its command runs the script beside its file.
    pub runs_script: bool,
    pub event: String,
    /// Which of the files has it.
    pub file: usize,
    pub program: Program,
    /// The key that it names to sign by.
    pub key: Option<String>,
}

/// Examines the configuration of a host.
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

/// A handler of Referee's, with the file that it stands in.
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

/// The rules that hold for every host.
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
        // Hooks of a project that is not trusted do not run at these hosts.
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

/// Commands of which nobody can tell, without running them, that they call Referee.
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

/// Says whether the scripts that the hooks run are what this version writes.
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

/// Says whether the host runs the project's hooks at all.
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

/// Cursor ends its turns after so many messages of the hook; nobody else counts in the configuration of a hook.
fn capped(host: AgentHost, gated: &[&Ours<'_>]) -> Option<Finding> {
    let default = (host == AgentHost::Cursor).then_some(5)?;
    let low = gated.iter().find(|ours| ours.handler.loop_limit.unwrap_or(default) < BLOCKS)?;
    let limit = low.handler.loop_limit.unwrap_or(default);
    let what = format!("{} ({}) may send the agent back {limit} times", low.handler.event, low.file.shown);
    Some(Finding::bad(Check::HookCap, Grade::Warning, what).fixed_by("Set `loop_limit` to 8 or more."))
}

#[cfg(test)]
mod tests;
