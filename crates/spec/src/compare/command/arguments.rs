//! Arguments of one command: options with their values, and operands.

use super::effect::takes_value;

pub(super) type Setting = (String, Option<String>);

/// Arguments of one command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arguments {
    /// Options, in order.
    pub(super) options: Vec<Setting>,
    /// Operands: files, directories, patterns, targets.
    pub(super) operands: Vec<String>,
}

impl Arguments {
    /// Parses arguments. Whether an unknown option takes a value is uncertain: the next word counts as its
    /// value, unless it looks like a path or a pattern.
    pub(super) fn read(words: &[String]) -> Self {
        let mut arguments = Self::default();
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            if word == "--" {
                continue;
            }
            if !word.starts_with('-') || word.len() == 1 {
                arguments.operands.push(word.clone());
                continue;
            }
            if let Some((name, value)) = word.split_once('=') {
                arguments.options.push((name.to_owned(), Some(value.to_owned())));
                continue;
            }
            if let Some((name, value)) = attached(word) {
                arguments.options.push((name, Some(value)));
                continue;
            }
            let next = words.peek().filter(|next| !next.starts_with('-') || next.parse::<i64>().is_ok());
            let takes = match takes_value(word) {
                Some(takes) => takes,
                None => word.starts_with("--") && next.is_some_and(|next| !looks_like_path(next)),
            };
            let value = if takes && next.is_some() { words.next().cloned() } else { None };
            arguments.options.push((word.clone(), value));
        }
        arguments
    }

    /// Returns the value of an option, the last one if it occurs several times; empty if it has none.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let (_, value) = self.options.iter().rfind(|(option, _)| option == name)?;
        Some(value.as_deref().unwrap_or_default())
    }

    /// Returns whether an option with this value is present.
    pub(super) fn has(&self, option: &Setting) -> bool {
        self.options.contains(option)
    }
}

/// Splits a lint that is denied or allowed in one word, such as `-Dwarnings`, `-Aclippy::all`.
fn attached(word: &str) -> Option<(String, String)> {
    let lint = word.get(2..).filter(|lint| lint.starts_with(|first: char| first.is_ascii_lowercase()))?;
    let name = word.get(..2).filter(|name| matches!(*name, "-D" | "-A" | "-F"))?;
    let is_property = lint.contains('.') || lint.contains("Test") || takes_value(word).is_some();
    (!is_property).then(|| (name.to_owned(), lint.to_owned()))
}

/// Returns whether a word looks like a file, a directory or a pattern.
fn looks_like_path(word: &str) -> bool {
    word.contains(['/', '*', '\\'])
        || word.contains('.')
        || matches!(word, "src" | "test" | "tests" | "lib" | "packages")
}

/// Returns whether an option lets test files share a process, so that one can influence another.
pub(super) fn shares_process((name, value): &Setting) -> bool {
    match value.as_deref() {
        Some("none") => matches!(name.as_str(), "--test-isolation" | "--experimental-test-isolation"),
        Some("false") => name == "--isolate",
        _ => false,
    }
}
