use std::path::Path;

use super::*;
use crate::{Options, load_text};

fn plans(text: &str) -> Vec<Plan> {
    load_text(Path::new("/w/referee.yaml"), text.as_bytes(), &Options::default()).unwrap().suite.tasks
}

fn complaints(text: &str) -> String {
    match load_text(Path::new("/w/referee.yaml"), text.as_bytes(), &Options::default()) {
        Err(crate::SpecError::Complaints(complaints)) => {
            complaints.iter().map(|complaint| format!("{complaint:?}")).collect::<Vec<_>>().join("\n")
        }
        other => panic!("{other:?}"),
    }
}

pub(super) fn of(text: &str, files: &[(&str, &str)]) -> Vec<LockRule> {
    let content = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
    rules(&plans(text), files.iter().map(|(name, _)| *name), &content)
}

fn patterns(rules: &[LockRule], mode: Mode) -> Vec<&str> {
    rules.iter().filter(|rule| rule.mode == mode && rule.pointer.is_none()).map(|rule| rule.pattern.as_str()).collect()
}

#[test]
fn defaults_are_those_of_the_kind_of_project() {
    let node = of("checks: { a: 'true' }", &[("package.json", "{}")]);
    assert!(patterns(&node, Mode::Frozen).contains(&"**/jest.config.*"));
    assert!(!patterns(&node, Mode::Frozen).contains(&"**/conftest.py"));
    assert!(node.iter().any(|rule| rule.pointer.as_deref() == Some("/jest")));
    let python = of("checks: { a: 'true' }", &[("src/a.py", "")]);
    assert!(patterns(&python, Mode::Frozen).contains(&"**/conftest.py"));
    assert!(python.iter().any(|rule| rule.pointer.as_deref() == Some("/tool/pytest")));
    assert!(python.iter().all(|rule| !rule.pattern.ends_with("package.json")));
}

#[test]
fn the_specification_goes_first_and_its_word_before_the_defaults() {
    let text = "checks: { a: 'true' }\nprotect: { frozen: [eslint.config.js, 'package.json#/exports'], additive: ['spec/**'], review: [jest.config.js] }";
    let rules = of(text, &[("package.json", "{}")]);
    assert_eq!((rules[0].pattern.as_str(), rules[0].source), ("referee.yaml", RuleSource::Fixed));
    let declared: Vec<_> = rules.iter().filter(|rule| rule.source == RuleSource::Declared).collect();
    assert_eq!(declared.len(), 4);
    assert_eq!(declared[1].pointer.as_deref(), Some("/exports"));
    assert_eq!(declared[0].newcomers, Newcomers::Refused);
    assert_eq!(declared[2].newcomers, Newcomers::Free);
    assert!(rules.iter().is_sorted_by_key(|rule| rule.source));
}

#[test]
fn what_configurations_and_commands_name_is_protected() {
    let files = [
        ("package.json", r#"{ "jest": { "setupFiles": ["<rootDir>/tools/first.js", "./second"] } }"#),
        ("tools/first.js", ""),
        ("second.ts", ""),
        ("jest.config.js", "module.exports = { globalSetup: './global.js', other: './not.js' }"),
        ("global.js", ""),
        ("not.js", ""),
        ("check.sh", ""),
        ("lint.json", ""),
        ("server.js", ""),
        ("schema.json", "{}"),
    ];
    let text = "checks:\n  a: sh check.sh\n  b: { argv: [npx, eslint, --config, lint.json, not.js] }\n  c: node server.js\n  d: { file: out.json, schema: schema.json }\n";
    let rules = of(text, &files);
    let frozen = patterns(&rules, Mode::Frozen);
    for path in ["tools/first.js", "second.ts", "global.js", "check.sh", "lint.json", "schema.json"] {
        assert!(frozen.contains(&path), "{path} in {frozen:?}");
    }
    assert!(!frozen.contains(&"not.js"));
    assert!(patterns(&rules, Mode::Review).contains(&"server.js"));
}

#[test]
fn what_cannot_be_protected_is_complained_about_where_it_stands() {
    for (protect, code) in [
        ("{ frozen: ['../x'] }", "is outside the workspace"),
        ("{ frozen: [/etc/passwd] }", "is outside the workspace"),
        ("{ frozen: ['a[b'] }", "has no `]`"),
        ("{ frozen: ['a.yaml#/x'] }", "points into a file that is not JSON, TOML or makefile"),
        ("{ frozen: ['a.json#'] }", "JSON pointer"),
        ("{ frozen: ['a.json#/x~2'] }", "JSON pointer"),
        ("{ additive: ['a.json#/x'] }", "only files can be additive"),
        ("{ frozen: [a], review: [a] }", "protected in two ways"),
        ("{ frozen: ['.'] }", "names no file"),
        ("{ frozn: [a] }", "frozn"),
        ("false", "a set of protected files"),
    ] {
        let complaints = complaints(&format!("checks: {{ a: 'true' }}\nprotect: {protect}\n"));
        assert!(complaints.contains(code), "{protect}: {complaints}");
        assert!(complaints.contains("line: 2"), "{complaints}");
    }
}
