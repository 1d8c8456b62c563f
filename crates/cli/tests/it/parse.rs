//! `referee parse`: the readers at the end of a pipe.

use std::io::Write;
use std::process::Stdio;

use crate::support::{Workspace, finish};

const TYPES: &str = "src/a.ts(3,5): error TS2345: No.\n";

const TESTS: &str = "PASS ./b.test.js\nFAIL ./a.test.js\n  \u{25cf} adds\n\n    1 is not 2\n\n      at a.test.js:2:3\n\n\
    Test Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 1 passed, 2 total\nSnapshots:   0 total\n\
    Time:        0.2 s\n";

#[test]
fn parse_reads_a_tool_alone() {
    let workspace = Workspace::new().file("out.txt", TYPES);
    let found = workspace.referee(&["parse", "out.txt", "--tool", "tsc", "--format", "json"]).exits(0).json();
    assert_eq!(found["diagnostics"][0]["code"], "TS2345");
    assert_eq!(found["diagnostics"][0]["line"], 3);
    workspace.referee(&["parse", "missing.txt"]).exits(2);
    workspace.referee(&["parse", "out.txt", "--tool", "no-such-tool"]).exits(2);
    assert!(workspace.referee(&["parse", "--list"]).exits(0).stdout.contains("eslint"));
}

#[test]
fn parse_reads_what_comes_through_a_pipe() {
    let workspace = Workspace::new();
    let mut child = workspace.command(&["parse", "--format", "json"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A document is read in a second pass, which a pipe does not have.
    let report =
        r#"[{"filePath":"/p/a.js","messages":[{"ruleId":"semi","severity":2,"message":"No.","line":1,"column":2}]}]"#;
    stdin.write_all(format!("> lint\n{report}\n").as_bytes()).unwrap();
    drop(stdin);
    let found = finish(child).exits(0).json();
    assert_eq!((&found["tool"], &found["reader"]["format"]), (&"eslint".into(), &"json".into()));
    assert_eq!((&found["diagnostics"][0]["code"], &found["leftovers"]["lines"]), (&"semi".into(), &1.into()));
}

#[test]
fn parse_reads_each_file_as_a_log_of_its_own() {
    let workspace = Workspace::new().file("types.log", TYPES).file("test.log", TESTS);
    let found = workspace.referee(&["parse", "types.log", "test.log", "--format", "json"]).exits(0).json();
    let tools: Vec<_> = found["results"].as_array().unwrap().iter().map(|it| (&it["input"], &it["tool"])).collect();
    assert_eq!(tools, [(&"types.log".into(), &"tsc".into()), (&"test.log".into(), &"jest".into())]);
    let lines = workspace.referee(&["parse", "types.log", "test.log", "--format", "jsonl"]).exits(0).stdout;
    let kinds: Vec<_> = lines
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds, ["diagnostic", "summary", "failed-test", "summary"]);
}

#[test]
fn parse_tells_findings_in_the_formats_of_others() {
    let workspace = Workspace::new().file("types.log", TYPES).file("test.log", TESTS);
    let told = |format| workspace.referee(&["parse", "types.log", "test.log", "--format", format]).exits(0).stdout;
    assert_eq!(
        told("github"),
        "::error title=tsc TS2345,file=src/a.ts,line=3,col=5::No.\n\
         ::error title=failed test,file=a.test.js,line=2,col=3::adds: 1 is not 2\n"
    );
    let first = told("rdjsonl");
    let first: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!(first["location"]["range"]["start"], serde_json::json!({"line": 3, "column": 5}));
    let sarif: serde_json::Value = serde_json::from_str(&told("sarif")).unwrap();
    let runs = sarif["runs"].as_array().unwrap();
    let tools: Vec<_> = runs.iter().map(|run| run["tool"]["driver"]["name"].as_str().unwrap()).collect();
    assert_eq!(tools, ["jest", "tsc"]);
}

#[test]
fn parse_shows_the_line_that_is_meant() {
    let workspace = Workspace::new().file("types.log", TYPES).file("src/a.ts", "one\ntwo\nlet x: string = 3;\n");
    let shown = workspace.referee(&["parse", "types.log"]).exits(0).stdout;
    assert!(shown.contains("3 │ let x: string = 3;\n      │     ^\n"), "{shown}");
}

#[test]
fn parse_reads_with_what_the_user_brings() {
    let matcher = r#"{"problemMatcher": [{"owner": "own", "severity": "warning", "pattern": [
        {"regexp": "^(\\S+) line (\\d+): (.*)$", "file": 1, "line": 2, "message": 3}]}]}"#;
    let workspace = Workspace::new().file("own.log", "a.x line 7: not good\n").file("matcher.json", matcher);
    for reader in [["--matcher", "matcher.json"], ["--errorformat", "%f line %l: %m"]] {
        let arguments = ["parse", "own.log", "--format", "json", reader[0], reader[1]];
        let found = workspace.referee(&arguments).exits(0).json();
        let diagnostic = &found["diagnostics"][0];
        assert_eq!(
            (&diagnostic["file"], &diagnostic["line"], &diagnostic["message"]),
            (&"a.x".into(), &7.into(), &"not good".into())
        );
    }
    let broken = workspace.referee(&["parse", "own.log", "--errorformat", "%f %y"]).exits(2);
    assert!(broken.stderr.contains("--errorformat"), "{}", broken.stderr);
    workspace.referee(&["parse", "own.log", "--matcher", "own.log"]).exits(2);
    workspace.referee(&["parse", "own.log", "--matcher", "none.json"]).exits(2);
}
