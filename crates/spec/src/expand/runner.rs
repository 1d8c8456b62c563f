//! Command lines of npm, pnpm, yarn and make that run scripts or targets.

use std::sync::LazyLock;

use referee_syntax::table::Table;

static MANAGERS: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("package_managers.toml")));

/// Script or target that a command runs.
pub(crate) enum Target<'a> {
    /// A script of one or several packages.
    Script(Call),
    /// A target of a makefile. None: the first one.
    Make { name: Option<&'a str> },
}

#[derive(Default)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// Arguments appended to its line.
    pub(crate) arguments: Vec<String>,
    /// Directory of the project, if it is not the working directory of the command.
    pub(crate) directory: Option<String>,
    /// Packages whose script is run.
    pub(crate) packages: Packages,
}

#[derive(Default)]
pub(crate) enum Packages {
    #[default]
    Own,
    All,
    /// Packages with these names or in these directories.
    Named(Vec<String>),
}

/// Returns the script or target that a command runs.
pub(crate) fn target(command: &[String]) -> Option<Target<'_>> {
    let assigned = |word: &&String| word.split_once('=').is_some_and(|(name, _)| super::is_variable(name));
    let start = command.iter().take_while(assigned).count();
    let (program, rest) = command.get(start..)?.split_first()?;
    match program.as_str() {
        "env" | "cross-env" | "exec" | "time" if !rest.is_empty() => target(rest),
        "make" => match rest {
            [] => Some(Target::Make { name: None }),
            [name] if !name.starts_with('-') && !name.contains('=') => Some(Target::Make { name: Some(name) }),
            _ => None,
        },
        "npm" => npm(rest).map(Target::Script),
        "pnpm" => pnpm(rest).map(Target::Script),
        "yarn" => yarn(rest, Call::default()).map(Target::Script),
        "bun" | "node" => match rest {
            [run, name, arguments @ ..] if matches!(run.as_str(), "run" | "--run") => {
                let (name, arguments) = (name.clone(), handed_on(arguments));
                Some(Target::Script(Call { name, arguments, ..Call::default() }))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns the script of the project itself that a command runs, with appended arguments.
pub(crate) fn own_script(command: &[String]) -> Option<(String, Vec<String>)> {
    match target(command)? {
        Target::Script(Call { name, arguments, directory: None, packages: Packages::Own }) => Some((name, arguments)),
        Target::Script(_) | Target::Make { .. } => None,
    }
}

impl Call {
    /// Adds a package to those whose script is run.
    fn of_package(&mut self, name: &str) {
        match &mut self.packages {
            Packages::Named(names) => names.push(name.to_owned()),
            Packages::Own | Packages::All => self.packages = Packages::Named(vec![name.to_owned()]),
        }
    }
}

/// Parses npm arguments: npm consumes options anywhere before `--`, known or not, and passes on the other words.
fn npm(rest: &[String]) -> Option<Call> {
    let mut call = Call::default();
    let mut plain: Vec<&String> = Vec::new();
    let mut arguments: &[String] = &[];
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            arguments = rest.as_slice();
            break;
        }
        if !word.starts_with('-') {
            plain.push(word);
            continue;
        }
        let (option, written) = option(word);
        match option {
            "-C" | "--prefix" => call.directory = Some(value(written, &mut rest)?.to_owned()),
            "-w" | "--workspace" => call.of_package(value(written, &mut rest)?),
            "-ws" | "--workspaces" if written.is_none_or(|value| value == "true") => call.packages = Packages::All,
            "-h" | "--help" | "-v" | "--version" | "-g" | "--global" => return None,
            _ if written.is_some() || is_quiet(option) => {}
            option if MANAGERS.holds("options.npm-valued", option) => {
                rest.next()?;
            }
            // The word after an unknown option may be its value.
            _ if rest.as_slice().first().is_some_and(|next| !next.starts_with('-')) => return None,
            _ => {}
        }
    }
    let (verb, others) = plain.split_first()?;
    let (name, others) = match verb.as_str() {
        "run" | "run-script" | "rum" | "urn" => {
            let (name, others) = others.split_first()?;
            (name.as_str(), others)
        }
        "test" | "t" | "tst" => ("test", others),
        "start" | "stop" | "restart" => (verb.as_str(), others),
        _ => return None,
    };
    name.clone_into(&mut call.name);
    call.arguments = others.iter().copied().chain(arguments).cloned().collect();
    Some(call)
}

/// Parses pnpm arguments: pnpm consumes options before the script's name, and passes on the words after it.
fn pnpm(rest: &[String]) -> Option<Call> {
    let mut call = Call::default();
    let mut runs = false;
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        if !word.starts_with('-') {
            match word.as_str() {
                "run" | "run-script" if !runs => {
                    runs = true;
                    continue;
                }
                "t" | "tst" if !runs => "test".clone_into(&mut call.name),
                own if !runs && MANAGERS.holds("commands.own", own) => return None,
                name => name.clone_into(&mut call.name),
            }
            call.arguments = handed_on(rest.as_slice());
            return Some(call);
        }
        let (option, written) = option(word);
        match option {
            "-C" | "--dir" => call.directory = Some(value(written, &mut rest)?.to_owned()),
            "-F" | "--filter" => {
                let selector = value(written, &mut rest)?;
                // Other selectors follow dependencies or changes.
                if selector.contains("...") || selector.starts_with('!') || selector.contains(['*', '[', '^']) {
                    return None;
                }
                let directory = selector.strip_prefix('{').and_then(|inner| inner.strip_suffix('}'));
                call.of_package(directory.unwrap_or(selector));
            }
            "-r" | "--recursive" if matches!(call.packages, Packages::Own) => call.packages = Packages::All,
            option if is_quiet(option) || written.is_some() => {}
            "-r" | "--recursive" | "--stream" | "--parallel" | "--no-bail" | "--aggregate-output" => {}
            _ => return None,
        }
    }
    None
}

/// Parses yarn arguments: yarn consumes options before the script's name, and passes on the words after it.
fn yarn(rest: &[String], mut call: Call) -> Option<Call> {
    let mut runs = false;
    let mut rest = rest.iter();
    while let Some(word) = rest.next() {
        if !word.starts_with('-') {
            match word.as_str() {
                "run" if !runs => {
                    runs = true;
                    continue;
                }
                "workspace" if !runs => {
                    call.of_package(rest.next()?);
                    return yarn(rest.as_slice(), call);
                }
                "workspaces" if !runs => {
                    call.packages = Packages::All;
                    let (verb, others) = rest.as_slice().split_first()?;
                    return if matches!(verb.as_str(), "run" | "foreach") { yarn(others, call) } else { None };
                }
                own if !runs && MANAGERS.holds("commands.own", own) => return None,
                name => name.clone_into(&mut call.name),
            }
            call.arguments = handed_on(rest.as_slice());
            return Some(call);
        }
        let (option, written) = option(word);
        match option {
            "--cwd" => call.directory = Some(value(written, &mut rest)?.to_owned()),
            option if is_quiet(option) || written.is_some() => {}
            option if MANAGERS.holds("options.yarn-foreach", option) => {}
            _ => return None,
        }
    }
    None
}

/// Returns whether an option does not affect what is run.
fn is_quiet(option: &str) -> bool {
    MANAGERS.holds("options.quiet", option) || option.starts_with("--no-")
}

/// Splits an option from a value in the same word.
fn option(word: &str) -> (&str, Option<&str>) {
    word.split_once('=').map_or((word, None), |(option, value)| (option, Some(value)))
}

/// Returns an option's value, which is the next word if the same word has none.
fn value<'a>(written: Option<&'a str>, rest: &mut std::slice::Iter<'a, String>) -> Option<&'a str> {
    written.or_else(|| rest.next().map(String::as_str))
}

/// Returns the words that pnpm and yarn pass on to a script.
fn handed_on(words: &[String]) -> Vec<String> {
    match words {
        [separator, arguments @ ..] if separator == "--" => arguments.to_vec(),
        arguments => arguments.to_vec(),
    }
}
