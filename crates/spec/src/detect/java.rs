//! Detects Java and Kotlin: Maven and Gradle, by their wrappers if present.

mod maven;

use referee_model::selection::Level;

use super::ProjectDirectory;
use super::project::{Draft, Ecosystem};

pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    if place.has("pom.xml") {
        let mut draft = Draft::new(Ecosystem::Java, place.directory, "pom.xml");
        let maven = if place.has("mvnw") { "./mvnw" } else { "mvn" };
        let compile = format!("{maven} -B -ntp test-compile");
        draft.check("compile", compile, Level::Smoke, "pom.xml: sources and tests compile");
        let mut runs = maven::runs(place, maven).into_iter();
        if let Some(run) = runs.next() {
            tests(place, &mut draft, run.line, &run.because);
        }
        for run in runs {
            draft.check(run.name, run.line, Level::Fast, run.because);
        }
        return Some(draft);
    }
    let build = place.first(&["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"])?;
    let mut draft = Draft::new(Ecosystem::Java, place.directory, build);
    let gradle = if place.has("gradlew") { "./gradlew" } else { "gradle" };
    let compile = format!("{gradle} testClasses");
    draft.check("compile", compile, Level::Smoke, format!("{build}: sources and tests compile"));
    let (task, because) = demanded(place, &["gradle", "gradlew"], &["check", "build", "test"], &["-x"])
        .unwrap_or(("test", build.to_owned()));
    // `build` is `check` plus the archives.
    let task = if task == "build" { "check" } else { task };
    tests(place, &mut draft, format!("{gradle} {task}"), &because);
    Some(draft)
}

/// Returns the first of these goals that CI runs, and the file that runs it. It includes the checks of the
/// later ones.
fn demanded<'goal>(
    place: &ProjectDirectory<'_>,
    programs: &[&str],
    goals: &[&'goal str],
    without: &[&str],
) -> Option<(&'goal str, String)> {
    let runs = || {
        let lines = place.lines().filter(|line| line.is_of_ci && programs.contains(&line.command.program()));
        lines.filter(|line| !line.command.arguments().any(|word| without.iter().any(|skip| word.contains(skip))))
    };
    goals.iter().find_map(|goal| {
        let line = runs().find(|line| line.command.arguments().any(|word| word == *goal))?;
        Some((*goal, format!("{} runs `{goal}`", line.file)))
    })
}

fn tests(place: &ProjectDirectory<'_>, draft: &mut Draft, line: String, because: &str) {
    let is_source = |path: &str| [".java", ".kt", ".groovy", ".scala"].iter().any(|ending| path.ends_with(ending));
    let is_test = |path: &str| {
        let directories = || path.split('/').rev().skip(1);
        directories().any(|directory| directory == "test" || directory.ends_with("Test"))
    };
    if place.files().any(|path| is_source(path) && is_test(path)) {
        draft.check("test", line, Level::Fast, because);
    } else {
        draft.notes.push("no test of Java or Kotlin was found (below `src/test`)".to_owned());
    }
}
