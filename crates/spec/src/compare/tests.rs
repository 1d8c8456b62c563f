use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use referee_model::id::Digest;
use std::num::NonZeroU32;

use referee_model::plan::guard::{Answer, Limits, ProbeAnswer, ProbeSchedule, ProtectRule, Setup};
use referee_model::plan::{Guard, Plan};
use referee_model::run_context::protection::Mode;

use super::*;
use crate::plan::{Options, load_text};

/// Loads a text in the short form; one check is appended.
fn suite(text: &str) -> Suite {
    let text = if text.contains("checks:") { text.to_owned() } else { format!("{text}\nchecks: {{ unit: npx jest }}") };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("referee.yaml");
    load_text(&file, text.as_bytes(), &Options::default()).unwrap_or_else(|error| panic!("{text}\n{error:?}")).suite
}

/// Returns the kinds of weakenings, with their subjects.
fn weaker(before: &str, after: &str) -> Vec<String> {
    shown(&compare(&suite(before), &suite(after)))
}

fn shown(weakenings: &Weakenings) -> Vec<String> {
    let all = weakenings.of_suite.iter().chain(weakenings.of_tasks.values().flatten());
    all.map(|weakening| format!("{} {}", weakening.kind.as_str(), weakening.subject)).collect()
}

/// Checks rows of a former text, a current text, and the weakenings; the reverse of each is not weaker.
fn hold(rows: &[(&str, &str, &str)]) {
    for (before, after, expected) in rows {
        assert_eq!(weaker(before, after), [*expected], "{before}\n->\n{after}");
        assert_eq!(weaker(after, before), [""; 0], "{after}\n->\n{before}");
    }
}

#[test]
fn a_new_check_that_passes_by_its_exit_code_is_told_and_does_not_block() {
    let before = "checks: { a: npx tsc }";
    let after = "checks: { a: npx tsc, b: { run: npx jest, exitCodeOnly: true } }";
    assert_eq!(weaker(before, after), ["check-by-exit-code-added b"]);
    assert!(!Kind::CheckByExitCodeAdded.blocks() && Kind::SummaryNotRequired.blocks());
    assert_eq!(weaker(before, "checks: { a: npx tsc, b: npx jest }"), [""; 0]);
}

#[test]
fn checks_that_are_gone_or_judged_less_strictly_are_told_and_their_mirror_is_not() {
    hold(&[
        ("checks: { a: npx jest, b: npx tsc }", "checks: { a: npx jest }", "check-removed b"),
        ("prerequisites: { n: node -v }", "", "check-removed n"),
        (
            "checks: { a: { run: npx jest, timeout: 10s } }",
            "checks: { a: { run: npx jest, timeout: 11s } }",
            "timeout-raised a",
        ),
        ("timeout: 20m", "", "timeout-raised timeout"),
        ("timeout: 20m", "timeout: 21m", "timeout-raised timeout"),
        ("checks: { a: { run: npx jest } }", "checks: { a: { run: npx jest, retries: 2 } }", "retries-raised a"),
        (
            "checks: { a: { run: ./x } }",
            "checks: { a: { run: ./x, expectedExitCodes: [0, 3] } }",
            "exit-code-accepted a",
        ),
        ("checks: { a: npx jest }", "checks: { a: { run: npx jest, allowNoTests: true } }", "no-tests-accepted a"),
        ("checks: { a: npx jest }", "checks: { a: { run: npx jest, exitCodeOnly: true } }", "summary-not-required a"),
        ("checks: { a: npx jest }", "checks: { a: { run: npx jest, role: other } }", "role-lowered a"),
        ("checks: { a: npx jest }", "checks: { a: { run: npx jest, role: lint } }", "role-changed a"),
        (
            "checks: { a: { run: npx jest, expect: { tests: { passToPass: [x, y] } } } }",
            "checks: { a: { run: npx jest, expect: { tests: { passToPass: [x] } } } }",
            "expected-test-removed a",
        ),
        (
            "checks: { a: npx jest }",
            "checks: { a: { run: npx jest, expect: { outcome: TEST_FAILURE } } }",
            "failure-expected a",
        ),
        ("", "tddPhase: RED", "failure-expected tddPhase"),
        ("checks: { a: npx jest }", "checks: { a: { run: npx jest, evidence: { stderr: false } } }", "evidence-off a"),
        ("flaky: fail", "", "flaky-allowed flaky"),
        ("", "profile: fast", "profile-lowered profile"),
        ("evaluator: ./judge", "", "evaluator-removed evaluator"),
        ("conditions: [unit.exitCode === 0]", "", "criterion-removed conditions"),
        ("failureConditions: [unit.errorCount > 0]", "", "criterion-removed failureConditions"),
        ("", "completion: { allStepsMustPass: false, minimumPassRate: 80 }", "completion-loosened completion"),
        (
            "completion: { requiredEvidence: [terminal-output, error-logs] }",
            "completion: { requiredEvidence: [terminal-output] }",
            "required-evidence-removed completion",
        ),
        ("", "debt: { enabled: false }", "debt-off debt"),
        ("", "debt: { severities: [CRITICAL, HIGH, MEDIUM] }", "debt-off debt"),
    ]);
}

#[test]
fn variables_that_inject_code_block_and_others_are_told() {
    for (before, after, expected) in [
        ("", "env: { NODE_OPTIONS: --require=./x.js }", &["environment-injected env"][..]),
        ("env: { PYTEST_ADDOPTS: -q }", "env: { PYTEST_ADDOPTS: -k x }", &["environment-injected env"]),
        ("", "env: { LD_PRELOAD: x.so, CI: 1 }", &["environment-changed env", "environment-injected env"]),
        ("env: { NODE_OPTIONS: -r x }", "", &["environment-changed env"]),
        ("", "env: { RUSTFLAGS: -D warnings }", &["environment-changed env"]),
        ("", "env: { RUSTFLAGS: --cap-lints allow }", &["environment-injected env"]),
        ("checks: { a: npx jest }", "checks: { a: NODE_OPTIONS=-rx npx jest }", &["environment-injected a"]),
        ("checks: { a: npx jest }", "checks: { a: CI=1 npx jest }", &["environment-changed a"]),
    ] {
        assert_eq!(weaker(before, after), expected, "{before} -> {after}");
    }
}

#[test]
fn policies_that_let_more_pass_are_told_and_their_mirror_is_not() {
    hold(&[
        ("", "policy: { linting: WARN_ONLY }", "strategy-loosened linting"),
        ("policy: { eslint: ERRORS_AND_WARNINGS }", "policy: { eslint: ERRORS_ONLY }", "strategy-loosened eslint"),
        ("policy: { eslint: ERRORS_AND_WARNINGS }", "", "strategy-loosened eslint"),
        ("", "policy: { tsc: NEVER }", "strategy-loosened tsc"),
        ("policy: { prettier: ERRORS_ONLY }", "", "strategy-loosened prettier"),
        ("", "policy: { eslint: { enabled: false } }", "tool-disabled eslint"),
        (
            "policy: { eslint: { maxWarnings: 10 } }",
            "policy: { eslint: { maxWarnings: 11 } }",
            "warnings-allowed eslint",
        ),
        ("policy: { eslint: { maxWarnings: 10 } }", "", "warnings-allowed eslint"),
        ("", "policy: { eslint: { ignoredRules: [no-console] } }", "rule-ignored eslint"),
        ("policy: { eslint: { errorOnRules: [no-console] } }", "", "rule-no-error eslint"),
        ("policy: { eslint: { treatWarningsAsErrors: true } }", "", "warnings-no-errors eslint"),
        ("policy: { criticalSeverities: [error, warning] }", "", "warnings-no-errors criticalSeverities"),
        ("", "policy: { tsc: { strictMode: false } }", "strictness-off tsc"),
        ("", "policy: { tsc: { allowImplicitAny: true } }", "strictness-off tsc"),
    ]);
    assert_eq!(weaker("policy: { linting: ERRORS_ALWAYS }", "policy: { linting: ERRORS_ONLY }"), [""; 0]);
}

#[test]
fn less_that_is_expected_of_files_and_answers_is_told_and_its_mirror_is_not() {
    let file = |rest: &str| format!("checks: {{ f: {{ file: a.txt{rest} }} }}");
    let request = |rest: &str| format!("checks: {{ h: {{ http: 'http://localhost:1/a'{rest} }} }}");
    for (before, after, expected) in [
        (file(", minSize: 2"), file(", minSize: 1"), "file-loosened f"),
        (file(", maxSize: 2"), file(""), "file-loosened f"),
        (file(", contains: [x, y]"), file(", contains: x"), "file-loosened f"),
        (file(", matches: x"), file(""), "file-loosened f"),
        (file(", valid: json"), file(""), "file-loosened f"),
        (file(", schema: s.json"), file(""), "file-loosened f"),
        (request(", status: 200"), request(", status: [200, 404]"), "answer-loosened h"),
        (request(", status: 200"), request(""), "answer-loosened h"),
        (request(", contains: x"), request(""), "answer-loosened h"),
        (request(", json: { $.a: array }"), request(""), "answer-loosened h"),
        (request(", json: { $.a: { max: 3 } }"), request(", json: { $.a: { max: 4 } }"), "answer-loosened h"),
        (request(", header: { X-A: b }"), request(", header: { X-A: { exists: true } }"), "answer-loosened h"),
        (request(", maxDuration: 1s"), request(", maxDuration: 2s"), "answer-loosened h"),
        (request(""), request(", tls: false"), "tls-loosened h"),
    ] {
        hold(&[(&before, &after, expected)]);
    }
    assert_eq!(weaker(&file(""), "checks: { f: { file: b.txt } }"), ["check-replaced f"]);
    assert_eq!(weaker(&file(""), &file(", absent: true")), ["file-loosened f"]);
    assert_eq!(weaker(&file(""), "checks: { f: 'true' }"), ["check-replaced f"]);
    assert_eq!(weaker(&request(""), &request(", method: HEAD")), ["check-replaced h"]);
}

#[test]
fn services_that_need_less_to_be_ready_are_told() {
    let service = |rest: &str| format!("services: {{ web: {{ run: npm start, {rest} }} }}");
    for (before, after, expected) in [
        ("ready: 'http://localhost:3000/health'", "ready: { port: 3000 }", &["service-loosened web"][..]),
        ("ready: 'http://localhost:3000/health'", "ready: 'http://localhost:4000/health'", &[]),
        ("port: 3000", "port: 3000, external: true", &["service-loosened web"]),
        ("port: 3000", "timeout: 30s", &["service-loosened web", "service-loosened web"]),
    ] {
        assert_eq!(weaker(&service(before), &service(after)), expected, "{before} -> {after}");
    }
    let started = service("port: 3000");
    let mut found = weaker(&started, "services: { web: { port: 3000 } }");
    found.dedup();
    assert_eq!(found, ["service-loosened web"], "it is not started, and anybody may be it");
}

#[test]
fn commands_that_look_at_less_are_told_by_how_they_differ() {
    let mut wrong = Vec::new();
    for (before, after, expected) in [
        ("npx jest", "npx jest src/a.test.ts", "command-narrowed"),
        ("npx jest src/a.test.ts", "npx jest", ""),
        ("npx jest src/a", "npx jest src/a src/b", ""),
        ("npx jest src/a src/b", "npx jest src/a", "command-narrowed"),
        ("npx jest", "npx jest --passWithNoTests", "command-narrowed"),
        ("npx jest", "npx jest -t adds", "command-narrowed"),
        ("npx vitest run", "npx vitest run --no-isolate", "command-narrowed"),
        ("npx vitest run", "npx vitest run --isolate=false", "command-narrowed"),
        ("node --test", "node --test --test-isolation=none", "command-narrowed"),
        ("npx jest", "npx jest --testPathIgnorePatterns=e2e", "command-narrowed"),
        ("npx jest", "pnpm exec jest --verbose --reporters default --bail", ""),
        ("npx jest", "./node_modules/.bin/jest", ""),
        ("npx jest --coverage", "npx jest", "command-narrowed"),
        ("npx jest", "npx jest --some-new-flag", "command-changed"),
        ("npx jest", "npx vitest run", "command-replaced"),
        ("npx jest", "true", "command-replaced"),
        ("npx jest", "echo npx jest", "command-replaced"),
        ("npx jest", "npx jest || true", "failure-masked"),
        ("npx jest", "npx jest; exit 0", "failure-masked"),
        ("npx jest", "npx jest || npx jest -o", "failure-masked"),
        ("npx jest", "true || npx jest", "command-narrowed"),
        ("npx jest", "if [ -n \"$CI\" ]; then npx jest; fi", "command-narrowed"),
        ("npx jest", "npx jest && npx tsc", ""),
        ("npx jest && npx tsc", "npx jest", "command-narrowed"),
        ("npx jest && npx tsc", "npx tsc && npx jest", ""),
        ("cd a && npx jest", "cd b && npx jest", "command-replaced"),
        ("npx eslint . --max-warnings 0", "npx eslint . --max-warnings 5", "warnings-allowed"),
        ("npx eslint . --max-warnings 5", "npx eslint . --max-warnings=0", ""),
        ("npx eslint . --max-warnings 5", "npx eslint .", "warnings-allowed"),
        ("npx eslint .", "npx eslint . --quiet", "warnings-allowed"),
        ("npx eslint .", "npx eslint src", "command-narrowed"),
        ("npx eslint .", "npx eslint . --ignore-pattern old", "command-narrowed"),
        ("npx playwright test", "npx playwright test --retries 2", "retries-raised"),
        ("npx playwright test --retries 2", "npx playwright test", ""),
        ("npx tsc --noEmit", "npx tsc --noEmit -p tsconfig.loose.json", "command-narrowed"),
        ("npx prettier --check .", "npx prettier .", "command-narrowed"),
        ("npm test", "npm run build", "command-replaced"),
        ("pytest", "python -m pytest", ""),
        ("pytest", "pytest -k fast", "command-narrowed"),
        ("pytest", "pytest --deselect tests/a.py::b", "command-narrowed"),
        ("pytest --cov-fail-under=90", "pytest --cov-fail-under=80", "command-narrowed"),
        ("pytest --cov-fail-under=90", "pytest --cov-fail-under=95", ""),
        ("pytest", "uv run pytest -q --tb short --junitxml out.xml", ""),
        ("ruff check", "ruff check --exit-zero", "command-narrowed"),
        ("ruff check", "ruff format", "command-replaced"),
        ("cargo test", "cargo test quick", "command-narrowed"),
        ("cargo test --workspace", "cargo test", "command-narrowed"),
        ("cargo test", "cargo test -- --skip slow", "command-narrowed"),
        ("cargo clippy -- -D warnings", "cargo clippy", "command-narrowed"),
        ("cargo clippy -- -Dwarnings", "cargo clippy -- -D warnings", ""),
        ("cargo clippy", "cargo clippy -- -A clippy::all", "command-narrowed"),
        ("go test ./...", "go test -short ./...", "command-narrowed"),
        ("go test ./...", "go vet ./...", "command-replaced"),
        ("mvn verify", "mvn verify -DskipTests", "command-narrowed"),
        ("make lint test", "make lint", "command-narrowed"),
        ("make lint", "make lint test", ""),
        ("git commit -m x", "git commit -m x --no-verify", "command-narrowed"),
    ] {
        let line = |line: &str| format!("checks: {{ a: {{ run: {line:?} }} }}");
        let subject = if expected.is_empty() { vec![] } else { vec![format!("{expected} a")] };
        let found = weaker(&line(before), &line(after));
        if found != subject {
            wrong.push(format!("{before} -> {after}: {found:?} and not {subject:?}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_command_as_a_list_is_compared_like_a_line() {
    let argv = "checks: { a: { argv: [npx, jest, --ci] } }";
    assert_eq!(weaker(argv, "checks: { a: npx jest --ci }"), [""; 0]);
    assert_eq!(weaker(argv, "checks: { a: { argv: [bash, -c, 'npx jest --ci || true'] } }"), ["failure-masked a"]);
    assert_eq!(weaker(argv, "checks: { a: { argv: [npx, jest] } }"), ["command-narrowed a"]);
    let pipe = |rest: &str| format!("checks: {{ a: {{ run: npx jest | tee log{rest} }} }}");
    assert_eq!(weaker(&pipe(""), &pipe(", pipefail: false")), ["failure-masked a"]);
    assert_eq!(weaker("checks: { a: npx jest }", "checks: { a: { run: npx jest, cwd: sub } }"), ["command-narrowed a"]);
}

#[test]
fn checks_with_another_name_are_found_again() {
    let before = "checks: { a: npx jest, b: npx tsc, c: npx eslint . }";
    assert_eq!(weaker(before, "checks: { tests: npx jest, b: npx tsc, c: npx eslint . }"), [""; 0]);
    assert_eq!(weaker(before, "checks: { b: npx tsc, c: npx eslint ., a: npx jest }"), [""; 0]);
    assert_eq!(
        weaker(before, "checks: { b: npx jest, c: npx eslint . }"),
        ["check-removed b"],
        "the name of what is gone was given to what was there"
    );
    assert_eq!(weaker(before, "checks: { a: npx jest, b: npx tsc, c: npx eslint . }\ncleanup: { d: rm x }"), [""; 0]);
    assert_eq!(
        weaker(before, "checks: { a: npx jest, b: npx tsc }\ncleanup: { c: npx eslint . }"),
        ["check-demoted c"]
    );
}

fn guard() -> Guard {
    let digest = Digest::from_bytes([1; 32]);
    Guard {
        outputs: vec!["dist".to_owned()],
        protect: vec![rule(Mode::Frozen, "a.json", Some("/scripts")), rule(Mode::Additive, "tests/**", None)],
        suppressions: Answer::Block,
        probe: ProbeAnswer::Block,
        probe_schedule: ProbeSchedule::Always,
        probe_count: NonZeroU32::new(3),
        setup: Some(Setup { command: "npm ci".to_owned(), timeout_ms: 1_000 }),
        pins: BTreeMap::from([("node".to_owned(), digest)]),
        limits: Limits { processes: Some(10), memory_bytes: Some(1 << 20), output_bytes: None },
    }
}

fn rule(mode: Mode, pattern: &str, pointer: Option<&str>) -> ProtectRule {
    ProtectRule { mode, pattern: pattern.to_owned(), pointer: pointer.map(str::to_owned) }
}

/// A change of the settings of the gate.
type Change<'change> = &'change dyn Fn(&mut Guard);

#[test]
fn a_gate_that_guards_itself_less_is_told_and_one_that_does_more_is_not() {
    let plan = |change: &dyn Fn(&mut Guard)| {
        let mut plan: Plan = suite("").tasks.remove(0);
        plan.guard = guard();
        change(&mut plan.guard);
        plan
    };
    let rows: [(Change<'_>, &str); 15] = [
        (&|guard| guard.outputs.push("src".to_owned()), "outputs-widened outputs"),
        (&|guard| drop(guard.protect.remove(0)), "protection-lowered a.json#/scripts"),
        (&|guard| guard.protect[1].mode = Mode::Review, "protection-lowered tests/**"),
        (&|guard| guard.protect.push(rule(Mode::Review, "b.json", None)), "protection-lowered b.json"),
        (&|guard| guard.suppressions = Answer::Report, "suppressions-allowed suppressions"),
        (&|guard| guard.suppressions = Answer::Default, "suppressions-allowed suppressions"),
        (&|guard| guard.probe = ProbeAnswer::Report, "probe-lowered probe"),
        (&|guard| guard.probe = ProbeAnswer::Off, "probe-lowered probe"),
        (&|guard| guard.probe_count = None, "probe-lowered probeCount"),
        (&|guard| guard.probe_schedule = ProbeSchedule::OnChange, "probe-lowered probeSchedule"),
        (&|guard| guard.setup = None, "setup-changed setup"),
        (&|guard| guard.setup.as_mut().unwrap().timeout_ms += 1, "timeout-raised setup"),
        (&|guard| guard.pins.clear(), "pin-removed node"),
        (&|guard| guard.limits.processes = None, "limit-raised limits.processes"),
        (&|guard| guard.limits.memory_bytes = Some(1 << 21), "limit-raised limits.memory"),
    ];
    for (change, expected) in rows {
        let (before, after) = (plan(&|_| {}), plan(change));
        let kinds = |before: &Plan, after: &Plan| -> Vec<String> {
            let found = compare_plans(before, after).into_iter();
            found.map(|weakening| format!("{} {}", weakening.kind.as_str(), weakening.subject)).collect()
        };
        assert_eq!(kinds(&before, &after), [expected]);
        // A rule that only reports is more than no rule, and less than a default that it replaces: both
        // directions are reported.
        if !expected.ends_with("b.json") {
            assert_eq!(kinds(&after, &before), [""; 0], "the mirror of {expected}");
        }
    }
    let stricter = plan(&|guard| {
        guard.protect[0].pointer = None;
        guard.protect.push(rule(Mode::Frozen, "c.json", None));
        guard.pins.insert("npm".to_owned(), Digest::from_bytes([2; 32]));
        guard.limits.output_bytes = Some(1);
    });
    assert_eq!(compare_plans(&plan(&|_| {}), &stricter), []);
}

#[test]
fn a_task_that_is_gone_is_told_of_in_every_other() {
    let mut before = suite("");
    let mut other = before.tasks[0].clone();
    other.task = TaskId::parse("T002").unwrap();
    before.tasks.push(other);
    let after = suite("");
    let weakenings = compare(&before, &after);
    assert_eq!(shown(&weakenings), ["task-removed T002"]);
    assert_eq!(weakenings.of_task(&after.tasks[0].task).len(), 1);
    assert!(compare(&after, &before).is_empty());
    assert!(compare(&suite("task: T001"), &suite("task: T009")).is_empty(), "the only task was renamed");
}

#[test]
fn a_baseline_that_cannot_be_loaded_is_said_and_never_taken_for_one_that_asks_for_nothing() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("referee.yaml");
    let candidate = suite("");
    let compared = |bytes| with_text(bytes, &file, &Options::default(), &candidate);
    let loaded = compared(Some(&b"checks: { unit: npx jest, lint: npx eslint . }"[..]));
    assert_eq!((shown(&loaded.weakenings), loaded.note), (vec!["check-removed lint".to_owned()], None));
    for (bytes, said) in [
        (Some(&b"checks: ["[..]), "cannot be loaded"),
        (Some(b"\xff\xfe\x00x"), "cannot be loaded"),
        (Some(b""), "cannot be loaded"),
        (None, "is not in the baseline"),
    ] {
        let compared = compared(bytes);
        assert!(compared.weakenings.is_empty());
        assert!(compared.note.as_ref().is_some_and(|note| note.contains(said)), "{:?}", compared.note);
    }
}

#[test]
fn what_blocks_is_said_by_the_kind_and_long_texts_are_cut() {
    let long = "x".repeat(2_000);
    let before = suite("checks: { a: npx jest }");
    let weakenings = compare(&before, &suite(&format!("checks: {{ a: echo {long} }}")));
    let [weakening] = &weakenings.of_task(&before.tasks[0].task)[..] else { panic!("{weakenings:?}") };
    assert!(weakening.blocks);
    assert_eq!(weakening.after.chars().count(), 400);
}

fn any_line() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "npx",
        "jest",
        "--ci",
        "-t",
        "x",
        "src/a",
        "&&",
        "||",
        ";",
        "|",
        "true",
        "cargo",
        "test",
        "--",
        "-D",
        "warnings",
        "A=b",
        "(",
        ")",
        "if",
        "'",
        "\"",
        "--max-warnings",
        "3",
        "=",
        "-",
    ]);
    prop::collection::vec(word, 1..8).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn a_plan_is_never_weaker_than_itself(lines in prop::collection::vec(any_line(), 1..5)) {
        let mut suite = suite("");
        let first = suite.tasks[0].actions[0].clone();
        suite.tasks[0].actions = lines.iter().enumerate().map(|(number, line)| {
            let mut action = first.clone();
            action.name = format!("check {}", number % 2);
            let referee_model::plan::Work::Command(command) = &mut action.work else { panic!("a command") };
            command.invocation = referee_model::plan::Invocation::Argv(vec![line.clone()]);
            if let referee_model::plan::Invocation::Argv(argv) = &mut command.invocation {
                *argv = line.split(' ').map(str::to_owned).collect();
            }
            action
        }).collect();
        prop_assert_eq!(compare(&suite, &suite), Weakenings {
            of_suite: Vec::new(),
            of_tasks: BTreeMap::from([(suite.tasks[0].task.clone(), Vec::new())]),
        });
    }

    #[test]
    fn lines_are_compared_without_a_fault_and_none_differs_from_itself(before in any_line(), after in "(?s).{0,60}|[-a=&| ;']{0,40}") {
        prop_assert_eq!(command::parts_of(&before, &before), 0);
        command::parts_of(&before, &after);
        command::parts_of(&after, &before);
    }

    #[test]
    fn what_asks_for_more_is_never_listed(
        timeout in 1_u64..100, less in 0_u64..100, retries in 0_u32..5, fewer in 0_u32..5, more in any::<[bool; 8]>(),
    ) {
        let before = format!(
            "checks:\n  a: {{ run: npx jest, timeout: {}s, retries: {}, allowNoTests: true, expectedExitCodes: [0, 1] }}\n\
             policy: {{ eslint: {{ maxWarnings: 9, ignoredRules: [x, y] }} }}\n",
            timeout + less, retries.max(fewer),
        );
        let mut after = format!(
            "checks:\n  a: {{ run: npx jest, timeout: {timeout}s, retries: {}, allowNoTests: {}, expectedExitCodes: {} }}\n",
            retries.min(fewer), !more[0], if more[1] { "[0]" } else { "[0, 1]" },
        );
        after += if more[2] { "  b: npx tsc\n" } else { "" };
        let rules = if more[3] { "[x]" } else { "[x, y]" };
        let warnings = if more[4] { 3 } else { 9 };
        after.extend([format!("policy: {{ eslint: {{ maxWarnings: {warnings}, ignoredRules: {rules} }} }}\n")]);
        after += if more[5] { "flaky: fail\n" } else { "" };
        after += if more[6] { "conditions: [a.exitCode === 0]\n" } else { "" };
        after += if more[7] { "timeout: 20m\n" } else { "" };
        prop_assert_eq!(weaker(&before, &after), [""; 0]);
    }
}
