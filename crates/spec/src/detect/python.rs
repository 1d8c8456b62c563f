//! Python: who runs the tools, which tests there are, which checkers are configured and run.

use referee_model::plan::{Role, Strategy};
use referee_model::selection::Level;

use super::Place;
use super::document::Tables;
use super::project::{Draft, Ecosystem, Wanted};
use super::text::{has_extension, mentions};

const MANIFESTS: &[&str] = &[
    "pyproject.toml",
    "setup.cfg",
    "setup.py",
    "tox.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "Pipfile",
    "manage.py",
    "pytest.ini",
    "noxfile.py",
];

/// What the manifests of a folder hold.
struct Manifests<'a> {
    place: &'a Place<'a>,
    pyproject: Tables,
    setup: Tables,
    tox: Tables,
    /// Everything that says what is run: scripts of other tools, too.
    runs: Vec<(String, &'a str)>,
    /// What stands before a tool's name.
    launcher: String,
}

/// Looks for a project.
pub(super) fn detect(place: &Place<'_>) -> Option<Draft> {
    let manifest = place.first(MANIFESTS);
    let has_tests = test_files(place).next().is_some();
    let near = |path: &str| !path.contains('/') || path.starts_with("test/") || path.starts_with("tests/");
    if manifest.is_none() && !test_files(place).any(near) {
        return None;
    }
    let tables = |name: &str| Tables::read(place.text(name).unwrap_or_default());
    let (launcher, sign) = launcher(place);
    let mut manifests = Manifests {
        place,
        pyproject: tables("pyproject.toml"),
        setup: tables("setup.cfg"),
        tox: tables("tox.ini"),
        runs: Vec::new(),
        launcher,
    };
    manifests.runs = runs(place);
    let mut draft = Draft::new(Ecosystem::Python, place.folder, manifest.unwrap_or("files of tests"));
    draft.signs.push(sign);
    let name =
        manifests.pyproject.value("project", "name").or_else(|| manifests.pyproject.value("tool.poetry", "name"));
    draft.title = name.map(str::to_owned);
    tests(&manifests, has_tests, &mut draft);
    checkers(&manifests, &mut draft);
    policies(&manifests, &mut draft);
    Some(draft)
}

/// Files of tests, relative to the folder.
fn test_files<'a>(place: &'a Place<'_>) -> impl Iterator<Item = &'a str> {
    place.files().filter(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        has_extension(name, "py") && (name.starts_with("test_") || name.ends_with("_test.py") || name == "tests.py")
    })
}

/// What runs the tools of the project.
fn launcher(place: &Place<'_>) -> (String, String) {
    let pyproject = place.text("pyproject.toml").unwrap_or_default();
    let table = |name: &str| Tables::read(pyproject).has(name);
    let known = [
        (place.has("uv.lock") || table("tool.uv"), "uv run ", "uv, by uv.lock or [tool.uv]"),
        (place.has("poetry.lock") || table("tool.poetry"), "poetry run ", "poetry, by poetry.lock or [tool.poetry]"),
        (place.has("pdm.lock") || table("tool.pdm"), "pdm run ", "pdm, by pdm.lock or [tool.pdm]"),
        (place.has("Pipfile"), "pipenv run ", "pipenv, by Pipfile"),
    ];
    if let Some((_, launcher, sign)) = known.into_iter().find(|(is, ..)| *is) {
        return (launcher.to_owned(), sign.to_owned());
    }
    for folder in [".venv", "venv", "env"] {
        if place.has(&format!("{folder}/bin/python")) {
            return (format!("{folder}/bin/python -m "), format!("the virtual environment {folder}"));
        }
    }
    ("python3 -m ".to_owned(), "no virtual environment, so python3 itself".to_owned())
}

/// Texts that say what is run, with who says it.
fn runs<'a>(place: &'a Place<'_>) -> Vec<(String, &'a str)> {
    let mut runs: Vec<(String, &str)> = place.ci.lines().map(|line| (line.file.clone(), line.text.as_str())).collect();
    for name in [".pre-commit-config.yaml", "tox.ini", "noxfile.py", "Makefile", "justfile", "Justfile", "Taskfile.yml"]
    {
        runs.extend(place.text(name).map(|text| (name.to_owned(), text)));
    }
    runs
}

impl Manifests<'_> {
    /// Who runs one of these commands.
    fn run_by(&self, words: &[&str]) -> Option<String> {
        self.runs.iter().find(|(_, text)| words.iter().any(|word| mentions(text, word))).map(|(who, _)| who.clone())
    }

    /// The line that runs a tool.
    fn line(&self, tool: &str) -> String {
        format!("{}{tool}", self.launcher)
    }

    /// Whether a manifest declares a dependency, or the environment holds it.
    fn is_dependency(&self, name: &str) -> bool {
        let installed = [".venv", "venv", "env"].iter().any(|folder| self.place.has(&format!("{folder}/bin/{name}")));
        let texts = ["pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "tox.ini", "noxfile.py"];
        let texts = texts.into_iter().filter_map(|file| self.place.text(file));
        let requirements = self.place.texts().filter(|(path, _)| {
            path.matches('/').count() <= 1
                && path.rsplit('/').next().is_some_and(|file| file.starts_with("requirements"))
        });
        installed || texts.chain(requirements.map(|(_, text)| text)).any(|text| declares(text, name))
    }
}

/// Whether a text declares a dependency: at the beginning of a line, or of a quoted text.
fn declares(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || "-_.".contains(next));
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].trim_end_matches([' ', '\t']);
        let begins = before.is_empty() || before.ends_with(['\n', '"', '\'', '=']);
        begins && ends(&text[at + name.len()..])
    })
}

/// Proposes the tests: by what makes its own environment, by Django, by the runner that is configured.
fn tests(manifests: &Manifests<'_>, has_tests: bool, draft: &mut Draft) {
    let place = manifests.place;
    if by_environment(manifests, has_tests, draft) {
        return;
    }
    if place.has("manage.py") && !manifests.is_dependency("pytest") {
        return django(manifests, has_tests, draft);
    }
    if !has_tests {
        draft.notes.push("no test of Python was found (`test_*.py`, `*_test.py`)".to_owned());
        return;
    }
    let configured = [
        (manifests.pyproject.has("tool.pytest"), "[tool.pytest] of pyproject.toml"),
        (place.has("pytest.ini"), "pytest.ini"),
        (manifests.setup.has("tool:pytest"), "[tool:pytest] of setup.cfg"),
        (manifests.tox.has("pytest"), "[pytest] of tox.ini"),
        (place.files().any(|path| path.ends_with("conftest.py")), "conftest.py"),
        (manifests.is_dependency("pytest"), "pytest is a dependency, or installed"),
        (manifests.run_by(&["pytest"]).is_some(), "CI runs pytest"),
    ];
    if let Some((_, why)) = configured.into_iter().find(|(is, _)| *is) {
        draft.check("test", manifests.line("pytest"), Level::Fast, format!("{why}, and there are tests"));
    } else if place.texts().any(|(path, text)| has_extension(path, "py") && mentions(text, "unittest")) {
        unittest(manifests, draft);
    } else {
        let because = "There are files of tests, and nothing says which runner they are for";
        draft.leave("test", manifests.line("pytest"), Level::Fast, because);
    }
}

/// Without an environment here, what tox, nox and hatch make is the project's. False: there is none of it.
fn by_environment(manifests: &Manifests<'_>, has_tests: bool, draft: &mut Draft) -> bool {
    if !manifests.launcher.starts_with("python3") {
        return false;
    }
    let in_tox = manifests.tox.has("testenv") || manifests.pyproject.has("tool.tox");
    let because = |file: &str| format!("{file} says how the tests run, and there is no other environment here");
    if in_tox && (has_tests || manifests.run_by(&["tox"]).is_some()) {
        draft.check("test", "tox", Level::Fast, because("tox.ini"));
    } else if manifests.place.has("noxfile.py") {
        draft.check("test", "nox", Level::Fast, because("noxfile.py"));
    } else if has_tests && manifests.pyproject.has("tool.hatch.envs") {
        let check = draft.check("test", "hatch test", Level::Fast, because("[tool.hatch.envs] of pyproject.toml"));
        check.role = Some(Role::Test);
    } else {
        return false;
    }
    true
}

fn django(manifests: &Manifests<'_>, has_tests: bool, draft: &mut Draft) {
    let line = manifests
        .line("manage.py test")
        .replace(" -m manage.py", " manage.py")
        .replace("run manage.py", "run python manage.py");
    let check = draft.check("test", line, Level::Fast, "manage.py: the tests of Django");
    if !has_tests {
        check.allow_no_tests = true;
        check.because.push_str("; there is none yet, so take `allowNoTests` away with the first one");
    }
}

fn unittest(manifests: &Manifests<'_>, draft: &mut Draft) {
    let place = manifests.place;
    let module = if manifests.launcher.ends_with("-m ") { "" } else { "python -m " };
    let line = manifests.line(&format!("{module}unittest"));
    let at_top = test_files(place).any(|path| !path.contains('/'));
    let folder = test_files(place).find_map(|path| path.split_once('/').map(|(folder, _)| folder));
    match folder.filter(|folder| !at_top && is_word(folder) && !place.has(&format!("{folder}/__init__.py"))) {
        Some(folder) => {
            let because = format!("{folder} holds tests of unittest");
            draft.check("test", format!("{line} discover -s {folder}"), Level::Fast, because);
        }
        None => drop(draft.check("test", line, Level::Fast, "there are tests of unittest")),
    }
}

/// Whether a folder's name is one word of a shell as it stands.
fn is_word(name: &str) -> bool {
    name.chars().all(|character| character.is_ascii_alphanumeric() || "._-".contains(character))
}

fn checkers(manifests: &Manifests<'_>, draft: &mut Draft) {
    let place = manifests.place;
    let (pyproject, setup, tox) = (&manifests.pyproject, &manifests.setup, &manifests.tox);
    let mut propose = |name: &str, tool: &str, level: Level, configured: Option<&str>, words: &[&str]| {
        let Some(configured) = configured else { return };
        // What runs a tool that the project does not depend on, has a copy of its own: there may be none here.
        let is_here = manifests.is_dependency(tool.split(' ').next().unwrap_or(tool));
        match manifests.run_by(words) {
            Some(who) if !is_here => {
                let because = format!("{configured}, and {who} runs it, but it is no dependency: it may not be there");
                draft.leave(name, manifests.line(tool), level, because);
            }
            run_by => draft.check_if_run(name, &manifests.line(tool), level, configured, run_by),
        }
    };
    let ruff = pyproject
        .has("tool.ruff")
        .then_some("[tool.ruff] of pyproject.toml")
        .or(place.first(&["ruff.toml", ".ruff.toml"]));
    let formats = pyproject.has("tool.ruff.format").then_some("[tool.ruff.format] of pyproject.toml");
    propose("lint", "ruff check", Level::Fast, ruff, &["ruff check", "ruff-check", "id: ruff"]);
    propose(
        "format",
        "ruff format --check",
        Level::Strict,
        formats.or(ruff),
        &["ruff format --check", "ruff format --diff", "ruff-format"],
    );
    let flake8 = place
        .first(&[".flake8"])
        .or(setup.has("flake8").then_some("[flake8] of setup.cfg"))
        .or(tox.has("flake8").then_some("[flake8] of tox.ini"));
    propose("flake8", "flake8", Level::Fast, flake8, &["flake8"]);
    let pylint = place
        .first(&[".pylintrc", "pylintrc"])
        .or(pyproject.has("tool.pylint").then_some("[tool.pylint] of pyproject.toml"));
    propose("pylint", "pylint .", Level::Fast, pylint, &["pylint"]);
    let mypy = pyproject
        .has("tool.mypy")
        .then_some("[tool.mypy] of pyproject.toml")
        .or(place.first(&["mypy.ini", ".mypy.ini"]))
        .or(setup.has("mypy").then_some("[mypy] of setup.cfg"));
    let files = pyproject.value("tool.mypy", "files").or_else(|| pyproject.value("tool.mypy", "packages")).is_some();
    let target = if files {
        "mypy"
    } else if place.has_folder("src") {
        "mypy src"
    } else {
        "mypy ."
    };
    propose("types", target, Level::Smoke, mypy, &["mypy"]);
    let pyright = place
        .first(&["pyrightconfig.json"])
        .or(pyproject.has("tool.pyright").then_some("[tool.pyright] of pyproject.toml"));
    propose("pyright", "pyright", Level::Smoke, pyright, &["pyright"]);
    let black = pyproject.has("tool.black").then_some("[tool.black] of pyproject.toml");
    propose("black", "black --check .", Level::Strict, black, &["black --check", "black"]);
    let isort =
        pyproject.has("tool.isort").then_some("[tool.isort] of pyproject.toml").or(place.first(&[".isort.cfg"]));
    propose("isort", "isort --check-only .", Level::Strict, isort, &["isort --check", "isort --check-only", "isort"]);
}

/// The policies that strictness asks for.
fn policies(manifests: &Manifests<'_>, draft: &mut Draft) {
    let (place, pyproject) = (manifests.place, &manifests.pyproject);
    let strict = pyproject.value("tool.mypy", "strict").is_some_and(|strict| strict.eq_ignore_ascii_case("true"));
    if strict && draft.checks.iter().any(|check| check.name == "types") {
        draft.policy("mypy", Wanted::BlockOn(Strategy::ErrorsAlways), "[tool.mypy] says `strict`");
    }
    let demanded =
        ["ruff format --check", "black --check", "isort --check"].iter().find_map(|word| place.ci.line_with(&[word]));
    if let Some(line) = demanded.filter(|_| draft.checks.iter().any(|check| check.level == Level::Strict)) {
        draft.policy(
            "formatting",
            Wanted::BlockOn(Strategy::ErrorsAndWarnings),
            format!("{} checks the format", line.file),
        );
    }
}
