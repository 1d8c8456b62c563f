//! Numbers and names in sentences.

use referee_model::reading::Level;

/// Returns a tool's name in its official spelling, if that differs from the program's name.
pub(crate) fn tool(name: &str) -> &str {
    match name {
        "eslint" => "ESLint",
        "tsc" => "TypeScript",
        "prettier" => "Prettier",
        "jest" => "Jest",
        "vitest" => "Vitest",
        "stylelint" => "Stylelint",
        "clippy" => "Clippy",
        other => other,
    }
}

/// Returns the level of a finding in words.
pub(crate) fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

/// Returns the last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Returns the path of a URL, without scheme, host, query and fragment.
pub(crate) fn url_path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let before = rest.split(['?', '#']).next().unwrap_or_default();
    let path = before.find('/').map_or("", |at| &before[at..]);
    if path.is_empty() { "/" } else { path }
}

/// Capitalizes a sentence and adds a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut characters = text.chars();
    let mut sentence: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    sentence.push_str(characters.as_str());
    full_stop(&sentence)
}

/// Adds a full stop, unless the text already ends a sentence.
pub(crate) fn full_stop(text: &str) -> String {
    let mut sentence = text.trim().to_owned();
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '…', ':']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_url_is_what_stands_after_the_host() {
        for (url, path) in [
            ("http://localhost:3000/api/v1/quotes", "/api/v1/quotes"),
            ("https://[::1]:3000/a?b=/c#d", "/a"),
            ("http://localhost:3000", "/"),
            ("http://localhost:3000?next=/x", "/"),
            ("http://localhost#/x", "/"),
            ("", "/"),
            ("://", "/"),
            ("ß/ü?ö", "/ü"),
        ] {
            assert_eq!(url_path(url), path, "{url}");
        }
    }

    #[test]
    fn sentences_begin_and_end() {
        assert_eq!([full_stop(" a.b() "), full_stop("really?")], ["a.b().", "really?"]);
        assert_eq!([sentence("ß ends"), sentence(" done. "), sentence("")], ["SS ends.", "Done.", ""]);
    }
}
