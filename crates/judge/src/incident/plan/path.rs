//! Paths that a plan may change: they are in the workspace, and committing them commits nothing else.

use std::collections::BTreeSet;

use super::Case;
use crate::frames;
use crate::incident::finding::Finding;

pub(super) const PATHS: usize = 50;

const CHARACTERS: usize = 512;

/// Returns a path, relative to the workspace and normalized, if it is safe to change and commit: inside the
/// workspace and not all of it, without `..`, not in the directory of a repository or of Referee, and not a
/// pattern or an option to git.
pub fn safe(text: &str, workspace: &str) -> Option<String> {
    let text = text.trim().replace('\\', "/");
    let inside = workspace.trim_end_matches('/');
    let within = || text.strip_prefix(inside)?.strip_prefix('/');
    let relative = if text.starts_with('/') { within().filter(|_| !inside.is_empty())? } else { &text };
    let parts: Vec<&str> = relative.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let is_ours = |part: &&str| [".git", ".referee"].iter().any(|own| part.eq_ignore_ascii_case(own));
    let is_drive = parts.first()?.contains(':') || parts.first()?.starts_with(['-', '~']);
    let is_pattern = |part: &&str| part.contains(['*', '?', '[']) || part.chars().any(char::is_control);
    if is_drive || parts.contains(&"..") || parts.iter().any(is_ours) || parts.iter().any(is_pattern) {
        return None;
    }
    Some(parts.join("/")).filter(|path| path.chars().count() <= CHARACTERS)
}

/// Returns the paths of a plan: those named by a person, and those to be changed for blocking findings.
pub(super) fn targets(case: &Case<'_>) -> Vec<String> {
    let blocking = case.findings.iter().any(|finding| finding.blocking);
    let findings = case.findings.iter().filter(|finding| finding.blocking || !blocking);
    let files = findings.filter_map(|finding| safe(to_change(finding)?, case.workspace));
    let mut seen = BTreeSet::new();
    let named = case.targets.iter().cloned();
    named.chain(files).filter(|path| seen.insert(path.clone())).take(PATHS).collect()
}

/// Returns whether diagnostics name only files of failed tests, and no file to be changed for them.
pub(super) fn names_tests(case: &Case<'_>) -> bool {
    case.findings.iter().any(|finding| finding.file.is_some() && to_change(finding).is_none())
}

fn to_change(finding: &Finding) -> Option<&str> {
    frames::to_change(finding.source, finding.file.as_deref(), finding.under_test.as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_path_lies_in_the_workspace_and_is_not_all_of_it() {
        for (text, path) in [
            ("src/a.ts", "src/a.ts"),
            ("./src//a.ts", "src/a.ts"),
            ("src\\a.ts", "src/a.ts"),
            ("/work/app/src/a.ts", "src/a.ts"),
            ("a b/c.ts", "a b/c.ts"),
            (".github/x.yml", ".github/x.yml"),
        ] {
            assert_eq!(safe(text, "/work/app/").as_deref(), Some(path), "{text}");
        }
        for bad in [
            "",
            ".",
            "/",
            "..",
            "a/../b",
            "../x",
            "/etc/passwd",
            "/work/app",
            "/work/application/x",
            "/work/app/../x",
            ".git/config",
            "a/.GIT/x",
            ".referee/reports/x",
            ":(top)x",
            "C:\\x",
            "-rf",
            "~/x",
            "src/*",
            "a\nb",
            &"x".repeat(600),
        ] {
            assert_eq!(safe(bad, "/work/app"), None, "{bad}");
        }
        assert_eq!(safe("/a", ""), None);
    }
}
