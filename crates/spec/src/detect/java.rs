//! Java and Kotlin: Maven and Gradle, by their wrappers where there are some.

use referee_model::selection::Level;

use super::Place;
use super::project::{Draft, Ecosystem};

/// Looks for a build.
pub(super) fn detect(place: &Place<'_>) -> Option<Draft> {
    if place.has("pom.xml") {
        let mut draft = Draft::new(Ecosystem::Java, place.folder, "pom.xml");
        let maven = if place.has("mvnw") { "./mvnw" } else { "mvn" };
        draft.check(
            "compile",
            format!("{maven} -B -ntp test-compile"),
            Level::Smoke,
            "pom.xml: sources and tests compile",
        );
        tests(place, &mut draft, format!("{maven} -B -ntp test"), "pom.xml");
        return Some(draft);
    }
    let build = place.first(&["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"])?;
    let mut draft = Draft::new(Ecosystem::Java, place.folder, build);
    let gradle = if place.has("gradlew") { "./gradlew" } else { "gradle" };
    draft.check(
        "compile",
        format!("{gradle} testClasses"),
        Level::Smoke,
        format!("{build}: sources and tests compile"),
    );
    tests(place, &mut draft, format!("{gradle} test"), build);
    Some(draft)
}

fn tests(place: &Place<'_>, draft: &mut Draft, line: String, because: &str) {
    let has_tests =
        place.files().any(|path| path.contains("/test/") || path.contains("Test/") || path.starts_with("src/test"));
    let check = draft.check("test", line, Level::Fast, because);
    if !has_tests {
        check.allow_no_tests = true;
        check.because.push_str("; there is no test yet, so take `allowNoTests` away with the first one");
    }
}
