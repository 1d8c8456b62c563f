//! Whether the format blocks: if CI rejects unformatted files, or a script does that is proposed in parts.

use super::super::ci::Line;
use super::super::command::{Command, commands};
use super::super::form::{Form, form};
use super::super::project::Draft;
use super::super::{ProjectDirectory, TOOLS};
use super::package::Package;

/// Returns whether one of these lines fails for wrong format. A line that formats does if the difference is
/// checked afterwards.
pub(super) fn rejects(lines: &[&str], has_diff: bool) -> bool {
    lines.iter().any(|line| commands(line).iter().any(|command| !command.is_lenient && is_check(command, has_diff)))
}

fn is_check(command: &Command, has_diff: bool) -> bool {
    let looks = |command: &Command| TOOLS.words("programs.format-checks").any(|check| command.runs(check));
    match form(command) {
        Form::Same => looks(command),
        Form::Changed { command, .. } => has_diff && looks(&command),
        Form::Unfit(_) => false,
    }
}

/// Returns the policy for format checks, of which there is one. `scripts` are the lines of those proposed as
/// such, `by_script` the script that fails for the format among other things.
pub(super) fn policy(
    place: &ProjectDirectory<'_>,
    package: &Package,
    scripts: &[&str],
    by_script: Option<&str>,
    draft: &mut Draft,
) {
    let diffs = |line: &Line| ["git diff --exit-code", "git diff --quiet"].iter().any(|diff| line.command.runs(diff));
    let has_diff = place.ci_lines().any(diffs);
    let is_reached = |name: &str| {
        let lines = package.lines(name);
        rejects(&lines, has_diff) || scripts.iter().any(|script| lines.contains(script))
    };
    let by_ci = place.lines().filter(|line| line.is_of_ci).find(|line| {
        line.command.own_script().is_some_and(|(name, _)| is_reached(&name)) || is_check(&line.command, has_diff)
    });
    let because = match (by_ci, by_script) {
        (Some(line), _) => format!("{} checks the format", line.file),
        (None, Some(script)) => format!("script `{script}` of package.json checks the format"),
        (None, None) => return,
    };
    draft.block_on_warnings("formatting", because);
}
