//! Tools that report that they did not do their work: no policy and no expectation lets them pass.

use referee_model::plan::Expectation;
use referee_model::reading::Diagnostic;

use super::*;

/// Returns errors read by a tool's own reader: file and line if given, and the message.
fn errors(tool: &str, found: &[(Option<&str>, Option<u32>, &str)]) -> Reading {
    let mut reading = findings(tool, u64::try_from(found.len()).unwrap(), 0, 0);
    let shape: Diagnostic = reading.diagnostics[0].clone();
    reading.diagnostics = found
        .iter()
        .map(|(file, line, message)| Diagnostic {
            file: file.map(str::to_owned),
            line: *line,
            code: None,
            message: (*message).to_owned(),
            ..shape.clone()
        })
        .collect();
    reading
}

/// Returns a reading whose standard error ends with this text.
fn ending(mut reading: Reading, text: &str) -> Reading {
    reading.excerpts.stderr.head = text.to_owned();
    reading.excerpts.stderr.bytes = text.len() as u64;
    reading
}

const NODE: &str = "/w/node_modules/typescript/lib/_tsc.js:118500\n      throw e;\n      ^\n\nError: Debug Failure. False \
                    expression.\n    at bind (/w/_tsc.js:1:2)\n    at main (/w/_tsc.js:3:4) {\n  code: 'X'\n}\n\nNode.js v22.11.0\n";
const PYTHON: &str = "note\nTraceback (most recent call last):\n  File \"check.py\", line 3, in <module>\n    main()\n    \
                      ^^^^\nKeyError: 'types'\n";

fn judged(text: &str, role: Option<Role>, code: i32, reading: &Reading, expect: Option<Outcome>) -> Vec<Judgement> {
    let strategies = [None, Some(Strategy::WarnOnly), Some(Strategy::Never)];
    let mut command = command(text);
    command.role = role;
    let mut action = action("STEP.1", Work::Command(command));
    action.expect = expect.map(|outcome| Expectation { outcome: Some(outcome), ..Expectation::default() });
    let judge_under = |strategy: Option<Strategy>| {
        let mut plan = plan(vec![action.clone()]);
        for category in [Category::TypeChecking, Category::Compilation, Category::Linting] {
            plan.policies.categories.extend(strategy.map(|strategy| (category, strategy)));
        }
        judge(&plan, &action, &exited(&action, code), reading)
    };
    strategies.into_iter().map(judge_under).collect()
}

#[test]
fn what_did_not_work_blocks_under_every_policy_and_is_not_mended_in_the_code() {
    let (py, ts) = (Some("x.py"), Some("src/a.ts"));
    let crash = "INTERNAL ERROR -- Please try using mypy master on GitHub:";
    let npm = format!("{NODE}npm error Lifecycle script `types` failed with error:\n");
    for (text, role, code, reading, said) in [
        ("mypy .", None, 2, errors("mypy", &[(Some("x.pyi"), Some(9), crash)]), "x.pyi: INTERNAL ERROR"),
        ("mypy .", None, 2, errors("mypy", &[(py, Some(1), "Name \"y\""), (py, None, crash)]), "x.py: INTERNAL ERROR"),
        ("mypy nosuch.py", None, 2, errors("mypy", &[(Some("mypy"), None, "Cannot read file")]), "Cannot read file"),
        ("mypy .", None, 2, errors("mypy", &[(Some("mypy.ini"), Some(2), "Error importing plugin")]), "plugin"),
        ("gcc a.c", None, 1, errors("gcc", &[(Some("a.c"), Some(3), "internal compiler error: Seg")]), "a.c: internal"),
        ("gcc nope.c", None, 1, errors("gcc", &[(None, None, "nope.c: No such file or directory")]), "nope.c"),
        ("cargo build", None, 101, errors("rustc", &[(None, None, "internal compiler error: unexpected")]), "internal"),
        ("rustc a.rs", None, 101, errors("rustc", &[(None, None, "the compiler unexpectedly panicked.")]), "panicked"),
        ("npx tsc", None, 1, ending(errors("tsc", &[(ts, Some(1), "Type")]), NODE), "Debug Failure"),
        ("npm run types", Some(Role::Typecheck), 1, ending(nothing(), &npm), "Debug Failure"),
        ("node build.js", Some(Role::Compile), 1, ending(nothing(), NODE), "Debug Failure"),
        (
            "./types",
            Some(Role::Typecheck),
            1,
            ending(by_content(errors("python", &[(py, Some(3), "x")])), PYTHON),
            "KeyError",
        ),
        ("flake8", None, 1, ending(errors("flake8", &[(py, Some(1), "E501")]), PYTHON), "KeyError"),
        (
            "javac A.java",
            None,
            4,
            ending(nothing(), "An exception has occurred in the compiler (21). Please\n"),
            "An exception",
        ),
        ("javac Nope.java", None, 2, errors("javac", &[(None, None, "file not found: Nope.java")]), "file not found"),
    ] {
        let expected =
            [None, Some(Outcome::ValidationFailure), Some(Outcome::ExecutionError), Some(Outcome::TestFailure)];
        for expect in expected {
            for judgement in judged(text, role, code, &reading, expect) {
                assert_eq!(
                    told(&judgement),
                    "EXECUTION_ERROR validation/nothing-read blocks High",
                    "{text} {expect:?}"
                );
                assert_eq!(judgement.remedy, Some(AgentAction::FixPrerequisite), "{text}");
                assert!(judgement.reason.contains(said), "{text}: {}", judgement.reason);
            }
        }
    }
}

#[test]
fn honest_findings_stay_what_policy_makes_of_them() {
    let (py, c) = (Some("x.py"), Some("a.c"));
    let syntax = "Traceback (most recent call last):\n  File \"ast.py\", line 3\nSyntaxError: invalid syntax\n";
    let handled = format!("{PYTHON}went on without types\n");
    for (text, code, reading) in [
        ("mypy .", 2, errors("mypy", &[(py, Some(4), "invalid syntax")])),
        ("mypy .", 1, errors("mypy", &[(py, Some(4), "Incompatible types")])),
        ("mypy .", 1, errors("mypy", &[(py, Some(4), "Argument \"INTERNAL ERROR --\"")])),
        ("gcc a.c", 1, errors("gcc", &[(c, Some(4), "#error internal compiler error")])),
        ("gcc a.c", 1, errors("gcc", &[(c, Some(4), "x.h: No such file or directory"), (None, None, "-Wx")])),
        ("javac A.java", 1, errors("javac", &[(Some("A.java"), Some(1), "incompatible types")])),
        ("npx tsc", 2, ending(errors("tsc", &[(Some("a.ts"), Some(1), "Type")]), "using Node.js v22.11.0 here\n")),
        ("mypy .", 1, ending(errors("mypy", &[(py, Some(4), "x")]), syntax)),
        ("mypy .", 1, ending(errors("mypy", &[(py, Some(4), "x")]), &handled)),
    ] {
        let came: Vec<String> = judged(text, None, code, &reading, None).iter().map(told).collect();
        assert!(came[0].starts_with("VALIDATION_FAILURE validation/findings blocks"), "{text}: {came:?}");
        assert_eq!(came[1], "VALIDATION_FAILURE validation/findings passes Low", "{text}");
        assert_eq!(came[2], "SUCCESS validation/findings-ignored passes None", "{text}");
        let expected = judged(text, None, code, &reading, Some(Outcome::ValidationFailure));
        assert_eq!(told(&expected[0]), "VALIDATION_FAILURE expect/failed-as-expected passes Low", "{text}");
    }
}

#[test]
fn a_tool_that_was_asked_for_what_it_cannot_do_is_never_the_failure_that_is_expected() {
    let mut option = errors("tsc", &[(None, None, "Unknown compiler option '--nosuchopt'.")]);
    option.diagnostics[0].code = Some("TS5023".to_owned());
    let mut both = errors("tsc", &[(None, None, "Unknown"), (Some("a.ts"), Some(1), "Type")]);
    both.diagnostics[0].code = Some("TS5023".to_owned());
    for (text, code, reading) in [
        ("npx tsc --nosuchopt", 1, option),
        ("npx tsc", 2, both),
        ("npx eslint .", 2, errors("eslint", &[(Some("a.js"), Some(1), "no")])),
    ] {
        let judgement = &judged(text, None, code, &reading, Some(Outcome::ValidationFailure))[0];
        assert!(judgement.blocking && !judgement.expected, "{text}");
        assert_eq!((judgement.outcome, judgement.rule), (Outcome::ValidationFailure, Rule::Findings), "{text}");
    }
}

#[test]
fn the_tool_that_is_missing_is_named_and_not_the_npx_that_was_to_run_it() {
    let action = line("STEP.1", "npx tsc --noEmit");
    let message = "`tsc` is not installed in node_modules/.bin; npx would download it. Run npm ci first".to_owned();
    let mut record = ended(&action, Ending::CouldNotStart { cause: StartFailure::NotFound, message });
    if let Facts::Command(facts) = &mut record.facts {
        facts.argv = vec!["npx".to_owned(), "tsc".to_owned(), "--noEmit".to_owned()];
    }
    let judgement = judge(&plan(vec![action.clone()]), &action, &record, &nothing());
    assert_eq!(judgement.advice, "Install `tsc`, or correct its name");
    assert!(judgement.reason.starts_with("`tsc` could not be started: "), "{}", judgement.reason);
    assert_eq!(judgement.remedy, Some(AgentAction::InstallTool));
}

#[test]
fn the_title_of_an_item_of_debt_counts_the_files_of_what_it_counts() {
    let mut reading = errors(
        "eslint",
        &[
            (Some("a.js"), Some(1), "x"),
            (Some("a.js"), Some(2), "x"),
            (Some("b.js"), Some(1), "x"),
            (Some("c.js"), Some(1), "x"),
        ],
    );
    reading.diagnostics[3].level = Level::Warning;
    let mut counts = referee_model::reading::Counts::default();
    for found in &reading.diagnostics {
        counts.add(None, found.level, false);
    }
    reading.counts = counts;
    let title = |code, reading: &Reading| match exit("npx eslint .", code, reading).debt {
        DebtGeneration::Item(DebtSummary { title, .. }) => title,
        DebtGeneration::None { reason } => reason,
    };
    assert_eq!(title(1, &reading), "ESLint Errors: 3 errors across 2 files");
    // Not every error was kept.
    reading.counts.add(None, Level::Error, false);
    assert_eq!(title(1, &reading), "ESLint Errors: 4 errors");
}
