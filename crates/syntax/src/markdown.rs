//! Escaping of text for Markdown.

/// Characters with a meaning within a line.
const MEANING: &str = "\\`*_[]<>|~&!$";

/// Escapes one line of at most `characters_max` characters so that Markdown shows it literally: without lists,
/// headings, task items, HTML or links. The caller has to remove terminal escape sequences first.
pub fn escaped(line: &str, characters_max: usize) -> String {
    let line = line.trim();
    let mut shown = String::with_capacity(line.len());
    let begins_list = begins_ordered_list(line);
    for (index, (at, character)) in line.char_indices().enumerate() {
        if index == characters_max {
            shown.push('…');
            break;
        }
        let begins_block = index == 0 && "#+-=".contains(character);
        let ends_number = begins_list == Some(at);
        let begins_link = line[at..].starts_with("://") || is_after_www(line, at);
        if MEANING.contains(character) || begins_block || ends_number || begins_link {
            shown.push('\\');
        }
        shown.push(character);
    }
    shown
}

/// Returns the offset of the marker after the number at the start of an ordered list item, such as `1.` or `1)`.
fn begins_ordered_list(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && line[digits..].starts_with(['.', ')'])).then_some(digits)
}

/// Returns whether the text at this offset is the dot after `www`, which many Markdown renderers turn into a link.
fn is_after_www(line: &str, at: usize) -> bool {
    line[at..].starts_with('.') && line[..at].to_ascii_lowercase().ends_with("www")
}
