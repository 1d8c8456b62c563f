//! ansible-lint: `full`, `pep8` (`parseable`), and those with an old code.
//!
//! ```text
//! playbook.yml:3:7: fqcn[action-core]: Use FQCN for builtin module actions (shell).
//! fqcn[action-core]: Use FQCN for builtin module actions (shell).
//! playbook.yml:3:7 Task/Handler: Install
//! Failed: 13 failure(s), 0 warning(s) on 1 files.
//! ```

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level};
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, name};
use crate::scan::Line;
use crate::shapes::pattern;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// ansible-lint.
pub(crate) const TOOL: Tool = Tool {
    name: "ansible-lint",
    aliases: &["ansible"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[".yml:", ".yaml:", " failure(s), "],
        reader: |is_hinted| Box::new(AnsibleLint { is_hinted, ..AnsibleLint::default() }),
    }],
    documents: &[],
    settle: claim::together,
};

/// What ends the message of a finding that only warns.
const WARNS: &str = " (warning)";

/// What its rules are called, or begin with.
const RULES: &[&str] = &[
    "args",
    "avoid-",
    "command-instead-of-",
    "complexity",
    "deprecated-",
    "empty-string-compare",
    "fqcn",
    "galaxy",
    "ignore-errors",
    "inline-env-var",
    "internal-error",
    "jinja",
    "key-order",
    "latest",
    "literal-compare",
    "load-failure",
    "loop-var-prefix",
    "meta-",
    "name",
    "no-",
    "only-builtins",
    "package-latest",
    "parser-error",
    "partial-become",
    "pattern",
    "playbook-extension",
    "risky-",
    "role-name",
    "run-once",
    "sanity",
    "schema",
    "syntax-check",
    "unskippable",
    "var-naming",
    "yaml",
];

/// The rule, with what is wrong of it in brackets; a closing mark of the terminal's colours may be left behind it.
static LOCATED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)? (?:(?<code>[a-z][a-z0-9-]*(?:\[[^\]\s/]+\])?)(?:\[/\])?:|\[(?<old>E?\d{3,4})\]) (?<message>\S.*)$",
    )
});

static HEAD: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<code>[a-z][a-z0-9-]*(?:\[[^\]\s/]+\])?)(?:\[/\])?: (?<message>\S.*)$"));

static PLACE: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<file>\S.*?\.ya?ml):(?<line>\d+)(?::(?<column>\d+))?(?: .*)?$"));

static CLOSING: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:Failed|Passed|Failed after [^:]*): (?<errors>\d+) failure\(s\), (?<warnings>\d+) warning\(s\) (?:and \d+ fixed )?(?:on|in) \d+ files",
    )
});

#[derive(Default)]
struct AnsibleLint {
    is_hinted: bool,
    findings: Findings,
    head: Option<Diagnostic>,
    is_closed: bool,
}

/// Whether a code is one of its rules.
fn is_rule(code: &str) -> bool {
    let rule = code.split('[').next().unwrap_or(code);
    RULES.iter().any(|known| if known.ends_with('-') { rule.starts_with(known) } else { rule == *known })
}

impl AnsibleLint {
    /// Keeps a finding; one that only warns says so at its end.
    fn add(&mut self, mut found: Diagnostic) {
        if found.message.ends_with(WARNS) {
            found.message.truncate(found.message.len() - WARNS.len());
            found.level = Level::Warning;
        }
        self.findings.add(found);
    }
}

impl LineReader for AnsibleLint {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(mut found) = self.head.take()
            && let Some(captures) = PLACE.captures(text)
        {
            found.file = Some(name(&text::path(&captures["file"])));
            found.line = text::position(&captures["line"]);
            found.column = captures.name("column").and_then(|column| text::position(column.as_str()));
            found.origin.end = line.end;
            self.add(found);
            return Use::WithPrevious;
        }
        if text.contains(" failure(s), ") && CLOSING.is_match(text) {
            self.is_closed = true;
            return Use::Line;
        }
        if !text.contains(": ") && !text.contains(": [") {
            return Use::None;
        }
        if let Some(captures) = LOCATED.captures(text) {
            let is_yaml = [".yml", ".yaml"].iter().any(|end| captures["file"].ends_with(end));
            let is_known = captures.name("code").is_some_and(|code| is_rule(code.as_str()));
            if !(self.is_hinted || (is_yaml && is_known)) {
                return Use::None;
            }
            let mut found = pattern::matched("ansible-lint", "ansible-lint/pep8", line, &captures, Level::Error);
            found.code = captures.name("code").or_else(|| captures.name("old")).map(|code| name(code.as_str()));
            self.add(found);
            return Use::Line;
        }
        if let Some(captures) = HEAD.captures(text).filter(|captures| is_rule(&captures["code"])) {
            self.head = Some(pattern::matched("ansible-lint", "ansible-lint/full", line, &captures, Level::Error));
        }
        Use::None
    }

    fn finish(self: Box<Self>) -> Option<Claim> {
        let has_findings = 0 < self.findings.counts.total();
        (has_findings || self.is_closed).then(|| Claim { format: "text", findings: self.findings, ..Claim::default() })
    }
}
