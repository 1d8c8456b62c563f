//! Reasons and notes of a length that every host takes.

use referee_model::hook::ECHO;
use referee_model::limit::GATE_ANSWER_CHARACTERS;

use super::NO_REASON;

/// What stands where something was cut.
const CUT: &str = " […] ";

/// How much of the end is kept.
const END: usize = 1_500;

/// Returns a reason that begins with [`ECHO`] and fits: hosts count characters as UTF-16 units, so a character beyond the
/// basic plane counts twice here. With all of them escaped it still is less than a pipe holds.
pub(super) fn reason(reason: &str) -> String {
    let said = reason.trim();
    let said = if said.is_empty() { NO_REASON } else { said };
    let said = said.strip_prefix(ECHO.trim_end()).unwrap_or(said).trim_start();
    shortened(&format!("{ECHO}{said}"))
}

/// Returns a note for the person that fits.
pub(super) fn note(note: &str) -> String {
    shortened(note.trim())
}

/// Takes out of the middle what is too much: at the end stands what to do next, and where the report is.
fn shortened(text: &str) -> String {
    if units(text) <= GATE_ANSWER_CHARACTERS {
        return text.to_owned();
    }
    let end: Vec<char> = within(text.chars().rev(), END).collect();
    let begun = within(text.chars(), GATE_ANSWER_CHARACTERS - END - units(CUT));
    begun.chain(CUT.chars()).chain(end.into_iter().rev()).collect()
}

/// Takes as many characters as fit.
fn within(characters: impl Iterator<Item = char>, units: usize) -> impl Iterator<Item = char> {
    characters.scan(units, |left, character| {
        *left = left.checked_sub(character.len_utf16())?;
        Some(character)
    })
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
