//! Tools with findings: exit codes, explanations, and policy.

use super::*;

#[test]
fn validation_tools_are_judged_by_code_and_findings() {
    let lint = "npx eslint .";
    let types = "npx tsc --noEmit";
    for (text, code, reading, expected) in [
        (types, 2, findings("tsc", 1, 0, 0), "VALIDATION_FAILURE validation/findings blocks Critical"),
        (types, 0, findings("tsc", 1, 0, 0), "VALIDATION_FAILURE validation/findings-exit-zero blocks Critical"),
        (types, 0, findings("tsc", 0, 0, 0), "SUCCESS validation/clean passes None"),
        (types, 0, nothing(), "SUCCESS validation/clean passes None"),
        (types, 0, by_content(findings("gcc", 3, 0, 0)), "SUCCESS validation/clean passes None"),
        (types, 1, nothing(), "EXECUTION_ERROR validation/nothing-read blocks High"),
        (types, 127, nothing(), "EXECUTION_ERROR execution/command-not-found blocks High"),
        // No type checker fails because of warnings alone: something else went wrong.
        (types, 1, findings("tsc", 0, 3, 0), "EXECUTION_ERROR validation/nothing-read blocks High"),
        (types, 0, findings("tsc", 0, 3, 0), "VALIDATION_FAILURE validation/findings passes Medium"),
        (lint, 1, findings("eslint", 5, 12, 0), "VALIDATION_FAILURE validation/findings blocks High"),
        (lint, 0, findings("eslint", 0, 8, 0), "VALIDATION_FAILURE validation/findings passes Medium"),
        (lint, 0, findings("eslint", 0, 0, 2), "SUCCESS validation/clean passes None"),
        (types, 1, findings("tsc", 0, 0, 2), "EXECUTION_ERROR validation/nothing-read blocks High"),
        // eslint exits with 2 if it crashed.
        (lint, 2, nothing(), "EXECUTION_ERROR validation/nothing-read blocks High"),
        (lint, 2, findings("eslint", 0, 8, 0), "EXECUTION_ERROR validation/nothing-read blocks High"),
        (lint, 2, findings("eslint", 1, 8, 0), "VALIDATION_FAILURE validation/findings blocks High"),
        (lint, 137, findings("eslint", 0, 8, 0), "EXECUTION_ERROR validation/nothing-read blocks High"),
        (lint, 1, by_content(findings("tsc", 2, 0, 0)), "VALIDATION_FAILURE validation/findings blocks High"),
        (lint, 1, by_content(findings("tsc", 0, 2, 0)), "EXECUTION_ERROR validation/nothing-read blocks High"),
        // Another command of the line may have failed.
        (
            "npx eslint . && ./deploy",
            1,
            findings("eslint", 0, 8, 0),
            "EXECUTION_ERROR validation/nothing-read blocks High",
        ),
        (
            "npx eslint . && ./deploy",
            1,
            findings("eslint", 1, 0, 0),
            "VALIDATION_FAILURE validation/findings blocks High",
        ),
        (
            "npx prettier --check .",
            1,
            findings("prettier", 0, 3, 0),
            "VALIDATION_FAILURE validation/findings passes Low",
        ),
        ("npx prettier --check .", 2, nothing(), "EXECUTION_ERROR validation/nothing-read blocks High"),
        ("gcc a.c", 1, findings("gcc", 2, 1, 0), "VALIDATION_FAILURE validation/findings blocks Critical"),
        ("gcc a.c", 1, findings("gcc", 0, 1, 0), "EXECUTION_ERROR validation/nothing-read blocks High"),
        (
            "npm run lint",
            1,
            by_content(findings("eslint", 2, 0, 0)),
            "VALIDATION_FAILURE validation/findings blocks High",
        ),
        ("npm run lint", 0, by_content(findings("eslint", 2, 0, 0)), "SUCCESS validation/clean passes None"),
    ] {
        assert_eq!(told(&exit(text, code, &reading)), expected, "{text}, exit {code}, {:?}", reading.counts);
    }
}

#[test]
fn a_report_in_a_format_that_many_tools_write_is_that_of_the_one_tool_that_ran() {
    let failing = |failed| {
        let mut report = tests("junit", 1, failed, 0);
        report.tests.as_mut().unwrap().authority = CountAuthority::MachineReport;
        by_content(report)
    };
    let found = |reader| by_content(findings(reader, 2, 0, 0));
    for (text, code, reading, expected) in [
        ("ruff check", 0, found("sarif"), "VALIDATION_FAILURE validation/findings-exit-zero blocks High"),
        ("ruff check", 0, found("github-annotations"), "VALIDATION_FAILURE validation/findings-exit-zero blocks High"),
        ("npx eslint .", 0, found("checkstyle"), "VALIDATION_FAILURE validation/findings-exit-zero blocks High"),
        (
            "npx eslint .",
            0,
            by_content(findings("sarif", 0, 2, 0)),
            "VALIDATION_FAILURE validation/findings passes Medium",
        ),
        (
            "npx eslint .",
            1,
            by_content(findings("sarif", 0, 0, 2)),
            "EXECUTION_ERROR validation/nothing-read blocks High",
        ),
        (
            "npx prettier -c .",
            0,
            found("gitlab-codequality"),
            "VALIDATION_FAILURE validation/findings-exit-zero passes Low",
        ),
        // The failed tests of its report are errors.
        ("ruff check", 0, failing(3), "VALIDATION_FAILURE validation/findings-exit-zero blocks High"),
        ("ruff check", 1, failing(3), "VALIDATION_FAILURE validation/findings blocks High"),
        ("ruff check", 0, failing(0), "SUCCESS validation/clean passes None"),
        // Another command of the line may have printed it, or it is another tool's own format.
        ("npx eslint . || ./report", 0, found("sarif"), "SUCCESS validation/clean passes None"),
        ("npm run lint", 0, found("sarif"), "SUCCESS validation/clean passes None"),
        ("npx eslint .", 0, found("gcc"), "SUCCESS validation/clean passes None"),
    ] {
        assert_eq!(told(&exit(text, code, &reading)), expected, "{text}, exit {code}, {:?}", reading.reader);
    }
}

#[test]
fn findings_in_referee_s_own_files_are_none_of_the_project() {
    let judged = |files: &[&str], code: i32, extra: u64| {
        let mut reading = findings("prettier", 0, files.len() as u64, 0);
        for (found, file) in reading.diagnostics.iter_mut().zip(files) {
            found.file = Some((*file).to_owned());
        }
        reading.counts.warnings += extra;
        let action = line("STEP.1", "npx prettier --check .");
        let mut plan = plan(vec![action.clone()]);
        plan.policies.tools.insert(
            "prettier".to_owned(),
            ToolPolicy { block_on: Some(Strategy::ErrorsAndWarnings), ..ToolPolicy::default() },
        );
        plan.evidence_root = plan.workspace.join("evidence");
        told(&judge(&plan, &action, &exited(&action, code), &reading))
    };
    let ignored = "SUCCESS validation/findings-ignored passes None";
    let found = "VALIDATION_FAILURE validation/findings blocks High";
    for (files, code, extra, expected) in [
        (&["evidence/T001/plan.json", "referee.lock"][..], 1, 0, ignored),
        (&["./evidence/T001/plan.json"], 1, 0, ignored),
        (&["evidence/T001/plan.json", "src/a.js"], 1, 0, found),
        (&["evidence.js"], 1, 0, found),
        (&["evidence/../src/a.js"], 1, 0, found),
        // Findings that were not kept individually may be in any file.
        (&["evidence/T001/plan.json"], 1, 3, found),
        // A code for a tool that did not do its work is not explained by them.
        (&["evidence/T001/plan.json"], 2, 0, "EXECUTION_ERROR validation/nothing-read blocks High"),
    ] {
        assert_eq!(judged(files, code, extra), expected, "{files:?}, exit {code}");
    }
}

#[test]
fn warnings_and_remarks_explain_a_failure_only_of_tools_that_fail_for_them() {
    let lint = "npx eslint .";
    for (text, code, reading, expected) in [
        // eslint fails because of warnings only if they exceed a limit.
        (lint, 1, findings("eslint", 0, 8, 0), "EXECUTION_ERROR validation/nothing-read blocks High"),
        (
            "npx eslint . --max-warnings 0",
            1,
            findings("eslint", 0, 8, 0),
            "VALIDATION_FAILURE validation/exit-not-forgiven blocks High",
        ),
        (
            "npx eslint . --max-warnings=10",
            1,
            findings("eslint", 0, 8, 0),
            "EXECUTION_ERROR validation/nothing-read blocks High",
        ),
        (
            "npx eslint . --max-warnings $MAX",
            1,
            findings("eslint", 0, 8, 0),
            "VALIDATION_FAILURE validation/exit-not-forgiven blocks High",
        ),
        (
            "npx eslint . --max-warnings -1",
            1,
            findings("eslint", 0, 8, 0),
            "EXECUTION_ERROR validation/nothing-read blocks High",
        ),
        ("flake8", 1, findings("flake8", 0, 8, 0), "VALIDATION_FAILURE validation/exit-not-forgiven blocks High"),
        (
            "golangci-lint run",
            1,
            findings("golangci-lint", 0, 8, 0),
            "VALIDATION_FAILURE validation/exit-not-forgiven blocks High",
        ),
        ("cargo clippy", 101, findings("clippy", 0, 8, 0), "EXECUTION_ERROR validation/nothing-read blocks High"),
        (
            "yamllint --strict .",
            2,
            findings("yamllint", 0, 8, 0),
            "VALIDATION_FAILURE validation/exit-not-forgiven blocks High",
        ),
        (lint, 1, findings("eslint", 0, 0, 2), "EXECUTION_ERROR validation/nothing-read blocks High"),
        (
            "shellcheck a.sh",
            1,
            findings("shellcheck", 0, 0, 2),
            "VALIDATION_FAILURE validation/exit-not-forgiven blocks High",
        ),
        (
            "npx prettier --check .",
            1,
            findings("prettier", 0, 0, 2),
            "EXECUTION_ERROR validation/nothing-read blocks High",
        ),
    ] {
        assert_eq!(told(&exit(text, code, &reading)), expected, "{text}, exit {code}, {:?}", reading.counts);
    }
}

#[test]
fn the_exit_code_of_another_command_is_never_forgiven_as_the_linter_s() {
    for line in [
        "npx eslint . --max-warnings 0; exit 1",
        "npx eslint . --max-warnings 0 && cat missing.txt",
        "npx eslint . --max-warnings 0 | tee /nonexistent/x",
        "npx eslint . --max-warnings 0 && npx tsc",
        "timeout 5 npx eslint . --max-warnings 0 && false",
    ] {
        let mut command = command(line);
        command.role = Some(Role::Lint);
        let action = action("STEP.1", Work::Command(command));
        let judgement = judge(&plan(vec![action.clone()]), &action, &exited(&action, 1), &findings("eslint", 0, 2, 0));
        assert_eq!((judgement.rule, judgement.blocking), (Rule::ToolBroken, true), "{line}");
    }
}

fn type_error(code: &str, file: Option<&str>) -> Reading {
    let mut reading = findings("tsc", 1, 0, 0);
    reading.counts.by_rule = [(code.to_owned(), RuleCounts { errors: 1, ..RuleCounts::default() })].into();
    reading.diagnostics[0].code = Some(code.to_owned());
    reading.diagnostics[0].file = file.map(str::to_owned);
    reading
}

#[test]
fn a_compiler_that_could_not_work_is_never_forgiven_by_policy() {
    let policies = |code: &str| {
        [
            ToolPolicy { block_on: Some(Strategy::WarnOnly), ..ToolPolicy::default() },
            ToolPolicy { block_on: Some(Strategy::Never), ..ToolPolicy::default() },
            ToolPolicy { enabled: false, ..ToolPolicy::default() },
            ToolPolicy { ignored_rules: vec![code.to_owned()], ..ToolPolicy::default() },
        ]
    };
    let action = line("STEP.1", "npx tsc");
    let judged = |policy: ToolPolicy, reading: &Reading| {
        let mut plan = plan(vec![action.clone()]);
        plan.policies.tools.insert("tsc".to_owned(), policy);
        judge(&plan, &action, &exited(&action, 2), reading)
    };
    for (code, place, could_work) in [
        ("TS5058", None, false),
        ("TS18003", None, false),
        ("TS5083", None, false),
        ("TS6053", None, false),
        ("TS5023", None, false),
        ("TS5023", Some("tsconfig.json"), false),
        ("TS1136", Some("tsconfig.json"), false),
        ("TS18003", Some("packages/a/TSCONFIG.JSON"), false),
        ("TS2322", None, true),
        ("TS2322", Some("src/a.ts"), true),
        ("TS6133", Some("src/a.ts"), true),
        ("TS18046", Some("src/a.ts"), true),
        ("TS5097", Some("src/a.ts"), true),
    ] {
        let reading = type_error(code, place);
        for policy in policies(code) {
            let judgement = judged(policy, &reading);
            assert_eq!(judgement.blocking, !could_work, "{code} {place:?}");
            assert_eq!(judgement.outcome == Outcome::ExecutionError, !could_work, "{code} {place:?}");
        }
        let judgement = judged(ToolPolicy::default(), &reading);
        assert_eq!((judgement.outcome, judgement.blocking), (Outcome::ValidationFailure, true), "{code}");
        // Findings that were not kept count, too.
        let mut unkept = reading;
        unkept.diagnostics.clear();
        let never = ToolPolicy { block_on: Some(Strategy::Never), ..ToolPolicy::default() };
        assert_eq!(judged(never, &unkept).blocking, code.starts_with("TS5"), "{code}");
    }
}

#[test]
fn linters_of_go_have_not_looked_at_a_package_that_does_not_compile() {
    let never = ToolPolicy { block_on: Some(Strategy::Never), ..ToolPolicy::default() };
    for (text, tool, code, by, rule, could_work) in [
        ("go vet ./...", "govet", 1, "govet", None, true),
        ("go vet ./...", "govet", 2, "govet", None, true),
        ("go vet ./...", "govet", 1, "go-build", None, false),
        ("golangci-lint run", "golangci-lint", 1, "golangci-lint", Some("errcheck"), true),
        ("golangci-lint run", "golangci-lint", 1, "golangci-lint", Some("typecheck"), false),
        ("golangci-lint run", "golangci-lint", 7, "golangci-lint", Some("errcheck"), false),
        ("staticcheck ./...", "staticcheck", 1, "staticcheck", Some("SA4017"), true),
        ("staticcheck ./...", "staticcheck", 1, "staticcheck", Some("compile"), false),
        ("staticcheck ./...", "staticcheck", 1, "staticcheck", Some("config"), false),
        ("staticcheck ./...", "staticcheck", 2, "staticcheck", Some("SA4017"), false),
    ] {
        let mut reading = findings(tool, 1, 0, 0);
        by.clone_into(&mut reading.diagnostics[0].tool);
        reading.counts.by_rule = [(rule.unwrap_or_default().to_owned(), reading.counts.by_rule["rule"])].into();
        let action = line("STEP.1", text);
        let mut plan = plan(vec![action.clone()]);
        let judged = |plan: &Plan| judge(plan, &action, &exited(&action, code), &reading);
        assert!(judged(&plan).blocking, "{text} {code} {rule:?}");
        plan.policies.tools.insert(tool.to_owned(), never.clone());
        assert_eq!(judged(&plan).blocking, !could_work, "{text} {code} {rule:?}");
    }
}

#[test]
fn a_formatter_that_could_not_read_everything_is_never_forgiven() {
    let unformatted = findings("prettier", 0, 2, 0);
    let unparsed = findings("prettier", 1, 2, 0);
    let noted = |mut reading: Reading| {
        reading.notes.push("prettier says: No files matching".to_owned());
        reading
    };
    for (code, reading, rule) in [
        (1, unformatted.clone(), Rule::Findings),
        (2, unformatted.clone(), Rule::ToolBroken),
        (2, noted(unformatted), Rule::ToolBroken),
        (2, unparsed.clone(), Rule::Findings),
        (2, noted(unparsed.clone()), Rule::ToolBroken),
        (3, unparsed, Rule::ToolBroken),
    ] {
        let judgement = exit("npx prettier --check .", code, &reading);
        assert_eq!(
            (judgement.rule, judgement.blocking),
            (rule, rule == Rule::ToolBroken),
            "{code} {:?}",
            reading.notes
        );
    }
}

/// Judges eslint under a policy; it fails because of every warning.
fn eslint(policy: ToolPolicy, code: i32, reading: &Reading) -> Judgement {
    let action = line("STEP.1", "npx eslint . --max-warnings 0");
    let mut plan = plan(vec![action.clone()]);
    plan.policies.tools.insert("eslint".to_owned(), policy);
    judge(&plan, &action, &exited(&action, code), reading)
}

#[test]
fn a_failing_exit_code_is_forgiven_only_by_a_policy_that_names_the_case() {
    let on = |block_on, max_warnings| ToolPolicy { block_on, max_warnings, ..ToolPolicy::default() };
    let warnings = findings("eslint", 0, 8, 0);
    let forgiven = (Rule::Findings, false);
    let not = (Rule::FindingsNotForgiven, true);
    for (policy, expected) in [
        (on(None, None), not),
        (on(Some(Strategy::ErrorsOnly), None), not),
        (on(Some(Strategy::ErrorsAlways), None), not),
        (on(None, Some(8)), forgiven),
        (on(Some(Strategy::ErrorsOnly), Some(8)), forgiven),
        (on(None, Some(7)), (Rule::Findings, true)),
        (on(Some(Strategy::WarnOnly), None), forgiven),
        (on(Some(Strategy::Never), None), (Rule::FindingsIgnored, false)),
        (ToolPolicy { enabled: false, ..ToolPolicy::default() }, forgiven),
        (
            ToolPolicy { ignored_rules: vec!["rule".to_owned()], ..ToolPolicy::default() },
            (Rule::FindingsIgnored, false),
        ),
        (ToolPolicy { ignored_rules: vec!["other".to_owned()], ..ToolPolicy::default() }, not),
    ] {
        let judgement = eslint(policy.clone(), 1, &warnings);
        assert_eq!((judgement.rule, judgement.blocking), expected, "{policy:?}");
        assert_eq!(judgement.policy.map(|applied| applied.blocking), Some(judgement.blocking), "{policy:?}");
    }
    let judgement = eslint(ToolPolicy::default(), 1, &warnings);
    assert_eq!(judgement.reason, "8 warnings, with which eslint exits with 1, and no policy forgives that");
    assert!(judgement.advice.contains("`maxWarnings`"), "{}", judgement.advice);
    let DebtGeneration::Item(DebtSummary { severity, .. }) = judgement.debt else { panic!("it is debt") };
    assert_eq!(severity, Severity::High);
    // A category's strategy is written by a person, too.
    let action = line("STEP.1", "shellcheck a.sh");
    for (strategy, blocking) in [(Strategy::WarnOnly, false), (Strategy::Never, false), (Strategy::ErrorsOnly, true)] {
        let mut plan = plan(vec![action.clone()]);
        plan.policies.categories.insert(Category::Linting, strategy);
        let judgement = judge(&plan, &action, &exited(&action, 1), &findings("shellcheck", 0, 0, 2));
        assert_eq!(judgement.blocking, blocking, "{strategy:?}");
    }
}

#[test]
fn the_scenarios_of_seed_1_come_out_as_written() {
    let on = |block_on, max_warnings| ToolPolicy { block_on: Some(block_on), max_warnings, ..ToolPolicy::default() };
    let severity = |judgement: &Judgement| match &judgement.debt {
        DebtGeneration::Item(DebtSummary { severity, .. }) => Some(*severity),
        DebtGeneration::None { .. } => None,
    };
    let first = eslint(on(Strategy::ErrorsOnly, None), 1, &findings("eslint", 5, 12, 0));
    assert_eq!(told(&first), "VALIDATION_FAILURE validation/findings blocks High");
    assert_eq!(
        (first.reason.as_str(), severity(&first)),
        ("5 eslint errors (BLOCK_ON_ERRORS_ONLY)", Some(Severity::High))
    );

    // Ruling 11: the item takes the severity of the outcome, HIGH, where the scenario says MEDIUM.
    let second = eslint(on(Strategy::ErrorsOnly, Some(10)), 0, &findings("eslint", 0, 15, 0));
    assert_eq!(told(&second), "VALIDATION_FAILURE validation/findings blocks High");
    assert_eq!(
        (second.reason.as_str(), severity(&second)),
        ("15 warnings exceed maxWarnings (10)", Some(Severity::High))
    );

    let third = eslint(on(Strategy::WarnOnly, None), 1, &findings("eslint", 3, 8, 0));
    assert_eq!(told(&third), "VALIDATION_FAILURE validation/findings passes Low");
    assert_eq!(severity(&third), Some(Severity::Low));

    let fourth = exit("npx tsc --noEmit", 2, &findings("tsc", 1, 0, 0));
    assert_eq!(told(&fourth), "VALIDATION_FAILURE validation/findings blocks Critical");
    assert_eq!(severity(&fourth), Some(Severity::Critical));
}

#[test]
fn policy_hides_findings_and_never_a_tool_that_did_not_work() {
    let never = ToolPolicy { block_on: Some(Strategy::Never), ..ToolPolicy::default() };
    let ignoring = ToolPolicy { ignored_rules: vec!["rule".to_owned()], ..ToolPolicy::default() };
    let found = findings("eslint", 5, 1, 0);
    for policy in [never.clone(), ignoring.clone()] {
        assert_eq!(told(&eslint(policy.clone(), 0, &found)), "SUCCESS validation/findings-ignored passes None");
        assert_eq!(told(&eslint(policy.clone(), 1, &found)), "SUCCESS validation/findings-ignored passes None");
        for (code, reading) in
            [(1, nothing()), (2, found.clone()), (137, found.clone()), (1, by_content(found.clone()))]
        {
            let judgement = eslint(policy.clone(), code, &reading);
            assert_eq!((judgement.outcome, judgement.blocking), (Outcome::ExecutionError, true), "{code}");
        }
    }
    // Findings that were not read could be the reason, and naming rules does not ignore them.
    let mut partial = found;
    partial.notes.push("the document is cut off".to_owned());
    assert_eq!(eslint(ignoring, 1, &partial).rule, Rule::ToolBroken);
    assert_eq!(eslint(never, 1, &partial).rule, Rule::FindingsIgnored);
    let disabled = ToolPolicy { enabled: false, ..ToolPolicy::default() };
    assert_eq!(
        told(&eslint(disabled.clone(), 1, &findings("eslint", 5, 0, 0))),
        "VALIDATION_FAILURE validation/findings passes Low"
    );
    assert_eq!(eslint(disabled, 2, &nothing()).outcome, Outcome::ExecutionError);
}

#[test]
fn the_policy_is_reported_where_findings_were_weighed() {
    let judgement = exit("npx eslint .", 1, &findings("eslint", 2, 1, 0));
    let policy = judgement.policy.unwrap();
    assert_eq!(
        (policy.category, policy.source, policy.effective_errors),
        (Category::Linting, PolicySource::Default, 2)
    );
    assert_eq!(exit("npx eslint .", 0, &findings("eslint", 0, 0, 0)).policy, None);
    assert_eq!(exit("npx eslint .", 0, &by_content(findings("tsc", 2, 0, 0))).policy, None);
}

#[test]
fn a_line_of_several_tools_fails_for_what_one_of_them_found() {
    let script = "npx eslint . && node --test";
    let unexplained = "EXECUTION_ERROR command/exit-unexpected blocks High";
    let found = "VALIDATION_FAILURE command/tool-failed blocks High";
    for (text, code, reading, expected) in [
        (script, 1, by_content(findings("eslint", 1, 0, 0)), found),
        ("npm run lint && npm test", 1, by_content(findings("eslint", 1, 0, 0)), found),
        (script, 1, by_content(tests("node-test", 1, 2, 0)), "TEST_FAILURE command/tool-failed blocks High"),
        // Warnings do not make eslint fail, and no other tool of the line has findings.
        (script, 1, by_content(findings("eslint", 0, 3, 0)), unexplained),
        (script, 1, by_content(findings("tsc", 1, 0, 0)), unexplained),
        (script, 1, by_content(tests("jest", 3, 0, 0)), unexplained),
        (script, 1, nothing(), unexplained),
        // eslint exits with 2 if it crashed, a shell with 137 if something was killed.
        (script, 2, by_content(findings("eslint", 1, 0, 0)), unexplained),
        (script, 137, by_content(findings("eslint", 1, 0, 0)), unexplained),
        // At exit 0 the known runner of the line must have printed its summary.
        (script, 0, by_content(findings("eslint", 1, 0, 0)), "EXECUTION_ERROR test/ended-without-summary blocks High"),
        (script, 0, nothing(), "EXECUTION_ERROR test/ended-without-summary blocks High"),
        (script, 0, by_content(tests("jest", 3, 0, 0)), "EXECUTION_ERROR test/ended-without-summary blocks High"),
        (script, 0, by_content(tests("node-test", 3, 0, 0)), "SUCCESS command/exit-expected passes None"),
        (script, 0, by_content(tests("tap", 3, 0, 0)), "SUCCESS command/exit-expected passes None"),
        (script, 0, by_content(tests("node-test", 3, 1, 0)), "TEST_FAILURE test/failed-exit-zero blocks High"),
        (script, 0, by_content(tests("node-test", 0, 0, 0)), "TEST_FAILURE test/none-ran blocks High"),
        ("npx eslint . && npm test", 0, nothing(), "SUCCESS command/exit-expected passes None"),
        ("make && ./run", 0, nothing(), "SUCCESS command/exit-expected passes None"),
    ] {
        assert_eq!(told(&exit(text, code, &reading)), expected, "{text}, exit {code}, {:?}", reading.counts);
    }
}

#[test]
fn findings_explain_a_test_command_that_came_to_no_summary_and_no_policy_excuses_them() {
    let mut action = line("STEP.1", "npx eslint . && node --test");
    let Work::Command(command) = &mut action.work else { panic!("a command") };
    command.role = Some(Role::Test);
    let mut plan = plan(vec![action.clone()]);
    let reading = by_content(findings("eslint", 2, 0, 0));
    let judged = |plan: &Plan, reading: &Reading| judge(plan, &action, &exited(&action, 1), reading);
    assert_eq!(told(&judged(&plan, &reading)), "VALIDATION_FAILURE command/tool-failed blocks High");
    assert_eq!(told(&judged(&plan, &nothing())), "EXECUTION_ERROR test/no-summary blocks High");
    plan.policies.tools.insert(
        "eslint".to_owned(),
        referee_model::plan::ToolPolicy { block_on: Some(referee_model::plan::Strategy::Never), ..Default::default() },
    );
    assert_eq!(told(&judged(&plan, &reading)), "VALIDATION_FAILURE command/tool-failed blocks High");
    let summed_up = tests("node-test", 4, 1, 0);
    assert_eq!(judged(&plan, &summed_up).outcome, Outcome::TestFailure);
}

#[test]
fn the_shell_s_complaint_of_a_missing_linter_is_no_finding_of_it() {
    let said = "bash: line 1: golangci-lint: command not found";
    let reading = |messages: &[&str]| {
        let mut reading = findings("golangci-lint", messages.len() as u64, 0, 0);
        reading.excerpts = words(said).excerpts;
        for (diagnostic, message) in reading.diagnostics.iter_mut().zip(messages) {
            diagnostic.message = (*message).to_owned();
        }
        reading
    };
    let missing = exit("golangci-lint run", 127, &reading(&["golangci-lint: command not found"]));
    assert_eq!(missing.rule, Rule::CommandNotFound, "{}", missing.reason);
    for (code, messages) in
        [(127, &["golangci-lint: command not found", "unused variable x"][..]), (1, &["x: command not found"])]
    {
        assert_eq!(exit("golangci-lint run", code, &reading(messages)).rule, Rule::Findings, "{code} {messages:?}");
    }
}
