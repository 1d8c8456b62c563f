//! Builds commands that run only a few tests, by the names that their runner reports. Running more tests than
//! these does no harm: the question is only whether these fail.

use std::collections::BTreeSet;
use std::ffi::OsString;

use referee_model::plan::{Command, Invocation, shell_word};

/// Maximum number of tests named on a command line.
const TESTS_MAX: usize = 20;

/// Programs that pass arguments on to the script of a package.
const PACKAGE_SCRIPTS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// Programs that run a tool of a package.
const PACKAGE_TOOLS: [&str; 4] = ["npx", "pnpx", "bunx", "yarn"];

/// Returns a command that runs only these tests of a runner. `environment` has the variables of the caller. `None`
/// if no way is known.
pub(super) fn select(
    command: &Command,
    runner: &str,
    tests: &BTreeSet<String>,
    environment: &[(OsString, OsString)],
) -> Option<Command> {
    if tests.is_empty() || tests.len() > TESTS_MAX {
        return None;
    }
    match runner {
        "pytest" => {
            let names = names(tests, |test| Some(test.rsplit("::").next()?.split('[').next()?.to_owned()))?;
            with_variable(command, "PYTEST_ADDOPTS", &format!("-k '{}'", names.join(" or ")), environment)
        }
        "node-test" => {
            let option = format!("--test-name-pattern=^({})$", titles(tests, &[" > "]).join("|"));
            with_node_option(command, &option)
        }
        "go-test" => {
            let names = names(tests, |test| test.split(['/', ' ']).next().map(str::to_owned))?;
            with_variable(command, "GOFLAGS", &format!("-run=^({})$", names.join("|")), environment)
        }
        "jest" | "vitest" => {
            let pattern = format!("({})$", titles(tests, &[" > ", " › "]).join("|"));
            with_arguments(command, runner, &["-t", &pattern])
        }
        "cargo-test" => {
            let paths: Vec<String> = tests.iter().map(|test| test.replace(" > ", "::")).collect();
            let is_path =
                |path: &String| path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte));
            let line = command.invocation.as_line();
            let has_separator = line.split_whitespace().any(|word| word == "--");
            let separator = (!has_separator).then_some("--");
            let arguments: Vec<&str> = separator.into_iter().chain(paths.iter().map(String::as_str)).collect();
            if paths.iter().all(is_path) { with_arguments(command, "cargo", &arguments) } else { None }
        }
        _ => None,
    }
}

/// Returns the names by which a runner selects tests, each once. `None` if one of them is no plain name.
fn names(tests: &BTreeSet<String>, name: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let is_plain = |name: &String| !name.is_empty() && name.chars().all(|next| next.is_alphanumeric() || next == '_');
    let names: BTreeSet<String> = tests.iter().map(|test| name(test).filter(is_plain)).collect::<Option<_>>()?;
    Some(names.into_iter().collect())
}

/// Returns the titles of tests without their groups, as patterns that need no quoting: every character other than
/// a letter, digit or underscore becomes `.`.
fn titles(tests: &BTreeSet<String>, separators: &[&str]) -> Vec<String> {
    let title = |test: &String| {
        let title =
            separators.iter().fold(test.as_str(), |rest, separator| rest.rsplit(separator).next().unwrap_or(rest));
        let any = |next: char| if next.is_ascii_alphanumeric() || next == '_' { next } else { '.' };
        title.chars().map(any).collect::<String>()
    };
    tests.iter().map(title).collect::<BTreeSet<_>>().into_iter().collect()
}

fn with_variable(command: &Command, name: &str, option: &str, environment: &[(OsString, OsString)]) -> Option<Command> {
    if command.late_environment.contains_key(name) {
        return None;
    }
    let of_caller = || {
        let (_, value) = environment.iter().find(|(known, _)| known == name)?;
        value.to_str().map(str::to_owned)
    };
    let before = command.environment.get(name).cloned().or_else(of_caller).unwrap_or_default();
    let mut selected = command.clone();
    selected.environment.insert(name.to_owned(), format!("{before} {option}").trim_start().to_owned());
    Some(selected)
}

/// Adds an option of Node's test runner, if the command starts Node itself: `NODE_OPTIONS` accepts none of them.
fn with_node_option(command: &Command, option: &str) -> Option<Command> {
    let mut selected = command.clone();
    match &mut selected.invocation {
        Invocation::Argv(argv) => {
            let at = argv.iter().position(|word| word == "--test")?;
            argv.insert(at + 1, option.to_owned());
        }
        Invocation::Shell { line, .. } => {
            let (before, after) = line.split_once("--test ").filter(|_| !is_compound(line))?;
            *line = format!("{before}--test {} {after}", shell_word(option));
        }
        Invocation::Container(_) => return None,
    }
    let is_node = |word: &str| word == "node" || word.ends_with("/node");
    command.invocation.as_line().split_whitespace().next().is_some_and(is_node).then_some(selected)
}

/// Whether a line may contain more than one command, or words that a shell expands.
fn is_compound(line: &str) -> bool {
    line.contains([';', '|', '&', '<', '>', '$', '`', '(', '\n', '#'])
}

/// Adds arguments to a command, if it is a single program that passes them to the runner.
fn with_arguments(command: &Command, runner: &str, arguments: &[&str]) -> Option<Command> {
    let words: Vec<String> = match &command.invocation {
        Invocation::Argv(argv) => argv.clone(),
        // What a container runs is not the runner of the project.
        Invocation::Container(_) => return None,
        Invocation::Shell { line, .. } if is_compound(line) => return None,
        Invocation::Shell { line, .. } => line.split_whitespace().map(str::to_owned).collect(),
    };
    let first = words.first()?.rsplit('/').next()?;
    let is_script = PACKAGE_SCRIPTS.contains(&first) && !command.seen_through.is_empty();
    let is_tool = PACKAGE_TOOLS.contains(&first) && words.get(1).is_some_and(|word| word == runner);
    if first != runner && !is_script && !is_tool {
        return None;
    }
    if is_script && command.seen_through.iter().any(|line| is_compound(line)) {
        return None;
    }
    let separator = (first == "npm" && !words.iter().any(|word| word == "--")).then_some("--");
    let more: Vec<&str> = separator.into_iter().chain(arguments.iter().copied()).collect();
    let mut selected = command.clone();
    match &mut selected.invocation {
        Invocation::Argv(argv) => argv.extend(more.iter().map(|word| (*word).to_owned())),
        Invocation::Shell { line, .. } => {
            for word in more {
                line.push(' ');
                line.push_str(&shell_word(word));
            }
        }
        Invocation::Container(_) => return None,
    }
    Some(selected)
}

#[cfg(test)]
mod tests;
