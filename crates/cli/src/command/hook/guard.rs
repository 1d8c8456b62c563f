//! Protects the gate during a session: against edits of the files that arm it, and settings that remove it.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_judge::gate_guard::{self, GuardScope};
use referee_model::enrolment::Enrolment;
use referee_model::hook::{AgentHost, HookEvent, HookVerdict, ToolUse};
use referee_report::hosts::configuration;

use crate::command::{doctor, hook_config};

/// Decides whether a tool call is allowed.
pub(super) fn edit(context: &Context, enrolment: &Enrolment, event: &HookEvent) -> HookVerdict {
    let Some(tool) = &event.tool else { return HookVerdict::NoOpinion };
    let directory = event.directory.as_deref().map_or_else(|| context.directory.clone(), Path::to_path_buf);
    let guarded = guarded(context, enrolment, event.host);
    // An edit follows links, and so do the guarded files.
    let tool = match tool {
        ToolUse::Edit(path) => ToolUse::Edit(resolved(&directory.join(path))),
        ToolUse::Shell(line) => ToolUse::Shell(line.clone()),
    };
    let home = context.environment.iter().find(|(name, _)| name == "HOME").map(|(_, home)| PathBuf::from(home));
    let ground = GuardScope { directory: &directory, home: home.as_deref(), guarded: &guarded };
    match gate_guard::touched(&tool, &ground) {
        None => HookVerdict::NoOpinion,
        Some(path) => HookVerdict::Block {
            reason: format!(
                "{} arms the gate of this project, and an agent does not change it: a person does, outside of the session. \
                 Reading it is free.",
                path.strip_prefix(&enrolment.project).unwrap_or(path).display()
            ),
        },
    }
}

/// Decides whether changed settings are accepted.
pub(super) fn settings(context: &Context, enrolment: &Enrolment, event: &HookEvent) -> HookVerdict {
    match doctor::disarmed(context, &enrolment.project, event.host) {
        None => HookVerdict::NoOpinion,
        Some(why) => HookVerdict::Block {
            reason: format!(
                "The settings of {} changed, and would take the gate away: {why}. This session goes on with those that it \
                 had. Put the file back as it was.",
                event.host.title()
            ),
        },
    }
}

/// Returns the absolute paths of the files that arm the gate, as named and with links resolved: all files from
/// which the host reads hooks and switches, the files of other hosts that have a hook of Referee, and the
/// scripts beside them.
fn guarded(context: &Context, enrolment: &Enrolment, host: AgentHost) -> Vec<PathBuf> {
    let project = &enrolment.project;
    let mut files: Vec<PathBuf> = Vec::new();
    for other in AgentHost::ALL {
        let place = configuration::place(other);
        let of_user = hook_config::of_user(context, other).ok().map(|file| file.path());
        for file in std::iter::once(project.join(place.project)).chain(of_user) {
            let script = PathBuf::from(configuration::script_beside(&file.to_string_lossy()));
            if other == host || script.is_file() {
                files.extend([file, script]);
            }
        }
    }
    if host == AgentHost::Claude {
        files.push(project.join(".claude/settings.local.json"));
    }
    let mut all: Vec<PathBuf> = files.iter().map(|file| resolved(file)).collect();
    all.extend(files);
    all.dedup();
    all
}

/// Resolves the links of a path, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let parent = || Some(std::fs::canonicalize(path.parent()?).ok()?.join(path.file_name()?));
    std::fs::canonicalize(path).ok().or_else(parent).unwrap_or_else(|| path.to_path_buf())
}
