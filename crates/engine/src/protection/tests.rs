use std::collections::BTreeMap;

use referee_ledger::workspace::WorkspaceFile;
use referee_model::lock::{LockRule, Newcomers, RuleSource};
use referee_model::run_context::protection::Mode;

use super::*;

/// Files by path; a text that begins with `->` is a link.
type Tree = BTreeMap<&'static str, &'static str>;

fn rule(mode: Mode, pattern: &str, source: RuleSource, newcomers: Newcomers) -> LockRule {
    let (pattern, pointer) = match pattern.split_once('#') {
        Some((pattern, pointer)) => (pattern, Some(pointer.to_owned())),
        None => (pattern, None),
    };
    LockRule { mode, pattern: pattern.to_owned(), pointer, newcomers, source, reason: "because".to_owned() }
}

fn rules() -> Vec<LockRule> {
    use Mode::{Additive, Frozen, Review};
    use Newcomers::{Free, Governing, Never, Refused};
    use RuleSource::{Declared, Default, Fixed};
    vec![
        rule(Frozen, "referee.yaml", Fixed, Never),
        rule(Review, "referee.yaml", Declared, Free),
        rule(Review, "jest.config.js", Declared, Free),
        rule(Frozen, "package.json#/exports", Declared, Free),
        rule(Frozen, "**/*.config.js", Default, Refused),
        rule(Frozen, "**/conftest.py", Default, Governing),
        rule(Additive, "tests/**", Default, Free),
        rule(Frozen, "**/package.json#/scripts", Default, Governing),
        rule(Review, "**/package.json#/devDependencies", Default, Free),
        rule(Review, "Makefile", Default, Free),
        rule(Frozen, "Makefile#/targets/test/recipe", Default, Free),
        rule(Review, "**/pyproject.toml", Default, Free),
        rule(Frozen, "**/pyproject.toml#/tool/pytest", Default, Free),
    ]
}

fn listed(tree: &Tree) -> Vec<Listed> {
    tree.keys().map(|path| Listed { path: (*path).to_owned(), ignored: path.contains("ignored") }).collect()
}

fn look(tree: &Tree) -> impl Fn(&str) -> Looked + '_ {
    |path| match tree.get(path) {
        None => Looked::Missing,
        Some(text) => match text.strip_prefix("->") {
            Some(target) => Looked::Link(WorkspaceFile::of(target.into())),
            None => Looked::File(WorkspaceFile::of((*text).into())),
        },
    }
}

fn locked(tree: &Tree) -> Lock {
    let (files, _) = lock_snapshot::lock_files(&rules(), &listed(tree), &look(tree), &BTreeMap::new()).unwrap();
    Lock {
        made: Timestamp::from_millisecond(0),
        plans: BTreeMap::new(),
        rules: rules(),
        files,
        test_counts: BTreeMap::new(),
        named_tests: BTreeMap::new(),
        sources: None,
    }
}

const BEFORE: [(&str, &str); 8] = [
    ("referee.yaml", "checks: {}"),
    ("jest.config.js", "{}"),
    ("eslint.config.js", "[]"),
    ("package.json", r#"{ "version": "1", "scripts": { "test": "jest", "a": "b" } }"#),
    ("tests/a.test.js", "it('adds', f)\nit('removes', f)\n"),
    ("tests/data.json", "{}"),
    ("Makefile", "all:"),
    ("pyproject.toml", "[project]\nname = 'a'\n[tool.pytest]\nx = 1\n"),
];

/// Returns the drift after these changes; an empty text removes a file.
fn drift(changes: &[(&'static str, &'static str)]) -> Vec<String> {
    let mut tree = Tree::from(BEFORE);
    let lock = locked(&tree);
    for (path, text) in changes {
        if text.is_empty() {
            tree.remove(path)
        } else {
            tree.insert(path, text)
        };
    }
    let before = |path: &str| {
        let found = BEFORE.iter().find(|(other, _)| *other == path);
        found.map(|(_, text)| text.as_bytes().to_vec())
    };
    let paths = || BEFORE.iter().map(|(path, _)| (*path).to_owned()).collect();
    let then = compare::Then { lock: &lock, content: &before, paths: &paths };
    let found = compare::compare(then, &Known::of_lock(&lock), &listed(&tree), &look(&tree)).unwrap().drift;
    let said = |drift: &Drift| {
        let pointer = drift.pointer.clone().unwrap_or_default();
        let change = drift.change.as_str();
        format!("{}{pointer} {change}{}", drift.path, if drift.blocks { " blocks" } else { "" })
    };
    found.iter().map(said).collect()
}

#[test]
fn every_mode_tells_its_changes() {
    let nothing: [&str; 0] = [];
    assert_eq!(drift(&[]), nothing);
    for (path, text, told) in [
        // Frozen.
        ("referee.yaml", "checks: { a: b }", "referee.yaml modified blocks"),
        ("referee.yaml", "", "referee.yaml removed blocks"),
        ("eslint.config.js", "->elsewhere", "eslint.config.js modified blocks"),
        ("sub/new.config.js", "[]", "sub/new.config.js added blocks"),
        ("conftest.py", "x", "conftest.py added blocks"),
        ("tests/package.json", r#"{ "type": "module" }"#, "tests/package.json added blocks"),
        ("tests/conftest.py", "x", "tests/conftest.py added blocks"),
        ("tests/link", "->../elsewhere", "tests/link added blocks"),
        // Declared rules take precedence over the defaults.
        ("jest.config.js", "{ }", "jest.config.js modified"),
        ("jest.config.js", "", "jest.config.js removed"),
        // Values.
        ("package.json", r#"{"scripts":{"test":"true","a":"b"}}"#, "package.json/scripts modified blocks"),
        ("package.json", r#"{"version":"1"}"#, "package.json/scripts removed blocks"),
        ("package.json", "", "package.json removed blocks"),
        ("package.json", "{", "package.json unreadable blocks"),
        ("package.json", "->other", "package.json unreadable blocks"),
        ("package.json", r#"{"exports":1,"scripts":{"test":"jest","a":"b"}}"#, "package.json/exports added blocks"),
        (
            "package.json",
            r#"{"devDependencies":{},"scripts":{"test":"jest","a":"b"}}"#,
            "package.json/devDependencies added",
        ),
        // Additive.
        ("tests/a.test.js", "it('adds', g)\nit('removes', f)\n", "tests/a.test.js modified"),
        ("tests/a.test.js", "it('adds', f)\n// it('removes', f)\n", "tests/a.test.js modified blocks"),
        ("tests/a.test.js", "it('adds', f)\nit.skip('removes', f)\n", "tests/a.test.js modified blocks"),
        ("tests/a.test.js", "", "tests/a.test.js removed blocks"),
        ("tests/a.test.js", "->b", "tests/a.test.js modified blocks"),
        ("tests/data.json", "[]", "tests/data.json modified"),
        // Review.
        ("Makefile", "all: x", "Makefile modified"),
        // Values of files that are under review.
        ("Makefile", "all:\ntest:\n\ttrue\n", "Makefile/targets/test/recipe added blocks"),
        (
            "pyproject.toml",
            "[project]\nname = 'a'\n[tool.pytest]\nx = 2\n",
            "pyproject.toml/tool/pytest modified blocks",
        ),
        ("pyproject.toml", "[project]\nname = 'b'\n[tool.pytest]\nx = 1\n", "pyproject.toml modified"),
        ("pyproject.toml", "[project", "pyproject.toml unreadable blocks"),
        ("pyproject.toml", "", "pyproject.toml removed blocks"),
    ] {
        assert_eq!(drift(&[(path, text)]), [told], "{path}: {text}");
    }
}

#[test]
fn honest_changes_are_free() {
    let nothing: [&str; 0] = [];
    for (path, text) in [
        ("src/a.js", "x"),
        ("tests/b.test.js", "it('multiplies', f)"),
        // Reordered keys, and unprotected values.
        ("package.json", r#"{ "scripts": { "a": "b", "test": "jest" }, "version": "2", "dependencies": {} }"#),
        ("sub/package.json", r#"{ "scripts": {} }"#),
        ("Makefile", "# said\nall: # so\n"),
        ("pyproject.toml", "# said\ntool.pytest.x = 1\nproject.name = 'a'\n"),
        ("ignored/x.config.js", "made"),
        ("ignored/conftest.py", "made"),
        ("tests/new/conftest.py", "x"),
        ("tests/link", "->a.test.js"),
    ] {
        assert_eq!(drift(&[(path, text)]), nothing, "{path}");
    }
}

#[test]
fn a_test_that_only_moved_is_there_still() {
    let text = "it('adds', f)\nit('removes', f)\n";
    assert_eq!(drift(&[("tests/a.test.js", ""), ("tests/b.test.js", text)]), ["tests/a.test.js removed"]);
    assert_eq!(
        drift(&[("tests/a.test.js", "it('adds', f)"), ("tests/b.test.js", "it('removes', f)")]),
        ["tests/a.test.js modified"]
    );
}

#[test]
fn rules_that_cannot_be_read_are_an_error_and_protect_nothing_silently() {
    assert!(RuleBook::new(&[rule(Mode::Frozen, "a[", RuleSource::Declared, Newcomers::Free)]).is_err());
    let tree = Tree::from([("package.json", "{")]);
    assert!(lock_snapshot::lock_files(&rules(), &listed(&tree), &look(&tree), &BTreeMap::new()).is_err());
    // No value of this file is declared, so the whole file is protected.
    let tree = Tree::from([("sub/pyproject.toml", "[tool")]);
    let lock = locked(&tree);
    assert!(lock.files[0].values.is_empty() && lock.files[0].mode == Mode::Frozen);
}
