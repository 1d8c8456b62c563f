//! Which command lines are found behind npm scripts and make targets.

#![expect(clippy::disallowed_methods, reason = "tests make the files that are looked for")]

use std::path::Path;

use referee_model::plan::Invocation;
use referee_spec::expand::{SeenThrough, see_through};

const PACKAGE: &str = r#"{ "scripts": {
    "test": "npm run unit",
    "unit": "CI=1 npm run jest -- --ci",
    "jest": "jest --color",
    "lint": "eslint .",
    "all": "npm run lint && npm run unit",
    "loop": "npm run pool",
    "pool": "npm run loop",
    "made": "make check",
    "empty": " ",
    "number": 5,
    "install": "echo no"
} }"#;

const MAKEFILE: &str = "check:\n\t-@npm run lint\nboth:\n\tnpm test\n\tnpm run lint\n";

fn seen(line: &str, folder: &Path) -> SeenThrough {
    see_through(&Invocation::Shell { line: line.to_owned(), pipefail: true }, folder)
}

#[test]
fn scripts_and_targets_are_followed_to_what_they_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("package.json"), PACKAGE).unwrap();
    std::fs::write(folder.path().join("Makefile"), MAKEFILE).unwrap();
    let table: &[(&str, &[&str])] = &[
        ("npm test", &["npm run unit", "CI=1 npm run jest -- --ci", "jest --color --ci"]),
        ("npm t -- -u 'a b'", &["npm run unit -u 'a b'"]),
        ("npm run lint", &["eslint ."]),
        ("npm run -s lint -- --fix", &["eslint . --fix"]),
        ("npm run lint --fix", &[]),
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
        assert_eq!(seen(line, folder.path()).lines, *lines, "{line}");
    }
    let argv = Invocation::Argv(vec!["npm".to_owned(), "run".to_owned(), "lint".to_owned()]);
    assert_eq!(see_through(&argv, folder.path()).lines, ["eslint ."]);
    assert_eq!(seen("make check", folder.path()).ignored.as_deref(), Some("npm run lint"));
    assert_eq!(seen("make both", folder.path()).ignored, None);
}

#[test]
fn nothing_is_seen_where_nothing_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(seen("npm test", folder.path()), SeenThrough::default());
    assert_eq!(seen("npm test", Path::new("/nowhere/at/all")), SeenThrough::default());
    for junk in [&b""[..], b"{", b"[]", b"\xff\xfe", b"{\"scripts\": \"test\"}", b"{\"scripts\": {\"test\": null}}"] {
        std::fs::write(folder.path().join("package.json"), junk).unwrap();
        assert_eq!(seen("npm test", folder.path()), SeenThrough::default(), "{junk:?}");
    }
    std::fs::write(folder.path().join("package.json"), vec![b' '; 2 * 1024 * 1024]).unwrap();
    assert_eq!(seen("npm test", folder.path()), SeenThrough::default());
}

#[test]
fn scripts_are_followed_eight_deep_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let scripts: serde_json::Map<String, serde_json::Value> =
        (0..20).map(|depth| (format!("s{depth}"), format!("npm run s{}", depth + 1).into())).collect();
    std::fs::write(folder.path().join("package.json"), serde_json::json!({ "scripts": scripts }).to_string()).unwrap();
    assert_eq!(seen("npm run s0", folder.path()).lines.len(), 8);
}
