//! Which version of a host is installed, by where its program lies: it is never started to find that out.

use std::path::Path;

use referee_engine::context::Context;
use referee_judge::doctor as rules;
use referee_model::doctor::Finding;
use serde_json::Value;

use super::project::Project;
use super::{file, program};

/// The package that Claude Code comes in from npm.
const PACKAGE: &str = "@anthropic-ai/claude-code";

/// Says whether the Claude Code on the search path keeps its hooks in mid-session. None: it is not there, or nothing tells
/// which version it is.
pub(super) fn of_claude(context: &Context, project: &Project) -> Option<Finding> {
    let program = std::fs::canonicalize(program::find(context, project, "claude")?).ok()?;
    let version = of_installer(&program).or_else(|| program.ancestors().skip(1).find_map(of_package))?;
    Some(rules::of_claude(&version).about(referee_model::hook::AgentHost::Claude.as_str()))
}

/// Its own installer names the program after the version: `versions/2.1.330`.
fn of_installer(program: &Path) -> Option<String> {
    let is_version = program.parent()?.file_name()? == "versions";
    is_version.then(|| program.file_name()?.to_str().map(str::to_owned)).flatten()
}

fn of_package(directory: &Path) -> Option<String> {
    let bytes = file::read(&directory.join("package.json"))?.ok()?;
    let package: Value = serde_json::from_slice(&bytes).ok()?;
    let is_claude = package.get("name").and_then(Value::as_str) == Some(PACKAGE);
    is_claude.then(|| package.get("version")?.as_str().map(str::to_owned)).flatten()
}
