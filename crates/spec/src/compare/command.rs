//! Compares commands: role, criteria of success, and scope of the check.

mod arguments;
mod effect;
mod parts;

use std::collections::BTreeMap;

use referee_model::plan::{Command, Invocation, Role, Shell, Template};
use referee_model::run_context::weakening::WeakeningKind as Kind;

use self::parts::Difference;
use super::environment;
use super::weaker::Weaker;
use crate::masking::{masked, masked_argv, masked_container};

/// Compares a command with its former version.
pub(super) fn compare(name: &str, before: &Command, after: &Command, weaker: &mut Weaker) {
    if before.directory != after.directory {
        let place = |command: &Command| format!("in the directory {}", command.directory.as_str());
        weaker.add(Kind::CommandNarrowed, name, place(before), place(after));
    }
    invocation(name, &before.invocation, &after.invocation, weaker);
    role(name, before.role, after.role, weaker);
    weaker.added(
        Kind::ExitCodeAccepted,
        name,
        (&before.expected_exit_codes, &after.expected_exit_codes),
        ToString::to_string,
    );
    if after.allow_no_tests && !before.allow_no_tests {
        weaker.add(Kind::NoTestsAccepted, name, "a test must run", "no test need run");
    }
    if after.exit_code_only && !before.exit_code_only {
        weaker.add(Kind::SummaryNotRequired, name, "the runner must sum its tests up", "the exit code alone decides");
    }
    let [old, new] = [before, after].map(|command| variables(&command.environment, &command.late_environment));
    environment::compare(name, &old, &new, weaker);
}

/// Returns the variables of a command; those whose values are only known at its start are given as written.
fn variables(known: &BTreeMap<String, String>, late: &BTreeMap<String, Template>) -> BTreeMap<String, String> {
    let late = late.iter().map(|(name, value)| (name.clone(), value.to_string()));
    known.iter().map(|(name, value)| (name.clone(), value.clone())).chain(late).collect()
}

/// Compares roles, which determine how strictly a command is judged (ruling 9).
///
/// | declared before | declared now              | is                                               |
/// |-----------------|---------------------------|--------------------------------------------------|
/// | any             | the same, or none         | not listed                                       |
/// | any             | other, format             | lower: findings do not count, or only warn       |
/// | none            | test, typecheck, compile  | not listed: no role is stricter                  |
/// | none, any       | lint, or another than before | another, which may be weaker: reported, not blocked |
fn role(name: &str, before: Option<Role>, after: Option<Role>, weaker: &mut Weaker) {
    let Some(new) = after.filter(|_| before != after) else { return };
    let old = before.map_or("told from the command", Role::as_str);
    match (before, new) {
        (Some(Role::Other), Role::Format) | (_, Role::Lint) => weaker.add(Kind::RoleChanged, name, old, new.as_str()),
        (_, Role::Other | Role::Format) => weaker.add(Kind::RoleLowered, name, old, new.as_str()),
        (None | Some(Role::Other | Role::Format | Role::Lint), _) => {}
        (Some(_), _) => weaker.add(Kind::RoleChanged, name, old, new.as_str()),
    }
}

fn invocation(name: &str, before: &Invocation, after: &Invocation, weaker: &mut Weaker) {
    let (old, new) = (before.as_line(), after.as_line());
    let hidden = hides(after);
    if hidden.is_some() && hidden != hides(before) {
        weaker.add(Kind::FailureMasked, name, &old, format!("{new} ({})", hidden.unwrap_or_default()));
    }
    let mut found: Vec<Kind> = Vec::new();
    for difference in parts::differences(&text(before), &text(after)) {
        let kind = match difference {
            Difference::Variables(before, after) => {
                environment::compare(name, &before, &after, weaker);
                continue;
            }
            Difference::Narrowed => Kind::CommandNarrowed,
            Difference::Replaced => Kind::CommandReplaced,
            Difference::Masked => Kind::FailureMasked,
            Difference::Retried => Kind::RetriesRaised,
            Difference::Waits => Kind::TimeoutRaised,
            Difference::Warns => Kind::WarningsAllowed,
            Difference::Unknown => Kind::CommandChanged,
        };
        found.push(kind);
    }
    found.sort_unstable();
    found.dedup();
    let telling = found.iter().any(|kind| kind.blocks());
    for kind in found.into_iter().filter(|kind| kind.blocks() || !telling) {
        if kind != Kind::FailureMasked || hides(after).is_none() {
            weaker.add(kind, name, &old, &new);
        }
    }
}

/// Returns the part that hides a failure of a command, if there is one (ruling 4).
fn hides(invocation: &Invocation) -> Option<String> {
    let masking = match invocation {
        Invocation::Shell { shell: Shell::PowerShell | Shell::Cmd, .. } => None,
        Invocation::Shell { line, pipefail, shell } => masked(line, *pipefail && *shell != Shell::Sh),
        Invocation::Argv(argv) => masked_argv(argv),
        Invocation::Container(container) => masked_container(container),
    };
    Some(masking?.risk())
}

/// Returns the line whose commands are compared, including that of a shell started by an argument list.
fn text(invocation: &Invocation) -> String {
    if let Invocation::Argv(argv) = invocation
        && let [shell, options, line] = argv.as_slice()
        && matches!(shell.rsplit('/').next(), Some("sh" | "bash" | "dash" | "zsh"))
        && options.starts_with('-')
        && options.ends_with('c')
    {
        return line.clone();
    }
    invocation.as_line()
}

/// Returns the number of ways in which two lines differ.
#[cfg(test)]
pub(super) fn parts_of(before: &str, after: &str) -> usize {
    parts::differences(before, after).len()
}
