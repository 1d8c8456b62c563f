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
    // CI rejects what is not formatted, through a script of scripts.
    let text = written(&project(&files)).unwrap();
    assert!(text.contains("formatting: { strategy: ERRORS_AND_WARNINGS }"), "{text}");
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
        // What shares a directory, a variable or a shell is one line.
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
fn the_environment_of_the_directory_changes_nothing_of_the_proposal() {
    let files = [("pyproject.toml", "[tool.pytest.ini_options]\n"), ("tests/test_a.py", "")];
    let with = [files[0], files[1], (".venv/bin/python", ""), (".venv/bin/pytest", ""), (".venv/bin/ruff", "")];
    assert_eq!(written(&project(&files)), written(&project(&with)));
    assert!(written(&project(&files)).is_some_and(|text| text.contains(".venv where there is one")));
}

#[test]
fn tests_are_seen_where_they_lie() {
    let deep = "src/test/java/com/acme/shop/orders/internal/deep/OrderTest.java";
    assert_eq!(shown(&[("pom.xml", ""), (deep, "")]), "mvn -B -ntp test-compile; mvn -B -ntp test");
    let directory = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    #[expect(clippy::disallowed_methods, reason = "a tree on disk")]
    for path in ["pom.xml", deep] {
        let path = directory.path().join(path);
        path.parent().map(std::fs::create_dir_all).transpose().unwrap_or_else(|error| panic!("{error}"));
        std::fs::write(path, "").unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(detect(&Tree::look(directory.path())).checks.iter().any(|check| check.line == "mvn -B -ntp test"));
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
        (
            "MODE=ci go test -vet=off -failfast -coverpkg=./... ./...",
            "MODE=ci go test -json -vet=off -failfast -coverpkg=./... ./...",
        ),
        ("go test -ldflags '-s -w' ./... -args -x", "go test -json -ldflags '-s -w' ./..."),
        ("GOOS=windows go test ./... ; go test -bench . ./...", "go test -json ./..."),
    ] {
        let ci = job(&[run]);
        assert!(shown(&[go[0], go[1], (CI, &ci)]).contains(line), "{run}");
    }
}

#[test]
fn each_run_of_the_tests_that_ci_asks_is_one_check() {
    let go = [("go.mod", "module a\n"), ("cmd/a_test.go", "")];
    let ci = job(&["go test ./...", "go test -tags=integration ./...", "go test -v ./..."]);
    assert_eq!(
        shown(&[go[0], go[1], (CI, &ci)]),
        "go build ./...; go test -json ./...; go test -json -tags=integration ./..."
    );
    let split: Vec<String> = ["a", "b", "c", "d", "e"].iter().map(|name| format!("go test -race ./{name}")).collect();
    let ci = job(&split.iter().map(String::as_str).collect::<Vec<_>>());
    let directories = ["a/a.go", "b/a.go", "c/a.go", "d/a.go", "e/a_test.go"].map(|path| (path, ""));
    let files = [&[go[0], (CI, &ci)][..], &directories].concat();
    assert_eq!(shown(&files), "go build ./...; go test -json -race ./...");
    let rust = [("Cargo.toml", "[package]\nname='a'\n"), ("src/lib.rs", "#[test] fn a() {}")];
    let ci = job(&[
        "cargo test",
        "cargo test --verbose",
        "cargo test --no-default-features -- --test-threads=1 --nocapture",
        "cargo +nightly test",
        "cargo test --no-run",
    ]);
    let found = project(&[rust[0], rust[1], (CI, &ci)]);
    let names: Vec<&str> = found.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, ["types", "test", "test-2"]);
    assert_eq!(found.checks[2].line, "cargo test --no-default-features -- --test-threads=1");
    assert!(written(&found).is_some_and(|text| text.contains("--test-threads=1\", profile: fast, timeout: 15m")
        || text.contains("--test-threads=1, profile: fast, timeout: 15m")));
}

#[test]
fn variables_that_ci_sets_are_a_part_of_the_check() {
    let rust = [("Cargo.toml", "[package]\nname='a'\n"), ("src/lib.rs", "#[test] fn a() {}")];
    let denied = "on: push\nenv: {RUSTFLAGS: -Dwarnings, CARGO_TERM_COLOR: always}\njobs: {a: {steps: [{run: cargo test}, {run: cargo clippy}]}}\n";
    let found = project(&[rust[0], rust[1], (CI, denied)]);
    let lines: Vec<&str> = found.checks.iter().map(|check| check.line.as_str()).collect();
    assert_eq!(
        lines[..3],
        ["RUSTFLAGS=-Dwarnings cargo check", "RUSTFLAGS=-Dwarnings cargo test", "RUSTFLAGS=-Dwarnings cargo clippy"]
    );
    let policies: Vec<&str> = found.policies.iter().map(|policy| policy.tool.as_str()).collect();
    assert_eq!(policies, ["clippy", "rustc"]);
    let one_job = "jobs:\n  a: {steps: [{run: cargo test}]}\n  b: {env: {RUSTFLAGS: '-D warnings', A: b}, steps: [{run: cargo test --release}]}\n";
    let found = project(&[rust[0], rust[1], (CI, one_job)]);
    assert!(found.policies.is_empty());
    assert_eq!(
        shown(&[rust[0], rust[1], (CI, one_job)]),
        "cargo check; cargo test; RUSTFLAGS='-D warnings' A=b cargo test --release"
    );
    let go = [("go.mod", "module a\n"), ("a_test.go", "")];
    let moded = "jobs: {a: {env: {MODE: ci}, steps: [{run: go test ./...}]}}";
    assert_eq!(shown(&[go[0], go[1], (CI, moded)]), "MODE=ci go build ./...; MODE=ci go test -json ./...");
    let python = [("pyproject.toml", "[project]\nname = 'a'\n"), ("tests/test_a.py", "import pytest")];
    let moded = "jobs: {a: {env: {MODE: ci, X_TOKEN: a}, steps: [{run: python -m pytest tests}]}}";
    assert_eq!(shown(&[python[0], python[1], (CI, moded)]), "MODE=ci VENV python3 -m pytest tests");
    let maven = [("pom.xml", ""), ("src/test/java/ATest.java", "")];
    let moded = "jobs: {a: {steps: [{run: mvn verify, env: {MODE: ci}}]}}";
    assert!(shown(&[maven[0], maven[1], (CI, moded)]).ends_with("MODE=ci mvn -B -ntp verify"));
    let make = ("Makefile", "all: a\ntest: a\n\t./a\n");
    assert_eq!(shown(&[make, (CI, "jobs: {a: {env: {A: b}, steps: [{run: make test}]}}")]), "make all; A=b make test");
}

#[test]
fn what_clippy_is_told_to_deny_it_denies() {
    for (run, line, is_strict) in [
        (
            "cargo clippy --tests --benches -- -Dclippy::all -Dclippy::pedantic",
            "cargo clippy --tests --benches -- -Dclippy::all -Dclippy::pedantic",
            false,
        ),
        ("cargo clippy --all-targets -- -D warnings", "cargo clippy --all-targets -- -D warnings", true),
        ("cargo +nightly clippy --message-format=json -- -Dwarnings", "cargo clippy -- -Dwarnings", true),
    ] {
        let ci = job(&[run]);
        let found = project(&[("Cargo.toml", "[package]\nname='a'\n"), (CI, &ci)]);
        assert!(found.checks.iter().any(|check| check.line == line), "{run}: {:?}", found.checks);
        assert_eq!(found.policies.iter().any(|policy| policy.tool == "clippy"), is_strict, "{run}");
    }
}

#[test]
fn golangci_lint_of_ci_asks_for_vet_and_the_format() {
    let action = "jobs: {a: {steps: [{uses: golangci/golangci-lint-action@v6}]}}";
    let gofmt = "version: '2'\nformatters:\n  enable: [gofmt]\n";
    let no_vet =
        "linters: {default: none, enable: [errcheck, gofmt]}\nformatters: {settings: {gofmt: {simplify: false}}}\n";
    let own =
        "linters: {settings: {govet: {enable: [shadow]}}}\nformatters: {enable: [gofmt], exclusions: {paths: [gen]}}\n";
    for (config, lines) in [
        (gofmt, "go build ./...; go vet ./...; gofmt -s -l ."),
        (no_vet, "go build ./...; gofmt -l ."),
        (own, "go build ./..."),
        ("", "go build ./...; go vet ./..."),
    ] {
        let files = [("go.mod", "module a\n"), (CI, action), (".golangci.yaml", config)];
        assert_eq!(shown(&files), lines, "{config}");
        assert!(!left(&files).contains("neither a script nor CI runs it") || config.is_empty(), "{}", left(&files));
        let blocks = project(&files).policies.iter().any(|policy| policy.tool == "formatting");
        assert_eq!(blocks, lines.contains("gofmt"), "{config}");
    }
}

#[test]
fn goals_of_maven_that_only_look_are_kept() {
    let test = ("src/test/java/ATest.java", "");
    let default = "<build><defaultGoal>clean verify apache-rat:check</defaultGoal></build>";
    for (pom, runs, lines) in [
        ("", &["mvn -B verify apache-rat:check"][..], "verify apache-rat:check"),
        (default, &["mvn --batch-mode -T 4"], "verify apache-rat:check"),
        (default, &[], "verify apache-rat:check"),
        ("", &["mvn -B clean install -Pci -Dx=y", "mvn deploy"], "-Pci -Dx=y verify"),
        ("", &["mvn -P $X test", "mvn checkstyle:check", "mvn compile"], "test; mvn -B -ntp checkstyle:check"),
        ("", &["mvn clean test -D x.y=${{ matrix.java }} -D a=b"], "-Da=b test"),
        ("", &["mvn clean compile -D maven.test.skip=true"], "test"),
        ("", &["mvn install -DskipTests", "mvn test"], "test"),
    ] {
        let ci = job(runs);
        let expected = format!("mvn -B -ntp test-compile; mvn -B -ntp {lines}");
        assert_eq!(shown(&[("pom.xml", pom), test, (CI, &ci)]), expected, "{runs:?}");
    }
}

#[test]
fn what_ci_makes_is_a_check_in_the_directory_in_which_it_makes_it() {
    let makefile = "all: a\n\t./a\npedantic:\n\t$(MAKE) all P=1\nclean:\n\trm -f a\ninstall: all\n\tcp a /usr/bin\n";
    let ci = job(&[
        "make -C tests FLAGS=\"-W -Wall\"",
        "make -C tests clean ; make -C tests pedantic",
        "make -C tests install",
        "sudo make install",
    ]);
    let found = project(&[("tests/Makefile", makefile), ("demo/Makefile", makefile), (CI, &ci)]);
    let lines: Vec<(&str, &str)> =
        found.checks.iter().map(|check| (check.line.as_str(), check.directory.as_str())).collect();
    assert_eq!(lines, [("make FLAGS=\"-W -Wall\"", "tests"), ("make clean pedantic", "tests")]);
    assert_eq!(found.checks[1].needs, [found.checks[0].name.clone()]);
    let off = "jobs: {a: {steps: [{run: make -C tests, if: false}]}}";
    assert_eq!(shown(&[("tests/Makefile", makefile), (CI, off)]), "");
}

#[test]
fn what_ci_runs_besides_is_told_in_one_line_for_each_file() {
    let ci = job(&[
        "sudo apt-get install -y x && pip install tox && npm ci && echo ok",
        "cargo test && cargo build --no-default-features && cargo doc --no-deps",
        "cd tests && ./unit.sh",
        "git diff --exit-code",
        "cargo --version; ./codecov -x",
    ]);
    let found = project(&[("Cargo.toml", "[package]\nname='a'\n"), ("src/lib.rs", "#[test] fn a() {}"), (CI, &ci)]);
    assert_eq!(
        found.notes,
        [
            ".github/workflows/ci.yml also runs `cargo build --no-default-features`, `cargo doc --no-deps`, `./unit.sh` in tests, not proposed"
        ]
    );
    let many: Vec<String> = (0..40).map(|number| format!("tool{number} --with-a-rather-long-option")).collect();
    let ci = job(&many.iter().map(String::as_str).collect::<Vec<_>>());
    let text = written(&project(&[("go.mod", "module a\n"), (CI, &ci)])).unwrap_or_default();
    let notes: Vec<&str> = text.lines().filter(|line| line.contains("also runs")).collect();
    assert!(notes.len() == 4 && notes.iter().all(|note| note.ends_with(", not proposed")), "{text}");
    assert!(notes[3].ends_with("`tool7 --with-a-rather-long-option` and 32 more, not proposed"), "{text}");
}

#[test]
fn names_of_what_is_left_are_their_own() {
    let ci = job(&["make gone", "make gone A=1", "make gone"]);
    let names: Vec<String> =
        project(&[("Makefile", "all: a\n"), (CI, &ci)]).left_to_people.into_iter().map(|left| left.name).collect();
    assert_eq!(names, ["make-gone"]);
    let node = r#"{"scripts": {"test": "jest"}}"#;
    let other = r#"{"scripts": {"test": "jest", "lint": "eslint --fix ."}}"#;
    let files = [("Cargo.toml", "[package]\nname='a'\n"), ("a/package.json", node), ("b/package.json", other)];
    let names: Vec<String> = project(&files).left_to_people.into_iter().map(|left| left.name).collect();
    assert_eq!(names, ["lint", "format", "test", "test-2"]);
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

#[test]
fn an_option_goes_with_its_value_and_a_run_as_it_stands_stays() {
    let go = [("go.mod", "module a\n"), ("a_test.go", "package a\n")];
    let asked = |files: &[(&str, &str)], runs: &[&str]| {
        let ci = job(runs);
        let files: Vec<(&str, &str)> = files.iter().copied().chain([(CI, ci.as_str())]).collect();
        shown(&files)
    };
    assert!(asked(&go, &["go test -tags \"$TAGS\" -race ./..."]).contains("go test -json -race ./..."));
    let rust = [("Cargo.toml", "[package]\nname = \"a\"\n"), ("src/lib.rs", "#[test]\nfn a() {}\n")];
    assert!(!asked(&rust, &["cargo clippy -p $PKG"]).contains('$'));
    let twice = asked(&rust, &["MODE=one cargo test", "cargo test"]);
    assert!(twice.split("; ").any(|line| line == "cargo test"), "{twice}");
    assert_eq!(twice.matches("MODE=one cargo test").count(), 1, "{twice}");
    // Of two files make takes the one that it would.
    let make = [("makefile", "check:\n\techo one\n"), ("Makefile", "test:\n\techo two\n")];
    assert_eq!(shown(&make), "make check");
}
