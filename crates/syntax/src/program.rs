//! Program text, line by line and for many languages: code, comments and string literals, the tests that a source
//! declares, and what asserts in it. It is read without a grammar: enough to compare two versions of a file.

mod assertions;
mod declaration;
mod language;
mod lexer;
mod test_group;
mod test_names;
mod words;

pub use self::assertions::{asserts, emptied, keeps};
pub use self::declaration::{Declaration, Source};
pub use self::language::Language;
pub use self::lexer::{Line, lines};
pub use self::test_group::tests_at;
pub use self::test_names::test_names;
pub use self::words::{calls, flat, has_words, is_word, words};

/// Splits a source into lines. `None`: the language of the file is unknown.
pub fn lines_of(path: &str, text: &str) -> Option<Vec<Line>> {
    Some(lines(text, Language::of(path)?))
}

/// Whether a file is a program, rather than settings, a page or a script for a shell.
pub fn is_program(path: &str) -> bool {
    Language::of(path).is_some_and(Language::is_program)
}

/// Whether a line is an attribute or a decorator of what follows.
pub fn is_attribute(line: &str) -> bool {
    line.trim_start().starts_with(['@', '[']) || line.trim_start().starts_with("#[")
}
