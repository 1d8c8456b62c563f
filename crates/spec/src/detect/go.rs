//! Detects Go.

mod golangci;

use referee_model::selection::Level;

use self::golangci::{Golangci, LinterUse};
use super::ci::Line;
use super::command::Word;
use super::form::{Form, form};
use super::project::{Draft, Ecosystem};
use super::{ProjectDirectory, TOOLS};

/// Options with which `go test` does something other than testing.
const OTHERWISE: &[&str] = &["-bench", "-fuzz", "-c", "-exec", "-list"];

const RUNNERS: &[&str] = &["go test", "gotestsum", "richgo test"];

/// Maximum number of proposed test lines.
const LINES: usize = 4;

pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    let module = place.text("go.mod")?;
    let mut draft = Draft::new(Ecosystem::Go, place.directory, "go.mod");
    let path = module.lines().find_map(|line| line.trim().strip_prefix("module "));
    draft.title = path.map(|path| path.trim().trim_matches('"').to_owned());
    let build = place.ci_lines().find(|line| line.command.runs("go build") && is_for_here(line));
    let build = build.or(place.ci_lines().find(|line| is_test(line)));
    let line = "go build ./...";
    let line = build.map_or_else(|| line.to_owned(), |build| build.command.with_assignments(line));
    draft.check("build", line, Level::Smoke, "go.mod: everything compiles");
    tests(place, &mut draft);
    let golangci = Golangci::read(place);
    vet(place, golangci.as_ref(), &mut draft);
    lint(place, &mut draft);
    format(place, golangci.as_ref(), &mut draft);
    Some(draft)
}

/// Proposes tests with `-json` events, so that they are counted exactly.
fn tests(place: &ProjectDirectory<'_>, draft: &mut Draft) {
    if !place.files().any(|path| path.ends_with("_test.go")) {
        draft.notes.push("no test of Go was found (`*_test.go`)".to_owned());
        return;
    }
    let demanded = || place.lines().filter(|line| line.is_of_ci && !line.is_conditional && is_test(line));
    let mut runs: Vec<Run> = Vec::new();
    for run in demanded().map(|line| Run::read(place, line)) {
        if runs.iter().all(|other| other.line() != run.line()) {
            runs.push(run);
        }
    }
    let runs_same = |other: &Run| runs.first().is_some_and(|run| run.options == other.options);
    let are_shared = runs.len() > LINES && runs.iter().all(runs_same);
    if runs.is_empty() {
        let mut others = place.lines().filter(|line| is_test(line));
        let run = others.next().map(|line| Run::read(place, line)).unwrap_or_default();
        // Several commands divide the packages among them.
        let packages = if others.next().is_none() { run.packages.clone() } else { String::new() };
        runs.push(Run { packages, ..run });
    } else if are_shared {
        runs.truncate(1);
        runs[0].packages.clear();
    }
    for run in runs.into_iter().take(LINES) {
        let because = match run.options.trim() {
            "" => "go.mod, and there are tests".to_owned(),
            options => format!("{} runs the tests with {options}", run.file),
        };
        draft.check("test", run.line(), Level::Fast, because);
    }
}

fn is_test(line: &Line) -> bool {
    let says = |word: &str| OTHERWISE.contains(&word.split('=').next().unwrap_or_default());
    RUNNERS.iter().any(|runner| line.command.runs(runner)) && is_for_here(line) && !line.command.arguments().any(says)
}

/// Returns whether its builds run on this kind of machine.
fn is_for_here(line: &Line) -> bool {
    line.command.prefix.iter().all(|word| !word.text.starts_with("GOOS=") || word.text == "GOOS=linux")
}

#[derive(Debug, Default)]
struct Run {
    file: String,
    variables: String,
    options: String,
    packages: String,
}

impl Run {
    fn read(place: &ProjectDirectory<'_>, line: &Line) -> Self {
        let (options, packages) = choices(place, line);
        let variables = line.command.assignments().flat_map(|word| [word.spelled.as_str(), " "]).collect();
        Self { file: line.file.clone(), variables, options, packages }
    }

    fn line(&self) -> String {
        let packages = if self.packages.is_empty() { " ./..." } else { &self.packages };
        format!("{}go test -json{}{packages}", self.variables, self.options)
    }
}

/// Returns the known options and packages of a command that affect what is tested.
fn choices(place: &ProjectDirectory<'_>, run: &Line) -> (String, String) {
    let (mut options, mut packages) = (String::new(), String::new());
    let mut words = run.command.words.iter().skip(1).peekable();
    while let Some(word) = words.next() {
        let is_known = word.is_fixed() && !word.spelled.contains('{');
        let name = word.text.split('=').next().unwrap_or_default();
        if name == "-args" {
            break;
        }
        match TOOLS.takes_value("go.choosing", name) {
            Some(takes) => {
                let value = words.next_if(|_| takes && !word.text.contains('='));
                // An option is kept or dropped with its value.
                if is_known && value.is_none_or(Word::is_fixed) {
                    options.extend([" ", &word.spelled]);
                    options.extend(value.into_iter().flat_map(|value| [" ", &value.spelled]));
                }
            }
            _ if is_known && (word.text == "." || is_package(place, &word.text)) => {
                packages.extend([" ", &word.spelled]);
            }
            _ => {}
        }
    }
    (options, packages)
}

fn is_package(place: &ProjectDirectory<'_>, word: &str) -> bool {
    let Some(path) = word.strip_prefix("./") else { return false };
    let directory = path.trim_end_matches("...").trim_end_matches('/');
    directory.is_empty() || place.has_directory(directory)
}

fn vet(place: &ProjectDirectory<'_>, golangci: Option<&Golangci>, draft: &mut Draft) {
    let line = "go vet ./...";
    let run = place.run_by(&["go vet"]);
    match golangci.filter(|_| run.is_none()) {
        None => {
            let run_line = run.map_or_else(|| line.to_owned(), |run| run.command.with_assignments(line));
            draft.check_if_run("vet", &run_line, Level::Fast, "vet comes with Go", run);
        }
        Some(golangci) => match golangci.vet() {
            LinterUse::So => drop(draft.check("vet", line, Level::Fast, golangci.because("has `govet` on"))),
            LinterUse::Otherwise => {
                draft.leave("vet", line, Level::Fast, golangci.because("has settings of its own for `govet`"));
            }
            LinterUse::No => draft.leave("vet", line, Level::Fast, golangci.because("has `govet` off")),
        },
    }
}

fn lint(place: &ProjectDirectory<'_>, draft: &mut Draft) {
    let line = "golangci-lint run";
    let config = place.first(golangci::CONFIGS);
    let configured = config.map_or("golangci-lint".to_owned(), |config| format!("There is {config}"));
    if let Some(run) = place.run_by(&[line]) {
        draft.check("lint", line, Level::Fast, format!("{configured}, and {} runs it", run.file));
    } else if let Some(workflow) = place.ci.uses("golangci-lint-action") {
        let because = format!(
            "{configured}, and {workflow} runs it by an action that brings the program: install it, then move this up"
        );
        draft.leave("lint", line, Level::Fast, because);
    } else if config.is_some() {
        draft.check_if_run("lint", line, Level::Fast, &configured, None);
    }
}

/// Proposes gofmt. It lists unformatted files but exits with 0, so the policy decides: as in CI, if CI checks it.
fn format(place: &ProjectDirectory<'_>, golangci: Option<&Golangci>, draft: &mut Draft) {
    // A script that writes is not a check, unless CI examines what it wrote.
    let asks = |line: &&Line| line.is_of_ci || line.command.runs("gofmt") && form(&line.command) == Form::Same;
    let is_run = |line: &&Line| line.command.runs("gofmt") || line.command.runs("go fmt");
    let run = place.lines().filter(is_run).find(asks);
    let files = if place.has_directory("vendor") { "$(git ls-files '*.go' ':!vendor')" } else { "." };
    let default = |simplifies: bool| format!("gofmt {}-l {files}", if simplifies { "-s " } else { "" });
    if let Some(golangci) = golangci.filter(|_| run.is_none_or(|run| !run.is_of_ci)) {
        let line = default(golangci.simplifies());
        match golangci.gofmt() {
            LinterUse::So => {
                draft.check("format", line, Level::Strict, golangci.because("has `gofmt` on"));
                let because = format!("{} checks the format by golangci-lint", golangci.workflow);
                return draft.block_on_warnings("formatting", because);
            }
            LinterUse::Otherwise => {
                return draft.leave("format", line, Level::Strict, golangci.because("has `gofmt` on for some files"));
            }
            LinterUse::No => {}
        }
    }
    let simplifies = run.is_some_and(|run| run.command.arguments().any(|word| word == "-s"));
    let own = run.map(|run| match form(&run.command) {
        Form::Changed { command, .. } => command,
        Form::Same | Form::Unfit(_) => run.command.clone(),
    });
    let looks = own.filter(|command| command.is_fixed() && (command.runs("gofmt -l") || command.runs("gofmt -d")));
    let looks = looks
        .map(|command| command.own_text())
        .filter(|text| text.split(' ').any(|word| !word.starts_with('-') && word != "gofmt"));
    let line = looks.unwrap_or_else(|| default(simplifies));
    draft.check_if_run("format", &line, Level::Strict, "gofmt comes with Go", run);
    if let Some(run) = run.filter(|run| run.is_of_ci) {
        draft.block_on_format(&run.file);
    }
}
