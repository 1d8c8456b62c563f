//! The Kotlin compiler, alone (`a.kt:1:18: error: unresolved reference: Missing`, with the source line and a
//! caret below) and under Gradle (`e: file:///src/a.kt:1:18 Unresolved reference 'Missing'.`).

use crate::prelude::*;
use crate::rows::caret;

pub(crate) static TOOL: Tool =
    Tool::new("kotlinc", &["kotlin"], Role::Compile).lines(&[LineFormat::rows(PREFILTER, &TEXT)]);

pub(crate) const PREFILTER: &[&str] = &[".kt:", ".kts:"];

pub(crate) static TEXT: Rows = Rows::new("kotlinc", "text").wakeful().lists().and(&caret::rows()).rows(&[
    head(LOCATED).check(is_kotlin).enters(AMONG),
    head(IN_GRADLE).check(is_kotlin).enters(AMONG),
    // Without a Kotlin file, a line is the compiler's only among its findings.
    head(LOCATED).inside(AMONG),
    head(IN_GRADLE).inside(AMONG),
    head(LOCATED).hinted().enters(AMONG),
    head(IN_GRADLE).hinted().enters(AMONG),
    head(GLOBAL).levels(EXCEPTION).inside(AMONG),
    head(GLOBAL).levels(EXCEPTION).hinted().enters(AMONG),
]);

const AMONG: &str = "findings";

/// A finding in the compiler's own format.
const LOCATED: &str = r"^(?:file://)?(?<file>\S.*?\.(?:kts?|java)):(?<line>\d+):(?<column>\d+): (?<level>error|warning|info): (?:\[(?<code>[A-Z][A-Z0-9_]+)\] )?(?<message>.*)$";

/// A finding under Gradle, before and since Kotlin 1.8.
const IN_GRADLE: &str = r"^(?<level>[ewi]): (?:file://)?(?<file>\S.*?\.(?:kts?|java)):(?: \((?<line>\d+), (?<column>\d+)\):|(?<line2>\d+):(?<column2>\d+):?)? (?:\[(?<code>[A-Z][A-Z0-9_]+)\] )?(?<message>.*)$";

/// A finding without a location.
const GLOBAL: &str = r"^(?<level>error|warning|exception|e|w): (?<message>\S.*)$";

const EXCEPTION: &[(&str, Level)] = &[("exception", Level::Error)];

fn is_kotlin(_: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    found.matched().contains(".kt")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    fn read(text: &str, is_hinted: bool) -> Option<Diagnostic> {
        Some(trial::claimed(TEXT.reader(is_hinted), text)?.findings.kept.into_items().remove(0))
    }

    #[test]
    fn places_have_three_forms() {
        for text in [
            "/a/B.kt:3:18: error: [UNRESOLVED_REFERENCE] no",
            "e: /a/B.kt: (3, 18): [UNRESOLVED_REFERENCE] no",
            "e: file:///a/B.kt:3:18 [UNRESOLVED_REFERENCE] no",
            "e: /a/B.kt:3:18: [UNRESOLVED_REFERENCE] no",
        ] {
            let found = read(text, false).unwrap();
            assert_eq!(
                (found.file.as_deref(), found.line, found.column),
                (Some("/a/B.kt"), Some(3), Some(18)),
                "{text}"
            );
            assert_eq!((found.code.as_deref(), found.message.as_str()), (Some("UNRESOLVED_REFERENCE"), "no"), "{text}");
        }
        for text in
            ["/a/B.kt:3:18: Unexpected blank (rule)", "e: nothing", "error: nothing", "/a/B.java:3:18: error: no"]
        {
            assert!(read(text, false).is_none(), "{text}");
        }
        assert!(read("warning: language version 1.3 is deprecated", true).is_some());
    }
}
