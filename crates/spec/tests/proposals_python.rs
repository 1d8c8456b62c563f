//! What `referee init` proposes of small trees of Python and Node, by what CI runs through tox, pre-commit and scripts.

use referee_spec::detect::{Project, Tree, detect};

const CI: &str = ".github/workflows/ci.yml";
const TEST: (&str, &str) = ("test_a.py", "import pytest\n");

fn project(files: &[(&str, &str)]) -> Project {
    detect(&Tree::of(files.iter().copied()))
}

/// The lines of the checks, with one word for what puts the environment's programs first.
fn shown(project: &Project) -> String {
    let lines: Vec<&str> = project.checks.iter().map(|check| check.line.as_str()).collect();
    lines.join("; ").replace(r#"PATH="$PWD/.venv/bin:$PATH" python3 -m"#, "PY")
}

fn left(project: &Project) -> String {
    let lines: Vec<String> =
        project.left_to_people.iter().map(|left| format!("{} ({})", left.line, left.because)).collect();
    lines.join("; ").replace(r#"PATH="$PWD/.venv/bin:$PATH" python3 -m"#, "PY")
}

fn blocks_on_format(project: &Project) -> bool {
    project.policies.iter().any(|policy| policy.tool == "formatting")
}

fn job(runs: &[&str]) -> String {
    let steps: Vec<String> = runs.iter().map(|run| format!("{{run: {run:?}}}")).collect();
    format!("on: push\njobs: {{a: {{steps: [{}]}}}}\n", steps.join(", "))
}

const TOX: &str = "[tox]\nenvlist = py{312,313}, lint\n[testenv]\ndeps = pytest\ncommands = python -m pytest {posargs}\n\
    [testenv:lint]\ndeps =\n  black\n  flake8\ncommands =\n  black --check .\n  flake8 src\n";

#[test]
fn the_environments_of_tox_that_ci_runs_are_demanded_and_others_are_comments() {
    let both = "PY pytest; PY flake8 src; PY black --check .";
    for (run, lines) in [
        ("tox", both),
        ("tox run", both),
        ("tox -p auto", both),
        ("python -m tox -q", both),
        ("uvx --with tox-uv tox run -e py,lint", both),
        ("tox -e ALL", both),
        ("TOXENV=lint tox", both),
        ("tox -epy312", "PY pytest"),
        ("TOXENV=py python -m tox", "PY pytest"),
        ("tox --env=py", "PY pytest"),
    ] {
        let found = project(&[("tox.ini", TOX), TEST, (CI, &job(&[run]))]);
        assert_eq!(shown(&found), lines, "{run}");
        assert_eq!(blocks_on_format(&found), lines == both, "{run}");
        let is_told = left(&found).contains("PY flake8 src (tox -e lint (tox.ini) runs it, and CI runs other");
        assert_eq!(is_told, lines != both, "{run}: {}", left(&found));
    }
    // Nothing is run, or only CI knows what: tox only offers.
    for run in ["tox --notest", "tox list", "tox -e $WHICH", "tox -m fast", "pip install tox"] {
        let found = project(&[("tox.ini", TOX), TEST, (CI, &job(&[run]))]);
        assert_eq!((shown(&found).as_str(), blocks_on_format(&found)), (both, false), "{run}");
    }
}

#[test]
fn the_names_of_environments_stand_in_a_matrix_or_a_variable_too() {
    let matrix = |steps: &str| {
        format!(
            "on: push\njobs:\n  a:\n    strategy:\n      matrix:\n        include:\n          - {{tox: py312}}\n          - {{tox: lint}}\n    {steps}\n"
        )
    };
    let variable = "on: push\njobs: {a: {env: {TOXENV: py}, steps: [{run: python -m tox}]}}\n".to_owned();
    let tests = "PY pytest";
    let both = "PY pytest; PY flake8 src; PY black --check .";
    for (ci, lines) in [
        (matrix("steps: [{run: 'tox -e ${{ matrix.tox }}'}]"), both),
        (matrix("steps: [{run: tox, env: {TOXENV: '${{ matrix.tox }}'}}]"), both),
        (matrix("steps: [{run: 'tox -e py-${{ matrix.tox }}'}]"), tests),
        (variable, tests),
    ] {
        assert_eq!(shown(&project(&[("tox.ini", TOX), TEST, (CI, &ci)])), lines, "{ci}");
    }
    let factors = "[tox]\nenvlist = py312\n[testenv]\ncommands =\n  pytest\n  lint: flake8 src\n[testenv:{docs,types}]\ndeps = flake8\ncommands = mypy src\n";
    let found = project(&[("tox.ini", factors), TEST, (CI, &job(&["tox"]))]);
    assert_eq!(shown(&found), tests);
    assert!(left(&found).contains("PY mypy src (tox -e docs"), "{}", left(&found));
    let mapped = format!("[gh-actions]\npython =\n  3.12: py312, lint\n{TOX}");
    assert_eq!(shown(&project(&[("tox.ini", &mapped), TEST, (CI, &job(&["tox"]))])), both);
    let mapped = format!("[gh-actions]\npython =\n  3.12: py312\n{TOX}");
    assert_eq!(shown(&project(&[("tox.ini", &mapped), TEST, (CI, &job(&["tox"]))])), tests);
}

#[test]
fn the_hooks_of_pre_commit_that_ci_runs_are_demanded() {
    let hooks = |hook: &str| format!("repos:\n- repo: https://x\n  rev: v1\n  hooks:\n  - {hook}\n");
    let all = "pre-commit run --all-files";
    let action = "on: push\njobs: {a: {steps: [{uses: pre-commit/action@v3}]}}\n".to_owned();
    for (hook, ci, line) in [
        ("id: ruff-format", job(&[all]), "PY ruff format --check"),
        ("id: black", job(&[all]), "PY black --check ."),
        ("{id: black, args: [--line-length=99]}", job(&[all]), "PY black --line-length=99 --check ."),
        ("id: black", job(&["uvx pre-commit run --show-diff-on-failure --color always -a"]), "PY black --check ."),
        ("id: black", job(&["pre-commit run black -a"]), "PY black --check ."),
        ("id: isort", action, "PY isort --check-only ."),
    ] {
        let hooks = hooks(hook);
        let found = project(&[TEST, (".pre-commit-config.yaml", &hooks), (CI, &ci)]);
        assert_eq!(shown(&found), format!("PY pytest; {line}"), "{hook} {ci}");
        assert!(blocks_on_format(&found), "{hook} {ci}");
    }
    let fixing = hooks("{id: ruff, args: [--fix, --show-fixes]}");
    let found = project(&[TEST, (".pre-commit-config.yaml", &fixing), (CI, &job(&[all]))]);
    assert_eq!(shown(&found), "PY pytest; PY ruff check --no-fix --show-fixes");
    for (hook, run) in [
        ("{id: black, exclude: ^docs/}", all),
        ("id: black", "pre-commit run ruff --all-files"),
        ("id: black", "SKIP=black pre-commit run --all-files"),
        ("id: black", "pre-commit install"),
        ("id: mypy", all),
    ] {
        let hooks = hooks(hook);
        let found = project(&[TEST, (".pre-commit-config.yaml", &hooks), (CI, &job(&[run]))]);
        assert_eq!((shown(&found).as_str(), blocks_on_format(&found)), ("PY pytest", false), "{hook} {run}");
        assert!(left(&found).contains("files of its own"), "{hook} {run}: {}", left(&found));
    }
    // Through tox.
    let tox = "[testenv:lint]\ncommands = pre-commit run --all-files\n";
    let black = hooks("id: black");
    let files = [TEST, (".pre-commit-config.yaml", black.as_str()), ("tox.ini", tox), (CI, &job(&["tox -e lint"]))];
    assert!(blocks_on_format(&project(&files)), "{}", shown(&project(&files)));
}

#[test]
fn what_ci_runs_is_proposed_whether_or_not_it_is_a_dependency() {
    let ci = job(&["pip install -e . pyright mypy", "mypy tests/check_types.py", "pyright tests/check_types.py"]);
    let found = project(&[("setup.py", ""), TEST, (CI, &ci)]);
    assert_eq!(shown(&found), "PY pytest; PY mypy tests/check_types.py; PY pyright tests/check_types.py");
    assert!(found.checks[1].because.ends_with("it is not a dependency, so it may not be there"), "{found:?}");
    let found = project(&[("setup.py", ""), TEST, ("Makefile", "lint:\n\tmypy src\n")]);
    assert!(left(&found).contains("PY mypy src (Makefile runs it so, but it is not a dependency"), "{}", left(&found));
    // Of Node: what would fetch it does not.
    let package = ("package.json", r#"{"scripts": {"test": "node --test"}}"#);
    for (run, line) in [
        ("npx eslint src", "npx --no-install eslint src"),
        ("npx --yes prettier --check .", "npx --no-install prettier --check ."),
        ("eslint src", "eslint src"),
    ] {
        let found = project(&[package, ("a.test.js", "require('node:test')"), (CI, &job(&[run]))]);
        assert!(found.checks.iter().any(|check| check.line == line), "{run}: {}", shown(&found));
    }
}

#[test]
fn of_the_arguments_of_pytest_those_that_are_known_are_kept() {
    let ini = |command: &str| format!("[testenv]\nchangedir = .tox\ncommands = {command}\n");
    for (command, line) in [
        (
            "pytest --doctest-modules {env_site_packages_dir}/boltons {tox_root}/tests {posargs}",
            "pytest --doctest-modules boltons tests",
        ),
        ("pytest {envsitepackagesdir}/inner", "pytest src/inner"),
        ("pytest --doctest-modules {envtmpdir}/x tests", "pytest --doctest-modules tests"),
        ("pytest -m 'not slow' -c {envtmpdir}/x.cfg tests", "pytest -m 'not slow' tests"),
        ("pytest -W error gone/test_x.py", "pytest -W error"),
        ("pytest --ignore=gone/test_x.py tests", "pytest --ignore=gone/test_x.py tests"),
        ("pytest ./tests", "pytest tests"),
    ] {
        let files = [("tox.ini", ini(command)), ("boltons/a.py", String::new()), ("src/inner/a.py", String::new())];
        let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        files.push(("tests/test_a.py", "import pytest\n"));
        assert_eq!(shown(&project(&files)), format!("PY {line}"), "{command}");
    }
    let files = [("tox.ini", ini("pytest gone/a.py -x")), ("tests/test_a.py", String::new())];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    assert!(project(&files).checks[0].because.ends_with("; without `gone/a.py`"), "{:?}", project(&files).checks);
}

#[test]
fn tox_may_stand_in_for_the_runner_where_ci_runs_the_tests_by_it() {
    let role = |ci: &str| {
        let found = project(&[("tox.ini", TOX), TEST, (CI, ci)]);
        let tox = found.left_to_people.iter().find(|left| left.name == "tox").cloned();
        tox.map(|tox| (tox.line, tox.role.is_some()))
    };
    assert_eq!(role(&job(&["tox -e py312"])), Some(("tox -e py".to_owned(), true)));
    assert_eq!(role(&job(&["tox"])), Some(("tox -e py".to_owned(), true)));
    assert_eq!(role(&job(&["tox -e lint"])), Some(("tox -e py".to_owned(), false)));
    assert_eq!(role(&job(&["pytest"])), Some(("tox -e py".to_owned(), false)));
}

#[test]
fn what_ci_sets_for_a_command_is_a_part_of_it() {
    let found = project(&[TEST, (CI, &job(&["PYTHONWARNINGS=error pytest", "MYPYPATH=stubs mypy ."]))]);
    assert_eq!(shown(&found), "PYTHONWARNINGS=error PY pytest; MYPYPATH=stubs PY mypy .");
}

#[test]
fn a_format_that_fails_a_script_of_node_blocks() {
    for (scripts, runs, blocks) in [
        (r#""test": "prettier --check . && node --test""#, &["npm test"][..], true),
        (r#""test": "prettier --check . && node --test""#, &[], true),
        (r#""test": "node --test", "ci": "prettier --check . && eslint .""#, &["npm run ci"], true),
        (r#""test": "node --test", "lint": "eslint . && biome format""#, &[], true),
        (r#""test": "node --test", "check": "eslint . && prettier . --list-different""#, &[], true),
        (r#""test": "node --test", "format:check": "dprint check""#, &["npm run format:check"], true),
        (r#""test": "node --test", "format:check": "our-own-tool""#, &["npm run format:check"], true),
        (r#""test": "node --test", "format": "prettier --write .""#, &["npm run format && git diff --exit-code"], true),
        (r#""test": "node --test", "format:check": "prettier --check .""#, &["npm test"], false),
        (r#""test": "node --test", "lint": "eslint . && prettier --write .""#, &["npm run lint"], false),
        (r#""test": "node --test", "format": "prettier --write .""#, &["npm run format"], false),
    ] {
        let dependencies =
            r#""devDependencies": {"prettier": "3", "eslint": "9", "@biomejs/biome": "2", "dprint": "1"}"#;
        let package = format!(r#"{{"scripts": {{{scripts}}}, {dependencies}}}"#);
        let ci = job(runs);
        let found = project(&[
            ("package.json", &package),
            ("a.test.js", "require('node:test')"),
            ("node_modules/a/x", ""),
            (CI, &ci),
        ]);
        assert_eq!(blocks_on_format(&found), blocks, "{scripts} {runs:?}: {}", shown(&found));
    }
}
