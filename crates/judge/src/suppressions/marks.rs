//! Finds the suppressions of a source.

use referee_model::run_context::suppression::SuppressionKind as Kind;
use referee_syntax::program::{Language, Line, flat, has_words, is_word, lines};

use super::mark::Mark;
use super::table::{ANYWHERE, CALLS, CODE, OPTIONS, START, TEST_CODE, declares};
use super::{conditions, production, settings, tests_of_scripts};

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
        for (kind, words) in ANYWHERE.of(language) {
            let hit = comment.find(words).and_then(|place| comment.get(place..));
            found.extend(hit.map(|hit| (kind, hit.trim().to_owned())));
        }
        for (kind, words) in START.of(language) {
            let hit = starts.iter().map(|start| lead(start)).find(|start| begins(start, words));
            let hit = hit.filter(|hit| kind != Kind::BuildCondition || !begins(hit, "go:build ignore"));
            found.extend(hit.map(|hit| (kind, hit.trim().to_owned())));
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
        let known = CALLS.kind(language, word).filter(|_| is_call);
        found.extend(known.map(|kind| (kind, line.trim_end().to_owned())));
        if declares(language, word) {
            let flat = flat(rest);
            let option = OPTIONS.of(language).find(|(_, option)| flat.contains(option));
            found.extend(option.map(|(kind, _)| (kind, line.trim_end().to_owned())));
        }
    }
    let flat = flat(code);
    let of_test_code = TEST_CODE.of(language).filter(|_| of_tests);
    for (kind, form) in CODE.of(language).chain(of_test_code) {
        found.extend(alone(&flat, form).map(|place| (kind, flat.get(place..).unwrap_or_default().to_owned())));
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

/// Returns the place at which a form of the table stands, and is no part of a longer word.
fn alone(flat: &str, form: &str) -> Option<usize> {
    let words = form.trim_end();
    let is_alone = |place: &usize| {
        let before = flat.get(..*place).and_then(|before| before.chars().next_back());
        let begins = !form.starts_with(is_word) || !before.is_some_and(|before| is_word(before) || before == '.');
        let ends = words == form || !flat.get(place + words.len()..).unwrap_or_default().starts_with(is_word);
        begins && ends
    };
    flat.match_indices(words).map(|(place, _)| place).find(is_alone)
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
