//! Every option of a policy: its effect on the counts, and when it decides.

use referee_model::limit;

use super::*;

fn options() -> ToolPolicy {
    ToolPolicy::default()
}

fn rules(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Returns the effect of one policy of a tool on findings, with the option that decided.
fn decided(tool: &str, category: Category, policy: ToolPolicy, found: &Counts) -> String {
    let weighed = weigh(&of_tool(tool, policy), Some(tool), category, found);
    format!("{} [{}]", told(&weighed), weighed.applied.decided_by.as_str())
}

fn eslint(policy: ToolPolicy, found: &Counts) -> String {
    decided("eslint", Category::Linting, policy, found)
}

fn tsc(policy: ToolPolicy, found: &Counts) -> String {
    decided("tsc", Category::TypeChecking, policy, found)
}

#[test]
fn the_limit_of_warnings_holds_under_the_strategies_that_block_on_errors() {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    for (strategy, limit, warnings, expected) in [
        (ErrorsOnly, None, 21, "pass Medium [blockOn]"),
        (ErrorsOnly, Some(0), 0, "none None [blockOn]"),
        (ErrorsOnly, Some(0), 1, "block High [maxWarnings]"),
        (ErrorsOnly, Some(20), 20, "pass Medium [blockOn]"),
        (ErrorsOnly, Some(20), 21, "block High [maxWarnings]"),
        (ErrorsAlways, Some(20), 20, "pass Medium [blockOn]"),
        (ErrorsAlways, Some(20), 21, "block High [maxWarnings]"),
        (ErrorsAndWarnings, Some(20), 21, "block High [blockOn]"),
        (WarnOnly, Some(0), 21, "pass Low [blockOn]"),
        (Never, Some(0), 21, "none None [blockOn]"),
    ] {
        let policy = ToolPolicy { block_on: Some(strategy), max_warnings: limit, ..options() };
        for (tool, category) in [
            ("eslint", Category::Linting),
            ("tsc", Category::TypeChecking),
            ("gcc", Category::Compilation),
            ("prettier", Category::Formatting),
        ] {
            let weighed = weigh(&of_tool(tool, policy.clone()), Some(tool), category, &counts(0, warnings));
            let short = told(&weighed).split(':').next().unwrap_or_default().to_owned();
            let told = format!("{short} [{}]", weighed.applied.decided_by.as_str());
            assert_eq!(told, expected, "{tool} {strategy:?} {limit:?} {warnings}");
        }
    }
}

#[test]
fn critical_severities_make_errors_of_what_is_left_whatever_the_tool() {
    let critical = |warnings, infos| CriticalSeverities { warnings, infos };
    let ignoring = || of_tool("eslint", ToolPolicy { ignored_rules: vec!["a".to_owned()], ..ToolPolicy::default() });
    // Three remarks, and warnings of two rules.
    let found = counted(&[("a", 0, 4), ("b", 0, 2)]);
    for (policies, critical, expected) in [
        (Policies::default(), critical(false, false), "pass Medium: 6 eslint warnings (allowed by policy)"),
        (
            Policies::default(),
            critical(true, false),
            "block High: 6 eslint errors (BLOCK_ON_ERRORS_ONLY); criticalSeverities make errors of 6 findings",
        ),
        (
            Policies::default(),
            critical(false, true),
            "block High: 3 eslint errors (BLOCK_ON_ERRORS_ONLY); criticalSeverities make errors of 3 findings",
        ),
        (
            ignoring(),
            critical(true, false),
            "block High: 2 eslint errors (BLOCK_ON_ERRORS_ONLY); criticalSeverities make errors of 2 findings; \
             ignoredRules take 4 away",
        ),
        (
            blocking_on(Strategy::WarnOnly),
            critical(true, true),
            "pass Low: 9 eslint errors (WARN_ONLY); criticalSeverities make errors of 9 findings",
        ),
    ] {
        let weighed = weigh(&Policies { critical, ..policies }, Some("eslint"), Category::Linting, &found);
        assert_eq!(told(&weighed), expected);
        if weighed.blocking {
            assert_eq!(weighed.applied.decided_by, PolicyOption::CriticalSeverities);
        }
    }
}

#[test]
fn warnings_that_count_as_errors_are_none_that_a_limit_could_count() {
    use Strategy::{ErrorsAlways, ErrorsAndWarnings, ErrorsOnly, Never, WarnOnly};
    let strict = |strategy, limit| ToolPolicy {
        block_on: Some(strategy),
        treat_warnings_as_errors: true,
        max_warnings: limit,
        ..options()
    };
    for (strategy, expected) in [
        (
            ErrorsAlways,
            "block Critical: 3 eslint errors (BLOCK_ON_ERRORS_ALWAYS); treatWarningsAsErrors makes errors of 2 warnings [blockOn]",
        ),
        (
            ErrorsOnly,
            "block High: 3 eslint errors (BLOCK_ON_ERRORS_ONLY); treatWarningsAsErrors makes errors of 2 warnings [blockOn]",
        ),
        (
            ErrorsAndWarnings,
            "block High: 3 eslint errors (BLOCK_ON_ERRORS_AND_WARNINGS); treatWarningsAsErrors makes errors of 2 warnings [blockOn]",
        ),
        (WarnOnly, "pass Low: 3 eslint errors (WARN_ONLY); treatWarningsAsErrors makes errors of 2 warnings [blockOn]"),
        (Never, "none None: findings are ignored (NEVER) [blockOn]"),
    ] {
        assert_eq!(eslint(strict(strategy, Some(0)), &counts(1, 2)), expected, "{strategy:?}");
    }
    // Without an error of its own the option blocks; the limit, which is no longer exceeded, does not.
    assert_eq!(
        eslint(strict(ErrorsOnly, Some(20)), &counts(0, 21)),
        "block High: 21 eslint errors (BLOCK_ON_ERRORS_ONLY); treatWarningsAsErrors makes errors of 21 warnings \
         [treatWarningsAsErrors]"
    );
    assert_eq!(eslint(strict(ErrorsOnly, None), &counts(0, 0)), "none None: no eslint findings [blockOn]");
}

#[test]
fn rules_whose_warnings_are_errors_are_named_one_by_one() {
    let promoting = |names: &[&str]| ToolPolicy { error_on_rules: rules(names), ..options() };
    let found = counted(&[("no-unused-vars", 0, 2), ("semi", 0, 1)]);
    for (names, expected) in [
        (
            &["no-unused-vars"][..],
            "block High: 2 eslint errors (BLOCK_ON_ERRORS_ONLY); errorOnRules make errors of 2 warnings [errorOnRules]",
        ),
        (
            &["semi"],
            "block High: 1 eslint error (BLOCK_ON_ERRORS_ONLY); errorOnRules make an error of 1 warning [errorOnRules]",
        ),
        // The first rule does not occur, and the second is the rule of a plugin.
        (
            &["no-unused-var", "@typescript-eslint/no-unused-vars", "", limit::OTHER_RULES],
            "pass Medium: 3 eslint warnings (allowed by policy) [default]",
        ),
        (
            &["No-Unused-VARS"],
            "block High: 2 eslint errors (BLOCK_ON_ERRORS_ONLY); errorOnRules make errors of 2 warnings [errorOnRules]",
        ),
    ] {
        assert_eq!(eslint(promoting(names), &found), expected, "{names:?}");
    }
    // Remarks stay remarks.
    let mut remarks = Counts::default();
    remarks.add(Some("no-unused-vars"), Level::Info, false);
    assert_eq!(eslint(promoting(&["no-unused-vars"]), &remarks), "none None: no eslint findings [default]");
}

#[test]
fn ignored_rules_take_errors_and_warnings_away_and_go_before_everything() {
    let ignoring = |names: &[&str]| ToolPolicy {
        block_on: Some(Strategy::ErrorsAndWarnings),
        treat_warnings_as_errors: true,
        max_warnings: Some(0),
        error_on_rules: rules(&["no-console"]),
        ignored_rules: rules(names),
        ..options()
    };
    let found = counted(&[("no-console", 1, 2), ("@scope/no-console", 1, 0), ("", 1, 0)]);
    for (names, expected) in [
        (
            &["no-console"][..],
            "block High: 2 eslint errors (BLOCK_ON_ERRORS_AND_WARNINGS); ignoredRules take 3 away [blockOn]",
        ),
        (
            &["@scope/no-console", "NO-CONSOLE"],
            "block High: 1 eslint error (BLOCK_ON_ERRORS_AND_WARNINGS); ignoredRules take 4 away [blockOn]",
        ),
        // Findings without a rule, and rules that no list can name, are never ignored.
        (
            &["", limit::OTHER_RULES, "*", "no-*"],
            "block High: 5 eslint errors (BLOCK_ON_ERRORS_AND_WARNINGS); errorOnRules make errors of 2 warnings [blockOn]",
        ),
    ] {
        assert_eq!(eslint(ignoring(names), &found), expected, "{names:?}");
    }
    let only = counted(&[("no-console", 1, 2)]);
    assert_eq!(
        eslint(ignoring(&["no-console"]), &only),
        "none None: no eslint findings count: ignoredRules take 3 away [ignoredRules]"
    );
}

#[test]
fn findings_beyond_the_rules_that_are_counted_apart_cannot_be_named() {
    let mut found = Counts::default();
    for rule in 0..=limit::RULES_COUNTED {
        found.add(Some(&format!("rule-{rule}")), Level::Warning, false);
    }
    let last = format!("rule-{}", limit::RULES_COUNTED);
    let policy = ToolPolicy {
        ignored_rules: rules(&["rule-0", &last, limit::OTHER_RULES]),
        error_on_rules: rules(&[&last]),
        max_warnings: Some(0),
        ..options()
    };
    let weighed = weigh(&of_tool("eslint", policy), Some("eslint"), Category::Linting, &found);
    assert_eq!((weighed.applied.ignored, weighed.applied.effective_warnings), (1, limit::RULES_COUNTED as u64));
    assert!(weighed.blocking);
}

#[test]
fn an_implicit_any_that_is_allowed_and_what_only_strictness_raises_do_not_count() {
    let allowing = ToolPolicy { allow_implicit_any: true, ..options() };
    let loose = ToolPolicy { strict_mode: false, ..options() };
    let both = ToolPolicy { allow_implicit_any: true, strict_mode: false, ..options() };
    let implicit = counted(&[("TS7006", 3, 0), ("TS7053", 1, 0)]);
    let nullable = counted(&[("TS7006", 1, 0), ("TS18048", 2, 0), ("TS2564", 1, 0)]);
    let real = counted(&[("TS7006", 1, 0), ("TS2531", 1, 0), ("TS2345", 2, 0)]);
    for (policy, found, expected) in [
        (options(), &implicit, "block Critical: 4 tsc errors (BLOCK_ON_ERRORS_ALWAYS) [default]"),
        (
            allowing.clone(),
            &implicit,
            "none None: no tsc findings count: allowImplicitAny takes 4 away [allowImplicitAny]",
        ),
        (loose.clone(), &implicit, "none None: no tsc findings count: strictMode: false takes 4 away [strictMode]"),
        (both.clone(), &implicit, "none None: no tsc findings count: allowImplicitAny takes 4 away [allowImplicitAny]"),
        (
            allowing.clone(),
            &nullable,
            "block Critical: 3 tsc errors (BLOCK_ON_ERRORS_ALWAYS); allowImplicitAny takes 1 away [default]",
        ),
        (loose.clone(), &nullable, "none None: no tsc findings count: strictMode: false takes 4 away [strictMode]"),
        (
            both.clone(),
            &nullable,
            "none None: no tsc findings count: allowImplicitAny takes 1 away, strictMode: false 3 [strictMode]",
        ),
        (
            both.clone(),
            &real,
            "block Critical: 2 tsc errors (BLOCK_ON_ERRORS_ALWAYS); allowImplicitAny takes 1 away, strictMode: false 1 \
             [default]",
        ),
        // Syntax errors, and findings without code, always count.
        (both.clone(), &counted(&[("TS1005", 1, 0)]), "block Critical: 1 tsc error (BLOCK_ON_ERRORS_ALWAYS) [default]"),
        (both.clone(), &counted(&[("", 1, 0)]), "block Critical: 1 tsc error (BLOCK_ON_ERRORS_ALWAYS) [default]"),
        (
            both,
            &counted(&[(limit::OTHER_RULES, 1, 0)]),
            "block Critical: 1 tsc error (BLOCK_ON_ERRORS_ALWAYS) [default]",
        ),
    ] {
        assert_eq!(tsc(policy, found), expected);
    }
    // The summary has one error more than was listed: it counts, whatever it is.
    let mut unlisted = implicit.clone();
    unlisted.errors += 1;
    assert_eq!(
        tsc(allowing, &unlisted),
        "block Critical: 1 tsc error (BLOCK_ON_ERRORS_ALWAYS); allowImplicitAny takes 4 away [default]"
    );
    assert!(tsc(ToolPolicy { enabled: false, ..loose }, &real).starts_with("pass Low: 2 tsc errors (enabled: false)"));
}

#[test]
fn strictness_is_that_of_the_tool_and_combines_with_what_blocks_and_what_is_ignored() {
    use Strategy::{ErrorsAlways, ErrorsOnly, Never, WarnOnly};
    let found = counted(&[("no-untyped-def", 2, 0), ("unused-ignore", 1, 0), ("arg-type", 1, 0), ("misc", 1, 0)]);
    let loose = |block_on, ignored: &[&str]| ToolPolicy {
        block_on: Some(block_on),
        strict_mode: false,
        ignored_rules: rules(ignored),
        ..options()
    };
    for (block_on, ignored, expected) in [
        (
            ErrorsAlways,
            &[][..],
            "block Critical: 2 mypy errors (BLOCK_ON_ERRORS_ALWAYS); strictMode: false takes 3 away [blockOn]",
        ),
        (
            ErrorsOnly,
            &["misc"],
            "block High: 1 mypy error (BLOCK_ON_ERRORS_ONLY); ignoredRules take 1 away, strictMode: false 3 [blockOn]",
        ),
        // A finding affected by two options is removed by the first, and counted once.
        (
            ErrorsOnly,
            &["misc", "arg-type", "unused-ignore"],
            "none None: no mypy findings count: ignoredRules take 3 away, strictMode: false 2 [strictMode]",
        ),
        (WarnOnly, &[], "pass Low: 2 mypy errors (WARN_ONLY); strictMode: false takes 3 away [blockOn]"),
        (Never, &[], "none None: findings are ignored (NEVER) [blockOn]"),
    ] {
        assert_eq!(decided("mypy", Category::TypeChecking, loose(block_on, ignored), &found), expected);
    }
    let pyright = counted(&[("reportUnknownMemberType", 4, 0), ("reportUnusedImport", 0, 1)]);
    let allowing = ToolPolicy { allow_implicit_any: true, ..options() };
    assert_eq!(
        decided("pyright", Category::TypeChecking, allowing.clone(), &pyright),
        "pass Medium: 1 pyright warning (allowed by policy); allowImplicitAny takes 4 away [allowImplicitAny]"
    );
    // The codes of one tool do not apply to another.
    for tool in ["eslint", "flow", "rustc", "pyright"] {
        let both = ToolPolicy { strict_mode: false, ..allowing.clone() };
        let found = counted(&[("TS7006", 1, 0), ("no-untyped-def", 1, 0)]);
        let weighed = weigh(&of_tool(tool, both), Some(tool), Category::TypeChecking, &found);
        assert_eq!(weighed.applied.effective_errors, 2, "{tool}");
    }
}

#[test]
fn a_policy_is_found_under_every_name_of_its_tool() {
    let named = |name: &str, tool: &str, category| {
        let policies = of_tool(name, ToolPolicy { block_on: Some(Strategy::Never), ..options() });
        weigh(&policies, Some(tool), category, &counts(1, 0)).applied.source == PolicySource::Tool
    };
    for (name, tool, category) in [
        ("tsc", "tsc", Category::TypeChecking),
        ("typescript", "tsc", Category::TypeChecking),
        ("vue-tsc", "tsc", Category::TypeChecking),
        ("tsgo", "tsc", Category::TypeChecking),
        ("basedpyright", "pyright", Category::TypeChecking),
        ("pycodestyle", "flake8", Category::Linting),
        ("cc", "gcc", Category::Compilation),
        ("prettier", "prettier", Category::Formatting),
    ] {
        assert!(named(name, tool, category), "{name}");
    }
    for (name, tool, category) in [
        ("eslint", "oxlint", Category::Linting),
        ("cargo", "clippy", Category::Linting),
        ("next", "eslint", Category::Linting),
    ] {
        assert!(!named(name, tool, category), "{name}");
    }
    // The canonical name takes precedence over the others.
    let mut both = of_tool("cc", ToolPolicy { block_on: Some(Strategy::Never), ..options() });
    both.tools.insert("gcc".to_owned(), ToolPolicy { block_on: Some(Strategy::WarnOnly), ..options() });
    assert_eq!(weigh(&both, Some("gcc"), Category::Compilation, &counts(1, 0)).applied.strategy, Strategy::WarnOnly);
    assert_eq!(weigh(&both, None, Category::Compilation, &counts(1, 0)).applied.source, PolicySource::Default);
}

#[test]
fn what_decided_is_the_last_option_without_which_it_would_have_come_out_otherwise() {
    let found = counted(&[("a", 0, 2)]);
    let policy = |block_on, errors: &[&str], all, limit| ToolPolicy {
        block_on: Some(block_on),
        error_on_rules: rules(errors),
        treat_warnings_as_errors: all,
        max_warnings: limit,
        ..options()
    };
    for (policy, expected) in [
        (policy(Strategy::ErrorsOnly, &[], false, None), PolicyOption::BlockOn),
        (policy(Strategy::ErrorsOnly, &[], false, Some(1)), PolicyOption::MaxWarnings),
        (policy(Strategy::ErrorsOnly, &[], true, Some(1)), PolicyOption::TreatWarningsAsErrors),
        // Both turn the same warnings into errors; `errorOnRules` is applied first.
        (policy(Strategy::ErrorsOnly, &["a"], true, Some(1)), PolicyOption::ErrorOnRules),
        (policy(Strategy::ErrorsOnly, &["a"], false, None), PolicyOption::ErrorOnRules),
        // The warnings block as warnings.
        (policy(Strategy::ErrorsAndWarnings, &["a"], true, Some(1)), PolicyOption::BlockOn),
        (policy(Strategy::WarnOnly, &["a"], true, Some(1)), PolicyOption::BlockOn),
    ] {
        let applied = weigh(&of_tool("eslint", policy.clone()), Some("eslint"), Category::Linting, &found).applied;
        assert_eq!(applied.decided_by, expected, "{policy:?}");
    }
    let mut policies = Policies::default();
    let decided = |policies: &Policies| weigh(policies, Some("eslint"), Category::Linting, &found).applied.decided_by;
    assert_eq!(decided(&policies), PolicyOption::Default);
    policies.categories.insert(Category::Linting, Strategy::WarnOnly);
    assert_eq!(decided(&policies), PolicyOption::Strategy);
    policies.tools.insert("eslint".to_owned(), ToolPolicy { enabled: false, max_warnings: Some(0), ..options() });
    assert_eq!(decided(&policies), PolicyOption::Enabled);
}

proptest! {
    #[test]
    fn each_step_accounts_for_what_it_took_or_promoted(policy in any_policy(), found in any_counts()) {
        let applied = weigh(&of_tool("tsc", policy), Some("tsc"), Category::TypeChecking, &found).applied;
        let mut left = applied.read;
        prop_assert_eq!((left.errors, left.warnings), (found.errors, found.warnings));
        let mut taken = 0;
        for step in &applied.steps {
            let (before, after) = (left.errors + left.warnings, step.left.errors + step.left.warnings);
            match step.option {
                PolicyOption::ErrorOnRules | PolicyOption::TreatWarningsAsErrors => {
                    prop_assert_eq!(before, after);
                    prop_assert_eq!(step.left.errors - left.errors, step.findings);
                }
                _ => {
                    prop_assert_eq!(before - after, step.findings);
                    taken += step.findings;
                }
            }
            left = step.left;
        }
        prop_assert_eq!((left.errors, left.warnings), (applied.effective_errors, applied.effective_warnings));
        prop_assert_eq!(taken, applied.ignored);
    }

    #[test]
    fn numbers_that_cannot_be_never_hide_what_no_option_names(ignored: u64, errors in 1_u64..5) {
        let of_rule = |errors| RuleCounts { errors, warnings: 0, infos: 0 };
        let by_rule = [("a".to_owned(), of_rule(u64::MAX)), ("b".to_owned(), of_rule(ignored)), ("c".to_owned(), of_rule(errors))];
        let found = Counts { errors, warnings: 0, infos: 0, fixable: 0, by_rule: by_rule.into() };
        let policy = ToolPolicy { ignored_rules: rules(&["a", "b"]), ..options() };
        let weighed = weigh(&of_tool("eslint", policy), Some("eslint"), Category::Linting, &found);
        prop_assert!(weighed.blocking);
        prop_assert_eq!(weighed.applied.effective_errors, errors);
    }
}
