//! `referee mcp config`: shows or writes the entry by which a host's agents get the tools.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::host_file;
use referee_model::exit_code;
use referee_model::hook::AgentHost;
use referee_report::hosts::configuration;

use crate::args::mcp::McpConfig;
use crate::command::hook_config::{self, HostFile};
use crate::output;

/// Prints the entry, or merges it into the host's file.
pub(super) fn execute(context: &Context, arguments: &McpConfig) -> Result<u8, EngineError> {
    let host = AgentHost::from(arguments.host);
    let place = configuration::mcp_place(host);
    let file =
        if arguments.user { hook_config::in_home(context, &place)? } else { hook_config::in_project(context, &place) };
    configuration::check_program(&arguments.program).map_err(|error| EngineError::usage(error.to_string()))?;
    if arguments.write {
        return write(context, host, &arguments.program, &file);
    }
    output::answer(configuration::mcp_document(host, &arguments.program).as_bytes())?;
    let shown = context.shown(&file.path()).display().to_string();
    output::notes([format!("this belongs into {shown}; `--write` merges it into what is there")])?;
    Ok(exit_code::PASSED)
}

fn write(context: &Context, host: AgentHost, program: &str, file: &HostFile) -> Result<u8, EngineError> {
    let not_written =
        |error: &dyn std::fmt::Display| EngineError::usage(format!("the server could not be configured: {error}"));
    let path = file.path();
    let shown = context.shown(&path).display();
    let before = host_file::read(&file.base, &file.relative).map_err(|error| not_written(&error))?;
    let merged = configuration::mcp_merged(host, program, before.as_deref().unwrap_or_default()).map_err(|error| {
        EngineError::usage(format!(
            "{shown} was left as it is: {error}. Fix it, or put in by hand what `referee mcp config {}` prints",
            host.as_str()
        ))
    })?;
    if before.as_deref() == Some(merged.text.as_bytes()) {
        output::answer(format!("{shown} holds this server already; nothing was written.\n").as_bytes())?;
        return Ok(exit_code::PASSED);
    }
    let written = host_file::write(&file.base, &file.relative, before.as_deref(), merged.text.as_bytes());
    let written = written.map_err(|error| not_written(&error))?;
    let replaced = if merged.is_replaced { "; a server named `referee` that was there is replaced" } else { "" };
    let mut text = format!("{shown} was written{replaced}.\n");
    if let Some(before) = &written.before {
        text = format!("{text}What was there before: {}\n", context.shown(before).display());
    }
    let title = host.title();
    text = format!(
        "{text}Next: start {title} anew. The tools do not gate: `referee hook config {}` has a hook do that.\n",
        host.as_str()
    );
    output::answer(text.as_bytes())?;
    Ok(exit_code::PASSED)
}
