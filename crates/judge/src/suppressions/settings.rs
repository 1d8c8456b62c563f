//! Suppressions in configurations of Python's and Rust's tools: TOML, and INI files.

use referee_model::run_context::suppression::SuppressionKind as Kind;
use referee_syntax::span::Span;
use referee_syntax::tree::{self, Entry, Node};
use referee_syntax::{ini, toml};

use super::mark::Mark;
use super::table::DESELECTING;

struct Setting<'a> {
    /// Path of the enclosing tables, separated by dots, or the INI section.
    section: String,
    key: &'a str,
    span: Span,
}

/// Finds all suppressions of a file, by line.
pub(super) fn marks(text: &str, path: &str) -> Vec<Mark> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let roots = match name.strip_suffix(".toml").map(|_| toml::read(text)) {
        Some(Ok(root)) => vec![root],
        // Other programs may continue where this parser stops.
        Some(Err(_)) => vec![toml::read_any(text), ini::read(text)],
        None => vec![ini::read(text)],
    };
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let mut marks: Vec<Mark> = Vec::new();
    for root in &roots {
        let mut settings = Vec::new();
        collect(root, "", &mut settings);
        let found = settings.iter().flat_map(|setting| of_setting(setting, name, text, &starts));
        let is_new = |mark: &Mark| !marks.iter().any(|known| (known.line, known.kind) == (mark.line, mark.kind));
        let found: Vec<Mark> = found.filter(is_new).collect();
        marks.extend(found);
    }
    marks.sort_by_key(|mark| mark.line);
    marks
}

/// Collects the values of a table and of its nested tables.
fn collect<'a>(table: &'a Node, section: &str, settings: &mut Vec<Setting<'a>>) {
    for Entry { key, value, .. } in table.entries() {
        let within = || if section.is_empty() { key.clone() } else { format!("{section}.{key}") };
        let tables = value.one_or_more();
        if !tables.is_empty() && tables.iter().all(|table| matches!(table.kind, tree::Kind::Map(_))) {
            for table in tables {
                collect(table, &within(), settings);
            }
        } else {
            settings.push(Setting { section: section.to_owned(), key, span: value.span });
        }
    }
}

/// Returns the lines of a value that suppress something.
fn of_setting(setting: &Setting<'_>, name: &str, text: &str, starts: &[usize]) -> Vec<Mark> {
    let Setting { section, key, span } = setting;
    let first = starts.partition_point(|start| *start <= span.start).saturating_sub(1);
    let lines = (first..starts.len()).take_while(|line| starts[*line] <= span.end);
    let mark = |line: usize| {
        let (start, end) = (starts[line], starts.get(line + 1).copied().unwrap_or(text.len()));
        let value = without_comment(text.get(start.max(span.start)..end.min(span.end))?);
        let value = value.trim_matches(|letter: char| letter.is_whitespace() || "[],\"'".contains(letter));
        let kind = kind(section, key, name, value).filter(|_| !value.is_empty())?;
        let words = format!("{section} {key} {value}");
        Some(Mark { line: u32::try_from(line + 1).ok()?, kind, text: text[start..end].trim().to_owned(), words })
    };
    lines.filter_map(mark).collect()
}

fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with(['#', ';']) {
        return "";
    }
    line.split_once(" #").map_or(line, |(line, _)| line)
}

/// Returns the kind of suppression of a value. `None` if it suppresses nothing.
fn kind(section: &str, key: &str, name: &str, value: &str) -> Option<Kind> {
    if name == "Cargo.toml" {
        return of_cargo(section, key, value);
    }
    let section = section.strip_prefix("tool.").unwrap_or(section);
    let is_true = value.eq_ignore_ascii_case("true");
    if name.ends_with("ruff.toml") && (section.is_empty() || section.ends_with("per-file-ignores")) {
        return is_lint_key(section, key).then_some(Kind::Noqa);
    }
    match section.split(['.', ':', '-']).next().unwrap_or_default() {
        "pytest" | "tool" if matches!(section, "pytest" | "tool:pytest" | "pytest.ini_options") => match key {
            "addopts" => deselects(value).then_some(Kind::SkippedTest),
            "norecursedirs" | "collect_ignore" | "collect_ignore_glob" => Some(Kind::SkippedTest),
            _ => None,
        },
        "coverage" | "run" | "report" => matches!(key, "omit" | "exclude_lines" | "exclude_also" | "partial_branches")
            .then_some(Kind::CoverageIgnore),
        "ruff" | "flake8" | "lint" => is_lint_key(section, key).then_some(Kind::Noqa),
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
            (value == "allow").then_some(Kind::AllowAttribute)
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
            ("ruff.toml", "per-file-ignores = { \"*\" = [\"ALL\"] }\n", "noqa"),
            (".ruff.toml", "[extend-per-file-ignores]\n\"*\" = [\"ALL\"]\n", "noqa"),
            ("pyproject.toml", "[tool.mypy]\nstrict = true\nignore_errors = true\n", "type-ignore"),
            ("pyproject.toml", "tool.ruff = { lint.ignore = [\"E501\"] }\n", "noqa"),
            ("pyproject.toml", "[[tool.mypy.overrides]]\nignore_errors = true\n[broken\n", "type-ignore"),
            (
                "pyproject.toml",
                &format!("{}a = 1\n[tool.pytest.ini_options]\naddopts = \"--ignore=a\"\n", "a.".repeat(90)),
                "skipped-test",
            ),
            ("setup.cfg", "[flake8]\n  max-line-length = 100\n  ignore = E501\n", "noqa"),
            ("mypy.ini", "[mypy-a.*]\nignore_errors = True\n", "type-ignore"),
        ] {
            let found: Vec<&str> = marks(text, path).iter().map(|mark| mark.kind.as_str()).collect();
            assert_eq!(found.join(" "), kinds, "{path}: {text}");
        }
    }
}
