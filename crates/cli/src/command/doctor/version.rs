//! Determines the version of an installed host by the path of its program, which is never started for that.

use std::path::Path;

use referee_engine::context::Context;
use referee_judge::doctor as rules;
use referee_model::doctor::Finding;
use serde_json::Value;

use super::project::Project;
use super::{file, program};

/// npm package of Claude Code.
const PACKAGE: &str = "@anthropic-ai/claude-code";

/// Reports whether the Claude Code on the search path keeps its hooks during a session. None: it is not
/// installed, or its version is unknown.
pub(super) fn of_claude(context: &Context, project: &Project) -> Option<Finding> {
    let program = std::fs::canonicalize(program::find(context, project, "claude")?).ok()?;
    let version = of_installer(&program).or_else(|| program.ancestors().skip(1).find_map(of_package))?;
    Some(rules::of_claude(&version).about(referee_model::hook::AgentHost::Claude.as_str()))
}

/// Returns the version from Claude Code's own installer, which names the program after it: `versions/2.1.330`.
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
