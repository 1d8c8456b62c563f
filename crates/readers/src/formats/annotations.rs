//! Annotations that a tool prints for display by a CI service: GitHub's workflow commands and Azure's logging
//! commands.

pub(crate) mod azure;
pub(crate) mod github;

use crate::pattern::Pattern;

/// Messages of the CI service itself about a failed step, which are not findings.
static OF_SERVICE: Pattern = Pattern::new(
    r"^(?:Process completed with exit code -?\d+|The operation was canceled|The process '.*' failed with exit code -?\d+|Bash exited with code '?-?\d+'?|PowerShell exited with code '?-?\d+'?|Cmd\.exe exited with code '?-?\d+'?|The (?:job|runner|hosted runner) .*|Node\.js \d+ actions are deprecated.*|Script failed with (?:exit code|error): .*|Command failed with exit code -?\d+)\.?$",
);

/// Returns whether a message comes from the CI service itself, about the step as a whole.
fn is_of_service(message: &str) -> bool {
    message.len() < 4096 && OF_SERVICE.is_match(message.trim())
}

/// The rule at the end of a message, `… (color-hex-length)`, optionally followed by a link or
/// `[maybe fixable]`.
static CODE: Pattern = Pattern::new(r" \((?<code>@?[A-Za-z][\w./@-]*)\)(?: \[maybe fixable\])?(?: - https?://\S+)?$");

/// The rule at the beginning of a message, as printed by RuboCop: `Lint/Syntax: `.
static DEPARTMENT: Pattern = Pattern::new(r"^(?<code>(?:[A-Z][A-Za-z]+/)+[A-Z][A-Za-z]+): ");

/// The rule in a title: in parentheses, `Ruff (F401)`, or alone, `F401`.
static IN_TITLE: Pattern =
    Pattern::new(r"^(?:[\w .-]+ \((?<code>[\w./@-]+)\)|(?<code2>(?:[\w@-]+/)+[\w-]+|[A-Z]{1,6}\d{2,5}))$");

/// Returns the rule named in a title or a message.
fn code(title: Option<&str>, message: &str) -> Option<String> {
    let first = message.lines().next().unwrap_or_default();
    let in_title = title.and_then(|title| IN_TITLE.find(title));
    let found = in_title.or_else(|| DEPARTMENT.find(first)).or_else(|| CODE.find(first))?;
    found.get("code").map(str::to_owned)
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
