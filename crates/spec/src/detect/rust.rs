//! Rust: cargo.

use referee_model::plan::Strategy;
use referee_model::selection::Level;

use super::Place;
use super::document::Tables;
use super::project::{Draft, Ecosystem, Wanted};
use super::text::{has_extension, mentions, plain_words};

/// Options of cargo that choose what is built, and are taken over from CI as they stand.
const CHOICES: &[&str] = &[
    "--workspace",
    "--all",
    "--all-features",
    "--all-targets",
    "--no-default-features",
    "--locked",
    "--tests",
    "--lib",
];

/// Looks for a package or a workspace.
pub(super) fn detect(place: &Place<'_>) -> Option<Draft> {
    let manifest = Tables::read(place.text("Cargo.toml")?);
    let mut draft = Draft::new(Ecosystem::Rust, place.folder, "Cargo.toml");
    if !manifest.has("package") && !manifest.has("workspace") {
        draft.notes.push(format!("{} declares neither a package nor a workspace", place.path("Cargo.toml")));
        return Some(draft);
    }
    draft.title = manifest.value("package", "name").map(str::to_owned);
    let all = if manifest.has("workspace") && manifest.value("workspace", "default-members").is_none() {
        " --workspace"
    } else {
        ""
    };
    let plain = |verb: &str| (format!("cargo {verb}{all}"), "Cargo.toml".to_owned());
    let (line, because) = of_ci(place, "check").unwrap_or_else(|| plain("check"));
    draft.check("types", line, Level::Smoke, format!("{because}: everything compiles"));
    let (line, because) = of_ci(place, "test").unwrap_or_else(|| plain("test"));
    let has_tests = place.texts().any(|(path, text)| {
        has_extension(path, "rs")
            && (text.contains("test]") || text.contains("test(") || text.contains("```") || text.contains("proptest!"))
    });
    let check = draft.check("test", line, Level::Fast, because);
    if !has_tests {
        check.allow_no_tests = true;
        check.because.push_str("; there is no test yet, so take `allowNoTests` away with the first one");
    }
    clippy(place, &manifest, all, &mut draft);
    format(place, &mut draft);
    if let Some(line) = place.ci.lines().find(|line| line.text.contains("RUSTFLAGS") && denies(&line.text)) {
        draft.policy(
            "rustc",
            Wanted::BlockOn(Strategy::ErrorsAndWarnings),
            format!("{} denies the compiler's warnings", line.file),
        );
    }
    Some(draft)
}

fn denies(line: &str) -> bool {
    line.replace(' ', "").contains("-Dwarnings")
}

/// Returns the first plain command of CI with this verb, and who says so.
fn of_ci(place: &Place<'_>, verb: &str) -> Option<(String, String)> {
    place.ci.lines().find_map(|line| {
        let words = plain_words(&line.text)?;
        let (start, options) = words.split_at_checked(2)?;
        let own: Vec<&str> = options.iter().copied().take_while(|word| *word != "--").collect();
        let fits =
            start == ["cargo", verb] && own.iter().all(|word| CHOICES.contains(word)) && own.len() == options.len();
        fits.then(|| (words.join(" "), format!("{} runs it so", line.file)))
    })
}

fn clippy(place: &Place<'_>, manifest: &Tables, all: &str, draft: &mut Draft) {
    let line = format!("cargo clippy{all}");
    let configured = place
        .first(&["clippy.toml", ".clippy.toml"])
        .or(manifest.has("lints.clippy").then_some("[lints.clippy] of Cargo.toml"))
        .or(manifest.has("workspace.lints.clippy").then_some("[workspace.lints.clippy] of Cargo.toml"));
    let Some(run) = place.ci.line_with(&["cargo clippy"]) else {
        match configured {
            Some(configured) => drop(draft.check("lint", line, Level::Fast, format!("There is {configured}"))),
            None => draft.leave("lint", line, Level::Fast, "Nothing of the project configures or runs clippy"),
        }
        return;
    };
    let options = plain_words(&run.text)
        .map(|words| words.into_iter().filter(|word| CHOICES.contains(word)).collect::<Vec<_>>().join(" "));
    let line = match options.filter(|options| !options.is_empty()) {
        Some(options) => format!("cargo clippy {options}"),
        None => line,
    };
    let strict = denies(&run.text);
    let line = if strict { format!("{line} -- -D warnings") } else { line };
    draft.check(
        "lint",
        line,
        Level::Fast,
        format!("{} runs clippy{}", run.file, if strict { " with `-D warnings`" } else { "" }),
    );
    if strict {
        draft.policy(
            "clippy",
            Wanted::BlockOn(Strategy::ErrorsAndWarnings),
            format!("{} runs clippy with `-D warnings`", run.file),
        );
    }
}

fn format(place: &Place<'_>, draft: &mut Draft) {
    let all = "cargo fmt --all --check";
    if let Some(run) = place.ci.lines().find(|line| mentions(&line.text, "cargo fmt") && line.text.contains("--check"))
    {
        draft.check("format", all, Level::Strict, format!("{} checks the format", run.file));
        draft.policy(
            "formatting",
            Wanted::BlockOn(Strategy::ErrorsAndWarnings),
            format!("{} checks the format", run.file),
        );
    } else if let Some(config) = place.first(&["rustfmt.toml", ".rustfmt.toml"]) {
        draft.check(
            "format",
            all,
            Level::Strict,
            format!("There is {config}; CI does not check it, so it does not block"),
        );
    } else {
        draft.leave("format", all, Level::Strict, "Nothing of the project configures or runs rustfmt");
    }
}
