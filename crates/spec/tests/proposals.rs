//! What `referee init` proposes of small trees, rule by rule: what CI rejects is asked, what nobody runs is not, and
//! nothing that is asked edits, goes on for ever or cannot work.

use referee_spec::detect::{Project, Tree, detect, written};

const CI: &str = ".github/workflows/ci.yml";

fn project(files: &[(&str, &str)]) -> Project {
    detect(&Tree::of(files.iter().copied()))
}

/// The lines of the checks, with one word for what puts the environment's programs first.
fn shown(files: &[(&str, &str)]) -> String {
    let found = project(files);
    let lines: Vec<&str> = found.checks.iter().map(|check| check.line.as_str()).collect();
    lines.join("; ").replace(r#"PATH="$PWD/.venv/bin:$PATH""#, "VENV")
}

fn left(files: &[(&str, &str)]) -> String {
    let found = project(files);
    let lines: Vec<String> =
        found.left_to_people.iter().map(|left| format!("{} ({})", left.line, left.because)).collect();
    lines.join("; ")
}

fn job(runs: &[&str]) -> String {
    let steps: Vec<String> = runs.iter().map(|run| format!("{{run: {run:?}}}")).collect();
    format!("on: push\njobs: {{a: {{steps: [{}]}}}}\n", steps.join(", "))
}

#[test]
fn scripts_that_run_others_are_proposed_by_their_members_once() {
    let package = r#"{"scripts": {
        "check": "npm run check:type && npm run check:lint && npm run check:format",
        "check:format": "prettier --check .", "check:lint": "eslint .", "check:type": "tsc -p .",
        "test": "node --test && npm run check:type"},
        "devDependencies": {"typescript": "5", "eslint": "9", "prettier": "3"}}"#;
    let ci = job(&["npm test", "npm run check"]);
    let files = [("package.json", package), (CI, &ci), ("node_modules/a/x", ""), ("test/a.js", "require('node:test')")];
    assert_eq!(shown(&files), "npm run check:type; npm run check:lint; node --test; npm run check:format");
    for (scripts, lines) in [
        (r#""test": "npm run lint && npm run unit", "lint": "xo", "unit": "ava""#, "npm run lint; npm run unit"),
        (
            r#""test": "xo && tsc --noEmit && NODE_OPTIONS='--import=x' ava""#,
            "npx tsc --noEmit; npx xo; NODE_OPTIONS='--import=x' npx ava",
        ),
        (
            r#""test": "run-s lint:* unit", "lint:js": "xo", "lint:b:c": "x", "unit": "ava""#,
            "npm run lint:js; npm run unit",
        ),
        (r#""test": "run-p lint unit", "lint": "xo", "unit": "ava""#, "npm run lint; npm run unit"),
        (r#""test": "concurrently \"npm:lint\" \"ava\"", "lint": "xo""#, "npm run lint; npx ava"),
        (r#""pretest": "npm run lint", "test": "ava", "lint": "xo""#, "npm run lint; npm test"),
        // What shares a folder, a variable or a shell is one line.
        (r#""test": "cd lib && ava""#, "npm test"),
        (r#""test": "rimraf out && ava""#, "npm test"),
        (r#""test": "xo; ava""#, "npm test"),
        (r#""test": "ava $X""#, "npm test"),
    ] {
        let package =
            format!(r#"{{"scripts": {{{scripts}}}, "devDependencies": {{"xo": "1", "ava": "5", "typescript": "5"}}}}"#);
        assert_eq!(shown(&[("package.json", &package), ("node_modules/a/x", "")]), lines, "{scripts}");
    }
}

#[test]
fn what_a_test_needs_is_built_before_it() {
    let package = r#"{"scripts": {"build": "tsup", "pretest": "npm run build", "test": "xo && ava"}, "devDependencies": {"xo": "1", "ava": "5"}}"#;
    let found = project(&[("package.json", package)]);
    let needs = |name: &str| found.checks.iter().find(|check| check.name == name).map(|check| check.needs.clone());
    assert_eq!((needs("test"), needs("lint")), (Some(vec!["build".to_owned()]), Some(Vec::new())));
}

#[test]
fn words_in_comments_prose_and_documents_are_no_commands() {
    let python = [
        ("pyproject.toml", "[project]\nname = 'a'\ndependencies = ['mypy', 'ruff', 'pytest']\n"),
        ("test_a.py", "import pytest\n"),
    ];
    let quiet = "on: push\n# run: ruff check\njobs:\n  a:\n    steps:\n      - name: ruff check\n      - run: |\n          # mypy\n          echo 'ruff check' # mypy\n          printf 'flake8'\n";
    let make = "# ruff check\nall:\n\t@echo mypy\n\t# flake8\n";
    let files = [
        python[0],
        python[1],
        (CI, quiet),
        ("Makefile", make),
        ("docs/conf.py", ""),
        ("docs/package.json", r#"{"scripts": {"test": "jest"}}"#),
        ("docs/test_b.py", "import pytest"),
    ];
    assert_eq!(shown(&files), "VENV python3 -m pytest");
    let spoken = job(&["ruff check --quiet", "mypy . || true"]);
    assert_eq!(
        shown(&[python[0], python[1], (CI, &spoken)]),
        "VENV python3 -m pytest; VENV python3 -m ruff check --quiet"
    );
    let go = [("go.mod", "module a\n"), ("Makefile", "# gofmt -l .\nall:\n\techo go vet\n"), (".golangci.yml", "")];
    assert_eq!(shown(&go), "go build ./...");
    let cmake = [
        ("CMakeLists.txt", "project(a)\n# enable_testing()\n# -Werror\n"),
        ("docs/CMakeLists.txt", "enable_testing()"),
    ];
    assert_eq!(shown(&cmake), "cmake -S . -B build; cmake --build build");
    assert!(project(&cmake).policies.is_empty());
    assert!(project(&[("Makefile", "# CFLAGS = -Werror\nall: a\n")]).policies.is_empty());
}

#[test]
fn the_format_blocks_where_ci_asks_for_it() {
    let go = [("go.mod", "module a\n"), ("a_test.go", "")];
    for (run, line) in [
        ("gofmt -l .", "gofmt -l ."),
        ("test -z \"$(gofmt -s -l cmd)\"", "gofmt -s -l cmd"),
        ("gofmt -w . && git diff --exit-code", "gofmt -l ."),
        ("make fmt", "gofmt -l ."),
    ] {
        let ci = job(&[run]);
        let files = [go[0], go[1], (CI, &ci), ("Makefile", "fmt:\n\t@test -z $(shell gofmt -l $(SRC))\n")];
        let found = project(&files);
        assert!(found.checks.iter().any(|check| check.line == line), "{run}: {:?}", found.checks);
        assert!(found.policies.iter().any(|policy| policy.tool == "formatting"), "{run}");
    }
}

#[test]
fn the_tests_of_tox_are_run_as_tox_runs_them_by_the_python_that_is_here() {
    let test = ("tests/test_a.py", "def test_a(): pass\n");
    let native = "[tool.tox]\nenv_list = ['py310', 'py311']\n[tool.tox.env_run_base]\ncommands = [['pytest', '-v', 'tests', {replace = 'posargs', extend = true}]]\n";
    let legacy = "[tool.tox]\nlegacy_tox_ini = \"\"\"\n[tox]\nenvlist = py{310,311}\n[testenv]\ncommands = pytest {posargs:tests}\n\"\"\"\n";
    for (file, text, lines) in [
        (
            "tox.ini",
            "[tox]\nenvlist = py{38,39,310}-{a,b}\n[testenv]\ncommands =\n    pytest {posargs:tests}\n",
            "VENV python3 -m pytest tests",
        ),
        (
            "setup.cfg",
            "[tox:tox]\nenvlist = py38,py39\n[testenv]\ncommands = pytest --cov=a -n auto -m 'not slow'\n",
            "VENV python3 -m pytest -m 'not slow'",
        ),
        ("pyproject.toml", native, "VENV python3 -m pytest tests"),
        ("pyproject.toml", legacy, "VENV python3 -m pytest tests"),
        (
            "tox.ini",
            "[testenv]\ncommands =\n    pytest tests -m a\n    pip install b\n    pytest tests -m b\n",
            "tox -e py",
        ),
    ] {
        assert_eq!(shown(&[(file, text), test]), lines, "{text}");
    }
    let ci = job(&["tox -e lint"]);
    let tox =
        "[testenv]\ncommands = pytest\n[testenv:lint]\ndeps = flake8\ncommands = flake8 src --max-line-length 99\n";
    assert_eq!(
        shown(&[("tox.ini", tox), test, (CI, &ci)]),
        "VENV python3 -m pytest; VENV python3 -m flake8 src --max-line-length 99"
    );
}

#[test]
fn the_environment_of_the_folder_changes_nothing_of_the_proposal() {
    let files = [("pyproject.toml", "[tool.pytest.ini_options]\n"), ("tests/test_a.py", "")];
    let with = [files[0], files[1], (".venv/bin/python", ""), (".venv/bin/pytest", ""), (".venv/bin/ruff", "")];
    assert_eq!(written(&project(&files)), written(&project(&with)));
    assert!(written(&project(&files)).is_some_and(|text| text.contains(".venv where there is one")));
}

#[test]
fn tests_are_seen_where_they_lie() {
    let deep = "src/test/java/com/acme/shop/orders/internal/deep/OrderTest.java";
    assert_eq!(shown(&[("pom.xml", ""), (deep, "")]), "mvn -B -ntp test-compile; mvn -B -ntp test");
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    #[expect(clippy::disallowed_methods, reason = "a tree on disk")]
    for path in ["pom.xml", deep] {
        let path = folder.path().join(path);
        path.parent().map(std::fs::create_dir_all).transpose().unwrap_or_else(|error| panic!("{error}"));
        std::fs::write(path, "").unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(detect(&Tree::look(folder.path())).checks.iter().any(|check| check.line == "mvn -B -ntp test"));
    for (files, lines) in [
        (&[("setup.py", ""), ("test.py", "import unittest\n")][..], "VENV python3 -m unittest"),
        (&[("setup.py", ""), ("test.py", "import pytest\n")], "VENV python3 -m pytest test.py"),
        (&[("setup.py", ""), ("runtests.py", "x")], "VENV python3 runtests.py"),
        (&[("setup.py", ""), ("a_test.py", "from unittest import mock\nimport pytest\n")], "VENV python3 -m pytest"),
    ] {
        assert_eq!(shown(files), lines, "{files:?}");
    }
}

#[test]
fn nothing_that_is_proposed_edits_or_goes_on_for_ever() {
    let ruff = [
        ("pyproject.toml", "[project]\ndependencies = ['ruff', 'black']\n[tool.ruff]\nfix = true\n"),
        ("test_a.py", "import unittest"),
    ];
    let ci = job(&["ruff check .", "black ."]);
    assert_eq!(
        shown(&[ruff[0], ruff[1], (CI, &ci)]),
        "VENV python3 -m unittest; VENV python3 -m ruff check --no-fix .; VENV python3 -m black --check ."
    );
    for (scripts, lines) in [
        (r#""lint": "eslint --fix .""#, "npx eslint ."),
        (
            r#""lint": "npm run lint:all", "lint:all": "eslint . --fix && prettier --write src""#,
            "npx eslint .; npx prettier --check src",
        ),
        (r#""test": "vitest""#, "npx vitest run"),
        (r#""test": "vitest --coverage", "types": "tsc -w --noEmit""#, "npx tsc --noEmit; npx vitest run --coverage"),
        (r#""test": "nodemon test.js""#, ""),
        (r#""test": "lint-staged && vitest run""#, "npx vitest run"),
        (r#""build": "tsc -w""#, ""),
    ] {
        let package = format!(
            r#"{{"scripts": {{{scripts}}}, "devDependencies": {{"eslint": "9", "prettier": "3", "vitest": "3", "typescript": "5"}}}}"#
        );
        assert_eq!(shown(&[("package.json", &package), ("node_modules/a/x", "")]), lines, "{scripts}");
    }
}

#[test]
fn without_a_test_there_is_no_test_check() {
    for files in [
        &[("go.mod", "module a\n")][..],
        &[("Cargo.toml", "[package]\nname='a'\n"), ("src/lib.rs", "pub fn a() {}")],
        &[("pom.xml", ""), ("src/main/java/A.java", "")],
        &[("manage.py", ""), ("setup.py", "")],
        &[("package.json", r#"{"scripts": {"test": "node --test", "lint": "eslint ."}}"#)],
    ] {
        let found = project(files);
        assert!(found.checks.iter().all(|check| check.name != "test"), "{files:?}");
        assert!(!found.notes.is_empty() || !found.left_to_people.is_empty(), "{files:?}");
        assert!(written(&found).is_none_or(|text| !text.contains("allowNoTests")), "{files:?}");
    }
}

#[test]
fn go_counts_its_tests_and_keeps_the_options_of_ci() {
    let go = [("go.mod", "module a\n"), ("cmd/a_test.go", "")];
    for (run, line) in [
        ("go test ./...", "go test -json ./..."),
        ("go test -v -race -coverprofile=c.out -tags=integration ./...", "go test -json -race -tags=integration ./..."),
        ("go test -tags x -timeout 5m ./cmd/...", "go test -json -tags x -timeout 5m ./cmd/..."),
        ("go test $FLAGS ./gone", "go test -json ./..."),
    ] {
        let ci = job(&[run]);
        assert!(shown(&[go[0], go[1], (CI, &ci)]).contains(line), "{run}");
    }
}

#[test]
fn maven_and_gradle_are_asked_once_for_what_ci_asks() {
    let verify = job(&["mvn -B verify", "mvn test"]);
    let test = ("src/test/java/ATest.java", "");
    assert_eq!(shown(&[("pom.xml", ""), test, (CI, &verify)]), "mvn -B -ntp test-compile; mvn -B -ntp verify");
    let build = job(&["./gradlew build"]);
    assert_eq!(
        shown(&[("build.gradle", ""), ("gradlew", ""), test, (CI, &build)]),
        "./gradlew testClasses; ./gradlew check"
    );
}

#[test]
fn what_cannot_work_is_left_with_its_reason() {
    let package = r#"{"scripts": {"lint": "npx eslint .", "test": "ava"}, "devDependencies": {"ava": "5"}}"#;
    let reason = left(&[("package.json", package), (CI, &job(&["npm run gone"]))]);
    assert!(reason.contains("eslint is neither in dependencies nor in devDependencies"), "{reason}");
    assert!(reason.contains("no script `gone`"), "{reason}");
    let made = left(&[("Makefile", "all: a\n"), (CI, &job(&["make gone"]))]);
    assert!(made.contains("Makefile has no target `gone`: add it"), "{made}");
}
