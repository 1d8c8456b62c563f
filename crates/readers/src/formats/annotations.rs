//! Annotations that a tool prints for a CI service to show: GitHub's workflow commands and Azure's logging commands.

pub(crate) mod azure;
pub(crate) mod github;

use crate::pattern::Pattern;

/// What a CI service itself says when a step fails: no finding.
static OF_SERVICE: Pattern = Pattern::new(
    r"^(?:Process completed with exit code -?\d+|The operation was canceled|The process '.*' failed with exit code -?\d+|Bash exited with code '?-?\d+'?|PowerShell exited with code '?-?\d+'?|Cmd\.exe exited with code '?-?\d+'?|The (?:job|runner|hosted runner) .*|Node\.js \d+ actions are deprecated.*|Script failed with (?:exit code|error): .*|Command failed with exit code -?\d+)\.?$",
);

/// Whether a message is the CI service's own, about the step as a whole.
fn is_of_service(message: &str) -> bool {
    message.len() < 4096 && OF_SERVICE.is_match(message.trim())
}

/// A rule's name within a message: `… (color-hex-length)`, with a link or `[maybe fixable]` behind it, or before it:
/// `Lint/Syntax: …`.
static CODE: Pattern = Pattern::new(r" \((?<code>@?[A-Za-z][\w./@-]*)\)(?: \[maybe fixable\])?(?: - https?://\S+)?$");

/// RuboCop's `Lint/Syntax: `.
static DEPARTMENT: Pattern = Pattern::new(r"^(?<code>(?:[A-Z][A-Za-z]+/)+[A-Z][A-Za-z]+): ");

/// The rule in brackets of a title: `Ruff (F401)`, `ruff (F401)`.
static IN_TITLE: Pattern =
    Pattern::new(r"^(?:[\w .-]+ \((?<code>[\w./@-]+)\)|(?<rule>(?:[\w@-]+/)+[\w-]+|[A-Z]{1,6}\d{2,5}))$");

/// Returns the rule that a title or a message names.
fn code(title: Option<&str>, message: &str) -> Option<String> {
    let first = message.lines().next().unwrap_or_default();
    let in_title = title.and_then(|title| IN_TITLE.captures(title));
    let found = in_title.or_else(|| DEPARTMENT.captures(first)).or_else(|| CODE.captures(first))?;
    found.name("code").or(found.name("rule")).map(|code| code.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_found_where_tools_put_them() {
        for (title, message, rule) in [
            (
                Some("Stylelint problem"),
                "Expected x (color-hex-length) [maybe fixable] - https://s.io/u",
                Some("color-hex-length"),
            ),
            (None, "Lint/Syntax: unexpected token", Some("Lint/Syntax")),
            (Some("Ruff (F401)"), "a.py:1:8: F401 `os`", Some("F401")),
            (Some("lint/style/useConst"), "m", Some("lint/style/useConst")),
            (Some("DL3006"), "m", Some("DL3006")),
            (Some("Compilation failed"), "cannot find x (see below)", None),
            (None, "a.js: no", None),
        ] {
            assert_eq!(code(title, message).as_deref(), rule, "{title:?} {message}");
        }
    }

    #[test]
    fn what_the_service_says_is_no_finding() {
        assert!(is_of_service("Process completed with exit code 1."));
        assert!(!is_of_service("Process is not defined"));
    }
}
