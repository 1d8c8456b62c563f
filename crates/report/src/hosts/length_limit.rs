//! Cuts reasons and notes to a length that every host accepts.

use referee_model::hook::ECHO;
use referee_model::limit::GATE_ANSWER_CHARACTERS;

use super::NO_REASON;

/// Text in place of what was cut.
const CUT: &str = " […] ";

/// Length of the end that is kept, in UTF-16 code units.
const END: usize = 1_500;

/// Returns a reason that begins with [`ECHO`] and fits. Hosts count UTF-16 code units, so a character beyond the
/// basic plane counts twice. Even with every character escaped the result is smaller than the buffer of a pipe.
pub(super) fn reason(reason: &str) -> String {
    let said = reason.trim();
    let said = if said.is_empty() { NO_REASON } else { said };
    let said = said.strip_prefix(ECHO.trim_end()).unwrap_or(said).trim_start();
    shortened(&format!("{ECHO}{said}"))
}

/// Returns a note to the person that fits.
pub(super) fn note(note: &str) -> String {
    shortened(note.trim())
}

/// Cuts the excess out of the middle, because the next step and the path of the report are at the end.
fn shortened(text: &str) -> String {
    if units(text) <= GATE_ANSWER_CHARACTERS {
        return text.to_owned();
    }
    let end: Vec<char> = within(text.chars().rev(), END).collect();
    let begun = within(text.chars(), GATE_ANSWER_CHARACTERS - END - units(CUT));
    begun.chain(CUT.chars()).chain(end.into_iter().rev()).collect()
}

/// Takes as many characters as fit into a number of UTF-16 code units.
fn within(characters: impl Iterator<Item = char>, units: usize) -> impl Iterator<Item = char> {
    characters.scan(units, |left, character| {
        *left = left.checked_sub(character.len_utf16())?;
        Some(character)
    })
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
