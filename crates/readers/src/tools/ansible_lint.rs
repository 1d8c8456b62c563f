//! ansible-lint: `full`, `pep8` (`parseable`), and the formats with old numeric codes.
//!
//! ```text
//! playbook.yml:3:7: fqcn[action-core]: Use FQCN for builtin module actions (shell).
//! fqcn[action-core]: Use FQCN for builtin module actions (shell).
//! playbook.yml:3:7 Task/Handler: Install
//! Failed: 13 failure(s), 0 warning(s) on 1 files.
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("ansible-lint", &["ansible"], Role::Lint)
    .lines(&[LineFormat::rows(&[".yml:", ".yaml:", " failure(s), "], &TEXT)])
    .merge(candidate::together);

/// Names of rules, or their beginnings.
const RULES: &str = "args avoid- command-instead-of- complexity deprecated- empty-string-compare fqcn galaxy ignore-errors \
    inline-env-var internal-error jinja key-order latest literal-compare load-failure loop-var-prefix meta- name \
    no- only-builtins package-latest parser-error partial-become pattern playbook-extension risky- role-name \
    run-once sanity schema syntax-check unskippable var-naming yaml";

fn is_rule(_: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    let code = found.text("code");
    let rule = code.split('[').next().unwrap_or(code);
    RULES.split(' ').any(|known| if known.ends_with('-') { rule.starts_with(known) } else { rule == known })
}

fn complete(found: &mut Diagnostic) -> bool {
    if let Some(message) = found.message.strip_suffix(" (warning)").map(str::to_owned) {
        (found.message, found.level) = (message, Level::Warning);
    }
    true
}

static TEXT: Rows = Rows::new("ansible-lint", "text").complete(complete).rows(&[
    rest(r"^(?<file>\S.*?\.ya?ml):(?<line>\d+)(?::(?<column>\d+))?(?: .*)?$").last(),
    // The rule with its subject in brackets, after which a closing color tag of the terminal may be left.
    finding(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.ya?ml):(?<line>\d+):(?:(?<column>\d+):)? (?<code>[a-z][a-z0-9-]*(?:\[[^\]\s/]+\])?)(?:\[/\])?: (?<message>\S.*)$",
    )
    .rule("ansible-lint/pep8")
    .check(is_rule),
    finding(
        r"^(?<file>(?:[A-Za-z]:)?[^\s:][^:]*):(?<line>\d+):(?:(?<column>\d+):)? (?:(?<code>[a-z][a-z0-9-]*(?:\[[^\]\s/]+\])?)(?:\[/\])?:|\[(?<code2>E?\d{3,4})\]) (?<message>\S.*)$",
    )
    .rule("ansible-lint/pep8")
    .hinted(),
    lead(r"^(?<code>[a-z][a-z0-9-]*(?:\[[^\]\s/]+\])?)(?:\[/\])?: (?<message>\S.*)$")
        .rule("ansible-lint/full")
        .check(is_rule)
        .tentative(),
    known(
        r"^(?:Failed|Passed|Failed after [^:]*): \d+ failure\(s\), \d+ warning\(s\) (?:and \d+ fixed )?(?:on|in) \d+ files",
    ),
]);
