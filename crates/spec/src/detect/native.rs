//! Detects builds with make, CMake and Meson: mostly C and C++.

mod make;

use crate::project_file::makefile;
use referee_model::selection::Level;
use serde_json::Value;

use super::ProjectDirectory;
use super::manifest_document;
use super::project::{Draft, Ecosystem};

pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    if place.has("CMakeLists.txt") {
        return Some(cmake(place));
    }
    if place.has("meson.build") {
        return Some(meson(place));
    }
    let file = place.first(makefile::FILES)?;
    make::detect(place, file)
}

/// Returns the texts of files with this name, except samples and third-party code.
fn own_texts<'a>(place: &'a ProjectDirectory<'_>, name: &'static str) -> impl Iterator<Item = &'a str> {
    let files = place.own_files().filter(move |path| path.rsplit('/').next() == Some(name));
    files.filter_map(|path| place.text(path))
}

/// Returns a text without comments after `#`.
fn without_comments(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect();
    lines.join("\n")
}

fn cmake(place: &ProjectDirectory<'_>) -> Draft {
    let mut draft = Draft::new(Ecosystem::Native, place.directory, "CMakeLists.txt");
    let lists: Vec<String> = own_texts(place, "CMakeLists.txt").map(without_comments).collect();
    let lists = || lists.iter();
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
        // A directory `build` that CMake did not create may be source code.
        let taken = place.has("build/.") && !place.has("build/CMakeCache.txt");
        let directory = if taken { "cmake-build-referee" } else { "build" };
        (
            format!("cmake -S . -B {directory}"),
            format!("cmake --build {directory}"),
            has_tests.then(|| format!("ctest --test-dir {directory} --output-on-failure")),
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
    if lists().next().is_some_and(|text| text.contains("-Werror") && !text.contains("option(")) {
        draft.block_on_warnings("compilation", "CMakeLists.txt compiles with `-Werror`");
    }
    draft
}

/// Returns the first preset that is not hidden, with its build and test presets.
fn preset(place: &ProjectDirectory<'_>) -> Option<(String, Option<String>, Option<String>)> {
    let root = manifest_document::json(place.text("CMakePresets.json")?)?;
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

fn meson(place: &ProjectDirectory<'_>) -> Draft {
    let mut draft = Draft::new(Ecosystem::Native, place.directory, "meson.build");
    draft.check("configure", "meson setup build", Level::Smoke, "meson.build");
    draft.check("build", "meson compile -C build", Level::Smoke, "meson.build").needs = vec!["configure".to_owned()];
    let has_tests = own_texts(place, "meson.build")
        .map(without_comments)
        .any(|text| text.lines().any(|line| line.trim_start().starts_with("test(") || line.contains(" test(")));
    if has_tests {
        draft.check("test", "meson test -C build", Level::Fast, "meson.build declares tests").needs =
            vec!["build".to_owned()];
    }
    draft
}
