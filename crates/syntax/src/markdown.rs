//! Text of tools and people within Markdown: it stays text, whatever it looks like.

/// Characters that mean something within a line.
const MEANING: &str = "\\`*_[]<>|~&!$";

/// Returns one line as Markdown that shows it as it is, so many characters of it at most. It begins no list, no heading and no
/// task, holds no HTML, and is no link. What a terminal would obey is the caller's to take out before.
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

/// Where the mark stands after the number that a text begins with, as in `1.` or `1)`.
fn begins_ordered_list(line: &str) -> Option<usize> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && line[digits..].starts_with(['.', ')'])).then_some(digits)
}

/// Whether the dot of `www.` stands there, which many readers of Markdown make a link of.
fn is_after_www(line: &str, at: usize) -> bool {
    line[at..].starts_with('.') && line[..at].to_ascii_lowercase().ends_with("www")
}
