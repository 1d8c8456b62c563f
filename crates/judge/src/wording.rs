//! Numbers and names as sentences say them.

/// Returns a number with its noun, such as `1 error` or `5 errors`.
pub fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Returns how often something happened: `once`, `3 times`.
pub(crate) fn times(number: u64) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}

/// Returns milliseconds as people say them, without loss: `850 ms`, `10 s`, `10.05 s`.
pub(crate) fn duration(milliseconds: u64) -> String {
    if milliseconds < 1_000 {
        return format!("{milliseconds} ms");
    }
    let (seconds, rest) = (milliseconds / 1_000, milliseconds % 1_000);
    if rest == 0 {
        return format!("{seconds} s");
    }
    format!("{}.{} s", seconds, format!("{rest:03}").trim_end_matches('0'))
}

/// Returns a tool's name as its makers write it, where that differs from the program's name.
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

/// Returns the first line of a text, cut to `characters`.
pub(crate) fn first_line(text: &str, characters: usize) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    if line.chars().count() <= characters {
        return line.to_owned();
    }
    let mut cut: String = line.chars().take(characters.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Returns the beginning of a text, at most so many bytes, cut between characters.
pub(crate) fn first_bytes(text: &str, bytes: usize) -> String {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text.get(..end).unwrap_or_default().to_owned()
}

/// Returns a sentence with a capital at its beginning and a full stop at its end.
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut characters = text.chars();
    let mut sentence: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    sentence.push_str(characters.as_str());
    full_stop(&sentence)
}

/// Returns a text with a full stop at its end, where it ends no sentence yet.
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
    fn numbers_agree_with_their_nouns_and_durations_lose_nothing() {
        assert_eq!([count(0, "error"), count(1, "error"), count(2, "error")], ["0 errors", "1 error", "2 errors"]);
        assert_eq!([times(0), times(1), times(2)], ["0 times", "once", "2 times"]);
        for (milliseconds, text) in
            [(0, "0 ms"), (850, "850 ms"), (10_000, "10 s"), (10_050, "10.05 s"), (1_001, "1.001 s")]
        {
            assert_eq!(duration(milliseconds), text);
        }
    }

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
    fn first_lines_are_cut_between_characters() {
        assert_eq!(first_line("\n  Größe\nzwei", 80), "Größe");
        assert_eq!(first_line("Größe", 4), "Grö…");
        assert_eq!(first_line("", 4), "");
        assert_eq!([first_bytes("Größe", 4), first_bytes("Größe", 3), first_bytes("ü", 1)], ["Grö", "Gr", ""]);
        assert_eq!([full_stop(" a.b() "), full_stop("really?")], ["a.b().", "really?"]);
        assert_eq!([sentence("ß ends"), sentence(" done. "), sentence("")], ["SS ends.", "Done.", ""]);
    }
}
