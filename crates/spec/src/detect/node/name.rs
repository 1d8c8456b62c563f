//! Names and levels of checks from scripts, and which of them are the tests.

use referee_model::plan::Role;
use referee_model::selection::Level;

use super::super::text::has_extension;
use super::member::Member;

/// Returns the index of the member with the tests, if no program reveals it: the last candidate.
pub(super) fn test_of(members: &[Member], name: &str) -> Option<usize> {
    if members.iter().any(|member| member.role == Some(Role::Test)) {
        return None;
    }
    let may_be = |member: &Member| member.role.is_none() || member.is_opaque;
    let is_named = |member: &Member| {
        member.script == name || ["test", "unit"].iter().any(|start| member.script.starts_with(start))
    };
    let at = |fits: &dyn Fn(&Member) -> bool| members.iter().rposition(|member| may_be(member) && fits(member));
    at(&is_named).or_else(|| at(&|_| true))
}

/// Returns whether a member runs another script in an environment of its own.
pub(super) fn is_again(member: &Member) -> bool {
    !member.is_opaque && matches!(member.program.as_str(), "npm" | "yarn" | "pnpm" | "bun")
}

pub(super) fn name_of(role: Role) -> &'static str {
    match role {
        Role::Test => "test",
        Role::Typecheck => "types",
        Role::Lint => "lint",
        Role::Format => "format",
        Role::Compile => "build",
        Role::Other => "check",
    }
}

pub(super) fn level_of(role: Option<Role>) -> Level {
    match role {
        Some(Role::Typecheck) => Level::Smoke,
        Some(Role::Format) => Level::Strict,
        _ => Level::Fast,
    }
}

/// Returns the name of a check for a script or program.
pub(super) fn plain(name: &str) -> String {
    let name = name.strip_suffix(".js").filter(|_| has_extension(name, "js")).unwrap_or(name);
    let plain: String =
        name.chars().map(|next| if next.is_ascii_alphanumeric() || next == '-' { next } else { '-' }).collect();
    plain.trim_matches('-').to_owned()
}
