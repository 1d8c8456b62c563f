//! What `referee init` makes of projects: each specification is a snapshot, and each loads.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "fixtures are written into directories of their own; what fails here fails the test"
)]

use std::fs;
use std::path::Path;

use insta::assert_snapshot;
use proptest::prelude::*;
use referee_model::plan::Plan;
use referee_spec::detect::{Project, Tree, detect, written};
use referee_spec::{Loaded, Options, load};
use tempfile::TempDir;

/// What is written for these files; it must load.
#[track_caller]
fn specification(files: &[(&str, &str)]) -> String {
    let text = written(&detect(&Tree::of(files.iter().copied()))).expect("there is something to check");
    plan(files, &text);
    text
}

/// The plan of a written specification. Panics where it does not load, or loads with a warning.
#[track_caller]
fn plan(files: &[(&str, &str)], text: &str) -> Plan {
    let directory = directory_of(files);
    let Loaded { mut suite, warnings } = loaded(directory.path(), text);
    assert!(warnings.is_empty(), "{warnings:#?}\n{text}");
    suite.tasks.remove(0)
}

fn loaded(directory: &Path, text: &str) -> Loaded {
    let file = directory.join("referee.yaml");
    fs::write(&file, text).unwrap();
    load(&file, &Options::default()).unwrap_or_else(|error| panic!("{error:#?}\n{text}"))
}

fn directory_of(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn project(files: &[(&str, &str)]) -> Project {
    detect(&Tree::of(files.iter().copied()))
}

fn lines(project: &Project) -> Vec<&str> {
    project.checks.iter().map(|check| check.line.as_str()).collect()
}

/// The lines of the checks, with one word for what puts the environment's programs first.
fn shown(files: &[(&str, &str)]) -> String {
    lines(&project(files)).join("; ").replace(r#"PATH="$PWD/.venv/bin:$PATH""#, "VENV")
}

/// The lines that are left to people.
fn left(files: &[(&str, &str)]) -> String {
    let found = project(files);
    let lines: Vec<&str> = found.left_to_people.iter().map(|left| left.line.as_str()).collect();
    lines.join("; ").replace(r#"PATH="$PWD/.venv/bin:$PATH""#, "VENV")
}

// VF-04: node, vite, python, empty.

#[test]
fn a_node_project_is_checked_by_its_own_scripts() {
    assert_snapshot!(specification(&[
        (
            "package.json",
            r#"{"name": "shop", "scripts": {"test": "jest", "lint": "eslint . --max-warnings 0", "build": "tsc -p . && node pack.js", "format:check": "prettier --check .", "dev": "next dev -p 4000"}, "devDependencies": {"jest": "29", "typescript": "5", "next": "15"}}"#,
        ),
        ("package-lock.json", "{}"),
        ("tsconfig.json", "{ // comments are fine\n \"compilerOptions\": {\"strict\": true},\n}"),
        (".github/workflows/ci.yml", "jobs: {a: {steps: [{run: npm run format:check}]}}"),
        ("src/a.test.ts", ""),
    ]));
}

#[test]
fn a_vite_project_has_its_types_checked_as_its_build_does() {
    assert_snapshot!(specification(&[
        (
            "package.json",
            r#"{"name": "front", "scripts": {"dev": "vite", "build": "tsc -b && vite build", "lint": "eslint .", "test:unit": "vitest", "test:e2e": "playwright test"}, "devDependencies": {"vite": "7", "typescript": "5", "vitest": "3"}}"#,
        ),
        ("vite.config.ts", "export default { server: { port: 8123 } }"),
        ("node_modules/x/package.json", "{}"),
    ]));
}

#[test]
fn a_python_project_is_checked_by_what_it_configures_and_runs() {
    assert_snapshot!(specification(&[
        (
            "pyproject.toml",
            "[project]\nname = \"bank\"\n[dependency-groups]\ndev = [\"pytest>=8\", \"mypy\", \"ruff\"]\n[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\nfiles = [\"src\"]\n[tool.black]\n",
        ),
        ("uv.lock", ""),
        ("tests/test_bank.py", "def test_it(): pass"),
        (".github/workflows/ci.yml", "jobs: {a: {steps: [{run: uv run ruff check}, {run: uv run mypy}]}}"),
    ]));
}

#[test]
fn an_empty_or_unknown_directory_gives_nothing_to_write() {
    for files in [
        &[][..],
        &[("README.md", "# hello")],
        &[("package.json", "{}")],
        &[("package.json", "not JSON")],
        &[("package.json", r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#)],
        &[("package.json", r#"{"scripts": {"test": "jest --watch", "build": "tsc -w"}}"#)],
        &[("Cargo.toml", "junk")],
        &[("examples/a/package.json", r#"{"scripts": {"test": "jest"}}"#)],
        &[("node_modules/a/package.json", r#"{"scripts": {"test": "jest"}}"#)],
    ] {
        assert_eq!(written(&project(files)), None, "{files:?}");
    }
}

// PM-01: the package manager from the lock file.

#[test]
fn the_package_manager_is_told_from_the_package_or_its_lock_file() {
    let scripts = r#"{"scripts": {"test": "node --test"}, "dependencies": {"a": "1"}}"#;
    for (lock, run, install) in [
        ("package-lock.json", "npm test", "npm ci"),
        ("npm-shrinkwrap.json", "npm test", "npm ci"),
        ("yarn.lock", "yarn run test", "yarn install --frozen-lockfile"),
        ("pnpm-lock.yaml", "pnpm run test", "pnpm install --frozen-lockfile"),
        ("bun.lock", "bun run test", "bun install --frozen-lockfile"),
        ("bun.lockb", "bun run test", "bun install --frozen-lockfile"),
        ("README.md", "npm test", "npm install"),
    ] {
        let found = project(&[("package.json", scripts), (lock, ""), ("a.test.js", "")]);
        assert_eq!(lines(&found), [run], "{lock}");
        assert_eq!(found.prerequisites[0].line, install, "{lock}");
    }
    let declared = r#"{"packageManager": "yarn@4.1.0", "scripts": {"test": "jest"}, "dependencies": {"a": "1"}}"#;
    let found = project(&[("package.json", declared), ("package-lock.json", "")]);
    assert_eq!((lines(&found), &*found.prerequisites[0].line), (vec!["yarn run test"], "yarn install --immutable"));
}

#[test]
fn dependencies_that_are_there_are_not_installed_again() {
    let package = r#"{"scripts": {"test": "jest"}, "dependencies": {"a": "1"}}"#;
    let found = project(&[("package.json", package), ("node_modules/a/index.js", "")]);
    assert!(found.prerequisites.is_empty() && found.left_to_people.iter().any(|left| left.name == "install"));
}

#[test]
fn what_changes_files_or_never_ends_is_no_check() {
    let package = |scripts: &str| format!("{{\"scripts\": {{{scripts}}}}}");
    let checked = |scripts: &str| lines(&project(&[("package.json", &package(scripts))])).join("; ");
    let eslint = r#"{"scripts": {"lint": "eslint src --ext ts --fix"}, "devDependencies": {"eslint": "9"}}"#;
    assert_eq!(shown(&[("package.json", eslint)]), "npx eslint src --ext ts");
    assert_eq!(checked(r#""lint": "eslint src --ext ts --fix", "test": "mocha""#), "npm test");
    assert_eq!(checked(r#""lint": "biome check --write", "test": "mocha""#), "npm test");
    assert_eq!(checked(r#""format": "prettier --write .", "test": "mocha""#), "npm test");
    assert_eq!(checked(r#""test": "jest --watch", "test:ci": "jest""#), "npm run test:ci");
    assert_eq!(checked(r#""test": "ng test""#), "npm test -- --watch=false");
    assert_eq!(checked(r#""test": "react-scripts test""#), "CI=true npm test");
    assert_eq!(checked(r#""check": "echo ok", "test": "mocha""#), "npm test");
    assert_eq!(checked(r#""it's": "tsc && x", "test:unit": "jest""#), "npx tsc --noEmit; npm run test:unit");
}

#[test]
fn tests_in_a_browser_are_checks_where_ci_runs_them_with_the_server_that_they_need() {
    let package =
        r#"{"scripts": {"dev": "vite", "test": "vitest run", "e2e": "cypress run"}, "devDependencies": {"vite": "7"}}"#;
    let files = [("package.json", package), ("cypress.config.ts", "e2e: { baseUrl: 'http://localhost:4321' }")];
    let found = project(&files);
    assert_eq!(lines(&found), ["npm test"]);
    assert!(found.left_to_people.iter().any(|left| left.line == "npm run e2e"));
    let ci = (".github/workflows/ci.yml", "jobs: {a: {steps: [{run: npm run e2e}]}}");
    let all = [files[0], files[1], ci];
    assert_snapshot!(specification(&all));
    let own = ("playwright.config.ts", "webServer: { command: 'npm run dev' }");
    let served = project(&[files[0], own, (".gitlab-ci.yml", "t: {script: [npm run e2e]}")]);
    assert!(served.services.is_empty() && lines(&served).contains(&"npm run e2e"));
}

#[test]
fn strictness_of_the_project_becomes_policy_with_its_reason() {
    for (files, policy) in [
        (
            &[("package.json", r#"{"scripts": {"lint": "eslint . --max-warnings=0"}}"#)][..],
            "eslint { blockOn: ERRORS_AND_WARNINGS }",
        ),
        (
            &[("package.json", r#"{"scripts": {"lint": "eslint . --max-warnings 25"}}"#)],
            "eslint { blockOn: ERRORS_ONLY, maxWarnings: 25 }",
        ),
        (
            &[
                ("package.json", r#"{"scripts": {"lint": "eslint ."}}"#),
                (".github/workflows/a.yaml", "jobs: {a: {steps: [{run: npm run lint -- --max-warnings 0}]}}"),
            ],
            "eslint { blockOn: ERRORS_AND_WARNINGS }",
        ),
        (
            &[("package.json", r#"{"scripts": {"lint": "eslint ."}}"#), (".eslintrc.json", "{\"max-warnings\": 0}")],
            "eslint { blockOn: ERRORS_AND_WARNINGS }",
        ),
        (&[("package.json", r#"{"scripts": {"lint": "eslint ."}}"#)], ""),
        (
            &[
                ("package.json", r#"{"scripts": {"typecheck": "tsc --noEmit"}}"#),
                ("tsconfig.json", r#"{"compilerOptions": {"strict": true}}"#),
            ],
            "typescript { blockOn: ERRORS_ALWAYS }",
        ),
        (
            &[("Cargo.toml", "[package]\nname='a'"), (".gitlab-ci.yml", "a: {script: [cargo clippy -- -D warnings]}")],
            "clippy { blockOn: ERRORS_AND_WARNINGS }",
        ),
        (&[("Makefile", "CFLAGS = -Wall -Werror\nall: a\n")], "compilation { strategy: ERRORS_AND_WARNINGS }"),
    ] {
        let found = project(files);
        let policies: Vec<String> =
            found.policies.iter().map(|each| format!("{} {}", each.tool, each.written())).collect();
        assert_eq!(policies.join("; "), policy, "{files:?}");
        let text = specification(files);
        assert_eq!(text.contains("validationPolicyRationale: "), !policy.is_empty(), "{text}");
        let reasons = plan(files, &text).policies.rationale;
        assert!(found.policies.iter().all(|each| reasons.as_ref().is_some_and(|all| all.contains(&each.because))));
    }
}

#[test]
fn a_rust_workspace_is_checked_as_its_ci_does() {
    assert_snapshot!(specification(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n"),
        ("a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ("a/src/lib.rs", "#[test]\nfn one() {}\n"),
        (
            ".github/workflows/ci.yml",
            "jobs: {a: {steps: [{run: cargo fmt --all -- --check}, {run: cargo clippy --workspace --all-targets -- -D warnings}, {run: cargo test --workspace --all-features}]}}",
        ),
    ]));
}

#[test]
fn a_checker_that_nobody_runs_is_left_to_people() {
    for (files, left) in [
        (
            &[("Cargo.toml", "[package]\nname='a'\n"), ("src/lib.rs", "#[test] fn a() {}")][..],
            "cargo clippy; cargo fmt --all --check",
        ),
        (
            &[("go.mod", "module example.com/a\n"), ("a_test.go", ""), (".golangci.yml", "")],
            "go vet ./...; golangci-lint run; gofmt -l .",
        ),
        (&[("setup.cfg", "[flake8]\n"), ("test_a.py", "import unittest")], "VENV python3 -m flake8"),
        (&[("Gemfile", ""), (".rspec", ""), (".rubocop.yml", "")], "bundle exec rubocop"),
        (
            &[("composer.json", r#"{"scripts": {"test": "phpunit"}}"#), ("phpstan.neon", "")],
            "vendor/bin/phpstan analyse --no-progress",
        ),
        (&[("package.json", r#"{"scripts": {"test": "jest"}}"#), ("eslint.config.js", "")], "npx eslint ."),
    ] {
        let found = project(files);
        assert_eq!(self::left(files), left, "{files:?}");
        assert!(found.left_to_people.iter().all(|left| left.because.len() > 10));
        specification(files);
    }
}

#[test]
fn each_ecosystem_has_its_checks() {
    for (files, checks) in [
        (&[("go.mod", "module example.com/a\n"), ("a_test.go", "")][..], "go build ./...; go test -json ./..."),
        (&[("pom.xml", ""), ("mvnw", ""), ("src/test/A.java", "")], "./mvnw -B -ntp test-compile; ./mvnw -B -ntp test"),
        (&[("build.gradle.kts", ""), ("gradlew", ""), ("src/test/A.kt", "")], "./gradlew testClasses; ./gradlew test"),
        (&[("Makefile", "all: a\ntest: a\n\t./a\n")], "make all; make test"),
        (
            &[("CMakeLists.txt", "enable_testing()")],
            "cmake -S . -B build; cmake --build build; ctest --test-dir build --output-on-failure",
        ),
        (
            &[("meson.build", "project('a', 'c')\ntest('a', a)\n")],
            "meson setup build; meson compile -C build; meson test -C build",
        ),
        (
            &[("App.sln", ""), ("t/T.csproj", "<PackageReference Include=\"Microsoft.NET.Test.Sdk\"/>")],
            "dotnet build; dotnet test",
        ),
        (&[("composer.json", r#"{"scripts": {"test": "phpunit"}}"#)], "composer run-script test"),
        (&[("phpunit.xml", "")], "phpunit"),
        (&[("Gemfile", ""), ("spec/a_spec.rb", "")], "bundle exec rspec"),
        (&[("Rakefile", "Rake::TestTask.new")], "rake test"),
        (&[("test/a.bats", "")], "bats test"),
        (
            &[
                ("poetry.lock", ""),
                ("pyproject.toml", "[tool.poetry]\n[tool.pytest.ini_options]\n"),
                ("tests/test_a.py", ""),
            ],
            "poetry run pytest",
        ),
        (&[("Pipfile", "pytest = \"*\"\n"), ("tests/test_a.py", "")], "pipenv run pytest"),
        (&[("tox.ini", "[testenv]\ncommands = pytest\n"), ("tests/test_a.py", "")], "VENV python3 -m pytest"),
        (&[("manage.py", ""), ("polls/tests.py", "")], "VENV python3 manage.py test"),
        (&[("test_a.py", "import unittest")], "VENV python3 -m unittest"),
        (
            &[("requirements.txt", ""), ("tests/test_a.py", "import unittest")],
            "VENV python3 -m unittest discover -s tests",
        ),
    ] {
        assert_eq!(shown(files), checks, "{files:?}");
        specification(files);
    }
}

#[test]
fn several_projects_have_names_of_their_own_and_those_beside_the_root_need_ci() {
    let node = r#"{"scripts": {"test": "jest"}}"#;
    let beside = [("web/package.json", node), ("api/pyproject.toml", "[tool.pytest]\n"), ("api/test_a.py", "")];
    assert_snapshot!(specification(&beside));
    let root = [("Cargo.toml", "[package]\nname='a'\n"), ("src/lib.rs", "#[test] fn a() {}"), beside[0]];
    assert_eq!(lines(&project(&root)), ["cargo check", "cargo test"]);
    let ci = (".github/workflows/ci.yml", "jobs: {a: {steps: [{run: npm test, working-directory: ./web}]}}");
    assert_eq!(lines(&project(&[root[0], root[1], root[2], ci])), ["cargo check", "cargo test", "npm test"]);
}

#[test]
fn smoke_is_a_part_of_fast_and_never_empty() {
    for files in [
        &[("package.json", r#"{"scripts": {"test": "jest", "lint": "eslint ."}}"#)][..],
        &[("test_a.py", "import unittest")],
        &[("Cargo.toml", "[package]\nname='a'\n"), ("src/lib.rs", "#[test] fn a() {}")],
        &[("package.json", r#"{"scripts": {"lint": "eslint ."}}"#)],
    ] {
        use referee_model::selection::Level;
        let text = specification(files);
        let plan = plan(files, &text);
        assert!(plan.actions.iter().any(|action| action.level == Some(Level::Smoke)), "{text}");
        assert!(plan.actions.iter().all(|action| action.level.is_some()), "{text}");
    }
}

#[test]
fn texts_of_manifests_cannot_break_out() {
    let name = "evil\"\n# checks: {}\ntask: T9 ${HOME} {{x}}";
    let package = serde_json::json!({
        "name": name,
        "scripts": {"test:unit": "jest", "a'; rm -rf / #": "tsc && x", "typecheck": "tsc", "types\u{1b}[31m": "x", "lint": "eslint --max-warnings 3 # }\n"},
        "packageManager": "evil: [",
    });
    let text = specification(&[
        ("package.json", &package.to_string()),
        (".github/workflows/x: {.yml", "jobs: {a: {steps: [{run: \"prettier --check\"}]}}"),
    ]);
    assert!(
        !text.contains('\u{1b}')
            && text.lines().all(|line| !line.starts_with("task:") && !line.starts_with("# checks: {}")),
        "{text}"
    );
}

#[test]
fn links_and_junk_are_passed_over_with_a_note() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("package.json"), vec![b' '; 2 * 1024 * 1024]).unwrap();
    fs::write(at("Cargo.toml"), [0xff, 0xfe, 0, 1]).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", at("go.mod")).unwrap();
    std::os::unix::fs::symlink("loop", at("loop")).unwrap();
    std::os::unix::fs::symlink(".", at("self")).unwrap();
    fs::create_dir(at("pyproject.toml")).unwrap();
    fs::write(at("Makefile"), "test:\n\ttrue\n").unwrap();
    let project = detect(&Tree::look(directory.path()));
    assert_eq!(lines(&project), ["make test"]);
    let notes = project.notes.join("\n");
    for noted in [
        "`package.json` was passed over: it is larger than 1 MiB",
        "`Cargo.toml` was passed over",
        "`go.mod` is a link",
    ] {
        assert!(notes.contains(noted), "{notes}");
    }
    let text = written(&project).unwrap();
    loaded(directory.path(), &text);
}

#[test]
fn a_directory_on_disk_is_seen_as_the_same_files_in_memory() {
    let files = [
        (
            "package.json",
            r#"{"name": "a", "scripts": {"test": "jest", "build": "tsc && x"}, "dependencies": {"jest": "1"}}"#,
        ),
        ("node_modules/jest/package.json", "{}"),
        (".github/workflows/ci.yml", "jobs: {a: {steps: [{run: npm test}]}}"),
        ("src/deep/a.test.js", ""),
    ];
    let directory = directory_of(&files);
    assert_eq!(written(&detect(&Tree::look(directory.path()))), written(&project(&files)));
}

/// Names of files that mean something.
fn path() -> impl Strategy<Value = String> {
    let names = vec![
        "package.json",
        "tsconfig.json",
        "pnpm-lock.yaml",
        "yarn.lock",
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "manage.py",
        "test_a.py",
        "Cargo.toml",
        "go.mod",
        "a_test.go",
        "pom.xml",
        "build.gradle",
        "Makefile",
        "CMakeLists.txt",
        "CMakePresets.json",
        "meson.build",
        "composer.json",
        "phpunit.xml",
        "Gemfile",
        "Rakefile",
        ".rspec",
        "a.bats",
        "a.sln",
        "T.csproj",
        ".golangci.yml",
        "cypress.config.ts",
        ".gitlab-ci.yml",
        ".github/workflows/ci.yml",
        "node_modules/a/x",
        "requirements.txt",
        ".prettierrc",
        "eslint.config.js",
    ];
    let directories = vec!["", "", "", "web/", "a b/", "ünï/", "x$y/", "deep/er/", "-dash/", "it's/"];
    (prop::sample::select(directories), prop::sample::select(names))
        .prop_map(|(directory, name)| format!("{directory}{name}"))
}

/// Texts of manifests: whole, broken, hostile, junk.
fn text() -> impl Strategy<Value = String> {
    let word = "[ -~]{0,30}|jest|eslint \\. --max-warnings [0-9]{1,4}|tsc -b && vite build|playwright test|\\PC{0,20}";
    let name = "test|lint|build|check|typecheck|format|e2e|dev|test:unit|[ -~]{1,12}|\\PC{1,6}";
    let package = (prop::collection::btree_map(name, word, 0..8), word, prop::option::of("npm@9|yarn@3.0.0|pnpm@1|[ -~]{0,10}"))
        .prop_map(|(scripts, title, manager)| {
            serde_json::json!({"name": title, "scripts": scripts, "packageManager": manager, "workspaces": ["*"], "devDependencies": {"prettier": "1", "vite": "2"}}).to_string()
        });
    let known = vec![
        "[package]\nname = \"a\"\n[workspace]\n[lints.clippy]\n",
        "module a\n",
        "[tool.pytest]\n[tool.ruff]\n[tool.mypy]\nstrict = true\n",
        "all: a\ntest: b\nlint: c\nCFLAGS = -Werror\n",
        "enable_testing() add_compile_options(-Werror)",
        "jobs: {a: {steps: [{run: \"cargo clippy -- -D warnings\"}]}}",
        "{\"configurePresets\": [{\"name\": \"${x}\"}, {\"name\": \"d\"}], \"buildPresets\": [{\"name\": \"b\", \"configurePreset\": \"d\"}]}",
        "{\"compilerOptions\": {\"strict\": true}, \"references\": [{}]}",
        "[[[[",
        "{\"scripts\": 7}",
        "",
        "test('a', b)\n",
        "import unittest",
    ];
    prop_oneof![package, prop::sample::select(known).prop_map(str::to_owned), "\\PC{0,60}", "[\\x00-\\x7f]{0,80}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_stands_in_a_tree_what_is_written_loads(files in prop::collection::vec((path(), text()), 0..7)) {
        let found = detect(&Tree::of(files.iter().map(|(path, text)| (path.as_str(), text.as_str()))));
        let text = written(&found);
        prop_assert_eq!(text.is_none(), found.checks.is_empty());
        if let Some(text) = text {
            let directory = tempfile::tempdir().unwrap();
            let file = directory.path().join("referee.yaml");
            fs::write(&file, &text).unwrap();
            let loaded = load(&file, &Options::default());
            prop_assert!(loaded.is_ok(), "{:#?}\n{}", loaded.err(), text);
        }
    }
}

#[test]
fn a_test_command_that_is_known_to_show_no_summary_is_judged_by_its_exit_code_and_the_reason_is_written() {
    let package = |line: &str| format!("{{\"name\": \"a\", \"scripts\": {{\"test\": \"{line}\"}}}}");
    for (line, test, only) in [
        ("jest --reporters=jest-junit", "test('x', () => {})\n", true),
        ("jest", "test('x', () => {})\n", false),
        ("node --test", "require('node:assert').equal(1, 1);\n", true),
        ("node --test", "require('node:test').test('x', () => {});\n", false),
    ] {
        let text = specification(&[("package.json", &package(line)), ("a.test.js", test)]);
        assert_eq!(text.contains("exitCodeOnly: true"), only, "{text}");
        assert_eq!(text.contains("decides"), only, "{text}");
    }
}
