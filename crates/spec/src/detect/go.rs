//! Go.

use referee_model::selection::Level;

use super::Place;
use super::project::{Draft, Ecosystem};
use super::text::mentions;

/// Looks for a module.
pub(super) fn detect(place: &Place<'_>) -> Option<Draft> {
    let module = place.text("go.mod")?;
    let mut draft = Draft::new(Ecosystem::Go, place.folder, "go.mod");
    let path = module.lines().find_map(|line| line.trim().strip_prefix("module "));
    draft.title = path.map(|path| path.trim().trim_matches('"').to_owned());
    draft.check("build", "go build ./...", Level::Smoke, "go.mod: everything compiles");
    let has_tests = place.files().any(|path| path.ends_with("_test.go"));
    let check = draft.check("test", "go test ./...", Level::Fast, "go.mod");
    if !has_tests {
        check.allow_no_tests = true;
        check.because.push_str("; there is no test yet, so take `allowNoTests` away with the first one");
    }
    let vet = place.ci.line_with(&["go vet"]).map(|line| line.file.clone()).or_else(|| by_make(place, "go vet"));
    draft.check_if_run("vet", "go vet ./...", Level::Fast, "vet comes with Go", vet);
    let config = place.first(&[".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"]);
    if let Some(config) = config {
        let run_by = place
            .ci
            .line_with(&["golangci-lint run", "golangci-lint"])
            .map(|line| line.file.clone())
            .or_else(|| by_make(place, "golangci-lint"));
        draft.check_if_run("lint", "golangci-lint run", Level::Fast, &format!("There is {config}"), run_by);
    }
    let format = place.ci.line_with(&["gofmt"]).map(|line| line.file.clone());
    // gofmt names unformatted files and exits with 0 all the same.
    draft.check_if_run("format", "gofmt -l .", Level::Strict, "gofmt comes with Go", format);
    Some(draft)
}

fn by_make(place: &Place<'_>, word: &str) -> Option<String> {
    place.text("Makefile").filter(|text| mentions(text, word)).map(|_| "Makefile".to_owned())
}
