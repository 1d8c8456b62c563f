//! Tests of the reader of javac's findings.

use super::*;
use crate::trial::claimed;

fn read(text: &str) -> Option<Candidate> {
    claimed(TEXT.reader(false), text)
}

/// File, line, level, code and message of a finding.
type Facts = (Option<String>, Option<u32>, Level, Option<String>, String);

fn facts(candidate: Option<Candidate>) -> Vec<Facts> {
    let found = candidate.map(|candidate| candidate.findings.kept.into_items()).unwrap_or_default();
    found.into_iter().map(|it| (it.file, it.line, it.level, it.code, it.message)).collect()
}

fn one(text: &str) -> Facts {
    let mut facts = facts(read(text));
    assert_eq!(facts.len(), 1, "{text}: {facts:?}");
    facts.remove(0)
}

#[test]
fn findings_have_many_forms() {
    for (text, file, line, level, code, message) in [
        ("a/B.java:3: error: ';' expected\n  x\n   ^\n", Some("a/B.java"), Some(3), Level::Error, None, "';' expected"),
        (
            "C:\\a\\B.java:3: warning: [cast] redundant\n",
            Some("C:/a/B.java"),
            Some(3),
            Level::Warning,
            Some("cast"),
            "redundant",
        ),
        ("    [javac] B.java:3: 警告:[cast] x\n", Some("B.java"), Some(3), Level::Warning, Some("cast"), "x"),
        (
            "B.java:3: cannot find symbol\nfoo();\n^\n",
            Some("B.java"),
            Some(3),
            Level::Error,
            None,
            "cannot find symbol",
        ),
        (
            "/l/x.jar(/a/B.class): warning: Cannot find 'x()'\n",
            Some("/l/x.jar(/a/B.class)"),
            None,
            Level::Warning,
            None,
            "Cannot find 'x()'",
        ),
        ("warning: [options] no bootstrap\n", None, None, Level::Warning, Some("options"), "no bootstrap"),
        ("javac: file not found: X.java\n", None, None, Level::Error, None, "file not found: X.java"),
        ("error: invalid source release: 99\n", None, None, Level::Error, None, "invalid source release: 99"),
    ] {
        let wanted = (file.map(str::to_owned), line, level, code.map(str::to_owned), message.to_owned());
        assert_eq!(one(text), wanted);
    }
}

#[test]
fn what_is_no_finding_is_none() {
    for text in [
        "B.java:3: no caret follows\nfoo\n",
        "[ERROR] /a/B.java:2:17: Using it. [AvoidStarImport]\nx\n ^\n",
        "error: something else\n",
        "3 errors\n",
        "B.java:5:\tRule:\tsaid\n",
    ] {
        assert!(read(text).is_none(), "{text}");
    }
}

#[test]
fn closing_counts_add_what_was_not_listed() {
    let candidate = read(
        "B.java:3: error: no\n100 errors\nonly showing the first 100 errors, of 150 total; use -Xmaxerrs if you would like to see more\n",
    );
    assert_eq!(candidate.unwrap().findings.counts.errors, 150);
}

#[test]
fn what_gradle_says_twice_counts_once() {
    let text = "> Task :compileJava FAILED\nB.java:3: error: no\nB.java:3: error: no\n2 errors\n\n* What went wrong:\n> Compilation failed\n  B.java:3: error: no\n  B.java:3: error: no\n  B.java:4: error: new\n  2 errors\n";
    assert_eq!(read(text).unwrap().findings.counts.errors, 3);
}

#[test]
fn proposals_are_taken_out() {
    let text = "B.java:3: error: [DeadException] x\n  y\n  ^\n    (see https://errorprone.info/bugpattern/DeadException)\n  Did you mean 'throw it;'?\n";
    let candidate = read(text).unwrap();
    assert_eq!(candidate.findings.kept.into_items()[0].suggestion.as_deref(), Some("throw it;"));
}

#[test]
fn the_line_above_the_caret_is_the_source() {
    let found = |below: &str| {
        let candidate = read(&format!("B.java:3: error: no\n{below}")).unwrap();
        let found = candidate.findings.kept.into_items().remove(0);
        (found.message, found.source)
    };
    let source = |source: &str| Some(source.to_owned());
    assert_eq!(
        found("  int a = b;\n          ^\n  symbol: variable b\n1 error\n"),
        ("no\n  symbol: variable b".to_owned(), source("  int a = b;"))
    );
    assert_eq!(
        found(" found   : Int\n required: String\n  def f = a\n          ^\n"),
        ("no\n found   : Int\n required: String".to_owned(), source("  def f = a"))
    );
    assert_eq!(found("no caret here\n\n"), ("no".to_owned(), None));
    assert_eq!(found("> Task :test\n"), ("no".to_owned(), None));
}
