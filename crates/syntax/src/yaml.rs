//! YAML 1.2.

use std::fmt::Write as _;

use crate::line::is_deceptive;

/// Writes a text as a scalar: plain where no reader can take it for something else, also within `{ }` and `[ ]`, else in double
/// quotes.
pub fn scalar(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // Writing to a text cannot fail.
            hidden if is_deceptive(hidden) => drop(write!(quoted, "\\U{:08x}", u32::from(hidden))),
            shown => quoted.push(shown),
        }
    }
    quoted.push('"');
    quoted
}

fn is_plain(text: &str) -> bool {
    let inner = |character: char| character.is_ascii_alphanumeric() || "-_./@=+*:~ ".contains(character);
    let begins = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '.' || first == '/');
    // Other versions of YAML take some of these words for something else than a text, or did.
    let another_meaning = matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n" | ".nan" | ".inf" | "." | ".."
    );
    let colons_are_inner =
        text.split(':').skip(1).all(|after| after.starts_with(|next: char| next.is_ascii_alphanumeric()));
    begins
        && colons_are_inner
        && !another_meaning
        && text.chars().all(inner)
        && !text.ends_with(' ')
        && text.parse::<f64>().is_err()
        && !text.starts_with(|first: char| first == '.' && text[1..].starts_with(|next: char| next.is_ascii_digit()))
}
