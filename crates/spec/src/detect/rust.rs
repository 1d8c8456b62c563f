//! Rust: cargo.

use referee_model::plan::Strategy;
use referee_model::selection::Level;

use super::Place;
use super::ci::Line;
use super::document::Tables;
use super::project::{Draft, Ecosystem, Wanted};
use super::text::{has_extension, plain_words};

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
    if has_tests {
        draft.check("test", line, Level::Fast, because);
    } else {
        draft.notes.push("no test of Rust was found".to_owned());
    }
    clippy(place, &manifest, all, &mut draft);
    format(place, &mut draft);
    let sets_flags = |line: &&Line| line.command.text().contains("RUSTFLAGS") && denies(&line.command.text());
    if let Some(line) = place.ci_lines().find(sets_flags) {
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
    place.lines().find_map(|line| {
        let text = line.command.text();
        let words = plain_words(&text)?;
        let (start, options) = words.split_at_checked(2)?;
        let chooses = |at: usize| CHOICES.contains(&options[at]) || is_feature(options, at);
        // How much is printed chooses nothing.
        let options: Vec<&str> = (0..options.len()).filter(|at| chooses(*at)).map(|at| options[at]).collect();
        let silent = ["--verbose", "-v", "-vv", "--quiet", "-q"];
        let said = words.iter().skip(2).filter(|word| !silent.contains(*word)).count();
        let fits = start == ["cargo", verb] && options.len() == said;
        let line_of = [&["cargo", verb], &options[..]].concat().join(" ");
        fits.then(|| (line_of, format!("{} runs it so", line.file)))
    })
}

/// Whether a word chooses features, or is the list of those.
fn is_feature(options: &[&str], at: usize) -> bool {
    let takes = |word: &str| matches!(word, "--features" | "-F");
    takes(options[at]) || options[at].starts_with("--features=") || at > 0 && takes(options[at - 1])
}

fn clippy(place: &Place<'_>, manifest: &Tables, all: &str, draft: &mut Draft) {
    let line = format!("cargo clippy{all}");
    let configured = place
        .first(&["clippy.toml", ".clippy.toml"])
        .or(manifest.has("lints.clippy").then_some("[lints.clippy] of Cargo.toml"))
        .or(manifest.has("workspace.lints.clippy").then_some("[workspace.lints.clippy] of Cargo.toml"));
    let Some(run) = place.run_by(&["cargo clippy"]) else {
        let configured =
            configured.map_or("clippy comes with Rust".to_owned(), |configured| format!("There is {configured}"));
        return draft.check_if_run("lint", &line, Level::Fast, &configured, None);
    };
    let text = run.command.text();
    let options = plain_words(&text).map(|words| {
        let own: Vec<&str> = words.into_iter().take_while(|word| *word != "--").collect();
        let chooses = |at: usize| CHOICES.contains(&own[at]) || is_feature(&own, at);
        (0..own.len()).filter(|at| chooses(*at)).map(|at| own[at]).collect::<Vec<_>>().join(" ")
    });
    let line = match options.filter(|options| !options.is_empty()) {
        Some(options) => format!("cargo clippy {options}"),
        None => line,
    };
    let strict = denies(&text);
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
    let checks = place.run_by(&["cargo fmt --check", "cargo fmt -l", "rustfmt --check"]);
    if let Some(run) = checks.filter(|run| run.is_of_ci) {
        let because = format!("{} checks the format", run.file);
        draft.policy("formatting", Wanted::BlockOn(Strategy::ErrorsAndWarnings), because);
    }
    let config = place.first(&["rustfmt.toml", ".rustfmt.toml"]);
    let configured = config.map_or("rustfmt comes with Rust".to_owned(), |config| format!("There is {config}"));
    draft.check_if_run("format", all, Level::Strict, &configured, checks);
}
