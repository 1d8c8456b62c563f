//! Go.

use referee_model::plan::Strategy;
use referee_model::selection::Level;

use super::Place;
use super::ci::Line;
use super::form::{Form, form};
use super::project::{Draft, Ecosystem, Wanted};

/// Options of `go test` that change what is tested, each with whether the next word is its value.
const CHOICES: &[(&str, bool)] = &[
    ("-race", false),
    ("-short", false),
    ("-tags", true),
    ("-count", true),
    ("-timeout", true),
    ("-shuffle", true),
    ("-parallel", true),
    ("-p", true),
    ("-mod", true),
    ("-run", true),
    ("-skip", true),
];

/// Looks for a module.
pub(super) fn detect(place: &Place<'_>) -> Option<Draft> {
    let module = place.text("go.mod")?;
    let mut draft = Draft::new(Ecosystem::Go, place.folder, "go.mod");
    let path = module.lines().find_map(|line| line.trim().strip_prefix("module "));
    draft.title = path.map(|path| path.trim().trim_matches('"').to_owned());
    draft.check("build", "go build ./...", Level::Smoke, "go.mod: everything compiles");
    tests(place, &mut draft);
    draft.check_if_run("vet", "go vet ./...", Level::Fast, "vet comes with Go", place.run_by(&["go vet"]));
    lint(place, &mut draft);
    format(place, &mut draft);
    Some(draft)
}

/// The tests print one event for each, so that they are counted exactly.
fn tests(place: &Place<'_>, draft: &mut Draft) {
    if !place.files().any(|path| path.ends_with("_test.go")) {
        draft.notes.push("no test of Go was found (`*_test.go`)".to_owned());
        return;
    }
    let runners = ["go test", "gotestsum", "richgo test"];
    let run = place.run_by(&runners);
    let (options, packages) = run.map(|run| choices(place, run)).unwrap_or_default();
    let others = place.lines().filter(|line| runners.iter().any(|runner| line.command.runs(runner)));
    // Several commands share the packages among them.
    let packages = if others.count() == 1 { packages } else { String::new() };
    let because = match run.filter(|_| !options.is_empty()) {
        Some(run) => format!("{} runs the tests with {}", run.file, options.trim()),
        None => "go.mod, and there are tests".to_owned(),
    };
    let packages = if packages.is_empty() { " ./...".to_owned() } else { packages };
    draft.check("test", format!("go test -json{options}{packages}"), Level::Fast, because);
}

/// The options and packages of a command that change what is tested, of which all are known here.
fn choices(place: &Place<'_>, run: &Line) -> (String, String) {
    let (mut options, mut packages) = (String::new(), String::new());
    let mut words = run.command.words.iter().skip(1).peekable();
    while let Some(word) = words.next() {
        let is_known = !word.spelled.contains(['$', '`', '{']);
        let name = word.text.split('=').next().unwrap_or_default();
        match CHOICES.iter().find(|(option, _)| *option == name) {
            Some((_, takes)) if is_known => {
                options.extend([" ", &word.spelled]);
                if let Some(value) =
                    words.next_if(|next| *takes && !word.text.contains('=') && !next.spelled.contains('$'))
                {
                    options.extend([" ", &value.spelled]);
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

fn is_package(place: &Place<'_>, word: &str) -> bool {
    let Some(path) = word.strip_prefix("./") else { return false };
    let folder = path.trim_end_matches("...").trim_end_matches('/');
    folder.is_empty() || place.has_folder(folder)
}

fn lint(place: &Place<'_>, draft: &mut Draft) {
    let line = "golangci-lint run";
    let config = place.first(&[".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"]);
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

/// gofmt names unformatted files and exits with 0 all the same, so that the policy decides: as CI does, where CI asks it.
fn format(place: &Place<'_>, draft: &mut Draft) {
    // A script that writes is no check, where CI does not look at what it wrote.
    let asks = |line: &&Line| line.is_of_ci || line.command.runs("gofmt") && form(&line.command) == Form::Same;
    let is_run = |line: &&Line| line.command.runs("gofmt") || line.command.runs("go fmt");
    let run = place.lines().filter(is_run).find(asks);
    let simplifies = run.is_some_and(|run| run.command.arguments().any(|word| word == "-s"));
    let own = run.map(|run| match form(&run.command) {
        Form::Changed { command, .. } => command,
        Form::Same | Form::Unfit(_) => run.command.clone(),
    });
    let looks = own.filter(|command| command.is_fixed() && (command.runs("gofmt -l") || command.runs("gofmt -d")));
    let looks = looks
        .map(|command| command.own_text())
        .filter(|text| text.split(' ').any(|word| !word.starts_with('-') && word != "gofmt"));
    let files = if place.has_folder("vendor") { "$(git ls-files '*.go' ':!vendor')" } else { "." };
    let default = format!("gofmt {}-l {files}", if simplifies { "-s " } else { "" });
    draft.check_if_run("format", &looks.unwrap_or(default), Level::Strict, "gofmt comes with Go", run);
    if let Some(run) = run.filter(|run| run.is_of_ci) {
        let because = format!("{} checks the format", run.file);
        draft.policy("formatting", Wanted::BlockOn(Strategy::ErrorsAndWarnings), because);
    }
}
