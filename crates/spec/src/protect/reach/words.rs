//! Files that one command runs and loads.

use super::{Kind, NAMES, Origin, Reach, Step, parent_directory};
use crate::detect::command::{Command, commands};
use crate::protect::imports::joined;

impl<'a> Reach<'a, '_> {
    /// Follows the commands of a shell text.
    pub(super) fn lines(&mut self, origin: &Origin<'_>, text: &str) {
        let mut directory = origin.directory.to_owned();
        for command in commands(text) {
            if command.program() == "cd" {
                directory = self.entered(origin, &directory, command.words.get(1).map_or("", |word| &word.text));
            }
            self.command(&Origin { directory: &directory, ..*origin }, &command);
        }
    }

    /// Returns the directory after `cd`, relative to the directory before or to where the text starts.
    fn entered(&self, origin: &Origin<'_>, directory: &str, written: &str) -> String {
        let bare = without_variable(written);
        let script = origin.script.map_or("", parent_directory);
        let bases =
            if bare.len() < written.len() { [script, "", directory] } else { [directory, origin.directory, ""] };
        let holds = |path: &String| path.is_empty() || self.workspace.holds(path);
        let entered = bases.into_iter().filter_map(|base| joined(base, bare)).find(holds);
        entered.unwrap_or_else(|| directory.to_owned())
    }

    fn command(&mut self, origin: &Origin<'_>, command: &Command) {
        let own: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        let Some((first, arguments)) = own.split_first() else { return };
        match command.program() {
            "make" | "gmake" => self.make(origin, arguments),
            "just" => self.runner(origin, &["justfile", "Justfile", ".justfile"]),
            "task" | "go-task" => self.runner(origin, &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"]),
            "gulp" | "grunt" => self.runner(origin, &["gulpfile.js", "gulpfile.mjs", "Gruntfile.js"]),
            _ => self.packages(origin, command.program(), &own),
        }
        if let Some(path) = self.script_of(origin, first, command) {
            // Files that the specification runs directly are protected elsewhere; shell scripts are frozen.
            if !origin.is_specification || super::ends(path, &["sh", "bash"]) {
                let directory = origin.directory.to_owned();
                self.reach(Step::File { path: path.to_owned(), directory, kind: Kind::Run }, origin.by);
            }
        }
        let all: Vec<&str> = command.prefix.iter().chain(&command.words).map(|word| word.text.as_str()).collect();
        self.options(origin, command.program(), &all);
    }

    /// Returns the file of the workspace that a command runs.
    fn script_of(&self, origin: &Origin<'_>, first: &str, command: &Command) -> Option<&'a str> {
        let program = command.program();
        if command.prefix.iter().any(|word| word.text == "-m") {
            return self.workspace.named_module(origin.directory, first);
        }
        if program == "." || NAMES.holds("programs.interpreters", program) || program.starts_with("python3") {
            let script = command.arguments().find(|argument| !argument.starts_with('-') && *argument != "run");
            return self.file_at(origin, script?);
        }
        first.contains('/').then(|| self.file_at(origin, first)).flatten()
    }

    pub(super) fn options(&mut self, origin: &Origin<'_>, program: &str, words: &[&str]) {
        for (at, word) in words.iter().enumerate() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) if option.starts_with('-') => (option, value),
                _ => (*word, words.get(at + 1).copied().unwrap_or_default()),
            };
            let is_short = matches!(option, "-c" | "-p" | "-r") && NAMES.holds("programs.taking", program);
            if !is_short && !NAMES.holds("programs.loading", option) {
                continue;
            }
            let module = || self.workspace.named_module(origin.directory, value);
            let found = self.file_at(origin, value).or_else(|| (program == "pytest" && option == "-p").then(module)?);
            if let Some(path) = found {
                self.load(path, Kind::Loaded, origin.by);
            }
        }
    }

    /// Protects the recipe file of another task runner as a whole, and follows its lines.
    fn runner(&mut self, origin: &Origin<'_>, names: &[&str]) {
        let Some(path) = names.iter().find_map(|name| self.file_at(origin, name)) else { return };
        self.load(path, Kind::Loaded, origin.by);
    }

    /// Returns the file that a word names, relative to the working directory, else to the script's directory or
    /// the root.
    pub(super) fn file_at(&self, origin: &Origin<'_>, written: &str) -> Option<&'a str> {
        let bare = without_variable(written);
        let script = origin.script.map_or("", parent_directory);
        let around = parent_directory(script);
        let bases = if bare.len() < written.len() {
            [script, around, "", origin.directory]
        } else {
            [origin.directory, script, around, ""]
        };
        let is_told = !bare.is_empty() && bare.len() <= 300 && !bare.contains(['*', '\n']);
        let mut paths = bases.into_iter().filter_map(|base| joined(base, bare)).filter(|_| is_told);
        paths.find_map(|path| self.files.get(path.as_str()).copied())
    }
}

/// Returns a path without the variable or substitution at its beginning (`"$here"/lib.sh`).
fn without_variable(written: &str) -> &str {
    if !written.starts_with(['$', '`']) {
        return written;
    }
    let end = written.rfind([')', '}', '`']).map_or(0, |at| at + 1);
    let rest = &written[end..];
    rest.split_once('/').map_or("", |(_, rest)| rest)
}
