use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as Generator;
use proptest::{collection, option, sample};
use referee_model::reading::{Level, RuleCounts};

use super::*;

mod options;
mod seed;

fn counts(errors: u64, warnings: u64) -> Counts {
    counted(&[("", errors, warnings)])
}

fn counted(rules: &[(&str, u64, u64)]) -> Counts {
    let mut counts = Counts { infos: 3, ..Counts::default() };
    for (rule, errors, warnings) in rules {
        for _ in 0..*errors {
            counts.add(Some(rule), Level::Error, false);
        }
        for _ in 0..*warnings {
            counts.add(Some(rule), Level::Warning, false);
        }
    }
    counts
}

fn of_tool(tool: &str, policy: ToolPolicy) -> Policies {
    Policies { tools: [(tool.to_owned(), policy)].into(), ..Policies::default() }
}

fn blocking_on(strategy: Strategy) -> Policies {
    of_tool("eslint", ToolPolicy { block_on: Some(strategy), ..ToolPolicy::default() })
}

fn told(weighed: &Weighed) -> String {
    let decision = match (weighed.findings, weighed.blocking) {
        (false, _) => "none",
        (true, true) => "block",
        (true, false) => "pass",
    };
    format!("{decision} {:?}: {}", weighed.severity, weighed.applied.reason)
}

#[test]
fn each_strategy_decides_as_its_row_says() {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    for (strategy, errors, warnings, expected) in [
        (ErrorsAlways, 5, 12, "block Critical: 5 eslint errors (BLOCK_ON_ERRORS_ALWAYS)"),
        (ErrorsAlways, 1, 0, "block Critical: 1 eslint error (BLOCK_ON_ERRORS_ALWAYS)"),
        (ErrorsAlways, 0, 8, "pass Medium: 8 eslint warnings (allowed by policy)"),
        (ErrorsAlways, 0, 0, "none None: no eslint findings"),
        (ErrorsOnly, 5, 12, "block High: 5 eslint errors (BLOCK_ON_ERRORS_ONLY)"),
        (ErrorsOnly, 0, 8, "pass Medium: 8 eslint warnings (allowed by policy)"),
        (ErrorsOnly, 0, 0, "none None: no eslint findings"),
        (ErrorsAndWarnings, 2, 1, "block High: 2 eslint errors and 1 warning (BLOCK_ON_ERRORS_AND_WARNINGS)"),
        (ErrorsAndWarnings, 2, 0, "block High: 2 eslint errors (BLOCK_ON_ERRORS_AND_WARNINGS)"),
        (ErrorsAndWarnings, 0, 1, "block High: 1 eslint warning (BLOCK_ON_ERRORS_AND_WARNINGS)"),
        (ErrorsAndWarnings, 0, 0, "none None: no eslint findings"),
        (WarnOnly, 3, 8, "pass Low: 3 eslint errors and 8 warnings (WARN_ONLY)"),
        (WarnOnly, 0, 8, "pass Low: 8 eslint warnings (WARN_ONLY)"),
        (WarnOnly, 0, 0, "none None: no eslint findings"),
        (Never, 9, 9, "none None: findings are ignored (NEVER)"),
        (Never, 0, 0, "none None: findings are ignored (NEVER)"),
    ] {
        let weighed = weigh(&blocking_on(strategy), Some("eslint"), Category::Linting, &counts(errors, warnings));
        assert_eq!(told(&weighed), expected, "{strategy:?} {errors} {warnings}");
        assert_eq!(weighed.applied.source, PolicySource::Tool);
        assert_eq!(weighed.ignored_entirely, strategy == Never);
        assert_eq!(weighed.applied.blocking, weighed.blocking);
    }
}

#[test]
fn the_default_table_holds_where_nothing_is_configured() {
    for (tool, category, strategy) in [
        (Some("tsc"), Category::TypeChecking, Strategy::ErrorsAlways),
        (Some("gcc"), Category::Compilation, Strategy::ErrorsAlways),
        (Some("eslint"), Category::Linting, Strategy::ErrorsOnly),
        (Some("flake8"), Category::Linting, Strategy::ErrorsOnly),
        (Some("prettier"), Category::Formatting, Strategy::WarnOnly),
        (None, Category::Linting, Strategy::ErrorsOnly),
    ] {
        let applied = weigh(&Policies::default(), tool, category, &counts(1, 1)).applied;
        assert_eq!((applied.strategy, applied.source), (strategy, PolicySource::Default), "{tool:?}");
    }
}

#[test]
fn a_tool_goes_before_its_category_and_that_before_the_default() {
    let mut policies = blocking_on(Strategy::WarnOnly);
    policies.categories.insert(Category::Linting, Strategy::ErrorsAndWarnings);
    let source = |policies: &Policies, tool, category| {
        let applied = weigh(policies, tool, category, &counts(1, 0)).applied;
        (applied.strategy, applied.source)
    };
    assert_eq!(source(&policies, Some("eslint"), Category::Linting), (Strategy::WarnOnly, PolicySource::Tool));
    assert_eq!(
        source(&policies, Some("pylint"), Category::Linting),
        (Strategy::ErrorsAndWarnings, PolicySource::Category)
    );
    assert_eq!(source(&policies, None, Category::Linting), (Strategy::ErrorsAndWarnings, PolicySource::Category));
    // A tool policy without `blockOn` keeps its options and uses the category's strategy.
    policies.tools.insert("oxlint".to_owned(), ToolPolicy { treat_warnings_as_errors: true, ..ToolPolicy::default() });
    let applied = weigh(&policies, Some("oxlint"), Category::Linting, &counts(1, 2)).applied;
    assert_eq!((applied.source, applied.effective_errors, applied.effective_warnings), (PolicySource::Category, 3, 0));
    // The strategy of linters does not apply to formatters.
    assert_eq!(source(&policies, Some("prettier"), Category::Formatting), (Strategy::WarnOnly, PolicySource::Default));
    // Seed 1 calls the type checker `typescript`.
    let typescript = of_tool("typescript", ToolPolicy { block_on: Some(Strategy::WarnOnly), ..ToolPolicy::default() });
    assert_eq!(source(&typescript, Some("tsc"), Category::TypeChecking), (Strategy::WarnOnly, PolicySource::Tool));
}

#[test]
fn a_disabled_tool_is_reported_and_never_blocks() {
    let disabled = |block_on| {
        of_tool("eslint", ToolPolicy { enabled: false, block_on, max_warnings: Some(0), ..ToolPolicy::default() })
    };
    for block_on in [None, Some(Strategy::ErrorsAlways), Some(Strategy::Never)] {
        let weighed = weigh(&disabled(block_on), Some("eslint"), Category::Linting, &counts(5, 5));
        assert_eq!(told(&weighed), "pass Low: 5 eslint errors and 5 warnings (enabled: false)");
        assert_eq!(weighed.applied.source, PolicySource::Disabled);
        assert!(!weighed.ignored_entirely);
    }
}

#[test]
fn one_warning_over_the_limit_blocks_and_the_limit_itself_does_not() {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    let policies = |block_on, max_warnings| {
        of_tool("eslint", ToolPolicy { block_on: Some(block_on), max_warnings, ..ToolPolicy::default() })
    };
    for (strategy, limit, warnings, expected) in [
        (ErrorsOnly, Some(20), 20, "pass Medium: 20 eslint warnings (allowed by policy)"),
        (ErrorsOnly, Some(20), 21, "block High: 21 warnings exceed maxWarnings (20)"),
        (ErrorsOnly, Some(10), 15, "block High: 15 warnings exceed maxWarnings (10)"),
        (ErrorsOnly, Some(0), 1, "block High: 1 warning exceeds maxWarnings (0)"),
        (ErrorsOnly, None, 1_000, "pass Medium: 1000 eslint warnings (allowed by policy)"),
        (ErrorsAlways, Some(20), 21, "block High: 21 warnings exceed maxWarnings (20)"),
        (ErrorsAndWarnings, Some(20), 20, "block High: 20 eslint warnings (BLOCK_ON_ERRORS_AND_WARNINGS)"),
        (WarnOnly, Some(20), 21, "pass Low: 21 eslint warnings (WARN_ONLY)"),
        (Never, Some(20), 21, "none None: findings are ignored (NEVER)"),
    ] {
        let weighed = weigh(&policies(strategy, limit), Some("eslint"), Category::Linting, &counts(0, warnings));
        assert_eq!(told(&weighed), expected);
    }
}

#[test]
fn rules_are_ignored_before_they_are_errors() {
    let policy = ToolPolicy {
        ignored_rules: ["no-console", "both", "", referee_model::limit::OTHER_RULES].map(str::to_owned).to_vec(),
        error_on_rules: ["no-unused-vars", "both"].map(str::to_owned).to_vec(),
        ..ToolPolicy::default()
    };
    let mut found = counted(&[
        ("no-console", 2, 3),
        ("both", 1, 1),
        ("no-unused-vars", 1, 4),
        ("semi", 0, 2),
        ("", 1, 0),
        (referee_model::limit::OTHER_RULES, 1, 0),
    ]);
    // The tool's summary has two errors and a warning more than it listed.
    found.errors += 2;
    found.warnings += 1;
    let weighed = weigh(&of_tool("eslint", policy.clone()), Some("eslint"), Category::Linting, &found);
    let applied = weighed.applied;
    assert_eq!((applied.effective_errors, applied.effective_warnings, applied.ignored), (1 + 4 + 1 + 1 + 2, 2 + 1, 7));

    let only_ignored = counted(&[("no-console", 2, 3)]);
    let weighed = weigh(&of_tool("eslint", policy), Some("eslint"), Category::Linting, &only_ignored);
    assert_eq!(told(&weighed), "none None: no eslint findings count: ignoredRules take 5 away");
    assert!(!weighed.ignored_entirely);
}

#[test]
fn remarks_alone_are_no_findings() {
    assert!(!weigh(&Policies::default(), Some("pylint"), Category::Linting, &counts(0, 0)).findings);
}

#[test]
fn only_validation_roles_have_a_category() {
    for role in [Role::Typecheck, Role::Lint, Role::Format, Role::Compile] {
        assert!(category(role).is_some());
    }
    for role in [Role::Test, Role::Other] {
        assert_eq!(category(role), None);
    }
}

fn any_policy() -> impl Generator<Value = ToolPolicy> {
    let rules = || collection::vec(sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned), 0..3);
    (any::<[bool; 4]>(), option::of(any_strategy()), option::of(0_u64..5), rules(), rules()).prop_map(
        |(flags, block_on, max_warnings, ignored_rules, error_on_rules)| {
            let [enabled, treat_warnings_as_errors, strict_mode, allow_implicit_any] = flags;
            ToolPolicy {
                enabled,
                block_on,
                treat_warnings_as_errors,
                max_warnings,
                ignored_rules,
                error_on_rules,
                strict_mode,
                allow_implicit_any,
            }
        },
    )
}

fn any_strategy() -> impl Generator<Value = Strategy> {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    sample::select(vec![ErrorsAlways, ErrorsOnly, ErrorsAndWarnings, WarnOnly, Never])
}

fn any_counts() -> impl Generator<Value = Counts> {
    let rule = sample::select(vec!["", "a", "b", "c", "TS7006", "TS2531"]);
    collection::vec((rule, 0_u64..4, 0_u64..4), 0..4).prop_map(|rules| counted(&rules))
}

proptest! {
    #[test]
    fn one_finding_more_never_blocks_less(
        policy in any_policy(),
        before in any_counts(),
        rule in sample::select(vec!["", "a", "b", "new"]),
        error in any::<bool>(),
    ) {
        let policies = of_tool("eslint", policy);
        let mut after = before.clone();
        after.add(Some(rule), if error { Level::Error } else { Level::Warning }, false);
        let before = weigh(&policies, Some("eslint"), Category::Linting, &before);
        let after = weigh(&policies, Some("eslint"), Category::Linting, &after);
        prop_assert!(after.blocking >= before.blocking);
        prop_assert!(after.findings >= before.findings);
        prop_assert!(after.severity >= before.severity);
    }

    #[test]
    fn blocking_and_severity_agree(policy in any_policy(), found in any_counts()) {
        let weighed = weigh(&of_tool("eslint", policy), Some("eslint"), Category::Linting, &found);
        prop_assert!(!weighed.blocking || weighed.severity >= Severity::High);
        prop_assert_eq!(weighed.findings, weighed.severity != Severity::None);
        let applied = weighed.applied;
        prop_assert_eq!(applied.effective_errors + applied.effective_warnings + applied.ignored, found.errors + found.warnings);
    }

    #[test]
    fn counts_that_contradict_themselves_never_panic(errors: u64, warnings: u64, of_rule: (u64, u64)) {
        let by_rule = [
            ("a".to_owned(), RuleCounts { errors: of_rule.0, warnings: of_rule.1, infos: u64::MAX }),
            ("b".to_owned(), RuleCounts { errors: u64::MAX, warnings: u64::MAX, infos: 0 }),
        ];
        let found = Counts { errors, warnings, infos: u64::MAX, fixable: 0, by_rule: by_rule.into() };
        prop_assert!(weigh(&Policies::default(), Some("tsc"), Category::TypeChecking, &found).blocking);
    }
}
