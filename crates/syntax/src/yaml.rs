//! YAML 1.2.

mod reader;

use std::fmt::Write as _;

use crate::line::is_deceptive;

pub use reader::{Dialect, read};

/// Formats a text as a scalar: plain if no parser can read it as another type, even within `{ }` and `[ ]`, else
/// in double quotes.
pub fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// Like [`scalar`], for a value on a line of its own, where more texts can be plain.
pub fn block_scalar(text: &str) -> String {
    if is_plain_in_block(text) { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            // Writing to a string cannot fail.
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
    let colons_are_inner =
        text.split(':').skip(1).all(|after| after.starts_with(|next: char| next.is_ascii_alphanumeric()));
    begins
        && colons_are_inner
        && !has_another_meaning(text)
        && text.chars().all(inner)
        && !text.ends_with(' ')
        && text.parse::<f64>().is_err()
        && !text.starts_with(|first: char| first == '.' && text[1..].starts_with(|next: char| next.is_ascii_digit()))
}

fn is_plain_in_block(text: &str) -> bool {
    let allowed = |character: char| character.is_ascii_graphic() || character == ' ';
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(allowed)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !has_another_meaning(text)
}

/// Returns whether some version of YAML reads a word as another type than text.
fn has_another_meaning(text: &str) -> bool {
    matches!(
        text.to_ascii_lowercase().as_str(),
        "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n" | ".nan" | ".inf" | "." | ".."
    )
}
