//! Words of a line of code.

pub fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// Returns the words of a line of code.
pub fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|character: char| !is_word(character)).filter(|word| !word.is_empty())
}

/// Returns the code without blanks.
pub fn flat(code: &str) -> String {
    code.chars().filter(|character| !character.is_whitespace()).collect()
}

/// Whether these words follow each other in a line of code.
pub fn has_words(code: &str, wanted: &[&str]) -> bool {
    let all: Vec<&str> = words(code).collect();
    let joined = code.split_whitespace().collect::<Vec<_>>().join(" ");
    all.windows(wanted.len()).any(|window| window == wanted) && joined.contains(&wanted.join(" "))
}

/// Returns the names that a line of code calls, each with whether it is qualified, as in `assert.equal(`.
pub fn calls(code: &str) -> impl Iterator<Item = (&str, bool)> {
    code.match_indices('(').filter_map(move |(at, _)| {
        let before = &code[..at];
        let name = &before[before.trim_end_matches(is_word).len()..];
        let rest = &before[..before.len() - name.len()];
        (!name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit()))
            .then_some((name, rest.ends_with(['.', ':'])))
    })
}
