//! Numbers and names as sentences say them.

/// Returns a number with its noun, such as `1 error` or `5 errors`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_agree_with_their_nouns_and_durations_lose_nothing() {
        assert_eq!([count(0, "error"), count(1, "error"), count(2, "error")], ["0 errors", "1 error", "2 errors"]);
        for (milliseconds, text) in
            [(0, "0 ms"), (850, "850 ms"), (10_000, "10 s"), (10_050, "10.05 s"), (1_001, "1.001 s")]
        {
            assert_eq!(duration(milliseconds), text);
        }
    }

    #[test]
    fn first_lines_are_cut_between_characters() {
        assert_eq!(first_line("\n  Größe\nzwei", 80), "Größe");
        assert_eq!(first_line("Größe", 4), "Grö…");
        assert_eq!(first_line("", 4), "");
    }
}
