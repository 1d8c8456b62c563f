//! `referee hook config`: shows or writes the configuration by which a host's agents are gated.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::host_file::{self, Written};
use referee_model::exit_code;
use referee_model::hook::AgentHost;
use referee_report::hosts;
use referee_report::hosts::configuration::{self, HookFiles, HookRequest, Merged, Reach};
use referee_spec::discover::FILE_NAMES;

use crate::args::hook_config::HookConfig;
use crate::output;

/// Configuration file of a host: base directory, and path below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HostFile {
    pub(super) base: PathBuf,
    pub(super) relative: String,
    pub(super) reach: Reach,
}

impl HostFile {
    pub(super) fn path(&self) -> PathBuf {
        self.base.join(&self.relative)
    }

    /// Returns the path of the script beside it, which its hooks run, relative to the same directory.
    pub(super) fn script(&self) -> String {
        configuration::script_beside(&self.relative)
    }
}

/// Prints the configuration, or merges it into the host's file.
pub(super) fn execute(context: &Context, arguments: &HookConfig) -> Result<u8, EngineError> {
    let host = AgentHost::from(arguments.host);
    let file = match (arguments.user, arguments.managed) {
        (true, _) => of_user(context, host)?,
        (false, true) => of_administrator(host)?,
        (false, false) => of_project(context, host),
    };
    let wanted = HookRequest {
        host,
        reach: file.reach,
        program: &arguments.program,
        deadline_ms: arguments.deadline.unwrap_or_else(|| hosts::deadline_ms(host)),
    };
    configuration::check_program(&arguments.program).map_err(|error| EngineError::usage(error.to_string()))?;
    if arguments.write {
        return write(context, &wanted, &file);
    }
    output::answer(configuration::document(&wanted).as_bytes())?;
    let place = context.shown(&file.path()).display().to_string();
    let script = context.shown(&file.base.join(file.script())).display().to_string();
    let note =
        format!("note: this belongs into {place}; `--write` merges it into what is there, and writes {script}\n");
    output::aside(note.as_bytes())?;
    Ok(exit_code::PASSED)
}

fn write(context: &Context, wanted: &HookRequest<'_>, file: &HostFile) -> Result<u8, EngineError> {
    let shown = context.shown(&file.path()).display().to_string();
    let before = host_file::read(&file.base, &file.relative).map_err(|error| not_written(&error))?;
    let merged = configuration::merged(wanted, before.as_deref().unwrap_or_default()).map_err(|error| {
        let host = wanted.host.as_str();
        EngineError::usage(format!(
            "{shown} was left as it is: {error}. Fix it, or put in by hand what `referee hook config {host}` prints"
        ))
    })?;
    // The script is written first: hooks without it would block.
    let script = written(&file.base, &file.script(), configuration::SCRIPT.as_bytes())?;
    let configured = if before.as_deref() == Some(merged.text.as_bytes()) {
        None
    } else {
        let written = host_file::write(&file.base, &file.relative, before.as_deref(), merged.text.as_bytes());
        Some(written.map_err(|error| not_written(&error))?)
    };
    let mut text = told(context, wanted.host, &shown, &merged, configured.as_ref());
    if let Some(script) = script {
        let script = context.shown(&script.file).display().to_string();
        text = format!("{script} was written: the hooks run it, so commit it with the configuration.\n{text}");
    }
    output::answer(text.as_bytes())?;
    Ok(exit_code::PASSED)
}

/// Writes a file below a directory, unless it has that content already.
fn written(base: &Path, relative: &str, bytes: &[u8]) -> Result<Option<Written>, EngineError> {
    let before = host_file::read(base, relative).map_err(|error| not_written(&error))?;
    if before.as_deref() == Some(bytes) {
        return Ok(None);
    }
    let written = host_file::write(base, relative, before.as_deref(), bytes);
    written.map(Some).map_err(|error| not_written(&error))
}

/// Describes what was written, what is left to do, and the limitations of the host.
fn told(context: &Context, host: AgentHost, shown: &str, merged: &Merged, written: Option<&Written>) -> String {
    let mut text = match (written, merged.replaced) {
        (None, _) => format!("{shown} holds these hooks already; nothing was written.\n"),
        (Some(_), 0) => format!("{shown} was written.\n"),
        (Some(_), replaced) => {
            format!("{shown} was written; {replaced} hooks of Referee that were there are replaced.\n")
        }
    };
    if let Some(before) = written.and_then(|written| written.before.as_ref()) {
        let _ = writeln!(text, "What was there before: {}", context.shown(before).display());
    }
    if merged.is_switched_off {
        text.push_str(
            "It switches all hooks off (`disableAllHooks`), this one too: nothing is gated until that is taken out.\n",
        );
    }
    let _ = writeln!(
        text,
        "Next: `referee hook test {0}` shows that it blocks, and `referee lock` records what was written.\nWhat {1} \
         cannot do:",
        host.as_str(),
        host.title()
    );
    for limit in hosts::limits(host) {
        let _ = writeln!(text, "- {limit}");
    }
    text
}

/// Returns the host's file of the project: in the repository that contains this directory, else in the
/// directory of the nearest specification, else in this directory.
pub(super) fn of_project(context: &Context, host: AgentHost) -> HostFile {
    in_project(context, &configuration::place(host))
}

/// Returns a file of the project.
pub(super) fn in_project(context: &Context, place: &HookFiles) -> HostFile {
    let has = |directory: &&Path, name: &str| directory.join(name).symlink_metadata().is_ok();
    let above = || context.directory.ancestors();
    let repository = above().find(|directory| has(directory, ".git"));
    let project = repository.or_else(|| above().find(|directory| FILE_NAMES.iter().any(|name| has(directory, name))));
    let base = project.unwrap_or(&context.directory).to_path_buf();
    HostFile { base, relative: place.project.to_owned(), reach: Reach::Project }
}

/// Returns the host's file of the administrator.
fn of_administrator(host: AgentHost) -> Result<HostFile, EngineError> {
    if host != AgentHost::Claude {
        let title = host.title();
        return Err(EngineError::usage(format!(
            "{title} has no settings of an administrator that are known: try --user"
        )));
    }
    let relative = format!("{}/{}", configuration::MANAGED.trim_start_matches('/'), configuration::MANAGED_FILE);
    Ok(HostFile { base: PathBuf::from("/"), relative, reach: Reach::Managed })
}

/// Returns the host's file of the user.
pub(super) fn of_user(context: &Context, host: AgentHost) -> Result<HostFile, EngineError> {
    in_home(context, &configuration::place(host))
}

/// Returns a file of the user.
pub(super) fn in_home(context: &Context, place: &HookFiles) -> Result<HostFile, EngineError> {
    let variable = |name: &str| context.variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let moved = place.moved_by.and_then(|(name, relative)| Some((variable(name)?, relative)));
    let (base, relative) = if let Some(moved) = moved {
        moved
    } else {
        let home = variable("HOME");
        let none = || EngineError::usage("there is no home directory for a user's settings: set HOME".to_owned());
        (home.ok_or_else(none)?, place.user)
    };
    Ok(HostFile { base, relative: relative.to_owned(), reach: Reach::User })
}

fn not_written(error: &referee_ledger::LedgerError) -> EngineError {
    let message = format!("the hooks could not be configured: {error}");
    EngineError::usage(message)
}
