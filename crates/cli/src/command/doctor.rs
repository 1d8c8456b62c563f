//! `referee doctor`: checks whether the gate is effective. Reads only, and starts nothing of the project.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_judge::doctor::{HostFile, InstalledHook};
use referee_model::doctor::{Check, Finding, Grade};
use referee_model::exit_code;
use referee_model::hook::AgentHost;
use referee_report::human;

use self::project::Project;
use crate::args::PlainFormat;
use crate::args::doctor::Doctor;
use crate::output;

mod file;
mod hosts;
mod keys;
mod machine;
mod program;
mod project;
mod protection;
mod runs;
mod version;

/// Findings about all hosts.
#[derive(Default)]
struct Hooks {
    /// Findings, good and bad.
    findings: Vec<Finding>,
    /// Hooks that run when work is handed back, each with its file.
    installed: Vec<(HostFile, InstalledHook)>,
}

/// Runs all checks, and answers.
pub(super) fn execute(context: &Context, arguments: &Doctor) -> Result<u8, EngineError> {
    if let Some(check) = arguments.explain {
        let mut text = Vec::new();
        human::doctor::explain(check, &context.terminal.stdout, &mut text)?;
        output::answer(&text)?;
        return Ok(exit_code::PASSED);
    }
    let asked: Vec<AgentHost> = arguments.hosts.iter().copied().map(AgentHost::from).collect();
    let (project, findings) = look(context, &asked);
    let is_there = |grade: Grade| findings.iter().any(|finding| finding.grade == grade);
    let armed = !is_there(Grade::Problem);
    let passes = armed && !(arguments.strict && (is_there(Grade::Warning) || is_there(Grade::Unknown)));
    let code = if passes { exit_code::PASSED } else { exit_code::SPECIFICATION };
    let text = match arguments.format {
        PlainFormat::Json => {
            let directory = project.directory.display().to_string();
            let version = env!("CARGO_PKG_VERSION");
            referee_model::document::to_bytes(&referee_report::doctor::document(
                version,
                Some(directory),
                (armed, code),
                &findings,
            ))?
        }
        PlainFormat::Human => {
            let mut text = Vec::new();
            human::doctor::write(&findings, armed, &context.terminal.stdout, &mut text)?;
            text
        }
    };
    output::answer(&text)?;
    Ok(code)
}

/// Returns why a host would no longer ask the gate in a project, by its current configuration. None: it would.
pub(super) fn disarmed(context: &Context, directory: &Path, host: AgentHost) -> Option<String> {
    let project = Project::of_directory(directory);
    let is_taken_away = |finding: &&Finding| {
        finding.grade == Grade::Problem && matches!(finding.check, Check::Hook | Check::HookFile | Check::HookSwitch)
    };
    hosts::examined(context, &project, host).iter().find(is_taken_away).map(|finding| finding.what.clone())
}

/// Reports whether the installed Claude Code keeps its hooks during a session. None: its version is unknown.
pub(super) fn of_claude(context: &Context) -> Option<Finding> {
    version::of_claude(context, &Project::find(context).0)
}

/// Runs all checks. Findings are in the order of the checks.
fn look(context: &Context, asked: &[AgentHost]) -> (Project, Vec<Finding>) {
    let (project, mut findings) = Project::find(context);
    let hooks = hosts::look(context, &project, asked);
    findings.extend(protection::look(context, &project, &hooks));
    findings.extend(program::look(context, &project, &hooks));
    findings.extend(keys::look(context, &project, &hooks));
    findings.extend(machine::look(context, &project));
    findings.extend(runs::look(context, &project));
    findings.extend(hooks.findings);
    let place = |finding: &Finding| Check::ALL.iter().position(|check| *check == finding.check);
    findings.sort_by_key(place);
    (project, findings)
}

fn home(context: &Context) -> Option<PathBuf> {
    variable(context, "HOME")
}

/// Returns the absolute path in a variable.
fn variable(context: &Context, name: &str) -> Option<PathBuf> {
    let found = context.environment.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
}
