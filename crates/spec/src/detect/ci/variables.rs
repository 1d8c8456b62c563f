//! Variables that CI sets for its commands: part of the command, if their values are in the workflow.

use referee_syntax::tree::Node;

use super::super::TOOLS;
use super::super::command::Word;
use crate::expand;

/// Maximum length of a value that is adopted, in bytes.
const LENGTH: usize = 200;

/// Returns the assignments of these maps; the first map that names a variable wins.
pub(super) fn assignments<'a>(nearest_first: impl IntoIterator<Item = &'a Node>) -> Vec<Word> {
    let mut seen: Vec<&str> = Vec::new();
    let mut words = Vec::new();
    for entry in nearest_first.into_iter().flat_map(Node::entries) {
        if seen.contains(&entry.key.as_str()) {
            continue;
        }
        seen.push(&entry.key);
        let value = entry.value.scalar().filter(|value| is_literal(value));
        if let Some(value) = value.filter(|_| expand::is_variable(&entry.key) && !is_plumbing(&entry.key)) {
            words.push(assignment(&entry.key, value));
        }
    }
    words
}

fn is_literal(value: &str) -> bool {
    value.len() <= LENGTH && !value.contains(['$', '`', '\'', '\n', '\r']) && !value.contains("{{")
}

/// Returns whether a variable only affects output, caching, downloads or sign-in of CI.
fn is_plumbing(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    TOOLS.holds("plumbing.names", &name)
        || TOOLS.words("plumbing.starts").any(|start| name.starts_with(start))
        || TOOLS.words("plumbing.ends").any(|end| name.ends_with(end))
        || TOOLS.words("plumbing.parts").any(|part| name.contains(part))
}

fn assignment(name: &str, value: &str) -> Word {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./:=@%+,".contains(character);
    let quote = if value.chars().all(plain) { "" } else { "'" };
    Word { text: format!("{name}={value}"), spelled: format!("{name}={quote}{value}{quote}") }
}
