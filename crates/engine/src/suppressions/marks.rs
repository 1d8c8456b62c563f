//! Finds the suppressions of a source. The tables are data, by language.

use referee_model::run_context::suppression::SuppressionKind as Kind;
use referee_syntax::program::{Language, Line, flat, has_words, is_word, lines};

use super::mark::Mark;
use super::{conditions, production, settings, tests_of_scripts};

/// Position of a directive in its comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// At the beginning of the comment; elsewhere it is only mentioned.
    Start,
    /// Anywhere in the comment, as a word.
    Anywhere,
}

/// Directives in comments: languages, position, beginning, kind.
type Directive = (&'static [Language], At, &'static str, Kind);

const SCRIPTS: &[Language] = &[Language::JavaScript, Language::TypeScript, Language::Html];
const STYLED: &[Language] =
    &[Language::JavaScript, Language::TypeScript, Language::Html, Language::Css, Language::Yaml];
const PYTHON: &[Language] = &[Language::Python];
const C: &[Language] = &[Language::C];
const PHP: &[Language] = &[Language::Php];
const RUBY: &[Language] = &[Language::Ruby];
const GO: &[Language] = &[Language::Go];
const JAVA: &[Language] = &[Language::Java];
const SONAR: &[Language] = &[
    Language::Java,
    Language::CSharp,
    Language::Php,
    Language::JavaScript,
    Language::TypeScript,
    Language::Python,
    Language::C,
    Language::Go,
];

const DIRECTIVES: &[Directive] = &[
    (SCRIPTS, At::Start, "eslint-disable", Kind::EslintDisable),
    (STYLED, At::Start, "biome-ignore", Kind::BiomeIgnore),
    (SCRIPTS, At::Start, "oxlint-disable", Kind::OxlintDisable),
    (STYLED, At::Start, "prettier-ignore", Kind::PrettierIgnore),
    (STYLED, At::Start, "stylelint-disable", Kind::StylelintDisable),
    (SCRIPTS, At::Start, "@ts-ignore", Kind::TsIgnore),
    (SCRIPTS, At::Start, "@ts-expect-error", Kind::TsExpectError),
    (SCRIPTS, At::Start, "@ts-nocheck", Kind::TsNocheck),
    (SCRIPTS, At::Start, "istanbul ignore", Kind::CoverageIgnore),
    (SCRIPTS, At::Start, "c8 ignore", Kind::CoverageIgnore),
    (SCRIPTS, At::Start, "v8 ignore", Kind::CoverageIgnore),
    (SCRIPTS, At::Start, "node:coverage ", Kind::CoverageIgnore),
    (PYTHON, At::Start, "type: ignore", Kind::TypeIgnore),
    (PYTHON, At::Start, "type:ignore", Kind::TypeIgnore),
    (PYTHON, At::Start, "pyright: ignore", Kind::TypeIgnore),
    (PYTHON, At::Start, "pyright: basic", Kind::TypeIgnore),
    (PYTHON, At::Start, "ty: ignore", Kind::TypeIgnore),
    (PYTHON, At::Start, "pyrefly: ignore", Kind::TypeIgnore),
    (PYTHON, At::Start, "mypy: ignore-errors", Kind::TypeIgnore),
    (PYTHON, At::Start, "mypy: disable-error-code", Kind::TypeIgnore),
    (PYTHON, At::Start, "noqa", Kind::Noqa),
    (PYTHON, At::Start, "NOQA", Kind::Noqa),
    (PYTHON, At::Start, "ruff: noqa", Kind::Noqa),
    (PYTHON, At::Start, "flake8: noqa", Kind::Noqa),
    (PYTHON, At::Start, "pylint: disable", Kind::PylintDisable),
    (PYTHON, At::Start, "pylint:disable", Kind::PylintDisable),
    (PYTHON, At::Start, "pylint: skip-file", Kind::PylintDisable),
    (PYTHON, At::Start, "fmt: off", Kind::FormatOff),
    (PYTHON, At::Start, "fmt: skip", Kind::FormatOff),
    (PYTHON, At::Start, "yapf: disable", Kind::FormatOff),
    (PYTHON, At::Start, "nosec", Kind::Nosec),
    (PYTHON, At::Start, "pragma: no cover", Kind::CoverageIgnore),
    (GO, At::Start, "nolint", Kind::Nolint),
    (GO, At::Start, "lint:ignore", Kind::Nolint),
    (GO, At::Start, "#nosec", Kind::Nosec),
    (GO, At::Start, "go:build ignore", Kind::NeverCompiled),
    (GO, At::Start, "go:build", Kind::BuildCondition),
    (GO, At::Start, "+build", Kind::BuildCondition),
    (SONAR, At::Anywhere, "NOSONAR", Kind::Nosonar),
    (JAVA, At::Anywhere, "CHECKSTYLE:OFF", Kind::CheckstyleOff),
    (JAVA, At::Anywhere, "CHECKSTYLE.OFF", Kind::CheckstyleOff),
    (JAVA, At::Start, "noinspection", Kind::SuppressWarnings),
    (JAVA, At::Start, "@formatter:off", Kind::FormatOff),
    (&[Language::CSharp], At::Start, "ReSharper disable", Kind::SuppressWarnings),
    (C, At::Anywhere, "NOLINT", Kind::Nolint),
    (C, At::Start, "cppcheck-suppress", Kind::Nolint),
    (C, At::Start, "clang-format off", Kind::FormatOff),
    (C, At::Anywhere, "LCOV_EXCL_", Kind::CoverageIgnore),
    (C, At::Anywhere, "GCOVR_EXCL_", Kind::CoverageIgnore),
    (PHP, At::Anywhere, "@phpstan-ignore", Kind::PhpstanIgnore),
    (PHP, At::Anywhere, "@psalm-suppress", Kind::PhpstanIgnore),
    (PHP, At::Start, "phpcs:ignore", Kind::PhpcsIgnore),
    (PHP, At::Start, "phpcs:disable", Kind::PhpcsIgnore),
    (PHP, At::Start, "@codeCoverageIgnore", Kind::CoverageIgnore),
    (RUBY, At::Start, "rubocop:disable", Kind::RubocopDisable),
    (RUBY, At::Start, "rubocop:todo", Kind::RubocopDisable),
    (RUBY, At::Start, "rubocop: disable", Kind::RubocopDisable),
    (RUBY, At::Start, ":nocov:", Kind::CoverageIgnore),
    (&[Language::Shell], At::Start, "shellcheck disable", Kind::ShellcheckDisable),
    (&[Language::Dockerfile], At::Start, "hadolint ignore", Kind::HadolintIgnore),
    (&[Language::Yaml], At::Start, "yamllint disable", Kind::YamllintDisable),
];

/// Code patterns: languages, whether only in test files, text without whitespace, kind.
type Form = (&'static [Language], bool, &'static str, Kind);

const RUST: &[Language] = &[Language::Rust];
const CSHARP: &[Language] = &[Language::CSharp];

const FORMS: &[Form] = &[
    (PYTHON, false, "pytest.mark.skip", Kind::SkippedTest),
    (PYTHON, false, "pytest.mark.xfail", Kind::ExpectedFailure),
    (PYTHON, false, "pytest.skip(", Kind::SkippedTest),
    (PYTHON, false, "pytest.xfail(", Kind::ExpectedFailure),
    (PYTHON, false, "unittest.skip", Kind::SkippedTest),
    (PYTHON, false, "unittest.SkipTest", Kind::SkippedTest),
    (PYTHON, false, "unittest.expectedFailure", Kind::ExpectedFailure),
    (PYTHON, false, "self.skipTest(", Kind::SkippedTest),
    (PYTHON, false, "raiseSkipTest", Kind::SkippedTest),
    (PYTHON, false, "@mark.skip", Kind::SkippedTest),
    (PYTHON, false, "@mark.xfail", Kind::ExpectedFailure),
    (PYTHON, false, "@skip(", Kind::SkippedTest),
    (PYTHON, false, "@skipIf(", Kind::SkippedTest),
    (PYTHON, false, "@skipUnless(", Kind::SkippedTest),
    (PYTHON, false, "@expectedFailure", Kind::ExpectedFailure),
    (PYTHON, true, "__test__=False", Kind::SkippedTest),
    (PYTHON, false, "pytest.importorskip(", Kind::SkippedTest),
    (PYTHON, false, "collect_ignore", Kind::SkippedTest),
    (PYTHON, false, "defpytest_ignore_collect(", Kind::SkippedTest),
    (RUST, false, "#[allow(", Kind::AllowAttribute),
    (RUST, false, "#![allow(", Kind::AllowAttribute),
    (RUST, false, "#[expect(", Kind::AllowAttribute),
    (RUST, false, "#![expect(", Kind::AllowAttribute),
    (RUST, false, ",allow(", Kind::AllowAttribute),
    (RUST, false, "#[ignore", Kind::SkippedTest),
    (RUST, false, ",ignore)]", Kind::SkippedTest),
    (RUST, false, "#[cfg(any())]", Kind::NeverCompiled),
    (RUST, false, "#[cfg(false)]", Kind::NeverCompiled),
    (RUST, false, "#[cfg(FALSE)]", Kind::NeverCompiled),
    (RUST, false, "#[rustfmt::skip]", Kind::FormatOff),
    (RUST, false, "#[coverage(off)]", Kind::CoverageIgnore),
    (JAVA, false, "@SuppressWarnings", Kind::SuppressWarnings),
    (JAVA, false, "@Suppress(", Kind::SuppressWarnings),
    (JAVA, false, "@file:Suppress(", Kind::SuppressWarnings),
    (JAVA, false, "@Disabled", Kind::SkippedTest),
    (JAVA, false, "@Ignore", Kind::SkippedTest),
    (JAVA, false, "@org.junit.jupiter.api.Disabled", Kind::SkippedTest),
    (JAVA, false, "@org.junit.Ignore", Kind::SkippedTest),
    (JAVA, false, "assumeTrue(false", Kind::SkippedTest),
    (JAVA, false, "Assume.assumeTrue(false", Kind::SkippedTest),
    (JAVA, false, "Assumptions.assumeTrue(false", Kind::SkippedTest),
    (JAVA, false, "assumeFalse(true", Kind::SkippedTest),
    (JAVA, false, "Assume.assumeFalse(true", Kind::SkippedTest),
    (JAVA, false, "Assumptions.assumeFalse(true", Kind::SkippedTest),
    (JAVA, false, "Assumptions.abort(", Kind::SkippedTest),
    (JAVA, false, "thrownewSkipException(", Kind::SkippedTest),
    (JAVA, false, "@Test(enabled=false", Kind::SkippedTest),
    (C, false, "#pragmaGCCdiagnosticignored", Kind::PragmaWarning),
    (C, false, "#pragmaclangdiagnosticignored", Kind::PragmaWarning),
    (C, false, "#pragmawarning(disable", Kind::PragmaWarning),
    (C, false, "#pragmawarning(push,0", Kind::PragmaWarning),
    (C, false, "#if0", Kind::NeverCompiled),
    (C, false, "GTEST_SKIP(", Kind::SkippedTest),
    (C, false, "TEST_IGNORE(", Kind::SkippedTest),
    (C, false, "TEST_IGNORE_MESSAGE(", Kind::SkippedTest),
    (C, false, "IGNORE_TEST(", Kind::SkippedTest),
    (C, false, "BOOST_TEST_DISABLED", Kind::SkippedTest),
    (C, false, "doctest::skip(", Kind::SkippedTest),
    (C, true, "SKIP(", Kind::SkippedTest),
    (C, true, ".disabled=true", Kind::SkippedTest),
    (CSHARP, false, "#pragmawarningdisable", Kind::PragmaWarning),
    (CSHARP, false, "[Ignore", Kind::SkippedTest),
    (CSHARP, false, "[SuppressMessage", Kind::SuppressWarnings),
    (CSHARP, false, "[ExcludeFromCodeCoverage", Kind::CoverageIgnore),
    (CSHARP, false, "(Skip=", Kind::SkippedTest),
    (CSHARP, false, ",Skip=", Kind::SkippedTest),
    (CSHARP, false, "Assert.Ignore(", Kind::SkippedTest),
    (CSHARP, false, "Assert.Inconclusive(", Kind::SkippedTest),
    (CSHARP, false, "[Explicit", Kind::SkippedTest),
    (GO, true, "t.Skip(", Kind::SkippedTest),
    (GO, true, "t.Skipf(", Kind::SkippedTest),
    (GO, true, "t.SkipNow(", Kind::SkippedTest),
    (GO, true, "f.Skip(", Kind::SkippedTest),
    (GO, true, ".T().Skip(", Kind::SkippedTest),
    (GO, true, ".T().Skipf(", Kind::SkippedTest),
    (GO, true, ".T().SkipNow(", Kind::SkippedTest),
    (PHP, false, "markTestSkipped(", Kind::SkippedTest),
    (PHP, false, "markTestIncomplete(", Kind::SkippedTest),
    (PHP, true, "->only()", Kind::FocusedTest),
    (PHP, true, "->todo()", Kind::SkippedTest),
];

/// Ruby words for tests at the beginning of a line.
const RUBY_TESTS: &[(&str, Kind)] = &[
    ("xit", Kind::SkippedTest),
    ("xspecify", Kind::SkippedTest),
    ("xdescribe", Kind::SkippedTest),
    ("xcontext", Kind::SkippedTest),
    ("xexample", Kind::SkippedTest),
    ("xfeature", Kind::SkippedTest),
    ("xscenario", Kind::SkippedTest),
    ("skip", Kind::SkippedTest),
    ("pending", Kind::SkippedTest),
    ("fit", Kind::FocusedTest),
    ("fdescribe", Kind::FocusedTest),
    ("fcontext", Kind::FocusedTest),
    ("fspecify", Kind::FocusedTest),
    ("fexample", Kind::FocusedTest),
    ("ffeature", Kind::FocusedTest),
    ("fscenario", Kind::FocusedTest),
];

/// RSpec tags after the name of a test.
const RUBY_TAGS: &[(&str, Kind)] = &[
    (",:skip", Kind::SkippedTest),
    (",skip:", Kind::SkippedTest),
    (",:pending", Kind::SkippedTest),
    (",pending:", Kind::SkippedTest),
    (",:focus", Kind::FocusedTest),
    (",focus:true", Kind::FocusedTest),
];

/// Ruby words that declare tests.
const RUBY_DECLARATIONS: &[&str] = &["it", "describe", "context", "specify", "example", "feature", "scenario"];

/// Finds all suppressions of a source, by line; at most one of each kind in a line.
pub(super) fn marks(text: &str, language: Language, path: &str) -> Vec<Mark> {
    if language == Language::Settings {
        return settings::marks(text, path);
    }
    let of_tests = is_of_tests(path, language);
    let mut marks: Vec<Mark> = Vec::new();
    let lines = lines(text, language);
    let mut conditions = conditions::of_tests(&lines, language, of_tests);
    for ((line, source), number) in lines.iter().zip(text.lines()).zip(1_u32..) {
        let mut found = in_comments(line, language);
        found.extend(conditions.remove(&number).map(|words| (Kind::BuildCondition, words)));
        found.extend(production::find(line, language, path));
        let in_code = in_code(&line.code, language, of_tests).into_iter();
        found.extend(in_code.map(|(kind, words)| (kind, with_texts(kind, words, line))));
        for (kind, words) in found {
            if !marks.iter().rev().take_while(|mark| mark.line == number).any(|mark| mark.kind == kind) {
                marks.push(Mark { line: number, kind, text: source.trim().to_owned(), words });
            }
        }
    }
    marks
}

/// Adds the string literals of a line, which identify the skipped test: skipping another test instead is another
/// suppression.
fn with_texts(kind: Kind, words: String, line: &Line) -> String {
    match kind {
        Kind::AsAny | Kind::AnyType => words,
        _ => format!("{words} {}", line.texts.concat()),
    }
}

fn in_comments(line: &Line, language: Language) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    for comment in &line.comments {
        // Several directives may share a comment: `# noqa  # type: ignore`.
        let starts: Vec<&str> = match language.line_comments() {
            ["#"] => comment.split('#').collect(),
            _ => vec![comment.as_str()],
        };
        for (_, at, words, kind) in DIRECTIVES.iter().filter(|(languages, ..)| languages.contains(&language)) {
            let hit = match at {
                At::Start => starts.iter().map(|start| lead(start)).find(|start| begins(start, words)),
                At::Anywhere => comment.find(words).and_then(|place| comment.get(place..)),
            };
            let hit = hit.filter(|hit| *kind != Kind::BuildCondition || !begins(hit, "go:build ignore"));
            found.extend(hit.map(|hit| (*kind, hit.trim().to_owned())));
        }
        if language.is_script() && turns_off(lead(comment)) {
            found.push((Kind::EslintDisable, comment.trim().to_owned()));
        }
    }
    found
}

/// Removes characters that may precede a directive.
fn lead(comment: &str) -> &str {
    comment.trim_start_matches(['/', '*', '!', ' ', '\t'])
}

/// Whether a comment begins with a directive, as a word.
fn begins(comment: &str, words: &str) -> bool {
    let Some(rest) = comment.strip_prefix(words) else { return false };
    let ends_word = words.ends_with(|last: char| !last.is_alphanumeric());
    ends_word || !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_')
}

/// Whether a comment configures ESLint to turn a rule off.
fn turns_off(comment: &str) -> bool {
    let Some(rules) = comment.strip_prefix("eslint ") else { return false };
    let flat: String =
        rules.chars().filter(|character| !character.is_whitespace() && !"\"'[".contains(*character)).collect();
    flat.contains(":off") || flat.split(',').any(|rule| rule.ends_with(":0") || rule.contains(":0*"))
}

fn in_code(code: &str, language: Language, of_tests: bool) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    if language.is_script() {
        if language == Language::TypeScript && has_words(code, &["as", "any"]) {
            found.push((Kind::AsAny, "as any".to_owned()));
        }
        if language == Language::TypeScript && declares_any(code) {
            found.push((Kind::AnyType, "any".to_owned()));
        }
        if of_tests {
            found.extend(tests_of_scripts::find(code));
        }
        return found;
    }
    if language == Language::Ruby && of_tests {
        let line = code.trim_start();
        let word = line.split(|next: char| !(next.is_alphanumeric() || next == '_')).next().unwrap_or_default();
        // `skip = 1` and `pending.each` are no tests.
        let rest = line.get(word.len()..).unwrap_or_default();
        let is_call = rest.is_empty() || rest.starts_with(['(', ' ', '{']) && !rest.trim_start().starts_with('=');
        let known = RUBY_TESTS.iter().filter(|(known, _)| *known == word && is_call);
        found.extend(known.map(|(_, kind)| (*kind, line.trim_end().to_owned())));
        if RUBY_DECLARATIONS.contains(&word) {
            let flat = flat(rest);
            let tag = RUBY_TAGS.iter().find(|(tag, _)| flat.contains(tag));
            found.extend(tag.map(|(_, kind)| (*kind, line.trim_end().to_owned())));
        }
    }
    let flat = flat(code);
    for (_, _, form, kind) in
        FORMS.iter().filter(|(languages, tests, ..)| languages.contains(&language) && (of_tests || !tests))
    {
        let hit = flat.match_indices(form).find(|(place, _)| stands_alone(&flat, *place, form));
        found.extend(hit.map(|(place, _)| (*kind, flat.get(place..).unwrap_or_default().to_owned())));
    }
    if language == Language::C && is_disabled_test(&flat) {
        found.push((Kind::SkippedTest, flat));
    }
    found
}

/// Whether a line of TypeScript has `any` in the place of a type.
fn declares_any(code: &str) -> bool {
    code.match_indices("any").any(|(place, word)| {
        let (before, after) = (&code[..place], &code[place + word.len()..]);
        if before.ends_with(is_word) || before.ends_with('.') || after.starts_with(is_word) {
            return false;
        }
        let (before, after) = (before.trim_end(), after.trim_start());
        let is_name = after.starts_with([':', '(', '.', '?']) || after.starts_with("=>");
        let ends_type = after.starts_with(['>', '[', '|', '&']) && !after.starts_with("&&") && !after.starts_with("||");
        let is_alias = before.ends_with('=') && before.trim_start_matches("export ").trim_start().starts_with("type ");
        !is_name && (before.ends_with([':', '<', '|', '&']) || before.ends_with("=>") && ends_type || is_alias)
            || before.ends_with(',') && ends_type && before.contains('<')
    })
}

/// Whether a pattern is not part of a longer word.
fn stands_alone(flat: &str, place: usize, form: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let before = flat.get(..place).and_then(|before| before.chars().next_back());
    let after = flat.get(place + form.len()..).and_then(|after| after.chars().next());
    let begins = !form.starts_with(is_word) || !before.is_some_and(|before| is_word(before) || before == '.');
    // `@Ignore` and `@Disabled`: other annotations have the same beginning, such as `@IgnoreExtraProperties`.
    let ends = !matches!(
        form,
        "@Ignore"
            | "@Disabled"
            | "@org.junit.Ignore"
            | "#[ignore"
            | "#if0"
            | "[Ignore"
            | "[Explicit"
            | "@expectedFailure"
    ) || !after.is_some_and(is_word);
    begins && ends
}

/// Whether a line declares a GoogleTest test that is disabled.
fn is_disabled_test(flat: &str) -> bool {
    ["TEST(", "TEST_F(", "TEST_P("].iter().any(|macro_| flat.starts_with(macro_))
        && (flat.contains(",DISABLED_") || flat.contains("(DISABLED_"))
}

/// Whether a file contains tests, by its path.
fn is_of_tests(path: &str, language: Language) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let in_directory = |directories: &[&str]| path.split('/').rev().skip(1).any(|part| directories.contains(&part));
    match language {
        Language::Go => name.ends_with("_test.go"),
        Language::Ruby => {
            name.ends_with("_spec.rb")
                || name.ends_with("_test.rb")
                || name.starts_with("test_")
                || in_directory(&["spec", "test"])
        }
        _ => {
            name.contains(".test.")
                || name.contains(".spec.")
                || name.contains(".cy.")
                || name.contains("-test.")
                || name.contains("_test.")
                || name.starts_with("test.")
                || name.starts_with("test-")
                || in_directory(&["__tests__", "test", "tests", "e2e", "cypress", "spec", "specs"])
        }
    }
}
