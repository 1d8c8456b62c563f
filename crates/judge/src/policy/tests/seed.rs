//! Seed 1's tables of policy, row by row and by their names; if a ruling differs, the row says which.

use super::*;

/// Returns the effect of a policy of eslint on this many errors and warnings.
fn eslint(policy: ToolPolicy, errors: u64, warnings: u64) -> String {
    told(&weigh(&of_tool("eslint", policy), Some("eslint"), Category::Linting, &counts(errors, warnings)))
}

fn on(strategy: Strategy) -> ToolPolicy {
    ToolPolicy { block_on: Some(strategy), ..ToolPolicy::default() }
}

/// Returns whether it blocks, and the severity, which is that of the debt.
fn short(told: &str) -> &str {
    told.split_once(':').map_or(told, |(short, _)| short)
}

#[test]
fn the_blocking_strategies() {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    for (name, strategy, errors, warnings, expected) in [
        ("BLOCK_ON_ERRORS_ALWAYS: errors", ErrorsAlways, 1, 0, "block Critical"),
        // Ruling 11: warnings are reported as MEDIUM, if the row does not mention them.
        ("BLOCK_ON_ERRORS_ALWAYS: warnings", ErrorsAlways, 0, 1, "pass Medium"),
        ("BLOCK_ON_ERRORS_ONLY: errors", ErrorsOnly, 1, 1, "block High"),
        ("BLOCK_ON_ERRORS_ONLY: warnings", ErrorsOnly, 0, 1, "pass Medium"),
        ("BLOCK_ON_ERRORS_AND_WARNINGS: errors", ErrorsAndWarnings, 1, 0, "block High"),
        ("BLOCK_ON_ERRORS_AND_WARNINGS: warnings", ErrorsAndWarnings, 0, 1, "block High"),
        // Ruling 11: LOW, while the row says MEDIUM.
        ("WARN_ONLY: errors", WarnOnly, 1, 0, "pass Low"),
        ("WARN_ONLY: warnings", WarnOnly, 0, 1, "pass Low"),
        ("NEVER", Never, 1, 1, "none None"),
    ] {
        assert_eq!(short(&eslint(on(strategy), errors, warnings)), expected, "{name}");
    }
}

#[test]
fn the_classification_logic() {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    let limited = |limit| ToolPolicy { max_warnings: Some(limit), ..on(ErrorsOnly) };
    let disabled = ToolPolicy { enabled: false, ..on(ErrorsAlways) };
    for (name, policy, errors, warnings, expected) in [
        // Ruling 10: an unconfigured tool gets the default, while the code calls it non-blocking and LOW.
        ("not configured", ToolPolicy::default(), 1, 0, "block High: 1 eslint error (BLOCK_ON_ERRORS_ONLY)"),
        ("not enabled", disabled, 1, 0, "pass Low: 1 eslint error (enabled: false)"),
        (
            "ERRORS_ALWAYS: errors > 0",
            on(ErrorsAlways),
            2,
            1,
            "block Critical: 2 eslint errors (BLOCK_ON_ERRORS_ALWAYS)",
        ),
        ("ERRORS_ALWAYS: warnings > 0", on(ErrorsAlways), 0, 2, "pass Medium: 2 eslint warnings (allowed by policy)"),
        ("ERRORS_ONLY: errors > 0", on(ErrorsOnly), 2, 1, "block High: 2 eslint errors (BLOCK_ON_ERRORS_ONLY)"),
        ("ERRORS_ONLY: warnings > maxWarnings", limited(1), 0, 2, "block High: 2 warnings exceed maxWarnings (1)"),
        ("ERRORS_ONLY: warnings > 0", limited(2), 0, 2, "pass Medium: 2 eslint warnings (allowed by policy)"),
        (
            "ERRORS_AND_WARNINGS: either > 0",
            on(ErrorsAndWarnings),
            0,
            2,
            "block High: 2 eslint warnings (BLOCK_ON_ERRORS_AND_WARNINGS)",
        ),
        ("WARN_ONLY: either > 0", on(WarnOnly), 2, 0, "pass Low: 2 eslint errors (WARN_ONLY)"),
        ("NEVER", on(Never), 2, 2, "none None: findings are ignored (NEVER)"),
        ("no issues found", on(ErrorsAlways), 0, 0, "none None: no eslint findings"),
    ] {
        assert_eq!(eslint(policy, errors, warnings), expected, "{name}");
    }
}

#[test]
fn the_default_policies_by_tool_type() {
    for (name, tool, category, strategy) in [
        ("TypeScript", "tsc", Category::TypeChecking, Strategy::ErrorsAlways),
        ("Compilation", "gcc", Category::Compilation, Strategy::ErrorsAlways),
        ("ESLint", "eslint", Category::Linting, Strategy::ErrorsOnly),
        ("Prettier", "prettier", Category::Formatting, Strategy::WarnOnly),
        ("Other Linters", "flake8", Category::Linting, Strategy::ErrorsOnly),
    ] {
        let applied = weigh(&Policies::default(), Some(tool), category, &counts(1, 0)).applied;
        assert_eq!((applied.strategy, applied.source), (strategy, PolicySource::Default), "{name}");
    }
}

#[test]
fn the_scenarios() {
    let limited = ToolPolicy { max_warnings: Some(10), ..on(Strategy::ErrorsOnly) };
    assert_eq!(short(&eslint(on(Strategy::ErrorsOnly), 5, 12)), "block High", "1: ESLint with BLOCK_ON_ERRORS_ONLY");
    // Ruling 11: debt takes the severity of the outcome, HIGH, while the scenario says MEDIUM.
    assert_eq!(short(&eslint(limited, 0, 15)), "block High", "2: ESLint with BLOCK_ON_ERRORS_ONLY + maxWarnings");
    assert_eq!(short(&eslint(on(Strategy::WarnOnly), 3, 8)), "pass Low", "3: ESLint with WARN_ONLY");
    let always = of_tool("tsc", on(Strategy::ErrorsAlways));
    let weighed = weigh(&always, Some("tsc"), Category::TypeChecking, &counts(1, 0));
    assert_eq!(short(&told(&weighed)), "block Critical", "4: TypeScript with BLOCK_ON_ERRORS_ALWAYS");
}
