//! The Kotlin compiler, alone (`a.kt:1:18: error: unresolved reference: Missing`, with the source line and a
//! caret below) and under Gradle (`e: file:///src/a.kt:1:18 Unresolved reference 'Missing'.`).

use crate::prelude::*;
use crate::shapes::caret::{Careted, Format};

pub(crate) static TOOL: Tool = Tool::new("kotlinc", &["kotlin"], Role::Compile)
    .lines(&[LineFormat::new(PREFILTER, |is_hinted| Box::new(Careted::new(&FORMAT, is_hinted)))]);

pub(crate) const PREFILTER: &[&str] = &[".kt:", ".kts:"];

pub(crate) static FORMAT: Format = Format { tool: "kotlinc", rule: "kotlinc/text", heading, closing: |_| false };

/// A finding in the compiler's own format.
static LOCATED: Pattern = Pattern::new(
    r"^(?:file://)?(?<file>\S.*?\.(?:kts?|java)):(?<line>\d+):(?<column>\d+): (?<level>error|warning|info): (?:\[(?<code>[A-Z][A-Z0-9_]+)\] )?(?<message>.*)$",
);

/// A finding under Gradle, before and since Kotlin 1.8.
static IN_GRADLE: Pattern = Pattern::new(
    r"^(?<level>[ewi]): (?:file://)?(?<file>\S.*?\.(?:kts?|java)):(?: \((?<line>\d+), (?<column>\d+)\):)? (?:\[(?<code>[A-Z][A-Z0-9_]+)\] )?(?<message>.*)$",
);

/// The same, with line and column after colons.
static IN_GRADLE_NOW: Pattern = Pattern::new(
    r"^(?<level>[ewi]): (?:file://)?(?<file>\S.*?\.(?:kts?|java)):(?<line>\d+):(?<column>\d+):? (?:\[(?<code>[A-Z][A-Z0-9_]+)\] )?(?<message>.*)$",
);

/// A finding without a location.
static GLOBAL: Pattern = Pattern::new(r"^(?<level>error|warning|exception|e|w): (?<message>\S.*)$");

fn heading(text: &str, is_trusted: bool) -> Option<Groups<'static, '_>> {
    let is_located = text.contains(".kt") || (is_trusted && text.contains(".java:"));
    let located = || LOCATED.find(text).or_else(|| IN_GRADLE_NOW.find(text)).or_else(|| IN_GRADLE.find(text));
    if let Some(captures) = is_located.then(located).flatten() {
        return Some(captures);
    }
    let is_global =
        is_trusted && ["error: ", "warning: ", "exception: ", "e: ", "w: "].iter().any(|it| text.starts_with(it));
    is_global.then(|| GLOBAL.find(text)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_three_forms() {
        for text in [
            "/a/B.kt:3:18: error: [UNRESOLVED_REFERENCE] no",
            "e: /a/B.kt: (3, 18): [UNRESOLVED_REFERENCE] no",
            "e: file:///a/B.kt:3:18 [UNRESOLVED_REFERENCE] no",
            "e: /a/B.kt:3:18: [UNRESOLVED_REFERENCE] no",
        ] {
            let found = heading(text, false).unwrap();
            let group = |name: &str| found.get(name);
            assert_eq!(
                (group("file"), group("line"), group("column")),
                (Some("/a/B.kt"), Some("3"), Some("18")),
                "{text}"
            );
            assert_eq!((group("code"), group("message")), (Some("UNRESOLVED_REFERENCE"), Some("no")), "{text}");
        }
        for text in
            ["/a/B.kt:3:18: Unexpected blank (rule)", "e: nothing", "error: nothing", "/a/B.java:3:18: error: no"]
        {
            assert!(heading(text, false).is_none(), "{text}");
        }
        assert!(heading("warning: language version 1.3 is deprecated", true).is_some());
    }
}
