//! Patterns that VS Code and its extensions define by name, so that a matcher may use `"pattern": "$tsc"`.

/// The named patterns: name, and definition as a user would write it.
const PATTERNS: &[(&str, &str)] = &[
    (
        "$tsc",
        r#"{"regexp": "^(\\S.*?)[(:](\\d+)[,:](\\d+)(?:\\):\\s+|\\s+-\\s+)(error|warning|info)\\s+(TS\\d+)\\s*:\\s*(.*)$",
            "file": 1, "line": 2, "column": 3, "severity": 4, "code": 5, "message": 6}"#,
    ),
    (
        "$eslint-compact",
        r#"{"regexp": "^(.+): line (\\d+), col (\\d+), (Error|Warning|Info) - (.+) \\((.+)\\)$",
            "file": 1, "line": 2, "column": 3, "severity": 4, "message": 5, "code": 6}"#,
    ),
    (
        "$eslint-stylish",
        r#"[{"regexp": "^((?:[a-zA-Z]:)*[./\\\\]+.*?)$", "kind": "location", "file": 1},
            {"regexp": "^\\s+(\\d+):(\\d+)\\s+(error|warning|info)\\s+(.+?)(?:\\s\\s+(\\S+))?$",
             "line": 1, "column": 2, "severity": 3, "message": 4, "code": 5, "loop": true}]"#,
    ),
    (
        "$jshint",
        r#"{"regexp": "^(.*): line (\\d+), col (\\d+), (.+?)(?: \\((\\w)(\\d+)\\))?$",
            "file": 1, "line": 2, "column": 3, "message": 4, "severity": 5, "code": 6}"#,
    ),
    (
        "$jshint-stylish",
        r#"[{"regexp": "^(\\S.*)$", "file": 1},
            {"regexp": "^\\s+line\\s+(\\d+)\\s+col\\s+(\\d+)\\s+(.+?)(?:\\s+\\((\\w)(\\d+)\\))?$",
             "line": 1, "column": 2, "message": 3, "severity": 4, "code": 5, "loop": true}]"#,
    ),
    (
        "$msCompile",
        r#"{"regexp": "^\\s*(?:\\d+>)?(\\S.*?)(?:\\((\\d+(?:,\\d+(?:,\\d+,\\d+)?)?)\\))?\\s*:\\s+(?:\\S+\\s+)?((?:fatal +)?error|warning|info)\\s+(\\w+\\d+)?\\s*:\\s*(.*)$",
            "file": 1, "location": 2, "severity": 3, "code": 4, "message": 5}"#,
    ),
    (
        "$gcc",
        r#"{"regexp": "^(.*?):(\\d+):(\\d*):?\\s+(?:fatal\\s+)?(warning|error):\\s+(.*)$",
            "file": 1, "line": 2, "column": 3, "severity": 4, "message": 5}"#,
    ),
    (
        "$go",
        r#"{"regexp": "^(?:[^:]*: )?((?:.:)?[^:]*):(\\d+)(?::(\\d+))?: (.*)$",
            "file": 1, "line": 2, "column": 3, "message": 4}"#,
    ),
    ("$lessCompile", r#"{"regexp": "^\\s*(.*) in file (.*) line no\\. (\\d+)$", "message": 1, "file": 2, "line": 3}"#),
];

/// Aliases of named patterns.
const ALIASES: &[(&str, &str)] =
    &[("$tsc-watch", "$tsc"), ("$lessc", "$lessCompile"), ("$cpp", "$msCompile"), ("$csc", "$msCompile")];

/// Returns the definition of a named pattern.
pub(super) fn pattern(name: &str) -> Option<&'static str> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, meant)| *meant);
    PATTERNS.iter().find(|(known, _)| *known == name).map(|(_, definition)| *definition)
}

/// Returns the known names, separated by commas.
pub(super) fn names() -> String {
    let names: Vec<&str> = PATTERNS.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}
