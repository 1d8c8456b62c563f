//! Detects Rust: cargo.

use referee_model::selection::Level;
use referee_syntax::toml;
use referee_syntax::tree::Node;

use super::ci::Line;
use super::command::Word;
use super::project::{Draft, Ecosystem};
use super::text::has_extension;
use super::{ProjectDirectory, TOOLS};

/// Options that only affect the output of tests.
const PRINTED: &[&str] = &["--nocapture", "--no-capture", "--show-output", "--quiet", "-q"];

/// Maximum number of proposed lines of one cargo command.
const LINES: usize = 4;

/// Detects a package or a workspace.
pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    let manifest = toml::read_any(place.text("Cargo.toml")?);
    let mut draft = Draft::new(Ecosystem::Rust, place.directory, "Cargo.toml");
    let workspace = manifest.get("workspace");
    if manifest.get("package").is_none() && workspace.is_none() {
        draft.notes.push(format!("{} declares neither a package nor a workspace", place.path("Cargo.toml")));
        return Some(draft);
    }
    draft.title = manifest.at("package.name").and_then(Node::text).map(str::to_owned);
    let is_whole = workspace.is_some_and(|workspace| workspace.get("default-members").is_none());
    let all = if is_whole { " --workspace" } else { "" };
    let plain = |verb: &str| Run {
        line: format!("{}cargo {verb}{all}", flags(place)),
        because: "Cargo.toml".to_owned(),
        is_strict: false,
    };
    let types = of_ci(place, "check").into_iter().next().unwrap_or_else(|| plain("check"));
    draft.check("types", types.line, Level::Smoke, format!("{}: everything compiles", types.because));
    let has_tests = place.texts().any(|(path, text)| {
        has_extension(path, "rs")
            && (text.contains("test]") || text.contains("test(") || text.contains("```") || text.contains("proptest!"))
    });
    if has_tests {
        let mut runs = of_ci(place, "test");
        if runs.is_empty() {
            runs.push(plain("test"));
        }
        for run in runs {
            draft.check("test", run.line, Level::Fast, run.because);
        }
    } else {
        draft.notes.push("no test of Rust was found".to_owned());
    }
    clippy(place, &manifest, all, &mut draft);
    format(place, &mut draft);
    denied(place, &mut draft);
    Some(draft)
}

/// Proposes the policy of a CI in which builds must not have warnings.
fn denied(place: &ProjectDirectory<'_>, draft: &mut Draft) {
    let builds = || place.ci_lines().filter(|line| is_build(line));
    let denies_all = |line: &Line| variable(line, "RUSTFLAGS").is_some_and(|word| denies(&word.text));
    if let Some(line) = builds().next().filter(|_| builds().all(denies_all)) {
        let because = format!("{} denies the compiler's warnings", line.file);
        draft.block_on_warnings("rustc", because);
    }
}

fn is_build(line: &Line) -> bool {
    matches!(verb_of(line), Some("build" | "check" | "test"))
}

fn denies(text: &str) -> bool {
    text.replace(' ', "").contains("-Dwarnings")
}

/// Returns the subcommand of a command of cargo.
fn verb_of(line: &Line) -> Option<&str> {
    let is_toolchain = |word: &&str| word.starts_with('+');
    line.command.arguments().find(|word| !is_toolchain(word)).filter(|_| line.command.program() == "cargo")
}

fn variable<'a>(line: &'a Line, name: &str) -> Option<&'a Word> {
    line.command.assignments().find(|word| word.text.split_once('=').is_some_and(|(set, _)| set == name))
}

/// Returns the compiler flags that all builds of CI have, as written before a command.
fn flags(place: &ProjectDirectory<'_>) -> String {
    let mut builds = place.ci_lines().filter(|line| is_build(line));
    let first = builds.next().and_then(|line| variable(line, "RUSTFLAGS"));
    let same = builds.all(|line| variable(line, "RUSTFLAGS") == first);
    first.filter(|_| same).map(|word| format!("{} ", word.spelled)).unwrap_or_default()
}

/// A proposed line.
struct Run {
    line: String,
    because: String,
    /// Whether its warnings are errors.
    is_strict: bool,
}

/// Returns the commands that CI requires, each line once; if there are none, the first that it runs
/// occasionally, or that a script runs.
fn runs<'a>(place: &'a ProjectDirectory<'_>, read: impl Fn(&'a Line) -> Option<Run>) -> Vec<Run> {
    let mut found: Vec<Run> = Vec::new();
    for run in place.lines().filter(|line| line.is_of_ci && !line.is_conditional).filter_map(&read) {
        if found.len() < LINES && found.iter().all(|other| other.line != run.line) {
            found.push(run);
        }
    }
    if found.is_empty() {
        found.extend(place.lines().find_map(read));
    }
    found
}

/// Returns the plain commands of CI with this subcommand.
fn of_ci(place: &ProjectDirectory<'_>, verb: &str) -> Vec<Run> {
    runs(place, |line| {
        let chosen = Chosen::read(line).filter(|chosen| chosen.is_all && verb_of(line) == Some(verb))?;
        let after: Vec<&str> = chosen.after.into_iter().filter(|word| !PRINTED.contains(word)).collect();
        let line_of = line.command.with_assignments(&cargo(verb, &chosen.options, &after));
        Some(Run { line: line_of, because: format!("{} runs it so", line.file), is_strict: false })
    })
}

fn cargo(verb: &str, options: &[&str], after: &[&str]) -> String {
    let separator: &[&str] = if after.is_empty() { &[] } else { &["--"] };
    [&["cargo", verb], options, separator, after].concat().join(" ")
}

/// Selection of a command of cargo.
struct Chosen<'a> {
    options: Vec<&'a str>,
    /// Arguments for the program that cargo runs.
    after: Vec<&'a str>,
    /// Whether the command has no other options.
    is_all: bool,
}

impl<'a> Chosen<'a> {
    fn read(line: &'a Line) -> Option<Self> {
        let verb = verb_of(line)?;
        let before = line.command.words.iter().take_while(|word| word.text != verb).count();
        let is_all = before == 1 && line.command.is_fixed();
        let mut chosen = Self { options: Vec::new(), after: Vec::new(), is_all };
        let mut words = line.command.words.iter().skip(before + 1);
        while let Some(word) = words.next() {
            let name = word.text.split('=').next().unwrap_or_default();
            let is = |list: &str| TOOLS.takes_value(list, name);
            let value = |takes: bool| takes && name.len() == word.text.len();
            if word.text == "--" {
                let fixed = words.by_ref().filter(|word| word.is_fixed());
                chosen.after.extend(fixed.map(|word| word.spelled.as_str()));
            } else if let Some(takes) = is("cargo.choosing").filter(|_| word.is_fixed()) {
                let value = if value(takes) { words.next() } else { None };
                // An option is kept or dropped with its value.
                if value.is_none_or(Word::is_fixed) {
                    chosen.options.push(&word.spelled);
                    chosen.options.extend(value.map(|word| word.spelled.as_str()));
                }
            } else if let Some(takes) = is("cargo.silent") {
                if value(takes) {
                    words.next();
                }
            } else {
                chosen.is_all = false;
            }
        }
        Some(chosen)
    }
}

fn clippy(place: &ProjectDirectory<'_>, manifest: &Node, all: &str, draft: &mut Draft) {
    let line = format!("cargo clippy{all}");
    let configured = place
        .first(&["clippy.toml", ".clippy.toml"])
        .or(manifest.at("lints.clippy").is_some().then_some("[lints.clippy] of Cargo.toml"))
        .or(manifest.at("workspace.lints.clippy").is_some().then_some("[workspace.lints.clippy] of Cargo.toml"));
    let lints = runs(place, |line| lint_of(line, all));
    if lints.is_empty() {
        let configured =
            configured.map_or("clippy comes with Rust".to_owned(), |configured| format!("There is {configured}"));
        return draft.check_if_run("lint", &line, Level::Fast, &configured, None);
    }
    if let Some(first) = lints.first().filter(|_| lints.iter().all(|lint| lint.is_strict)) {
        draft.block_on_warnings("clippy", first.because.clone());
    }
    for lint in lints {
        draft.check("lint", lint.line, Level::Fast, lint.because);
    }
}

fn lint_of(run: &Line, all: &str) -> Option<Run> {
    let Chosen { options, after, .. } = Chosen::read(run).filter(|_| verb_of(run) == Some("clippy"))?;
    // Lints that the compiler denies are denied by clippy, too.
    let is_flagged = variable(run, "RUSTFLAGS").is_some_and(|word| denies(&word.text));
    let is_strict = is_flagged || denies(&after.join(" "));
    let whole: Vec<&str> = if options.is_empty() { all.split_whitespace().collect() } else { options };
    let line = run.command.with_assignments(&cargo("clippy", &whole, &after));
    let because = format!("{} runs clippy{}", run.file, if is_strict { " with `-D warnings`" } else { "" });
    Some(Run { line, because, is_strict })
}

fn format(place: &ProjectDirectory<'_>, draft: &mut Draft) {
    let all = "cargo fmt --all --check";
    let checks = place.run_by(&["cargo fmt --check", "cargo fmt -l", "rustfmt --check"]);
    if let Some(run) = checks.filter(|run| run.is_of_ci) {
        draft.block_on_format(&run.file);
    }
    let config = place.first(&["rustfmt.toml", ".rustfmt.toml"]);
    let configured = config.map_or("rustfmt comes with Rust".to_owned(), |config| format!("There is {config}"));
    draft.check_if_run("format", all, Level::Strict, &configured, checks);
}
