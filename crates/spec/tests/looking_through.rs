//! Which command lines are found behind npm scripts and make targets.

#![expect(clippy::disallowed_methods, reason = "tests make the files that are looked for")]

use std::path::Path;

use referee_model::plan::{Invocation, Shell};
use referee_spec::expand::{SeenThrough, see_through};

const PACKAGE: &str = r#"{ "scripts": {
    "test": "npm run unit",
    "unit": "CI=1 npm run jest -- --ci",
    "jest": "jest --color",
    "lint": "eslint .",
    "ci": "npm run lint -s",
    "both": "tsc && jest",
    "all": "npm run lint && npm run unit",
    "loop": "npm run pool",
    "pool": "npm run loop",
    "made": "make check",
    "empty": " ",
    "number": 5,
    "install": "echo no"
} }"#;

const MAKEFILE: &str = "check:\n\t-@npm run lint\nboth:\n\tnpm test\n\tnpm run lint\n";

fn seen(line: &str, directory: &Path) -> SeenThrough {
    see_through(&Invocation::Shell { line: line.to_owned(), pipefail: true, shell: Shell::Posix }, directory)
}

#[test]
fn scripts_and_targets_are_followed_to_what_they_run() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("package.json"), PACKAGE).unwrap();
    std::fs::write(directory.path().join("Makefile"), MAKEFILE).unwrap();
    let table: &[(&str, &[&str])] = &[
        ("npm test", &["npm run unit", "CI=1 npm run jest -- --ci", "jest --color --ci"]),
        ("npm t -- -u 'a b'", &["npm run unit -u 'a b'"]),
        ("npm run lint", &["eslint ."]),
        ("npm run -s lint -- --fix", &["eslint . --fix"]),
        ("npm run lint --fix", &["eslint ."]),
        ("npm run lint --fix src", &[]),
        ("npm run-script lint src -- --fix", &["eslint . src --fix"]),
        ("npm --loglevel error run lint", &["eslint ."]),
        ("npm run lint --help", &[]),
        ("npm test --silent", &["npm run unit", "CI=1 npm run jest -- --ci", "jest --color --ci"]),
        ("npm t -s", &["npm run unit", "CI=1 npm run jest -- --ci", "jest --color --ci"]),
        ("npm run unit --silent -- -u", &["CI=1 npm run jest -- --ci -u", "jest --color --ci -u"]),
        ("npm run ci", &["npm run lint -s", "eslint ."]),
        ("npm run ci --silent", &["npm run lint -s", "eslint ."]),
        ("npm --prefix . run lint", &["eslint ."]),
        ("pnpm -s lint", &["eslint ."]),
        ("pnpm run --silent lint", &["eslint ."]),
        ("yarn --silent lint", &["eslint ."]),
        ("yarn -s run lint --fix", &["eslint . --fix"]),
        ("A=b CI=1 npm run lint -s", &["eslint ."]),
        ("npm run both", &["tsc && jest"]),
        ("npm run both -- --ci", &["tsc && jest --ci"]),
        ("CI=1 npm run lint", &["eslint ."]),
        ("env CI=1 pnpm lint", &["eslint ."]),
        ("yarn lint --fix", &["eslint . --fix"]),
        ("yarn run lint", &["eslint ."]),
        ("pnpm run lint", &["eslint ."]),
        ("yarn install", &[]),
        ("npm lint", &[]),
        ("npm run all", &["npm run lint && npm run unit"]),
        ("npm run loop", &["npm run pool", "npm run loop"]),
        ("npm run made", &["make check", "npm run lint", "eslint ."]),
        ("make both", &["npm test", "npm run lint"]),
        ("make", &["npm run lint", "eslint ."]),
        ("make -C x check", &[]),
        ("npm run empty", &[]),
        ("npm run number", &[]),
        ("npm run missing", &[]),
        ("npm --prefix x test", &[]),
        ("npm test && npm run lint", &[]),
        ("npx jest", &[]),
        ("npm", &[]),
        ("env", &[]),
        ("", &[]),
    ];
    for (line, lines) in table {
        assert_eq!(seen(line, directory.path()).lines, *lines, "{line}");
    }
    let argv = Invocation::Argv(vec!["npm".to_owned(), "run".to_owned(), "lint".to_owned()]);
    assert_eq!(see_through(&argv, directory.path()).lines, ["eslint ."]);
    assert_eq!(seen("make check", directory.path()).ignored.as_deref(), Some("npm run lint"));
    assert_eq!(seen("make both", directory.path()).ignored, None);
}

#[test]
fn packages_are_found_by_option_directory_and_name() {
    let directory = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = directory.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "package.json",
        r#"{ "workspaces": ["./p", "packages/*", "deep/**", "../out"], "scripts": { "test": "root" } }"#,
    );
    write("p/package.json", r#"{ "name": "@x/p", "scripts": { "test": "jest" } }"#);
    write("p/Makefile", "test:\n\tnpm test\n");
    write("packages/a/package.json", r#"{ "name": "a", "scripts": { "test": "npm run unit", "unit": "vitest" } }"#);
    write("packages/b/package.json", r#"{ "name": "b", "scripts": { "test": "npm run unit", "unit": "mocha" } }"#);
    write("packages/empty/readme", "");
    write("deep/c/package.json", r#"{ "name": "c", "scripts": { "test": "ava" } }"#);
    write("pnpm/pnpm-workspace.yaml", "packages:\n  - 'inner/*'\n  - '!inner/no'\n");
    write("pnpm/inner/d/package.json", r#"{ "name": "d", "scripts": { "test": "tap" } }"#);
    let all: &[&str] = &["npm run unit", "vitest", "mocha"];
    let table: &[(&str, &[&str])] = &[
        ("npm test -w p", &["jest"]),
        ("npm test -w @x/p -- --ci", &["jest --ci"]),
        ("npm test --workspace=p", &["jest"]),
        ("npm --workspace ./p/ test", &["jest"]),
        ("npm run test -w a", &["npm run unit", "vitest"]),
        ("npm test -w packages", all),
        ("npm test -w a -w b", all),
        ("npm test -w a -w unknown", &[]),
        ("npm test -w c", &[]),
        ("npm test -w ..", &[]),
        ("npm test --workspaces", &["jest", "npm run unit"]),
        ("npm test -ws --if-present", &["jest", "npm run unit"]),
        ("npm test --workspaces=false", &["root"]),
        ("npm test -w", &[]),
        ("npm test --prefix p", &["jest"]),
        ("npm --prefix=p test", &["jest"]),
        ("npm -C p test", &["jest"]),
        ("npm -C nowhere test", &[]),
        ("cd p && npm test", &["jest"]),
        ("cd p && make test", &["npm test", "jest"]),
        ("cd packages && cd a && CI=1 npm test -s", &["npm run unit", "vitest"]),
        ("cd p && cd .. && npm test", &["root"]),
        ("cd - && npm test", &[]),
        ("cd p; npm test", &[]),
        ("echo && npm test", &[]),
        ("cd p &&", &[]),
        ("pnpm --filter p test", &["jest"]),
        ("pnpm --filter=@x/p run test --ci", &["jest --ci"]),
        ("pnpm -F ./packages/a test", &["npm run unit", "vitest"]),
        ("pnpm --filter a... test", &[]),
        ("pnpm -C pnpm --filter d test", &["tap"]),
        ("pnpm -C pnpm -r test", &["tap"]),
        ("yarn workspace @x/p test", &["jest"]),
        ("yarn workspace p run test --ci", &["jest --ci"]),
        ("yarn --cwd p test", &["jest"]),
        ("yarn workspaces run test", &["jest", "npm run unit"]),
        ("yarn workspaces foreach -Ap run test", &[]),
        ("yarn workspaces foreach -A run test", &["jest", "npm run unit"]),
        ("yarn workspace", &[]),
    ];
    for (line, lines) in table {
        assert_eq!(seen(line, directory.path()).lines, *lines, "{line}");
    }
}

#[test]
fn nothing_is_seen_where_nothing_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    assert_eq!(seen("npm test", directory.path()), SeenThrough::default());
    assert_eq!(seen("npm test", Path::new("/nowhere/at/all")), SeenThrough::default());
    for junk in [&b""[..], b"{", b"[]", b"\xff\xfe", b"{\"scripts\": \"test\"}", b"{\"scripts\": {\"test\": null}}"] {
        std::fs::write(directory.path().join("package.json"), junk).unwrap();
        assert_eq!(seen("npm test", directory.path()), SeenThrough::default(), "{junk:?}");
    }
    std::fs::write(directory.path().join("package.json"), vec![b' '; 2 * 1024 * 1024]).unwrap();
    assert_eq!(seen("npm test", directory.path()), SeenThrough::default());
}

#[test]
fn scripts_are_followed_eight_deep_at_most() {
    let directory = tempfile::tempdir().unwrap();
    let scripts: serde_json::Map<String, serde_json::Value> =
        (0..20).map(|depth| (format!("s{depth}"), format!("npm run s{}", depth + 1).into())).collect();
    std::fs::write(directory.path().join("package.json"), serde_json::json!({ "scripts": scripts }).to_string())
        .unwrap();
    assert_eq!(seen("npm run s0", directory.path()).lines.len(), 8);
}
