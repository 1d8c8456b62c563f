//! What make, CMake and Meson build: mostly C and C++.

use referee_model::plan::Strategy;
use referee_model::selection::Level;
use serde_json::Value;

use super::Place;
use super::document;
use super::project::{Draft, Ecosystem, Wanted};

/// Looks for a build.
pub(super) fn detect(place: &Place<'_>) -> Option<Draft> {
    if place.has("CMakeLists.txt") {
        return Some(cmake(place));
    }
    if place.has("meson.build") {
        return Some(meson(place));
    }
    let file = place.first(&["GNUmakefile", "Makefile", "makefile"])?;
    make(place, file)
}

fn cmake(place: &Place<'_>) -> Draft {
    let mut draft = Draft::new(Ecosystem::Native, place.folder, "CMakeLists.txt");
    let lists = || place.texts().filter(|(path, _)| path.ends_with("CMakeLists.txt")).map(|(_, text)| text);
    let has_tests = lists()
        .any(|text| text.contains("enable_testing") || text.contains("include(CTest)") || text.contains("add_test("));
    let (configure, build, test, because) = if let Some((preset, build, test)) = preset(place) {
        (
            format!("cmake --preset {preset}"),
            format!("cmake --build {}", build.map_or_else(|| "build".to_owned(), |build| format!("--preset {build}"))),
            test.map(|test| format!("ctest --preset {test} --output-on-failure")),
            "CMakePresets.json",
        )
    } else {
        // A folder `build` that CMake did not make is somebody's source.
        let taken = place.has("build/.") && !place.has("build/CMakeCache.txt");
        let folder = if taken { "cmake-build-referee" } else { "build" };
        (
            format!("cmake -S . -B {folder}"),
            format!("cmake --build {folder}"),
            has_tests.then(|| format!("ctest --test-dir {folder} --output-on-failure")),
            "CMakeLists.txt",
        )
    };
    draft.check("configure", configure, Level::Smoke, because);
    draft.check("build", build, Level::Smoke, because).needs = vec!["configure".to_owned()];
    match test {
        Some(test) => {
            draft.check("test", test, Level::Fast, format!("{because} declares tests")).needs =
                vec!["build".to_owned()];
        }
        None => draft.notes.push("no test was found that CMake declares".to_owned()),
    }
    if let Some(list) = lists().next().filter(|text| text.contains("-Werror") && !text.contains("option(")) {
        let _ = list;
        draft.policy(
            "compilation",
            Wanted::BlockOn(Strategy::ErrorsAndWarnings),
            "CMakeLists.txt compiles with `-Werror`",
        );
    }
    draft
}

/// Returns the first preset that is not hidden, with those that build and test with it.
fn preset(place: &Place<'_>) -> Option<(String, Option<String>, Option<String>)> {
    let root = document::json(place.text("CMakePresets.json")?)?;
    let list = |key: &str| {
        root.get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter(|preset| preset.get("hidden") != Some(&Value::Bool(true)))
    };
    let plain = |name: &&str| {
        !name.is_empty()
            && !name.starts_with('-')
            && name.chars().all(|character| character.is_ascii_alphanumeric() || "._-".contains(character))
    };
    let name = |preset: &Value| preset.get("name").and_then(Value::as_str).filter(plain).map(str::to_owned);
    let configure = list("configurePresets").find_map(name)?;
    let with = |key: &str| {
        list(key)
            .find(|preset| preset.get("configurePreset").and_then(Value::as_str) == Some(configure.as_str()))
            .and_then(name)
    };
    let (build, test) = (with("buildPresets"), with("testPresets"));
    build.is_some().then_some((configure, build, test))
}

fn meson(place: &Place<'_>) -> Draft {
    let mut draft = Draft::new(Ecosystem::Native, place.folder, "meson.build");
    draft.check("configure", "meson setup build", Level::Smoke, "meson.build");
    draft.check("build", "meson compile -C build", Level::Smoke, "meson.build").needs = vec!["configure".to_owned()];
    let has_tests = place
        .texts()
        .any(|(path, text)| path.ends_with("meson.build") && (text.contains("\ntest(") || text.contains(" test(")));
    if has_tests {
        draft.check("test", "meson test -C build", Level::Fast, "meson.build declares tests").needs =
            vec!["build".to_owned()];
    }
    draft
}

/// A makefile is a project where it builds or tests something; beside another project its targets are that project's.
fn make(place: &Place<'_>, file: &str) -> Option<Draft> {
    let text = place.text(file)?;
    let targets: Vec<&str> = text.lines().filter_map(target).collect();
    let other =
        ["package.json", "pyproject.toml", "setup.py", "Cargo.toml", "go.mod", "pom.xml", "composer.json", "Gemfile"];
    let beside = other.into_iter().find(|name| place.text(name).is_some());
    let mut draft = Draft::new(Ecosystem::Native, place.folder, file);
    let test = ["test", "check", "tests"].into_iter().find(|name| targets.contains(name));
    if let Some(beside) = beside {
        if let Some(test) = test {
            draft.leave(
                "make-test",
                format!("make {test}"),
                Level::Fast,
                format!("Target `{test}` of {file}; {beside} says how the tests run"),
            );
        }
        return Some(draft);
    }
    let builds = ["all", "build"].into_iter().find(|name| targets.contains(name));
    if let Some(name) = builds {
        draft.check("build", format!("make {name}"), Level::Smoke, format!("Target `{name}` of {file}"));
    }
    if let Some(test) = test {
        draft.check("test", format!("make {test}"), Level::Fast, format!("Target `{test}` of {file}"));
    }
    if let Some(lint) = ["lint"].into_iter().find(|name| targets.contains(name)) {
        draft.check("lint", format!("make {lint}"), Level::Fast, format!("Target `{lint}` of {file}"));
    }
    if text.lines().any(|line| line.contains("FLAGS") && line.contains("-Werror")) {
        draft.policy(
            "compilation",
            Wanted::BlockOn(Strategy::ErrorsAndWarnings),
            format!("{file} compiles with `-Werror`"),
        );
    }
    (!draft.checks.is_empty()).then_some(draft)
}

/// Returns the plain target that a line declares.
fn target(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let plain = !name.is_empty()
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '-' || character == '_');
    (plain && !rest.starts_with('=')).then_some(name)
}
