//! Whether the next tool use of an agent touches a file that arms the gate. This is a courtesy, not a security
//! boundary: an edit by a tool is always detected, a shell line only if it plainly names such a file after a
//! command that writes. Reading, and touching other files, is never refused.

use std::path::{Component, Path, PathBuf};

use referee_model::hook::ToolUse;
use referee_syntax::shell::{self, Command, Way};

/// Working directory of an agent, and the files that it must not change.
#[derive(Debug, Clone, Copy)]
pub struct GuardScope<'ground> {
    /// Directory to which relative paths refer.
    pub directory: &'ground Path,
    pub home: Option<&'ground Path>,
    /// Absolute paths of the files that arm the gate.
    pub guarded: &'ground [PathBuf],
}

/// Commands that change or remove each file that they name; the first two also affect directories with all
/// their contents.
const CHANGING: [&str; 10] =
    ["rm", "rmdir", "unlink", "shred", "truncate", "tee", "chmod", "chown", "chattr", "sponge"];

/// Commands that write the last file that they name.
const COPYING: [&str; 4] = ["cp", "install", "ln", "rsync"];

/// Programs that execute code given as an argument.
const INTERPRETERS: [&str; 5] = ["python", "node", "perl", "ruby", "php"];

/// Functions by which such code writes a file.
const WRITING: [&str; 10] =
    ["write", "remove", "unlink", "rename", "truncate", "rmtree", "rmSync", "replace(", "'w'", "\"w\""];

/// Commands that only run the command after them.
const PREFIXES: [&str; 6] = ["sudo", "env", "command", "nohup", "time", "exec"];

/// Returns the guarded file that would be changed. None: none would, as far as can be detected.
pub fn touched<'ground>(tool: &ToolUse, ground: &GuardScope<'ground>) -> Option<&'ground Path> {
    match tool {
        ToolUse::Edit(path) => ground.named(ground.directory, &path.to_string_lossy()),
        ToolUse::Shell(text) => by_line(text, ground.directory, ground, 0),
    }
}

/// Maximum depth of nested shells that are parsed.
const DEPTH: u8 = 3;

fn by_line<'ground>(text: &str, directory: &Path, ground: &GuardScope<'ground>, depth: u8) -> Option<&'ground Path> {
    let mut directory = directory.to_path_buf();
    let commands = shell::lex(text).all_commands();
    for command in &commands {
        let written = command.redirections.iter().filter(|redirection| redirection.way == Way::Write);
        let redirected = written.map(|to| &to.target.text).find_map(|path| ground.named(&directory, path));
        let found = redirected.or_else(|| by_command(command, &directory, ground, depth));
        if found.is_some() {
            return found;
        }
        if let ["cd", to] = words(command).as_slice() {
            directory = ground.absolute(&directory, to);
        }
    }
    let is_interpreter = |program: &str| INTERPRETERS.iter().any(|name| program.starts_with(name));
    let runs_a_text =
        commands.iter().any(|command| words(command).first().is_some_and(|word| is_interpreter(name(word))));
    if runs_a_text { by_text(text, ground) } else { None }
}

/// Returns the words of a command, after `{` and similar.
fn words(command: &Command) -> Vec<&str> {
    let words = command.words.iter().map(|word| word.text.as_str());
    words.skip_while(|word| shell::RESERVED.contains(word)).collect()
}

/// Returns the name of the program that a word runs.
fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or_default()
}

fn by_command<'ground>(
    command: &Command,
    directory: &Path,
    ground: &GuardScope<'ground>,
    depth: u8,
) -> Option<&'ground Path> {
    let words = words(command);
    let is_prefix = |word: &&&str| PREFIXES.contains(*word) || (word.contains('=') && !word.contains('/'));
    let skipped = words.iter().take_while(is_prefix).count();
    let (program, all) = words.get(skipped..)?.split_first()?;
    let program = name(program);
    let is_option = |word: &str| word.starts_with('-');
    let plain: Vec<&str> = all.iter().copied().filter(|word| !is_option(word)).collect();
    let any = |words: &[&str]| words.iter().find_map(|word| ground.named(directory, word));
    let within = |words: &[&str]| words.iter().find_map(|word| ground.within(directory, word));
    match program {
        "sh" | "bash" | "zsh" | "dash" if depth < DEPTH => {
            let place = all.iter().position(|word| is_option(word) && word.ends_with('c'))?;
            by_line(all.get(place + 1)?, directory, ground, depth + 1)
        }
        "rm" | "rmdir" => within(&plain),
        "mv" => {
            let (last, sources) = plain.split_last()?;
            within(sources).or_else(|| into(directory, last, sources, ground))
        }
        "sed" if all.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place")) => any(&plain),
        "dd" => plain.iter().find_map(|word| ground.named(directory, word.strip_prefix("of=")?)),
        "git" => match plain.split_first()? {
            (&("rm" | "mv"), named) => within(named),
            _ => None,
        },
        name if CHANGING.contains(&name) => any(&plain),
        name if COPYING.contains(&name) => {
            let (last, sources) = plain.split_last()?;
            into(directory, last, sources, ground)
        }
        _ => None,
    }
}

/// Returns the guarded file that is written if files are put into a target, which may be a directory.
fn into<'ground>(
    directory: &Path,
    place: &str,
    sources: &[&str],
    ground: &GuardScope<'ground>,
) -> Option<&'ground Path> {
    let name = |source: &&str| source.trim_end_matches('/').rsplit('/').next().map(str::to_owned);
    let inside =
        || sources.iter().filter_map(name).find_map(|name| ground.named(directory, &format!("{place}/{name}")));
    ground.named(directory, place).or_else(inside)
}

/// Returns the guarded file that code names, if it writes.
fn by_text<'ground>(text: &str, ground: &GuardScope<'ground>) -> Option<&'ground Path> {
    let text = text.replace("stdout.write", "").replace("stderr.write", "");
    if !WRITING.iter().any(|sign| text.contains(sign)) {
        return None;
    }
    let is_named = |path: &&PathBuf| {
        let relative = path.strip_prefix(ground.directory).unwrap_or(path);
        text.contains(&*relative.to_string_lossy())
    };
    ground.guarded.iter().find(is_named).map(PathBuf::as_path)
}

impl<'ground> GuardScope<'ground> {
    /// Returns the guarded file that a word names.
    fn named(&self, directory: &Path, word: &str) -> Option<&'ground Path> {
        let path = self.absolute(directory, word);
        self.guarded.iter().find(|guarded| **guarded == path).map(PathBuf::as_path)
    }

    /// Returns the guarded file that a word names, that is in the directory it names, or that seems to match a
    /// pattern.
    fn within(&self, directory: &Path, word: &str) -> Option<&'ground Path> {
        let start = word.split(['*', '?', '[']).next().unwrap_or_default();
        let path = self.absolute(directory, start);
        let fits = |guarded: &&PathBuf| {
            if start.len() == word.len() {
                return guarded.starts_with(&path);
            }
            let is_whole = start.is_empty() || start.ends_with('/');
            let beside = if is_whole { Some(path.as_path()) } else { path.parent() };
            guarded.parent() == beside && guarded.to_string_lossy().starts_with(&*path.to_string_lossy())
        };
        self.guarded.iter().find(fits).map(PathBuf::as_path)
    }

    /// Returns a word as an absolute path, without `.` and `..`.
    fn absolute(&self, directory: &Path, word: &str) -> PathBuf {
        let of_home = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|start| word.strip_prefix(start));
        let of_project =
            ["$CLAUDE_PROJECT_DIR/", "${CLAUDE_PROJECT_DIR}/"].iter().find_map(|start| word.strip_prefix(start));
        let path = match (of_home, self.home, of_project) {
            (Some(rest), Some(home), _) => home.join(rest),
            (_, _, Some(rest)) => self.directory.join(rest),
            _ => directory.join(word),
        };
        let mut plain = PathBuf::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    plain.pop();
                }
                other => plain.push(other),
            }
        }
        plain
    }
}

#[cfg(test)]
mod tests;
