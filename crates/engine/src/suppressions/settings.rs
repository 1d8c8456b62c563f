//! What configurations of Python's and Rust's tools pass over: TOML, and the files with sections that came before it.

use referee_model::circumstances::suppression::SuppressionKind as Kind;

use super::mark::Mark;

/// Options of pytest that leave tests out.
const DESELECTING: [&str; 10] = [
    "--deselect",
    "--ignore",
    "--ignore-glob",
    "-k",
    "-m",
    "--collect-only",
    "--co",
    "--noconftest",
    "--lf",
    "--last-failed",
];

/// Where a line stands.
#[derive(Default)]
struct Place {
    section: String,
    key: String,
    /// Whether the value of the key goes on: a list that is not closed.
    is_open: bool,
}

/// Finds all of a file, by line.
pub(super) fn marks(text: &str, path: &str) -> Vec<Mark> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut place = Place::default();
    let mut marks = Vec::new();
    for (source, number) in text.lines().zip(1_u32..) {
        let line = without_comment(source);
        let Some(value) = place.value(line, name) else { continue };
        if let Some(kind) = kind(&place, name, value) {
            let words = format!("{} {} {value}", place.section, place.key);
            marks.push(Mark { line: number, kind, text: source.trim().to_owned(), words });
        }
    }
    marks
}

fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with(['#', ';']) {
        return "";
    }
    line.split_once(" #").map_or(line, |(line, _)| line)
}

impl Place {
    /// Goes on to a line, and returns what it says of the key.
    fn value<'a>(&mut self, line: &'a str, name: &str) -> Option<&'a str> {
        let is_toml = name.strip_suffix(".toml").is_some();
        let whole = line.trim();
        if whole.is_empty() {
            return None;
        }
        if !self.is_open && whole.starts_with('[') && (is_toml || !line.starts_with(' ')) {
            whole.trim_matches(['[', ']']).replace(['"', ' '], "").clone_into(&mut self.section);
            self.key.clear();
            return None;
        }
        let goes_on = self.is_open || !is_toml && line.starts_with([' ', '\t']);
        let value = match whole.split_once('=').filter(|_| !goes_on) {
            Some((key, value)) => {
                key.trim().trim_matches('"').clone_into(&mut self.key);
                value.trim()
            }
            None => whole,
        };
        let opens = value.matches('[').count() > value.matches(']').count();
        self.is_open = is_toml && (opens || self.is_open && !value.ends_with(']'));
        let value = value.trim_matches(['[', ']', ',', ' ', '"', '\'']);
        (!value.is_empty()).then_some(value)
    }
}

/// What a value of a key silences. None: nothing.
fn kind(place: &Place, name: &str, value: &str) -> Option<Kind> {
    let (section, key) = (place.section.as_str(), place.key.as_str());
    if name == "Cargo.toml" {
        return of_cargo(section, key, value);
    }
    let section = section.strip_prefix("tool.").unwrap_or(section);
    let is_true = value.eq_ignore_ascii_case("true");
    match section.split(['.', ':', '-']).next().unwrap_or_default() {
        "pytest" | "tool" if matches!(section, "pytest" | "tool:pytest" | "pytest.ini_options") => match key {
            "addopts" => deselects(value).then_some(Kind::SkippedTest),
            "norecursedirs" | "collect_ignore" | "collect_ignore_glob" => Some(Kind::SkippedTest),
            _ => None,
        },
        "coverage" | "run" | "report" => matches!(key, "omit" | "exclude_lines" | "exclude_also" | "partial_branches")
            .then_some(Kind::CoverageIgnore),
        "ruff" | "flake8" | "lint" => is_lint_key(section, key).then_some(Kind::Noqa),
        "" if name.ends_with("ruff.toml") => is_lint_key(section, key).then_some(Kind::Noqa),
        "mypy" => match key {
            "ignore_errors" | "ignore_missing_imports" | "skip_file" => is_true.then_some(Kind::TypeIgnore),
            "follow_imports" => (value == "skip" || value == "silent").then_some(Kind::TypeIgnore),
            "exclude" | "disable_error_code" => Some(Kind::TypeIgnore),
            _ => None,
        },
        "pylint" => (key == "disable").then_some(Kind::PylintDisable),
        "pyright" => matches!(key, "ignore" | "exclude").then_some(Kind::TypeIgnore),
        _ => None,
    }
}

fn is_lint_key(section: &str, key: &str) -> bool {
    section.ends_with("per-file-ignores")
        || matches!(
            key.trim_start_matches("lint."),
            "ignore" | "extend-ignore" | "per-file-ignores" | "exclude" | "extend-exclude" | "extend-per-file-ignores"
        )
}

fn of_cargo(section: &str, key: &str, value: &str) -> Option<Kind> {
    let is_off = value == "false";
    let is_target = matches!(section, "lib" | "bin" | "test" | "example" | "bench");
    match key {
        "test" if is_off && is_target => Some(Kind::SkippedTest),
        "harness" if is_off && matches!(section, "lib" | "test") => Some(Kind::SkippedTest),
        "autotests" if is_off && section == "package" => Some(Kind::SkippedTest),
        _ if section.starts_with("lints") || section.starts_with("workspace.lints") => {
            (value == "allow" || value.contains("\"allow\"")).then_some(Kind::AllowAttribute)
        }
        _ => None,
    }
}

fn deselects(value: &str) -> bool {
    let words = value.split(|next: char| next.is_whitespace() || "\"',[]".contains(next));
    words
        .map(|word| word.split_once('=').map_or(word, |(option, _)| option))
        .any(|option| DESELECTING.contains(&option))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_settings_pass_over_is_found_by_section_and_key() {
        for (path, text, kinds) in [
            ("Cargo.toml", "[[test]]\nname = \"a\"\ntest = false\n", "skipped-test"),
            ("Cargo.toml", "[[test]]\nharness = false # own\n", "skipped-test"),
            ("Cargo.toml", "[[bench]]\nharness = false\n", ""),
            ("Cargo.toml", "[lib]\ntest = false\n", "skipped-test"),
            ("Cargo.toml", "[package]\nautotests = false\n", "skipped-test"),
            ("Cargo.toml", "[dependencies]\ntest = \"1\"\n", ""),
            ("Cargo.toml", "[lib]\n# test = false\ntest = true\n", ""),
            ("Cargo.toml", "[lints.clippy]\nall = \"allow\"\nunwrap_used = \"deny\"\n", "allow-attribute"),
            ("Cargo.toml", "[lints.clippy]\nall = { level = \"allow\", priority = -1 }\n", "allow-attribute"),
            ("pytest.ini", "[pytest]\naddopts = -q --deselect test_a.py::test_b\n", "skipped-test"),
            ("pytest.ini", "[pytest]\naddopts = -q\n  --ignore=tests/a\n  -x\n", "skipped-test"),
            ("pytest.ini", "[pytest]\naddopts = -q --strict-markers\n", ""),
            ("setup.cfg", "[tool:pytest]\naddopts = -k 'not slow'\n", "skipped-test"),
            ("setup.cfg", "[metadata]\nname = -k\n", ""),
            ("tox.ini", "[testenv]\ncommands = pytest -k a\n", ""),
            (
                "pyproject.toml",
                "[tool.pytest.ini_options]\naddopts = [\n  \"-q\",\n  \"--ignore=tests/a\",\n]\n",
                "skipped-test",
            ),
            ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = \"-m 'not slow'\"\n", "skipped-test"),
            ("pyproject.toml", "[project]\ndescription = \"--ignore nothing\"\n", ""),
            ("pyproject.toml", "[tool.coverage.run]\nomit = [\"a.py\", \"b.py\"]\n", "coverage-ignore"),
            ("pyproject.toml", "[tool.ruff.lint]\nignore = [\"E501\"]\nselect = [\"E\"]\n", "noqa"),
            ("pyproject.toml", "[tool.ruff.lint.per-file-ignores]\n\"a.py\" = [\"ALL\"]\n", "noqa"),
            ("pyproject.toml", "[tool.mypy]\nstrict = true\nignore_errors = true\n", "type-ignore"),
            ("mypy.ini", "[mypy-a.*]\nignore_errors = True\n", "type-ignore"),
        ] {
            let found: Vec<&str> = marks(text, path).iter().map(|mark| mark.kind.as_str()).collect();
            assert_eq!(found.join(" "), kinds, "{path}: {text}");
        }
    }
}
