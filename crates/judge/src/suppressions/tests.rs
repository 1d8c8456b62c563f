use std::cell::RefCell;

use proptest::prelude::*;

use super::*;

/// Compares the suppressions that each line adds to an empty file with the expected kinds.
fn hold(path: &str, rows: &[(&str, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in rows {
        let found: Vec<&str> = added("", text, path).iter().map(|found| found.kind.as_str()).collect();
        if found.join(" ") != *expected {
            wrong.push(format!("{text}: {found:?} and not {expected:?}"));
        }
    }
    assert_eq!(wrong, [""; 0], "{path}");
}

#[test]
fn suppressions_of_scripts_are_found_in_comments_and_code_alone() {
    hold(
        "src/quote.ts",
        &[
            ("// eslint-disable-next-line no-console", "eslint-disable"),
            ("foo(); // eslint-disable-line", "eslint-disable"),
            ("/* eslint-disable */", "eslint-disable"),
            ("/* eslint no-console: \"off\" */", "eslint-disable"),
            ("/* eslint no-console: 0 */", "eslint-disable"),
            ("/* eslint no-console: \"error\" */", ""),
            ("/* eslint-env node */", ""),
            ("/* eslint-enable */", ""),
            ("// we do not use eslint-disable here", ""),
            ("const text = '// eslint-disable-line';", ""),
            ("const text = `\n// @ts-ignore\n`;", ""),
            ("// biome-ignore lint: why", "biome-ignore"),
            ("// oxlint-disable-next-line", "oxlint-disable"),
            ("// prettier-ignore", "prettier-ignore"),
            ("{/* @ts-ignore */}", "ts-ignore"),
            ("/**\n * @ts-expect-error\n */", "ts-expect-error"),
            ("// @ts-nocheck", "ts-nocheck"),
            ("// @ts-ignored is not a directive", ""),
            ("const a = b as any;", "as-any"),
            ("const a = (b as any).c;", "as-any"),
            ("const a = b as anything;", ""),
            ("function f(a: any, b: string) {}", "any-type"),
            ("const a: any[] = [];", "any-type"),
            ("const a = new Map<string, any>();", "any-type"),
            ("let a: Array<any>;", "any-type"),
            ("type A = any;", "any-type"),
            ("type F = (a: string) => any[];", "any-type"),
            ("const a = <any>b;", "any-type"),
            ("a.any(b)", ""),
            ("const a = { any: 1, b: anyone };", ""),
            ("f(a, any)", ""),
            ("// a: any", ""),
            ("const a = ': any';", ""),
            ("// as any other", ""),
            ("const a = 'as any';", ""),
            ("/* istanbul ignore next */", "coverage-ignore"),
            ("/* c8 ignore start */", "coverage-ignore"),
            ("const it = /`/; // @ts-ignore", "ts-ignore"),
            ("it.skip('adds', () => {});", ""),
            ("const url = 'http://a.b/c'; // @ts-ignore", "ts-ignore"),
            ("<p>don't</p> // @ts-ignore", "ts-ignore"),
        ],
    );
    hold("src/quote.js", &[("const a = b as any;", ""), ("// @ts-ignore", "ts-ignore")]);
    hold("a.vue", &[("<!-- eslint-disable-next-line -->", "eslint-disable")]);
    hold(
        "a.css",
        &[("/* stylelint-disable */", "stylelint-disable"), ("a { color: red } /* no stylelint-disable */", "")],
    );
}

#[test]
fn tests_of_scripts_that_are_left_out_are_calls_in_files_of_tests() {
    let rows = [
        ("it.skip('adds', () => {});", "skipped-test"),
        ("describe.only('adds', () => {});", "focused-test"),
        ("test.concurrent.only('adds', fn)", "focused-test"),
        ("test.each([1, 2]).skip", ""),
        ("test.skip.each`a`", "skipped-test"),
        ("it.skip<Props>('adds', fn)", "skipped-test"),
        ("xit('adds', fn)", "skipped-test"),
        ("xdescribe('adds', fn)", "skipped-test"),
        ("fit('adds', fn)", "focused-test"),
        ("fit.width", ""),
        ("fit.each([1])('adds', fn)", "focused-test"),
        ("xdescribe.each([1])('adds', fn)", "skipped-test"),
        ("describe.only.each([1])('adds', fn)", "focused-test"),
        ("it.skip.each([1])('adds', fn)", "skipped-test"),
        ("test.describe.only('adds', fn)", "focused-test"),
        ("test('adds', {only:true}, fn)", "focused-test"),
        ("QUnit.only('adds', fn)", "focused-test"),
        ("it.runIf(false)('adds', fn)", "skipped-test"),
        ("it.todo('adds')", "skipped-test"),
        ("test.fixme('adds', fn)", "skipped-test"),
        ("test.fails('adds', fn)", "expected-failure"),
        ("test('adds', { skip: true }, fn)", "skipped-test"),
        ("this.skip();", "skipped-test"),
        ("t.skip('later');", "skipped-test"),
        ("query.skip(10)", ""),
        ("list.only(3)", ""),
        ("my.it.skip('x')", ""),
        ("const skip = it.skip;", ""),
        ("exit(1)", ""),
        ("// it.skip('adds')", ""),
        ("expect(text).toBe('it.skip(1)')", ""),
    ];
    hold("src/quote.test.ts", &rows);
    hold("src/__tests__/quote.js", &rows);
}

#[test]
fn suppressions_of_python_and_ruby_are_found() {
    hold(
        "app/quote.py",
        &[
            ("x = 1  # type: ignore", "type-ignore"),
            ("x = 1  # type: ignore[arg-type]", "type-ignore"),
            ("x = 1  # noqa: E501  # type: ignore", "type-ignore noqa"),
            ("import x  # NOQA", "noqa"),
            ("# pylint: disable=all", "pylint-disable"),
            ("# pyright: ignore", "type-ignore"),
            ("# mypy: ignore-errors", "type-ignore"),
            ("# fmt: off", "format-off"),
            ("call()  # nosec", "nosec"),
            ("if x:  # pragma: no cover", "coverage-ignore"),
            ("@pytest.mark.skip(reason='x')", "skipped-test"),
            ("@pytest.mark.skipif(True)", "skipped-test"),
            ("@pytest.mark.xfail", "expected-failure"),
            ("pytestmark = pytest.mark.skip", "skipped-test"),
            ("    pytest.skip('later')", "skipped-test"),
            ("@unittest.skipUnless(x, 'y')", "skipped-test"),
            ("    self.skipTest('later')", "skipped-test"),
            ("@mark.skip", "skipped-test"),
            ("@skipIf(True, 'x')", "skipped-test"),
            ("raise SkipTest('x')", "skipped-test"),
            ("__test__ = False", ""),
            ("text = '# noqa'", ""),
            ("text = \"\"\"\n# type: ignore\n@pytest.mark.skip\n\"\"\"", ""),
            ("# a comment about noqa", ""),
            ("# the type: ignore comment is not used", ""),
            ("it's = 1 # noqa", ""),
        ],
    );
    hold(
        "spec/quote_spec.rb",
        &[
            ("x # rubocop:disable Style/A", "rubocop-disable"),
            ("# :nocov:", "coverage-ignore"),
            ("  xit 'adds' do", "skipped-test"),
            ("  skip 'later'", "skipped-test"),
            ("  skip", "skipped-test"),
            ("  pending('x')", "skipped-test"),
            ("  fit 'adds' do", "focused-test"),
            ("  it 'adds', :skip do", "skipped-test"),
            ("  it 'adds', focus: true do", "focused-test"),
            ("  it 'adds, :skip' do", ""),
            ("  puts x, :skip", ""),
            ("  skip = 1", ""),
            ("  skipped 1", ""),
            ("  puts 'skip'", ""),
        ],
    );
    hold("tests/test_quote.py", &[("__test__ = False", "skipped-test")]);
    hold("lib/quote.rb", &[("  skip 'x'", "")]);
}

#[test]
fn suppressions_of_compiled_languages_are_found() {
    hold(
        "src/lib.rs",
        &[
            ("#[allow(dead_code)]", "allow-attribute"),
            ("#![allow(clippy::all)]", "allow-attribute"),
            ("#[expect(unused)]", "allow-attribute"),
            ("#[cfg_attr(test, allow(dead_code))]", "allow-attribute"),
            ("#[ignore = \"slow\"]", "skipped-test"),
            ("#[ignore]", "skipped-test"),
            ("#[cfg_attr(miri, ignore)]", "skipped-test"),
            ("#[cfg(any())]", "never-compiled"),
            ("#[rustfmt::skip]", "format-off"),
            ("let a: &'static str = \"#[allow(x)]\";", ""),
            ("let a = r#\"\n#[allow(x)]\n\"#;", ""),
            ("// #[allow(x)]", ""),
            ("/* /* */ #[allow(x)] */", ""),
            ("let quote = '\"'; #[allow(x)] let b = 1;", "allow-attribute"),
            ("list.ignore(1)", ""),
        ],
    );
    hold(
        "main_test.go",
        &[
            ("x() //nolint:errcheck", "nolint"),
            ("x() // nolint", "nolint"),
            ("//nolinter is a word", ""),
            ("\tt.Skip(\"later\")", "skipped-test"),
            ("\ts.T().Skip()", "skipped-test"),
            ("\treader.Skip(1)", ""),
            ("a := `\n//nolint\n`", ""),
            ("//go:build ignore", "never-compiled"),
        ],
    );
    hold("main.go", &[("\tt.Skip(1)", "")]);
}

#[test]
fn suppressions_of_the_jvm_and_of_c_are_found() {
    hold(
        "src/Quote.java",
        &[
            ("@SuppressWarnings(\"unchecked\")", "suppress-warnings"),
            ("@Disabled", "skipped-test"),
            ("@Ignore(\"later\")", "skipped-test"),
            ("@org.junit.Ignore", "skipped-test"),
            ("@org.junit.IgnoreX", ""),
            ("@IgnoreProperties", ""),
            ("Assumptions.assumeTrue(false);", "skipped-test"),
            ("assumeTrue(isUnix());", ""),
            ("x(); // NOSONAR", "nosonar"),
            ("// CHECKSTYLE:OFF", "checkstyle-off"),
            ("String a = \"@Disabled\";", ""),
        ],
    );
    hold("src/Quote.kt", &[("@Suppress(\"x\")", "suppress-warnings"), ("@file:Suppress(\"x\")", "suppress-warnings")]);
    hold(
        "src/a.cpp",
        &[
            ("x(); // NOLINT", "nolint"),
            ("x(); // why: NOLINTNEXTLINE(a)", "nolint"),
            ("#pragma GCC diagnostic ignored \"-Wall\"", "pragma-warning"),
            ("#pragma warning(disable : 4996)", "pragma-warning"),
            ("#pragma once", ""),
            ("TEST(Quote, DISABLED_Adds) {", "skipped-test"),
            ("int a = 1'000; // NOLINT", "nolint"),
        ],
    );
    hold(
        "src/A.cs",
        &[
            ("#pragma warning disable CS0618", "pragma-warning"),
            ("[Ignore(\"x\")]", "skipped-test"),
            ("[Fact(Skip = \"later\")]", "skipped-test"),
            ("[SuppressMessage(\"a\", \"b\")]", "suppress-warnings"),
            ("list.Skip(3)", ""),
        ],
    );
}

#[test]
fn suppressions_of_other_languages_are_found() {
    hold(
        "src/A.php",
        &[
            ("/** @phpstan-ignore-next-line */", "phpstan-ignore"),
            ("// phpcs:ignore", "phpcs-ignore"),
            ("# phpcs:disable", "phpcs-ignore"),
            ("$this->markTestSkipped('x');", "skipped-test"),
            ("#[Attribute]", ""),
        ],
    );
    hold("a.sh", &[("# shellcheck disable=SC2086", "shellcheck-disable"), ("echo a#shellcheck disable", "")]);
    hold("Dockerfile", &[("# hadolint ignore=DL3008", "hadolint-ignore")]);
    hold("a.yml", &[("key: 1 # yamllint disable-line", "yamllint-disable"), ("key: '# yamllint disable'", "")]);
    hold("README.md", &[("// eslint-disable", ""), ("# noqa", "")]);
    hold("a.json", &[("{ \"a\": \"// @ts-ignore\" }", "")]);
}

#[test]
fn what_was_there_before_is_not_added_wherever_it_stands_now() {
    let before = "a();\n// @ts-ignore\nb();\nc(); // eslint-disable-line no-x\n";
    for after in [
        before,
        "// @ts-ignore\nb();\na();\nc(); // eslint-disable-line no-x\n",
        "a();\n// @ts-ignore\nb(1);\nc(2); // eslint-disable-line no-x\n",
        "",
    ] {
        assert_eq!(added(before, after, "a.ts"), [], "{after}");
    }
    let lines = |after: &str| added(before, after, "a.ts").iter().map(|found| found.line).collect::<Vec<_>>();
    assert_eq!(lines("// @ts-ignore\nnew();\na();\n// @ts-ignore\nb();\nc(); // eslint-disable-line no-x\n"), [1]);
    assert_eq!(lines("a();\n// @ts-ignore\nb();\nc(); // eslint-disable-line\n"), [4], "more rules are silenced");
    let skipped = added("it.skip('a', f);\nit('b', f);\n", "it('a', f);\nit.skip('b', f);\n", "a.test.js");
    assert_eq!(skipped.len(), 1, "another test is skipped instead");
    assert_eq!((skipped[0].line, skipped[0].text.as_str(), skipped[0].blocks), (2, "it.skip('b', f);", false));
}

fn files(content: &[(&str, &[u8])]) -> BTreeMap<String, Vec<u8>> {
    content.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect()
}

fn found(before: &[(&str, &[u8])], after: &[(&str, &[u8])], answer: Answer) -> SuppressionReport {
    let (before, after) = (files(before), files(after));
    let paths: Vec<String> = before.keys().chain(after.keys()).cloned().collect();
    find(&Compared {
        paths: &paths,
        baseline: &|path| before.get(path).cloned().map(Before::Text),
        candidate: &|path| after.get(path).cloned(),
        answer,
        redact: &|text| text.replace("s3cret", "[redacted]"),
    })
}

#[test]
fn new_files_count_whole_renamed_ones_do_not_and_the_answer_decides_whether_it_blocks() {
    let text: &[u8] = b"// @ts-ignore s3cret\nx();\n";
    let new = found(&[], &[("src/b.ts", text)], Answer::Block);
    assert_eq!(new.suppressions.len(), 1);
    let suppression = &new.suppressions[0];
    assert_eq!((suppression.path.as_str(), suppression.line, suppression.blocks), ("src/b.ts", 1, true));
    assert_eq!(suppression.text, "// @ts-ignore [redacted]");
    assert!(!found(&[], &[("src/b.ts", text)], Answer::Report).suppressions[0].blocks);
    assert_eq!(found(&[], &[("src/b.ts", text)], Answer::Ignore), SuppressionReport::default());
    assert_eq!(found(&[("src/a.ts", text)], &[("src/b.ts", text)], Answer::Block), SuppressionReport::default());
    assert_eq!(found(&[("src/a.ts", text)], &[], Answer::Block), SuppressionReport::default());
    let both = found(&[("a.ts", b"x();")], &[("a.ts", text), ("b.py", b"x # noqa\n")], Answer::Report);
    let places: Vec<_> = both.suppressions.iter().map(|found| format!("{}:{}", found.path, found.line)).collect();
    assert_eq!(places, ["a.ts:1", "b.py:1"]);
}

#[test]
fn of_a_file_of_which_only_suppressions_are_known_the_same_is_added() {
    let before = "a();\n// @ts-ignore\nb();\nc(); // eslint-disable-line no-x\n";
    let rows = [
        (before.to_owned(), vec![]),
        (format!("// moved\n{before}"), vec![]),
        (format!("{before}// @ts-ignore\nd();\n"), vec![5]),
        (format!("d(); // eslint-disable-line no-x\n{before}"), vec![1]),
        (before.replace("no-x", "no-y"), vec![4]),
    ];
    for (after, lines) in rows {
        let known = known("a.ts", before.as_bytes().to_vec()).unwrap();
        let found = find(&Compared {
            paths: &["a.ts".to_owned()],
            baseline: &|_| Some(Before::Known(known.clone())),
            candidate: &|_| Some(after.clone().into_bytes()),
            answer: Answer::Report,
            redact: &str::to_owned,
        });
        assert_eq!(found.suppressions.iter().map(|found| found.line).collect::<Vec<_>>(), lines, "{after}");
    }
}

#[test]
fn what_moves_to_another_file_is_not_added_but_what_is_about_a_whole_file_or_a_test() {
    let kinds = |before: &[(&str, &str)], after: &[(&str, &str)]| {
        let before: Vec<(&str, &[u8])> = before.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        let after: Vec<(&str, &[u8])> = after.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        let found = found(&before, &after, Answer::Report).suppressions;
        found.iter().map(|found| found.kind.as_str()).collect::<Vec<_>>().join(" ")
    };
    let line = "f(); // eslint-disable-line no-x\n";
    assert_eq!(kinds(&[("a.ts", line), ("b.ts", "g();\n")], &[("a.ts", "g();\n"), ("b.ts", line)]), "");
    assert_eq!(kinds(&[("a.ts", line), ("b.ts", "g();\n")], &[("a.ts", line), ("b.ts", line)]), "eslint-disable");
    let whole = "// @ts-nocheck\nf();\n";
    assert_eq!(kinds(&[("a.ts", whole), ("b.ts", "g();\n")], &[("a.ts", "f();\n"), ("b.ts", whole)]), "ts-nocheck");
    let test = "@pytest.mark.skip\ndef test_a(): pass\n";
    assert_eq!(
        kinds(&[("test_a.py", test), ("test_b.py", "x\n")], &[("test_a.py", "x\n"), ("test_b.py", test)]),
        "skipped-test"
    );
    assert_eq!(kinds(&[("src/a.ts", "f();\n")], &[("src/a.js", "f();\n")]), "types-left");
}

#[test]
fn a_condition_that_a_file_had_not_is_added_and_one_of_a_new_file_is_not() {
    let go = "package a\n";
    let rust = "#[test]\nfn a() {}\n";
    for (path, before, after, kinds) in [
        ("a_test.go", go, "//go:build never\n\npackage a\n", "build-condition"),
        ("a_test.go", go, "// +build never\n\npackage a\n", "build-condition"),
        ("a_test.go", go, "//go:build ignore\n\npackage a\n", "never-compiled"),
        ("a_test.go", "", "//go:build integration\n\npackage a\n", ""),
        ("a_test.go", go, "// see go:build tags\n\npackage a\n", ""),
        ("tests/a.rs", rust, "#[cfg(feature = \"never\")]\n#[test]\nfn a() {}\n", "build-condition"),
        ("tests/a.rs", rust, "#![cfg(feature = \"never\")]\n#[test]\nfn a() {}\n", "build-condition"),
        ("src/a.rs", "mod tests {}\n", "#[cfg(all(test, feature = \"x\"))]\nmod tests {}\n", "build-condition"),
        ("src/a.rs", "mod tests {}\n", "#[cfg(test)]\nmod tests {}\n", ""),
        ("src/a.rs", "fn a() {}\n", "#[cfg(feature = \"x\")]\nfn a() {}\n", ""),
        ("a.c", "int a;\n", "#if 0\nint a;\n#endif\n", "never-compiled"),
    ] {
        let found = added(before, after, path);
        assert_eq!(
            found.iter().map(|found| found.kind.as_str()).collect::<Vec<_>>().join(" "),
            kinds,
            "{path}: {after}"
        );
    }
}

#[test]
fn sources_have_grown_by_what_is_in_none_of_them_before() {
    let of = |files: &[(&str, &str)]| -> Sources {
        files.iter().map(|(path, text)| ((*path).to_owned(), known(path, text.as_bytes().to_vec()).unwrap())).collect()
    };
    let line = "f()  # noqa: E1\n";
    let before = of(&[("a.py", line), ("b.py", "")]);
    assert_eq!(grown(&before, &before), BTreeMap::new());
    assert_eq!(grown(&before, &of(&[("a.py", ""), ("b.py", line)])), BTreeMap::new());
    assert_eq!(grown(&before, &of(&[("a.py", line), ("b.py", line)])), BTreeMap::from([("b.py".to_owned(), 1)]));
    assert_eq!(grown(&before, &of(&[("0.py", line), ("a.py", line)])), BTreeMap::from([("0.py".to_owned(), 1)]));
}

#[test]
fn what_cannot_be_read_is_passed_over_with_a_note() {
    let large = vec![b' '; 1024 * 1024 + 1];
    for bytes in [&b"\xff\xfe"[..], b"a\0b", &large] {
        let found = found(&[], &[("a.ts", bytes), ("b.ts", b"// @ts-ignore")], Answer::Block);
        assert_eq!(found.suppressions.len(), 1);
        assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
        assert!(found.notes[0].contains("a.ts"), "{:?}", found.notes);
    }
    assert_eq!(found(&[], &[("a.png", b"\xff\xfe")], Answer::Block), SuppressionReport::default());
    let many = "// @ts-ignore\n".repeat(limit::SUPPRESSIONS_KEPT + 5);
    let found = found(&[], &[("a.ts", many.as_bytes())], Answer::Block);
    assert_eq!((found.suppressions.len(), found.notes.len()), (limit::SUPPRESSIONS_KEPT, 1));
}

#[test]
fn each_file_is_asked_for_once_a_side() {
    let asked = RefCell::new(Vec::new());
    let paths: Vec<String> = ["a.ts", "a.ts", "b.md"].map(str::to_owned).into();
    let content = |path: &str| -> Option<Vec<u8>> {
        asked.borrow_mut().push(path.to_owned());
        None
    };
    let redact = |text: &str| text.to_owned();
    let before = |path: &str| content(path).map(Before::Text);
    find(&Compared { paths: &paths, baseline: &before, candidate: &content, answer: Answer::Report, redact: &redact });
    assert_eq!(asked.into_inner(), ["a.ts", "a.ts"], "a document is not even read");
}

const PATHS: [&str; 16] = [
    "a.ts",
    "a.test.js",
    "a.vue",
    "a.css",
    "a.html",
    "a.py",
    "a_spec.rb",
    "a.sh",
    "a.yml",
    "Dockerfile",
    "a.rs",
    "a_test.go",
    "A.java",
    "a.cpp",
    "a.cs",
    "a.php",
];

proptest! {
    #[test]
    fn any_text_is_looked_through_and_adds_nothing_to_itself(
        text in "(?s)([\"'`#/*\\\\ \n!a-z(){}\\[\\]<>=:-]|noqa|r#|/\\*|\\*/|\"\"\"|it.skip\\(|// @ts-ignore\n){0,60}|(?s).{0,120}",
        path in prop::sample::select(PATHS.to_vec()),
    ) {
        let language = Language::of(path).unwrap();
        prop_assert_eq!(referee_syntax::program::lines(&text, language).len(), text.split('\n').count());
        prop_assert_eq!(added(&text, &text, path), []);
        let wholly = added("", &text, path);
        let lines = text.lines().count();
        prop_assert!(wholly.iter().all(|found| found.line >= 1 && usize::try_from(found.line).unwrap() <= lines));
    }
}
