//! Compares the words of a line of code.

pub(super) fn flat(code: &str) -> String {
    code.chars().filter(|character| !character.is_whitespace()).collect()
}

/// Whether these words follow each other in a line of code.
pub(super) fn has_words(code: &str, words: &[&str]) -> bool {
    let all: Vec<&str> = code
        .split(|character: char| !(character.is_alphanumeric() || character == '_' || character == '$'))
        .filter(|word| !word.is_empty())
        .collect();
    let joined = code.split_whitespace().collect::<Vec<_>>().join(" ");
    all.windows(words.len()).any(|window| window == words) && joined.contains(&words.join(" "))
}
