//! Tests of the reader of `MSBuild`'s findings.

use super::*;
use crate::trial::claimed;

fn read(is_hinted: bool, text: &str) -> Option<Candidate> {
    claimed(Box::new(MsBuild::new("msbuild", &[], is_hinted)), text)
}

fn one(text: &str) -> Diagnostic {
    let mut found = read(false, text).map(|candidate| candidate.findings.kept.into_items()).unwrap_or_default();
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found.remove(0)
}

#[test]
fn what_has_no_place_stands_in_a_file_or_nowhere() {
    for (text, file, place, level, code, message) in [
        (
            "MSBUILD : error MSB1009: Project file does not exist.\n",
            None,
            (None, None),
            Level::Error,
            Some("MSB1009"),
            "Project file does not exist.",
        ),
        (
            "/a/a.csproj : error NU1101: No x [/a/a.sln]\n",
            Some("/a/a.csproj"),
            (None, None),
            Level::Error,
            Some("NU1101"),
            "No x",
        ),
        (
            "cl : Command line warning D9002: ignoring [C:\\a.vcxproj]\n",
            Some("C:/a.vcxproj"),
            (None, None),
            Level::Warning,
            Some("D9002"),
            "ignoring",
        ),
        (
            "main.obj : error LNK2019: unresolved\n",
            Some("main.obj"),
            (None, None),
            Level::Error,
            Some("LNK2019"),
            "unresolved",
        ),
        ("error CS5001: no Main\n", None, (None, None), Level::Error, Some("CS5001"), "no Main"),
    ] {
        let it = one(text);
        assert_eq!((it.file.as_deref(), it.line, it.column), (file, place.0, place.1), "{text}");
        assert_eq!((it.level, it.code.as_deref(), it.message.as_str()), (level, code, message));
    }
}

#[test]
fn the_canonical_form_has_many_shapes() {
    for (text, file, place, level, code, message) in [
        (
            "/a/P.cs(5,13): error CS0103: no x [/a/a.csproj]\n",
            Some("/a/P.cs"),
            (Some(5), Some(13)),
            Level::Error,
            Some("CS0103"),
            "no x",
        ),
        (
            "/a/P.cs(5,13): error CS0103: no x [/a/a.csproj::TargetFramework=net8.0]\n",
            Some("/a/P.cs"),
            (Some(5), Some(13)),
            Level::Error,
            Some("CS0103"),
            "no x",
        ),
        (
            "     2>C:\\Program Files (x86)\\v.h(39): warning C4275: y\n",
            Some("C:/Program Files (x86)/v.h"),
            (Some(39), None),
            Level::Warning,
            Some("C4275"),
            "y",
        ),
        (
            "  17:4>F.cs (229,34):  warning CS0168 : z\n",
            Some("F.cs"),
            (Some(229), Some(34)),
            Level::Warning,
            Some("CS0168"),
            "z",
        ),
        (
            "x/abc.h(18) : fatal error C1083: Cannot open\n",
            Some("x/abc.h"),
            (Some(18), None),
            Level::Error,
            Some("C1083"),
            "Cannot open",
        ),
        ("x/abc.h(3,4): error : use of it\n", Some("x/abc.h"), (Some(3), Some(4)), Level::Error, None, "use of it"),
    ] {
        let it = one(text);
        assert_eq!((it.file.as_deref(), it.line, it.column), (file, place.0, place.1), "{text}");
        assert_eq!((it.level, it.code.as_deref(), it.message.as_str()), (level, code, message));
    }
    let ranged = one("P.cs(5,24,6,26): warning CS1589: x\n");
    assert_eq!((ranged.end_line, ranged.end_column), (Some(6), Some(26)));
}

#[test]
fn what_is_listed_again_counts_once() {
    let finding = "/a/P.cs(5,13): error CS0103: no x [/a/a.csproj::TargetFramework=net8.0]\n/a/P.cs(5,13): error CS0103: no x [/a/a.csproj::TargetFramework=net9.0]\n";
    let candidate =
        read(false, &format!("{finding}\nBuild FAILED.\n\n{finding}    0 Warning(s)\n    2 Error(s)\n")).unwrap();
    assert_eq!((candidate.findings.counts.errors, candidate.notes.len()), (1, 0));
    let candidate = read(false, "P.cs(5,13): error CS0103: x\n    1 Warning(s)\n    3 Error(s)\n").unwrap();
    assert_eq!((candidate.findings.counts.errors, candidate.findings.counts.warnings), (3, 1));
}

#[test]
fn clean_builds_are_recognized() {
    for text in
        ["Build succeeded.\n    0 Warning(s)\n    0 Error(s)\n", "Restore complete (0.4s)\nBuild succeeded in 3.1s\n"]
    {
        assert_eq!(read(false, text).unwrap().findings.counts.total(), 0, "{text}");
    }
    assert!(read(false, "Build succeeded.\nBuild succeeded in 3s\n").is_none());
}

#[test]
fn others_findings_are_left_to_them() {
    for text in [
        "src/a.ts(2,9): error TS2322: no\n",
        "src/a.js(2,9): error no-undef : no\n",
        "a.c(2,9): error: no\n",
        "/a/T.cs(12): error TESTERROR: x\n",
        "hint: error in 3 : x\n",
    ] {
        assert!(read(false, text).is_none(), "{text}");
    }
}

#[test]
fn notes_belong_to_the_finding_above() {
    let found = one("v.h(39): warning C4275: y\n        w.h(37): note: see declaration of 'w'\n");
    assert_eq!((found.related.len(), found.related[0].line), (1, Some(37)));
    let found = one("a.cs(3,4): error CS0111: twice\na.cs(2,4): (Location of the symbol related to previous error)\n");
    assert_eq!(found.related.len(), 1);
}
