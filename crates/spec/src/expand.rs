//! What npm scripts and make targets stand for, so that a command's role can be told (ruling 9).
//!
//! Only a line that is one plain command is looked through: of several commands nobody could say whose role it is. What
//! cannot be read is not looked through; that is never an error.

mod makefile;
mod words;

use std::path::Path;

use referee_model::plan::Invocation;
use serde_json::Value;

use words::{join, split};

/// Most scripts that are looked through, one within the other.
const DEEPEST: usize = 8;

/// Largest file that is looked into, in bytes.
const FILE_BYTES: u64 = 1024 * 1024;

/// What a command stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenThrough {
    /// Command lines, outermost first.
    pub lines: Vec<String>,
    /// A line of a make target whose failure make is told to ignore.
    pub ignored: Option<String>,
}

/// Looks through a command that is run in a folder.
pub fn see_through(invocation: &Invocation, folder: &Path) -> SeenThrough {
    let mut seen = SeenThrough::default();
    let mut words = match invocation {
        Invocation::Argv(argv) => Some(argv.clone()),
        Invocation::Shell { line, .. } => split(line),
    };
    while let Some(command) = words.take() {
        if seen.lines.len() >= DEEPEST {
            break;
        }
        let inner = match target(&command) {
            Some(Target::Script { name, arguments }) => script(folder, name, arguments).into_iter().collect(),
            Some(Target::Make { name }) => recipe(folder, name, &mut seen),
            None => break,
        };
        if inner.iter().any(|line| seen.lines.contains(line)) {
            break;
        }
        words = match inner.as_slice() {
            [line] => split(line),
            _ => None,
        };
        seen.lines.extend(inner);
    }
    seen
}

/// What a command runs by another name.
enum Target<'a> {
    /// A script of package.json, with arguments added to it.
    Script { name: &'a str, arguments: &'a [String] },
    /// A target of a makefile. None: the first one.
    Make { name: Option<&'a str> },
}

/// Tells what a command runs by another name. Options that change the folder or the package are not followed.
fn target(command: &[String]) -> Option<Target<'_>> {
    let assigned = |word: &&String| word.split_once('=').is_some_and(|(name, _)| words::is_variable(name));
    let start = command.iter().take_while(assigned).count();
    let command = command.get(start..)?;
    let (program, mut rest) = command.split_first()?;
    if matches!(program.as_str(), "env" | "cross-env" | "exec" | "time") {
        return if rest.is_empty() { None } else { target(rest) };
    }
    if program == "make" {
        return match rest {
            [] => Some(Target::Make { name: None }),
            [name] if !name.starts_with('-') && !name.contains('=') => Some(Target::Make { name: Some(name) }),
            _ => None,
        };
    }
    while let [first, others @ ..] = rest
        && is_quiet(first)
    {
        rest = others;
    }
    let (verb, mut rest) = rest.split_first()?;
    let name = match (program.as_str(), verb.as_str()) {
        ("npm" | "pnpm" | "yarn", "run") | ("npm" | "pnpm", "run-script") => {
            while let [first, others @ ..] = rest
                && is_quiet(first)
            {
                rest = others;
            }
            let (name, others) = rest.split_first()?;
            rest = others;
            name
        }
        ("npm", "test" | "t" | "tst") | ("pnpm", "t") => "test",
        ("npm", "start" | "stop" | "restart") => verb,
        // These two run a script by its bare name, unless they have a command of that name.
        ("pnpm" | "yarn", _) if !OWN_COMMANDS.contains(&verb.as_str()) => verb,
        _ => return None,
    };
    if name.starts_with('-') {
        return None;
    }
    let arguments = match (program.as_str(), rest) {
        (_, []) => rest,
        ("npm", [separator, arguments @ ..]) if separator == "--" => arguments,
        // Without the separator npm keeps options for itself.
        ("npm", arguments) if arguments.iter().any(|argument| argument.starts_with('-')) => return None,
        (_, [separator, arguments @ ..]) if separator == "--" => arguments,
        (_, arguments) => arguments,
    };
    Some(Target::Script { name, arguments })
}

/// Commands of pnpm and yarn that no script of the same name replaces.
const OWN_COMMANDS: [&str; 16] = [
    "install",
    "i",
    "add",
    "remove",
    "exec",
    "dlx",
    "publish",
    "pack",
    "link",
    "why",
    "init",
    "up",
    "upgrade",
    "create",
    "node",
    "workspace",
];

fn is_quiet(word: &str) -> bool {
    matches!(word, "-s" | "--silent" | "--if-present")
}

/// Returns the line of a script, with added arguments.
fn script(folder: &Path, name: &str, arguments: &[String]) -> Option<String> {
    let text = text(&folder.join("package.json"))?;
    let package: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let line = package.get("scripts")?.get(name)?.as_str()?.trim();
    if line.is_empty() {
        return None;
    }
    let arguments = join(arguments);
    Some(if arguments.is_empty() { line.to_owned() } else { format!("{line} {arguments}") })
}

/// Returns the lines of a target.
fn recipe(folder: &Path, target: Option<&str>, seen: &mut SeenThrough) -> Vec<String> {
    let text = ["GNUmakefile", "makefile", "Makefile"].into_iter().find_map(|name| text(&folder.join(name)));
    let lines = text.map(|text| makefile::recipe(&text, target)).unwrap_or_default();
    if let Some(line) = lines.iter().find(|line| line.failure_ignored) {
        seen.ignored.get_or_insert_with(|| line.command.clone());
    }
    lines.into_iter().map(|line| line.command).collect()
}

fn text(path: &Path) -> Option<String> {
    let bytes = crate::read::file(path, FILE_BYTES).ok()?;
    let small = u64::try_from(bytes.len()).is_ok_and(|length| length <= FILE_BYTES);
    if small { String::from_utf8(bytes).ok() } else { None }
}
