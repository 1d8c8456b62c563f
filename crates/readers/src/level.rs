//! Severity of a finding, in the words that tools use.

use referee_model::reading::Level;

/// Returns the level for a word, ignoring case, or `None` for a word that does not name a level.
pub(crate) fn level(word: &str) -> Option<Level> {
    const ERRORS: &str = "error|fatal error|fatal|err|e|f|failure|critical|blocker|bug";
    const WARNINGS: &str = "warning|warn|w|major|minor";
    const INFOS: &str = "info|information|note|hint|help|suggestion|notice|style|convention|refactor|c|r|i|n|remark|\
        message|performance|portability";
    match word {
        "error" => return Some(Level::Error),
        "warning" => return Some(Level::Warning),
        "note" => return Some(Level::Info),
        _ => {}
    }
    let is_in = |words: &str| words.split('|').any(|known| known.eq_ignore_ascii_case(word));
    if is_in(ERRORS) {
        Some(Level::Error)
    } else if is_in(WARNINGS) {
        Some(Level::Warning)
    } else if is_in(INFOS) {
        Some(Level::Info)
    } else {
        None
    }
}
