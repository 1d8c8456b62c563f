//! Python tests: by the runner of CI or a script, else by the one that the files are for.

use referee_model::plan::Role;
use referee_model::selection::Level;

use super::super::ci::Line;
use super::super::command::{commands, spelled};
use super::super::project::Draft;
use super::super::text::has_extension;
use super::arguments::{Arguments, arguments};
use super::{Launcher, Manifests, test_files};

pub(super) fn tests(manifests: &Manifests<'_>, draft: &mut Draft) {
    let place = manifests.place;
    let has_tests = test_files(place).next().is_some();
    if place.has("manage.py")
        && !manifests.is_dependency("pytest")
        && manifests.run_or_offered_by(&["pytest"]).is_none()
    {
        return django(manifests, has_tests, draft);
    }
    if let Some((line, script)) = script(manifests, has_tests) {
        let check = draft.check("test", manifests.python(&script), Level::Fast, line);
        check.role = Some(Role::Test);
        return;
    }
    if !has_tests {
        draft.notes.push("no test of Python was found (`test_*.py`, `*_test.py`, `test.py`)".to_owned());
        return;
    }
    if of_several_steps(manifests) {
        draft.check(
            "test",
            "tox -e py",
            Level::Fast,
            "tox runs pytest several times, with other dependencies each time",
        );
        return;
    }
    let unittest = manifests.lines.iter().find(|line| line.command.runs("unittest") && line.is_of_ci);
    let pytest = manifests.run_or_offered_by(&["pytest", "py.test"]);
    match (pytest, unittest) {
        (pytest, Some(line)) if pytest.is_none_or(|pytest| !pytest.is_of_ci) => {
            let line_of = manifests.line_as(line, line.command.own_text().trim());
            let because = format!("{} runs the tests so", line.file);
            draft.check("test", line_of, Level::Fast, because);
        }
        (Some(line), _) => pytest_as(manifests, line, draft),
        _ => by_files(manifests, draft),
    }
    others(manifests, draft);
}

/// Returns the test script that CI runs, or that is in the root.
fn script(manifests: &Manifests<'_>, has_tests: bool) -> Option<(String, String)> {
    let is_script = |line: &&Line| {
        let first = line.command.arguments().next().unwrap_or_default();
        let name = first.rsplit('/').next().unwrap_or_default();
        let of_python =
            line.command.program().trim_end_matches(|last: char| last.is_ascii_digit() || last == '.') == "python";
        of_python
            && has_extension(name, "py")
            && name.contains("test")
            && manifests.place.has(first)
            && line.command.is_fixed()
    };
    if let Some(line) = manifests.lines.iter().filter(|line| line.is_of_ci).find(is_script) {
        return Some((format!("{} runs the tests so", line.file), spelled(&line.command.words[1..])));
    }
    let name = ["runtests.py", "run_tests.py"].into_iter().find(|name| manifests.place.has(name))?;
    let is_said = manifests.run_or_offered_by(&["pytest", "unittest"]).is_some() || manifests.is_dependency("pytest");
    (!has_tests || !is_said).then(|| (format!("{name} runs the tests"), name.to_owned()))
}

/// Returns whether the environments of tox run pytest several times, which no single line does.
fn of_several_steps(manifests: &Manifests<'_>) -> bool {
    let common = manifests.tox.iter().flat_map(super::tox::Tox::common);
    let runs = common.flat_map(commands).filter(|command| command.program() == "pytest").count();
    runs > 1
        && matches!(manifests.launcher, Launcher::Python(_))
        && !manifests.place.lines().any(|line| line.is_of_ci && line.command.program() == "pytest")
}

fn pytest_as(manifests: &Manifests<'_>, line: &Line, draft: &mut Draft) {
    let Arguments { kept, dropped } = arguments(manifests, line);
    let because = if kept.is_empty() { "pytest" } else { "pytest so" };
    let tool = format!("pytest{}{kept}", if kept.is_empty() { "" } else { " " });
    let without = if dropped.is_empty() { String::new() } else { format!("; without `{}`", dropped.join(" ")) };
    draft.check(
        "test",
        manifests.line_as(line, &of_top(manifests, tool)),
        Level::Fast,
        format!("{} runs {because}, and there are tests{without}", line.file),
    );
}

/// Names a lone `test.py` in the root explicitly, because pytest does not collect it.
fn of_top(manifests: &Manifests<'_>, tool: String) -> String {
    let is_lone = tool == "pytest" && test_files(manifests.place).all(|path| path == "test.py");
    if is_lone { "pytest test.py".to_owned() } else { tool }
}

/// Proposes tests if no command runs them: by the configuration, else by the files.
fn by_files(manifests: &Manifests<'_>, draft: &mut Draft) {
    let place = manifests.place;
    let texts = || test_files(place).filter_map(|path| place.text(path));
    let code =
        |wanted: &'static str| texts().any(|text| text.lines().any(|line| line.trim_start().starts_with(wanted)));
    let configured = [
        (manifests.pyproject.at("tool.pytest").is_some(), "[tool.pytest] of pyproject.toml"),
        (place.has("pytest.ini"), "pytest.ini"),
        (manifests.setup.get("tool:pytest").is_some(), "[tool:pytest] of setup.cfg"),
        (manifests.tox_ini.get("pytest").is_some(), "[pytest] of tox.ini"),
        (place.own_files().any(|path| path.ends_with("conftest.py")), "conftest.py"),
        (manifests.is_dependency("pytest"), "pytest is a dependency"),
        (manifests.hooks.iter().any(|hook| hook.id == "pytest"), "pre-commit runs pytest"),
        (code("import pytest") || code("from pytest"), "the tests import pytest"),
    ];
    if let Some((_, why)) = configured.into_iter().find(|(is, _)| *is) {
        let tool = of_top(manifests, "pytest".to_owned());
        draft.check("test", manifests.line(&tool), Level::Fast, format!("{why}, and there are tests"));
    } else if manifests.run_or_offered_by(&["unittest"]).is_some()
        || code("import unittest")
        || code("from unittest import TestCase")
    {
        unittest(manifests, draft);
    } else {
        let because = "There are files of tests, and nothing says which runner they are for";
        draft.leave("test", manifests.line(&of_top(manifests, "pytest".to_owned())), Level::Fast, because);
    }
}

/// Reports tools with environments of their own: they need their own program, and interpreters that may be
/// missing here.
fn others(manifests: &Manifests<'_>, draft: &mut Draft) {
    let say = "makes environments of its own, so it needs its own program and perhaps more than one Python";
    if let Some(tox) = &manifests.tox {
        let environment = manifests.tests_of_tox.as_deref().unwrap_or("py");
        let by_ci = manifests.tests_of_tox.as_ref().map_or("", |_| ", and CI runs it");
        let because = format!("{}{by_ci}: tox {say}; `-e {environment}` takes the Python that is here", tox.file);
        let level = if by_ci.is_empty() { Level::Strict } else { Level::Fast };
        draft.leave("tox", format!("tox -e {environment}"), level, because);
        // The runner that CI uses for tests is tried if the plain runner is not installed.
        if manifests.tests_of_tox.is_some() {
            as_tests(draft);
        }
    } else if manifests.place.has("noxfile.py") {
        draft.leave("nox", "nox", Level::Strict, format!("noxfile.py: nox {say}"));
    } else if manifests.pyproject.at("tool.hatch.envs").is_some() {
        draft.leave("hatch", "hatch test", Level::Strict, format!("[tool.hatch.envs] of pyproject.toml: hatch {say}"));
        as_tests(draft);
    }
}

/// Gives the last proposal left to people the role of tests.
fn as_tests(draft: &mut Draft) {
    if let Some(check) = draft.left_to_people.last_mut() {
        check.role = Some(Role::Test);
    }
}

fn django(manifests: &Manifests<'_>, has_tests: bool, draft: &mut Draft) {
    if has_tests {
        draft.check("test", manifests.python("manage.py test"), Level::Fast, "manage.py: the tests of Django");
    } else {
        draft.notes.push("there is a manage.py, and no test of Django yet".to_owned());
    }
}

fn unittest(manifests: &Manifests<'_>, draft: &mut Draft) {
    let place = manifests.place;
    let line = manifests.python("-m unittest");
    let at_top = test_files(place).any(|path| !path.contains('/'));
    let directory = test_files(place).find_map(|path| path.split_once('/').map(|(directory, _)| directory));
    match directory.filter(|directory| !at_top && is_word(directory) && !place.has(&format!("{directory}/__init__.py")))
    {
        Some(directory) => {
            let because = format!("{directory} holds tests of unittest");
            draft.check("test", format!("{line} discover -s {directory}"), Level::Fast, because);
        }
        None => drop(draft.check("test", line, Level::Fast, "there are tests of unittest")),
    }
}

/// Returns whether the name of a directory is one shell word without quotes.
fn is_word(name: &str) -> bool {
    name.chars().all(|character| character.is_ascii_alphanumeric() || "._-".contains(character))
}
