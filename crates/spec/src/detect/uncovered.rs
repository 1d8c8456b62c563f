//! Commands of CI that no check covers: they are reported, so that the checks are not mistaken for all of CI.

use std::collections::BTreeSet;

use super::ci::{Ci, Line};
use super::command::{Command, commands};
use super::project::{Project, Proposal};
use super::scripts;
use super::tree::Tree;
use super::under;

/// Maximum number of listed commands.
const NAMED: usize = 8;
/// Maximum length of a note with a file and its commands, so that nothing of it is cut.
const LENGTH: usize = 115;
/// Maximum number of listed files.
const FILES: usize = 3;

/// Programs that prepare, print, copy or publish, and check nothing.
const PREPARING: &[&str] = &[
    "apt",
    "apt-get",
    "apk",
    "dnf",
    "yum",
    "brew",
    "choco",
    "snap",
    "pip",
    "pip3",
    "pipx",
    "conda",
    "mamba",
    "gem",
    "rustup",
    "corepack",
    "nvm",
    "fnm",
    "asdf",
    "cd",
    "pushd",
    "popd",
    "echo",
    "printf",
    "cat",
    "ls",
    "tree",
    "pwd",
    "env",
    "printenv",
    "set",
    "export",
    "unset",
    "source",
    ".",
    "eval",
    "exit",
    "return",
    "true",
    "false",
    ":",
    "test",
    "[",
    "[[",
    "read",
    "local",
    "for",
    "case",
    "esac",
    "in",
    "function",
    "wait",
    "sleep",
    "trap",
    "mkdir",
    "touch",
    "cp",
    "mv",
    "rm",
    "ln",
    "chmod",
    "chown",
    "tar",
    "zip",
    "unzip",
    "gzip",
    "curl",
    "wget",
    "tee",
    "head",
    "tail",
    "grep",
    "sed",
    "awk",
    "sort",
    "uniq",
    "wc",
    "cut",
    "tr",
    "find",
    "date",
    "uname",
    "nproc",
    "which",
    "whoami",
    "id",
    "df",
    "free",
    "lscpu",
    "ulimit",
    "sysctl",
    "git",
    "gh",
    "docker",
    "docker-compose",
    "podman",
    "aws",
    "gcloud",
    "az",
    "kubectl",
    "codecov",
    "coveralls",
    "ssh",
    "scp",
    "rsync",
    "twine",
    "gpg",
    "dpkg",
    "sha256sum",
    "jq",
    "yq",
    "ccache",
    "sccache",
    "update-alternatives",
    "service",
    "systemctl",
    "python3-config",
    "virtualenv",
];

/// Programs with several functions, each with its preparing subcommands.
const MANY: &[(&str, &[&str])] = &[
    ("npm", &["ci", "i", "install", "version", "publish", "config", "cache", "pkg", "link", "set", "update"]),
    ("pnpm", &["i", "install", "publish", "config", "store", "add"]),
    ("yarn", &["", "install", "publish", "config", "set", "add", "cache"]),
    ("bun", &["i", "install", "publish", "add"]),
    (
        "cargo",
        &["install", "binstall", "fetch", "update", "publish", "generate-lockfile", "login", "clean", "tree", "search"],
    ),
    ("go", &["get", "install", "mod", "env", "version", "clean", "tool", "list"]),
    ("uv", &["sync", "pip", "venv", "python", "tool", "lock", "build", "publish", "cache"]),
    ("poetry", &["install", "config", "build", "publish", "self", "lock", "env"]),
    ("pdm", &["install", "sync", "config", "use", "venv"]),
    ("hatch", &["build", "publish", "env"]),
    ("pipenv", &["install", "sync"]),
    ("bundle", &["install", "config", "update"]),
    ("composer", &["install", "update", "config", "require", "self-update", "global"]),
    ("dotnet", &["restore", "tool", "nuget", "pack", "publish", "workload", "clean"]),
    ("make", &["clean", "distclean", "install", "deps", "setup"]),
    ("mvn", &["clean", "deploy", "dependency:go-offline"]),
    ("mvnw", &["clean", "deploy", "dependency:go-offline"]),
    ("gradle", &["clean", "publish", "wrapper"]),
    ("gradlew", &["clean", "publish", "wrapper"]),
    ("ruff", &[]),
    ("biome", &[]),
    ("deno", &["install", "cache"]),
];

/// Options that select another build of the same code.
const BUILDS: &[&str] = &["--no-default-features", "--all-features", "--features", "--release", "--target"];

/// Returns notes on the files whose commands are not all covered.
pub(super) fn notes(tree: &Tree, ci: &Ci, project: &Project) -> Vec<String> {
    let known: Vec<(String, Command)> = [&project.checks, &project.prerequisites, &project.left_to_people]
        .into_iter()
        .flatten()
        .flat_map(|proposal: &Proposal| {
            commands(&proposal.line).into_iter().map(|own| (proposal.directory.clone(), own))
        })
        .collect();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut found: Vec<(&str, Vec<String>)> = Vec::new();
    for line in ci.lines().filter(|line| checks_something(line) && !is_covered(tree, line, &known)) {
        let shown = shown(line);
        if !seen.insert(shown.clone()) {
            continue;
        }
        match found.iter_mut().find(|(file, _)| *file == line.file) {
            Some((_, commands)) => commands.push(shown),
            None => found.push((&line.file, vec![shown])),
        }
    }
    found.into_iter().take(FILES).flat_map(|(file, commands)| told(file, &commands)).collect()
}

fn shown(line: &Line) -> String {
    let directory = if line.directory.is_empty() { String::new() } else { format!(" in {}", line.directory) };
    format!("`{}`{directory}", line.command.own_text())
}

/// Returns notes that fit the length limit of a note: the commands of a file, in as many lines as needed.
fn told(file: &str, commands: &[String]) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    let mut lines: Vec<String> = Vec::new();
    for command in commands.iter().take(NAMED) {
        match lines.last_mut().filter(|named| length(file) + length(named) + length(command) <= LENGTH) {
            Some(named) => *named = format!("{named}, {command}"),
            None => lines.push(command.clone()),
        }
    }
    if let Some(last) = lines.last_mut().filter(|_| commands.len() > NAMED) {
        *last = format!("{last} and {} more", commands.len() - NAMED);
    }
    lines.into_iter().map(|named| format!("{file} also runs {named}, not proposed")).collect()
}

fn first_word(command: &Command) -> &str {
    let of_python = command.prefix.last().is_some_and(|word| word.text == "-m");
    if of_python && matches!(command.program(), "pip" | "build" | "venv" | "ensurepip") {
        return "install";
    }
    command.arguments().find(|word| !word.starts_with(['-', '+'])).unwrap_or_default()
}

/// Returns the parts by which a command is distinguished: program, and subcommand if it has several.
fn kind(command: &Command) -> (&str, &str) {
    let name = command.program();
    let first = first_word(command);
    let first = if matches!((name, first), ("npm" | "pnpm" | "yarn" | "bun", "run" | "run-script")) {
        command.arguments().filter(|word| !word.starts_with('-')).nth(1).unwrap_or_default()
    } else {
        first
    };
    match (name, first) {
        ("cargo", "build") => (name, "check"),
        // Maven's arguments are examined as a whole.
        ("mvn" | "mvnw", _) => ("mvn", ""),
        ("make", _) => {
            (name, command.arguments().rfind(|word| !word.starts_with('-') && !word.contains('=')).unwrap_or(""))
        }
        _ if MANY.iter().any(|(many, _)| *many == name) => (name, first),
        _ => (name, ""),
    }
}

fn checks_something(line: &Line) -> bool {
    let command = &line.command;
    let (name, first) = (command.program(), first_word(command));
    let asks_only =
        command.words.len() == 2 && command.arguments().any(|word| matches!(word, "--version" | "-v" | "-V"));
    let prepares = MANY.iter().any(|(many, words)| *many == name && words.contains(&first)) || first == "install";
    let is_word = name.starts_with(|start: char| start.is_ascii_alphanumeric()) && !launcher_only(command);
    is_word && !PREPARING.contains(&name) && !prepares && !asks_only && !name.contains('=')
}

/// Returns whether a word is a remainder of a shell construct, not a program.
fn launcher_only(command: &Command) -> bool {
    command.words.first().is_some_and(|word| word.text.contains(['$', '`', '{', '}', '(', ')', '*', '"', '\'']))
}

fn is_covered(tree: &Tree, line: &Line, known: &[(String, Command)]) -> bool {
    let here = |command: &Command, directory: &str| {
        let chooses = |word: &&str| BUILDS.contains(&word.split('=').next().unwrap_or_default());
        known.iter().any(|(place, own)| {
            let has = |word: &str| own.arguments().any(|argument| argument == word);
            place == directory && kind(own) == kind(command) && command.arguments().filter(chooses).all(has)
        })
    };
    let of_node = matches!(line.command.program(), "npm" | "pnpm" | "yarn" | "bun" | "npx");
    let is_environment = matches!(line.command.program(), "tox" | "nox" | "pre-commit" | "prek");
    let has_node = || tree.has_file(&under(&line.directory, "package.json"));
    let has_python = || known.iter().any(|(place, own)| *place == line.directory && own.program() == "pytest");
    if here(&line.command, &line.directory) || of_node && has_node() || is_environment && has_python() {
        return true;
    }
    line.command.program() == "make"
        && scripts::made_by(tree, line).iter().any(|inner| here(&inner.command, &inner.directory))
}
