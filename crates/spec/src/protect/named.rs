//! Files that are protected because something protected names them.

use std::collections::BTreeSet;

use referee_model::plan::interaction::{RowExpectation, Statement};
use referee_model::plan::{Command, FileExpectation, Interaction, Invocation, Plan, Query, SchemaSource, Work};
use referee_model::run_context::protection::Mode;

pub(super) struct Named {
    /// The path, as a pattern that matches only it.
    pub(super) path: String,
    /// JSON pointer to the value that is protected. None: the whole file.
    pub(super) pointer: Option<String>,
    pub(super) mode: Mode,
    pub(super) reason: String,
}

/// Returns the files that specifications name: schemas, certificates, configurations passed to a command, and
/// scripts that are the command. Other arguments of a command are not protected.
pub(super) fn by_plans(plans: &[Plan], files: &BTreeSet<&str>) -> Vec<Named> {
    let mut named = Vec::new();
    let mut add = |path: &str, mode: Mode, what: &str, plan: &Plan| {
        let path = path.trim_start_matches("./");
        if files.contains(path) {
            let reason = format!("{} names it: {what}", plan.specification.file);
            named.push(Named { path: super::escaped(path), pointer: None, mode, reason });
        }
    };
    for plan in plans {
        for work in plan.actions.iter().map(|action| &action.work) {
            match work {
                Work::Command(command) => command_files(command, &mut |path, mode, what| add(path, mode, what, plan)),
                Work::File(check) => {
                    if let FileExpectation::Present(content) = &check.expectation
                        && let Some(SchemaSource::File(path)) = &content.schema
                    {
                        add(path.as_str(), Mode::Frozen, "a schema", plan);
                    }
                }
                Work::Service(service) => {
                    if let Some(command) = &service.command {
                        command_files(command, &mut |path, mode, what| add(path, mode.max(Mode::Review), what, plan));
                    }
                }
                Work::Interaction(interaction) => match interaction.as_ref() {
                    Interaction::Query(query) => {
                        query_files(query, &mut |path, what| add(path, Mode::Frozen, what, plan));
                    }
                    Interaction::Browser(browser) => {
                        let words: Vec<&str> = browser.server.iter().map(String::as_str).collect();
                        word_files(&words, "", &mut |path, mode, what| add(path, mode, what, plan));
                    }
                },
                Work::Http(_) => {}
            }
        }
    }
    named
}

/// Programs that run a script.
const INTERPRETERS: [&str; 10] = ["sh", "bash", "dash", "zsh", "python", "python3", "node", "ruby", "perl", "php"];

/// Options that take a configuration file.
const CONFIGURATION_OPTIONS: [&str; 6] = ["--config", "-c", "--project", "-p", "--rcfile", "--config-file"];

fn command_files(command: &Command, add: &mut dyn FnMut(&str, Mode, &str)) {
    let argv;
    let words: Vec<&str> = match &command.invocation {
        Invocation::Argv(argv) => argv.iter().map(String::as_str).collect(),
        Invocation::Container(container) => {
            argv = container.argv();
            argv.iter().map(String::as_str).collect()
        }
        Invocation::Shell { line, .. } => line.split([' ', '\t', '\n', ';', '&', '|', '(', ')', '"', '\'']).collect(),
    };
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    word_files(&words, command.directory.as_str(), add);
}

fn query_files(query: &Query, add: &mut dyn FnMut(&str, &str)) {
    if let Statement::File(path) = &query.statement {
        add(path.as_str(), "a query");
    }
    for expectation in &query.expectations {
        if let RowExpectation::Schema(SchemaSource::File(path)) = expectation {
            add(path.as_str(), "a schema");
        }
    }
}

fn word_files(words: &[&str], directory: &str, add: &mut dyn FnMut(&str, Mode, &str)) {
    let below = |path: &str| {
        let path = path.trim_start_matches("./");
        if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
    };
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| words.get(index)).copied();
        let interpreted = before.is_some_and(|before| INTERPRETERS.contains(&before));
        let is_shell = matches!(word.rsplit_once('.'), Some((_, "sh" | "bash")));
        if let Some((option, value)) = word.split_once('=').filter(|(option, _)| CONFIGURATION_OPTIONS.contains(option))
        {
            add(&below(value), Mode::Frozen, &format!("`{option}`"));
        } else if before.is_some_and(|before| CONFIGURATION_OPTIONS.contains(&before)) {
            add(&below(word), Mode::Frozen, "a configuration");
        } else if is_shell && (interpreted || index == 0 || word.contains('/')) {
            add(&below(word), Mode::Frozen, "a script");
        } else if interpreted || (index == 0 && word.contains('/')) {
            // The script may be part of the project's own product.
            add(&below(word), Mode::Review, "a script");
        }
    }
}
