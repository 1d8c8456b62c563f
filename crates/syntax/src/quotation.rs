//! Quoted texts, in the syntax of most languages.

/// Returns the quoted texts in a line.
pub fn quoted(line: &str) -> Vec<&str> {
    let mut texts = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let quote = rest[at..].chars().next().unwrap_or('"');
        let after = &rest[at + 1..];
        let Some(end) = after.find(quote) else {
            rest = after;
            continue;
        };
        texts.push(&after[..end]);
        rest = &after[end + 1..];
    }
    texts
}
