//! Launchers before a program on its command line: assignments, shell keywords, `npx`, `uv run`, `python -m`.

use super::command::Word;

/// Keywords of the shell, which run nothing themselves. `shell` is that of make's `$(shell …)`.
const SHELL_WORDS: &[&str] = &[
    "!", "if", "then", "else", "elif", "do", "while", "until", "{", "}", "fi", "done", "esac", "exec", "command",
    "shell",
];

/// Programs that run another one, with their options that take the next word as value.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("env", &["-u", "-C"]),
    ("cross-env", &[]),
    ("time", &["-f", "-o"]),
    ("sudo", &["-u", "-g"]),
    ("nice", &["-n"]),
    ("nohup", &[]),
    ("xvfb-run", &["-s", "-n", "-e"]),
    ("xargs", &["-n", "-P", "-I", "-L", "-d", "-a", "-s"]),
    ("npx", &["-p", "--package"]),
    ("bunx", &[]),
    ("pnpx", &[]),
    ("uvx", &["--with", "--from", "--python", "-p"]),
    ("c8", &["-r", "--reporter", "-x", "--exclude", "-n", "--include"]),
    ("nyc", &["-r", "--reporter", "-x", "--exclude", "-n", "--include"]),
    ("dotenv", &["-e", "-f"]),
];

/// Programs with a subcommand that runs another one.
const RUNNERS: &[(&str, &str)] = &[
    ("npm", "exec"),
    ("npm", "x"),
    ("pnpm", "exec"),
    ("pnpm", "dlx"),
    ("yarn", "exec"),
    ("yarn", "dlx"),
    ("bun", "x"),
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("rye", "run"),
    ("pixi", "run"),
    ("pipx", "run"),
    ("coverage", "run"),
    ("bundle", "exec"),
    ("composer", "exec"),
];

/// Options of [`RUNNERS`] that take the next word as value.
const VALUED: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--extra",
    "--group",
    "--only-group",
    "--no-group",
    "--project",
    "--directory",
    "--package",
    "--env-file",
    "--source",
    "--omit",
    "--include",
    "--rcfile",
    "--call",
    "-c",
];

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
    SHELL_WORDS.contains(&word)
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
    if let Some((_, valued)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
        return after_options(words, 1, valued);
    }
    if RUNNERS.iter().any(|(runner, sub)| *runner == name && at(1) == *sub) {
        let end = after_options(words, 2, VALUED);
        return if at(end) == "-m" { end + 1 } else { end };
    }
    if name == "uv" && at(1) == "tool" && at(2) == "run" {
        return after_options(words, 3, VALUED);
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
