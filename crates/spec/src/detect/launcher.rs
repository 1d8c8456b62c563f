//! Launchers before a program on its command line: assignments, shell keywords, `npx`, `uv run`, `python -m`.

use super::TOOLS;
use super::command::Word;
use referee_syntax::table;

/// Splits the words of a command into the launcher, and the program with its arguments.
pub(super) fn split(mut words: Vec<Word>) -> (Vec<Word>, Vec<Word>) {
    let mut prefix = Vec::new();
    loop {
        let taken = leading(&words);
        if taken == 0 || words.is_empty() {
            return (prefix, words);
        }
        let rest = words.split_off(taken.min(words.len()));
        // `exec` of `bundle exec` is not the word of the shell.
        if taken > 1 || !is_shell_word(words[0].text.trim_start_matches(['@', '-'])) {
            prefix.extend(words);
        }
        words = rest;
    }
}

fn is_shell_word(word: &str) -> bool {
    TOOLS.holds("launchers.shell-words", word)
}

/// Returns how many words at the beginning are launchers.
fn leading(words: &[Word]) -> usize {
    let Some(first) = words.first() else { return 0 };
    let bare = first.text.trim_start_matches(['@', '-']);
    if is_shell_word(bare) || is_assignment(&first.text) || bare.is_empty() {
        return 1;
    }
    let name = program(&first.text);
    let at = |index: usize| words.get(index).map_or("", |word| word.text.as_str());
    if let Some(valued) = TOOLS.row("wrappers", name) {
        return after_options(words, 1, &table::words(valued).collect::<Vec<_>>());
    }
    let valued: Vec<&str> = TOOLS.words("launchers.valued").collect();
    if TOOLS.holds("launchers.runners", &format!("{name} {}", at(1))) {
        let end = after_options(words, 2, &valued);
        return if at(end) == "-m" { end + 1 } else { end };
    }
    if name == "uv" && at(1) == "tool" && at(2) == "run" {
        return after_options(words, 3, &valued);
    }
    if is_python(name) {
        let module = words.iter().position(|word| word.text == "-m").unwrap_or(0);
        let options = words.iter().take(module).skip(1);
        let are_options = options
            .zip(words)
            .all(|(word, before)| word.text.starts_with('-') || matches!(before.text.as_str(), "-W" | "-X"));
        return if module > 0 && are_options { module + 1 } else { 0 };
    }
    0
}

/// Returns the index of the first word that is not an option.
fn after_options(words: &[Word], from: usize, valued: &[&str]) -> usize {
    let mut at = from;
    while let Some(word) = words.get(at) {
        match word.text.as_str() {
            "--" => return at + 1,
            "-m" => return at,
            option if valued.contains(&option) => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => break,
        }
    }
    at
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| crate::expand::is_variable(name))
}

fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python").or_else(|| name.strip_prefix("pypy"));
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// Returns the line that a command passes to another shell.
pub(super) fn inner_line(words: &[Word]) -> Option<&str> {
    let (first, rest) = words.split_first()?;
    if !matches!(program(&first.text), "bash" | "sh" | "zsh" | "dash" | "ksh") {
        return None;
    }
    let at = rest
        .iter()
        .position(|word| word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c'))?;
    rest.get(at + 1).map(|line| line.text.as_str())
}

/// Returns the program that a word names: without directories, make's prefixes, a version and Windows extensions.
pub(super) fn program(word: &str) -> &str {
    let name = word.trim_start_matches(['@', '-']);
    let name = name.rsplit('/').next().unwrap_or(name);
    let name = name.split_once('@').filter(|(name, _)| !name.is_empty()).map_or(name, |(name, _)| name);
    name.strip_suffix(".exe").or_else(|| name.strip_suffix(".cmd")).unwrap_or(name)
}
