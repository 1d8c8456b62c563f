//! Launchers before a tool on its command line: assignments, `env`, `time`, `npx`, `python -m`, `bash -c` and
//! the like.

use super::word::{after_options, first_plain, program};

/// A simple command without its launchers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Inner<'a> {
    /// A tool with its arguments.
    Tool(&'a [String]),
    /// A script of the package by this name, or a tool with its arguments: package managers accept both.
    ScriptOrTool(&'a [String]),
    /// A script of the package, or a target, of this name.
    Script(&'a str),
    /// A line for another shell.
    Line(&'a str),
    Unknown,
}

enum Left<'a> {
    Words(&'a [String]),
    Done(Inner<'a>),
    /// The first word is not a launcher.
    Same,
}

/// Options of nyc and c8 that take a value.
const COVERAGE_OPTIONS: &[&str] = &[
    "-r",
    "--reporter",
    "-o",
    "--reports-dir",
    "--report-dir",
    "--src",
    "-n",
    "--include",
    "-x",
    "--exclude",
    "-e",
    "--extension",
    "--lines",
    "--branches",
    "--functions",
    "--statements",
    "-t",
    "--temp-dir",
    "--temp-directory",
    "--resolve",
    "-c",
    "--config",
    "--cwd",
    "-i",
    "--require",
    "--nycrc-path",
    "--watermarks",
];

pub(super) fn unwrap(words: &[String]) -> Inner<'_> {
    let mut words = words;
    // Each launcher removes at least its own word, so this terminates.
    while let Some((first, rest)) = words.split_first() {
        let left = if is_assignment(first) { Left::Words(rest) } else { one(program(first), words, rest) };
        match left {
            Left::Words(inner) => words = inner,
            Left::Done(inner) => return inner,
            Left::Same => return Inner::Tool(words),
        }
    }
    Inner::Unknown
}

fn one<'a>(launcher: &str, words: &'a [String], rest: &'a [String]) -> Left<'a> {
    match launcher {
        "{" | "if" | "then" | "else" | "elif" | "do" | "while" | "until" | "nohup" | "setsid" | "chronic" => {
            Left::Words(after_options(rest, &[]))
        }
        "nyc" | "c8" => match rest.first().map(String::as_str) {
            // These report earlier measurements.
            Some("report" | "check-coverage" | "merge") => Left::Done(Inner::Unknown),
            _ => Left::Words(after_options(rest, COVERAGE_OPTIONS)),
        },
        "env" | "cross-env" => Left::Words(after_options(rest, &["-u", "--unset", "-C", "--chdir"])),
        "time" => Left::Words(after_options(rest, &["-f", "-o"])),
        "exec" => Left::Words(after_options(rest, &["-a"])),
        "command" if rest.first().is_some_and(|word| matches!(word.as_str(), "-v" | "-V")) => {
            Left::Done(Inner::Unknown)
        }
        "command" => Left::Words(after_options(rest, &[])),
        "nice" => Left::Words(after_options(rest, &["-n"])),
        "stdbuf" => Left::Words(after_options(rest, &["-i", "-o", "-e"])),
        "sudo" => Left::Words(after_options(rest, &["-u", "-g"])),
        "xvfb-run" => Left::Words(after_options(rest, &["-s", "-n", "-e"])),
        "xargs" => Left::Words(after_options(rest, &["-n", "-P", "-I", "-L", "-d", "-a", "-s"])),
        "dotenv" | "dotenvx" => Left::Words(after_separator(rest)),
        "timeout" | "gtimeout" => {
            // After the options comes the duration.
            let rest = after_options(rest, &["-k", "-s", "--kill-after", "--signal"]);
            Left::Words(rest.get(1..).unwrap_or_default())
        }
        "bash" | "sh" | "zsh" | "dash" | "ksh" => Left::Done(shell(rest)),
        "npx" | "bunx" | "pnpx" => npx(rest),
        "npm" => npm(rest),
        "pnpm" => pnpm(rest),
        "yarn" => yarn(rest),
        "bun" => bun(words, rest),
        "uv" => uv(rest),
        "uvx" | "pipx" => Left::Words(after_options(rest, &["--with", "--from", "--python", "-p"])),
        "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "pixi" => subcommand_only(rest, "run"),
        "bundle" | "composer" => subcommand_only(rest, "exec"),
        "coverage" => coverage(rest),
        "node" | "nodejs" | "tsx" | "ts-node" => node(words, rest),
        "php" | "ruby" => Left::Words(after_options(rest, &["-d", "-c", "-r", "-I"])),
        "make" | "gmake" | "just" | "task" => Left::Done(target(rest)),
        other if is_python(other) => python(rest),
        _ => Left::Same,
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn is_python(program: &str) -> bool {
    program
        .strip_prefix("python")
        .or_else(|| program.strip_prefix("pypy"))
        .is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
        || program == "py"
}

fn after_separator(words: &[String]) -> &[String] {
    match words.iter().position(|word| word == "--") {
        Some(at) => &words[at + 1..],
        None => after_options(words, &["-e", "-f"]),
    }
}

/// Returns the line of `bash -c LINE`, also after other options and as the last letter of a cluster such as `-lc`.
fn shell(words: &[String]) -> Inner<'_> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-o" | "+o" | "-O" | "+O" => {
                words.next();
            }
            long if long.starts_with("--") => {}
            cluster if cluster.starts_with('-') && cluster.contains('c') => {
                // With `-ec -o pipefail LINE` the line is the first word that is not an option.
                return line_after(words.as_slice());
            }
            option if option.starts_with(['-', '+']) => {}
            _ => return Inner::Unknown,
        }
    }
    Inner::Unknown
}

fn line_after(words: &[String]) -> Inner<'_> {
    after_options(words, &["-o", "+o"]).first().map_or(Inner::Unknown, |line| Inner::Line(line))
}

fn npx(words: &[String]) -> Left<'_> {
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "-c" | "--call" => return Left::Done(words.get(at + 1).map_or(Inner::Unknown, |line| Inner::Line(line))),
            option if option.starts_with('-') => {}
            _ => break,
        }
    }
    Left::Words(after_options(words, &["-p", "--package", "-w", "--workspace", "--prefix"]))
}

fn npm(words: &[String]) -> Left<'_> {
    let words = after_options(words, &["--prefix", "-C", "-w", "--workspace", "--loglevel"]);
    match words.split_first() {
        Some((sub, rest)) => match sub.as_str() {
            "exec" | "x" => npx(rest),
            "test" | "t" | "tst" => Left::Done(Inner::Script("test")),
            "run" | "run-script" | "rum" | "urn" => script(rest),
            _ => Left::Done(Inner::Unknown),
        },
        None => Left::Done(Inner::Unknown),
    }
}

fn pnpm(words: &[String]) -> Left<'_> {
    let words = after_options(words, &["--filter", "-F", "-C", "--dir"]);
    match words.split_first() {
        Some((sub, rest)) => match sub.as_str() {
            "exec" | "dlx" => Left::Words(after_options(rest, &[])),
            "test" | "t" => Left::Done(Inner::Script("test")),
            "run" | "run-script" => script(rest),
            _ => Left::Done(Inner::ScriptOrTool(words)),
        },
        None => Left::Done(Inner::Unknown),
    }
}

fn yarn(words: &[String]) -> Left<'_> {
    let words = after_options(words, &["--cwd"]);
    match words.split_first() {
        Some((sub, rest)) => match sub.as_str() {
            "exec" | "dlx" | "node" => Left::Words(after_options(rest, &["-p", "--package"])),
            "run" => Left::Done(Inner::ScriptOrTool(after_options(rest, &[]))),
            "workspace" => yarn(rest.get(1..).unwrap_or_default()),
            _ => Left::Done(Inner::ScriptOrTool(words)),
        },
        None => Left::Done(Inner::Unknown),
    }
}

fn bun<'a>(words: &'a [String], rest: &'a [String]) -> Left<'a> {
    match first_plain(rest) {
        Some("run") => Left::Done(Inner::ScriptOrTool(after_options(after_word(rest, "run"), &[]))),
        Some("x") => Left::Words(after_options(after_word(rest, "x"), &[])),
        _ => Left::Done(Inner::Tool(words)),
    }
}

fn uv(words: &[String]) -> Left<'_> {
    const VALUED: &[&str] =
        &["--with", "--python", "-p", "--extra", "--group", "--project", "--directory", "--package", "--env-file"];
    let words = after_options(words, VALUED);
    match words.split_first() {
        Some((sub, rest)) if sub == "run" => match module(rest) {
            Some(module) => Left::Words(module),
            None => Left::Words(after_options(rest, VALUED)),
        },
        Some((sub, rest)) if sub == "tool" => subcommand_only(rest, "run"),
        _ => Left::Done(Inner::Unknown),
    }
}

fn coverage(words: &[String]) -> Left<'_> {
    match words.split_first() {
        Some((sub, rest)) if sub == "run" => Left::Words(
            module(rest).unwrap_or_else(|| after_options(rest, &["--source", "--omit", "--include", "--rcfile"])),
        ),
        _ => Left::Done(Inner::Unknown),
    }
}

fn python(words: &[String]) -> Left<'_> {
    Left::Words(module(words).unwrap_or_else(|| after_options(words, &["-W", "-X", "-c"])))
}

/// Returns the words after `-m`, if only options precede it.
fn module(words: &[String]) -> Option<&[String]> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.as_str() {
            "-m" => return words.get(at + 1..),
            "-W" | "-X" | "--with" | "--python" | "-p" | "--source" | "--omit" => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => return None,
        }
    }
    None
}

fn node<'a>(words: &'a [String], rest: &'a [String]) -> Left<'a> {
    const VALUED: &[&str] = &["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions"];
    let script = after_options(rest, VALUED);
    let options = &rest[..rest.len() - script.len()];
    if options.iter().any(|option| option == "--test") {
        // In this case node itself is the test runner.
        return Left::Done(Inner::Tool(words));
    }
    if options.iter().any(|option| matches!(option.as_str(), "-e" | "--eval" | "-p" | "--print")) {
        return Left::Done(Inner::Unknown);
    }
    Left::Words(script)
}

fn target(words: &[String]) -> Inner<'_> {
    let words = after_options(words, &["-C", "-f", "-j", "--directory", "--file"]);
    words.iter().find(|word| !is_assignment(word)).map_or(Inner::Unknown, |name| Inner::Script(name))
}

fn script(words: &[String]) -> Left<'_> {
    Left::Done(first_plain(words).map_or(Inner::Unknown, Inner::Script))
}

fn subcommand_only<'a>(words: &'a [String], wanted: &str) -> Left<'a> {
    if first_plain(words) == Some(wanted) {
        Left::Words(after_options(after_word(words, wanted), &[]))
    } else {
        Left::Done(Inner::Unknown)
    }
}

fn after_word<'a>(words: &'a [String], wanted: &str) -> &'a [String] {
    words.iter().position(|word| word == wanted).map_or(&[], |at| &words[at + 1..])
}
