//! Words of a command: program, options, subcommand.

/// Returns the program that a word names: without directories, version (`jest@29`) and the extensions of scripts.
pub(super) fn program(word: &str) -> &str {
    // make removes `@` and `-` before a recipe's command.
    let word = word.trim_start_matches(['@', '-']);
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = match name.rfind('@') {
        Some(at) if at > 0 => &name[..at],
        _ => name,
    };
    [".js", ".mjs", ".cjs", ".ts", ".py", ".cmd", ".exe", ".bat", ".phar"]
        .iter()
        .find_map(|extension| name.strip_suffix(extension))
        .filter(|name| *name != "manage")
        .unwrap_or(name)
}

/// Returns the words after the leading options. Options among `valued` take the next word as their value unless
/// they have a `=`; `--` ends the options.
pub(super) fn after_options<'a>(words: &'a [String], valued: &[&str]) -> &'a [String] {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.as_str() {
            "--" => {
                at += 1;
                break;
            }
            option if valued.contains(&option) => at += 2,
            option if option.starts_with('-') && option.len() > 1 => at += 1,
            _ => break,
        }
    }
    words.get(at..).unwrap_or_default()
}

/// Returns the first word that is neither an option nor a choice of toolchain (`cargo +nightly test`).
pub(super) fn first_plain(words: &[String]) -> Option<&str> {
    words.iter().map(String::as_str).find(|word| !word.starts_with(['-', '+']))
}

/// Returns whether one of these options is among the words.
pub(super) fn has(words: &[String], options: &[&str]) -> bool {
    words.iter().any(|word| options.contains(&word.as_str()))
}
