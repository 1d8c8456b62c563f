//! Reads a log with user-defined readers only.

use std::io;

use referee_model::limit;
use referee_model::reading::{ChosenBecause, ReaderChoice, Reading};
use referee_model::record::Stream;

use super::Custom;
use crate::candidate::Candidate;
use crate::choose::{fill_leftovers, to_log};
use crate::pass::{Format, Pass};
use crate::seen::long_line_notes;
use crate::source::Source;
use crate::used::Used;

/// Reads the output of one attempt with these readers only. As with GitHub and VS Code, a line belongs to the
/// first reader that makes a finding of it. If no reader finds anything, the output counts as not recognized.
/// Fails only if the source fails.
pub fn read(source: &dyn Source, customs: &[Custom]) -> io::Result<Reading> {
    let formats = customs.iter().map(|custom| Format {
        owner: 0,
        is_patient: false,
        is_deferred: false,
        may_begin: Box::new(|_| true),
        reader: Box::new(|_| custom.reader()),
    });
    let pass = Pass {
        owners: 1,
        formats: formats.collect(),
        documents: Vec::new(),
        compiled: None,
        is_hinted: true,
        is_exclusive: true,
    };
    let mut reading = Reading::default();
    let mut sum: Option<(usize, Candidate)> = None;
    let (mut seen, mut used, mut long_lines) = (Vec::new(), Vec::new(), Vec::new());
    for stream in Stream::ALL {
        let scan = pass.scan(source, stream)?;
        match stream {
            Stream::Stdout => reading.excerpts.stdout = scan.excerpt,
            Stream::Stderr => reading.excerpts.stderr = scan.excerpt,
        }
        for (number, _, candidate) in scan.candidates {
            match &mut sum {
                Some((_, known)) => known.add(candidate),
                None => sum = Some((number, candidate)),
            }
        }
        seen.push(scan.seen);
        used.extend(scan.used);
        long_lines.push(scan.long_lines);
    }
    if let Some((number, candidate)) = sum {
        let tool = customs[number].name().to_owned();
        let format = candidate.format.to_owned();
        reading.reader = Some(ReaderChoice { tool, format, because: ChosenBecause::Command });
        reading.counts = candidate.findings.counts;
        reading.diagnostics = candidate.findings.kept.into_items();
        reading.diagnostics.truncate(limit::FINDINGS_KEPT);
        reading.diagnostics.iter_mut().for_each(|found| to_log(source, &mut found.origin));
    } else {
        used.fill_with(Used::default);
    }
    reading.notes = long_line_notes(&long_lines, &[]);
    fill_leftovers(source, &mut reading, &used, &seen)?;
    Ok(reading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::MemorySource;

    const ESLINT: &str = r#"{"problemMatcher": [{"owner": "eslint-stylish", "pattern": [
        {"regexp": "^([^\\s].*)$", "file": 1},
        {"regexp": "^\\s+(\\d+):(\\d+)\\s+(error|warning|info)\\s+(.*)\\s\\s+(.*)$", "line": 1, "column": 2, "severity": 3, "message": 4, "code": 5, "loop": true}]}]}"#;

    fn shown(reading: &Reading) -> Vec<String> {
        let show = |found: &referee_model::reading::Diagnostic| {
            let (file, line, column) = (found.file.as_deref().unwrap_or("-"), found.line, found.column);
            format!("{} {:?} {file} {line:?}:{column:?} {}", found.tool, found.level, found.message)
        };
        reading.diagnostics.iter().map(show).collect()
    }

    fn read_with(customs: &[Custom], text: &str) -> Reading {
        read(&MemorySource::stdout(text.as_bytes().to_vec()), customs).unwrap()
    }

    #[test]
    fn a_pattern_loops_over_the_lines_below_its_file() {
        let customs = Custom::problem_matchers(ESLINT).unwrap();
        let text =
            "a.js\n  1:2  error  no semi  semi\n  3:4  warning  bad  eqeqeq\n\nb.js\n  5:6  error  x y  z\n\ndone\n";
        let reading = read_with(&customs, text);
        assert_eq!(
            shown(&reading),
            [
                "eslint-stylish Error a.js Some(1):Some(2) no semi",
                "eslint-stylish Warning a.js Some(3):Some(4) bad",
                "eslint-stylish Error b.js Some(5):Some(6) x y",
            ]
        );
        assert_eq!((reading.leftovers.lines, reading.leftovers.last), (1, vec!["done".to_owned()]));
        assert_eq!(
            &text[..usize::try_from(reading.diagnostics[0].origin.end).unwrap()],
            "a.js\n  1:2  error  no semi  semi\n"
        );
    }

    #[test]
    fn patterns_need_lines_that_follow_one_another() {
        let json = r#"{"problemMatcher": [{"owner": "x", "severity": "warning", "pattern": [
            {"regexp": "^File (.*)$", "file": 1}, {"regexp": "^Line (\\d+)$", "line": 1}, {"regexp": "^(.+)$", "message": 1}]}]}"#;
        let customs = Custom::problem_matchers(json).unwrap();
        let reading = read_with(&customs, "File a\nLine 3\nbad\nFile b\nnoise\nLine 4\nworse\n");
        assert_eq!(shown(&reading), ["x Warning a Some(3):None bad"]);
    }

    #[test]
    fn the_matchers_of_vs_code_have_defaults_and_names() {
        let json = r#"[{"owner": "mine", "fileLocation": ["relative", "${workspaceFolder}/web"],
            "pattern": {"regexp": "^(.*):(\\d+):(\\d+): (.*)$", "message": 4}}, "$tsc",
            {"owner": "l", "pattern": {"regexp": "^(.*)\\[(.*)\\] (E|W) (.*)$", "location": 2, "severity": 3, "message": 4}}]"#;
        let customs = Custom::problem_matchers(json).unwrap();
        let reading = read_with(&customs, "a.x:1:2: bad\nb.ts(3,4): error TS1: no\nc[5,6,7,8] W odd\n/r/d.x:1:1: e\n");
        assert_eq!(
            shown(&reading),
            [
                "mine Error web/a.x Some(1):Some(2) bad",
                "mine Error /r/d.x Some(1):Some(1) e",
                "tsc Error b.ts Some(3):Some(4) no",
                "l Warning c Some(5):Some(6) odd",
            ]
        );
        assert_eq!(reading.counts.total(), 4);
    }

    #[test]
    fn a_later_pattern_tells_the_place() {
        let json = r#"{"problemMatcher": [{"owner": "cargo", "pattern": [
            {"regexp": "^(warning|error)(?:\\[(\\S*)\\])?: (.*)$", "severity": 1, "code": 2, "message": 3},
            {"regexp": "^(?:[\\s->=]*(.*):(\\d*):(\\d*)|.*)$", "file": 1, "line": 2, "column": 3}]}]}"#;
        let customs = Custom::problem_matchers(json).unwrap();
        let reading =
            read_with(&customs, "error[E0425]: cannot find x\n  --> src/a.rs:3:5\n   |\nwarning: odd\n\ndone\n");
        assert_eq!(
            shown(&reading),
            ["cargo Error src/a.rs Some(3):Some(5) cannot find x", "cargo Warning - None:None odd"]
        );
        assert_eq!(reading.diagnostics[0].code.as_deref(), Some("E0425"));
    }

    #[test]
    fn the_first_reader_takes_a_line() {
        let one = Custom::errorformat("one", &["%f:%l: %m"]).unwrap();
        let other = Custom::errorformat("other", &["%f:%l: %m", "%m!"]).unwrap();
        let reading = read_with(&[one, other], "a:1: x\noh!\n");
        assert_eq!(shown(&reading), ["one Error a Some(1):None x", "other Error - None:None oh"]);
        assert!(read_with(&[], "a:1: x\n").reader.is_none());
        let none = read_with(&[Custom::errorformat("x", &["%f:%l: %m"]).unwrap()], "fine\n");
        assert_eq!((none.reader, none.leftovers.lines), (None, 1));
    }

    #[test]
    fn severities_that_github_does_not_know_are_no_findings() {
        let json = r#"{"problemMatcher": [{"owner": "x", "pattern": [{"regexp": "^(\\w+): (.+)$", "severity": 1, "message": 2}]}]}"#;
        let customs = Custom::problem_matchers(json).unwrap();
        let reading = read_with(&customs, "Error: a\nnotice: b\nhint: c\nwarning: d\n");
        assert_eq!(shown(&reading), ["x Error - None:None a", "x Info - None:None b", "x Warning - None:None d"]);
    }
}
