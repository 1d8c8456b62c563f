//! Vim's `errorformat`, as interpreted by the quickfix window and reviewdog (`:help errorformat`).
//!
//! | prefix                     | meaning of a matching line                                                      |
//! |----------------------------|---------------------------------------------------------------------------------|
//! | none                       | a finding                                                                       |
//! | `%E` `%W` `%I` `%N` `%A`   | the first line of a finding: an error, a warning, an information, a note, any   |
//! | `%C`, `%Z`                 | a further line of the finding, its last line                                    |
//! | `%G`                       | a general message: a finding only if it names a file                            |
//! | `%D`, `%X`                 | enters, leaves a directory                                                      |
//! | `%P`, `%Q`, `%O`           | enters, leaves, skips a file; `%r` is the rest of the line, still to be read    |
//! | `%-…`, `%+…`               | the line is left out; the line as a whole is the message                        |

mod matched;
mod pattern;

use std::sync::Arc;

use crate::candidate::{Candidate, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::text;
use referee_model::limit;
use referee_model::reading::{Diagnostic, Level};

use super::CustomError;
use matched::{Matched, level, pointed};
use pattern::Prefix;
use referee_syntax::cut;

/// Maximum number of formats of one reader.
const FORMATS: usize = 200;

/// Maximum nesting depth of directories, and of files.
const OPEN: usize = 64;

/// Maximum number of times that the rest of one line is read again.
const REREADS: usize = 16;

/// An ordered list of formats; the first that matches a line is used.
#[derive(Debug)]
pub(super) struct ErrorFormat {
    name: String,
    formats: Vec<pattern::Format>,
}

impl ErrorFormat {
    pub(super) fn new(reader: &str, formats: &[&str]) -> Result<Self, CustomError> {
        if formats.is_empty() || FORMATS < formats.len() {
            return Err(CustomError::Shape {
                at: reader.to_owned(),
                problem: format!("has {} formats", formats.len()),
                remedy: "give at least one, and at most 200",
            });
        }
        let numbered = formats.iter().enumerate();
        let parsed = numbered.map(|(number, written)| {
            pattern::Format::parse(written).map_err(|(problem, remedy)| CustomError::Format {
                at: format!("{reader}, format {}", number + 1),
                format: name(written),
                problem,
                remedy,
            })
        });
        Ok(Self { name: name(reader), formats: parsed.collect::<Result<_, _>>()? })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

/// State of the formats on the lines of one stream.
pub(super) struct Running {
    formats: Arc<ErrorFormat>,
    /// The finding that further lines may continue.
    open: Option<Entry>,
    /// Whether further lines may follow, and whether they are left out.
    is_multiline: bool,
    leaves_out: bool,
    directories: Vec<String>,
    files: Vec<String>,
    findings: Findings,
}

/// A finding being read.
struct Entry {
    found: Diagnostic,
    /// Whether its lines gave a level.
    has_level: bool,
    is_general: bool,
}

impl Running {
    pub(super) fn new(formats: Arc<ErrorFormat>) -> Self {
        Self {
            formats,
            open: None,
            is_multiline: false,
            leaves_out: false,
            directories: Vec::new(),
            files: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// Processes a match. Returns whether the line was used, and the part of it that is still to be read.
    fn matched<'m>(&mut self, matched: &'m Matched<'_, '_>, line: &Line<'_>) -> (bool, Option<&'m str>) {
        let format = matched.format;
        match format.prefix {
            Prefix::EnterDirectory => self.enter_directory(matched),
            Prefix::LeaveDirectory => {
                self.directories.pop();
            }
            Prefix::Continue | Prefix::End => {
                if !self.leaves_out && !format.is_left_out {
                    self.go_on(matched, line);
                }
                self.leaves_out |= format.is_left_out;
                if format.prefix == Prefix::End {
                    self.reset();
                }
            }
            Prefix::OneFile | Prefix::EnterFile | Prefix::LeaveFile => {
                self.close();
                let file = matched.get("file");
                match (format.prefix, file) {
                    (Prefix::EnterFile, Some(file)) if self.files.len() < OPEN => self.files.push(text::path(file)),
                    (Prefix::LeaveFile, _) => {
                        self.files.pop();
                    }
                    _ => {}
                }
                return (true, matched.get("rest").filter(|_| !format.is_left_out));
            }
            _ if format.is_left_out => {
                self.leaves_out |= self.is_multiline;
                return (false, None);
            }
            prefix => {
                self.close();
                if prefix.begins() {
                    (self.is_multiline, self.leaves_out) = (true, false);
                }
                self.open = Some(self.entry(matched, line));
            }
        }
        (true, None)
    }

    fn entry(&self, matched: &Matched<'_, '_>, line: &Line<'_>) -> Entry {
        let by_prefix = matched.format.prefix.level();
        let by_item = matched.get("kind").and_then(level);
        let level = by_item.or(by_prefix);
        let mut found =
            diagnostic(&self.formats.name, "errorformat", line, level.unwrap_or(Level::Error), matched.message());
        self.fill(&mut found, matched);
        found.file = found.file.or_else(|| self.files.last().map(|file| self.path(file)));
        let is_general = matched.format.prefix == Prefix::General;
        Entry { found, has_level: level.is_some(), is_general }
    }

    /// Adds a further line to the open finding: values not set yet, and more of its message.
    fn go_on(&mut self, matched: &Matched<'_, '_>, line: &Line<'_>) {
        let Some(mut entry) = self.open.take() else { return };
        let said = matched.message();
        if entry.found.message.is_empty() {
            cut::head(said, limit::MESSAGE_BYTES).clone_into(&mut entry.found.message);
        } else if !said.is_empty() {
            text::add_line(&mut entry.found.message, said, limit::MESSAGE_BYTES);
        }
        if let Some(level) = matched.get("kind").and_then(level).filter(|_| !entry.has_level) {
            (entry.found.level, entry.has_level) = (level, true);
        }
        self.fill(&mut entry.found, matched);
        entry.found.origin.end = line.end;
        self.open = Some(entry);
    }

    /// Fills in the values of a finding that are not set yet.
    fn fill(&self, found: &mut Diagnostic, matched: &Matched<'_, '_>) {
        let number = |group| matched.get(group).and_then(text::position);
        if let Some(file) = matched.get("file").filter(|_| found.file.is_none()) {
            found.file = Some(self.path(&text::path(file.trim())));
        }
        found.line = found.line.or_else(|| number("line"));
        found.end_line = found.end_line.or_else(|| number("end_line"));
        found.end_column = found.end_column.or_else(|| number("end_column"));
        let column = number("screen_column").or_else(|| pointed(matched.get("pointer")?));
        found.column = found.column.or(column).or_else(|| number("column"));
        if found.code.is_none() {
            found.code = matched.get("code").map(name);
        }
        if found.source.is_none() {
            found.source = matched.get("source").map(|source| source.trim_end().to_owned());
        }
    }

    /// Returns a path relative to the current directory of the output.
    fn path(&self, file: &str) -> String {
        let is_absolute = file.starts_with('/') || file.as_bytes().get(1) == Some(&b':');
        match self.directories.last().filter(|_| !is_absolute) {
            Some(directory) => name(&format!("{directory}/{}", file.trim_start_matches("./"))),
            None => name(file),
        }
    }

    fn enter_directory(&mut self, matched: &Matched<'_, '_>) {
        if let Some(directory) = matched.get("file").filter(|_| self.directories.len() < OPEN) {
            let directory = self.path(&text::path(directory.trim()));
            self.directories.push(directory.trim_end_matches('/').to_owned());
        }
    }

    fn close(&mut self) {
        if let Some(Entry { found, is_general, .. }) = self.open.take() {
            let says_something = !found.message.is_empty() || found.file.is_some();
            if says_something && !(is_general && found.file.is_none()) {
                self.findings.add(found);
            }
        }
    }
}

impl LineReader for Running {
    fn reset(&mut self) {
        self.close();
        (self.is_multiline, self.leaves_out) = (false, false);
    }

    fn line(&mut self, line: &Line<'_>) -> Use {
        let formats = Arc::clone(&self.formats);
        let mut rest = line.text.as_ref();
        let mut is_rest = false;
        let mut from = 0;
        let mut by_line = Use::None;
        for _ in 0..REREADS {
            let matching = formats.formats.iter().enumerate().skip(from).find_map(|(at, format)| {
                let may_match = match format.prefix {
                    Prefix::Continue | Prefix::End => self.is_multiline,
                    Prefix::OneFile | Prefix::EnterFile | Prefix::LeaveFile => !is_rest,
                    _ => true,
                };
                if !may_match {
                    return None;
                }
                Some((at, format, format.regexp.find(rest)?))
            });
            let Some((at, format, found)) = matching else {
                if !is_rest {
                    self.reset();
                }
                return by_line;
            };
            let matched = Matched { format, found, whole: if is_rest { rest } else { &line.text } };
            let (used, again) = self.matched(&matched, line);
            if used {
                by_line = Use::Line;
            }
            match again {
                Some(again) if !again.trim().is_empty() => {
                    let trimmed = again.trim_start_matches([' ', '\t']);
                    let start = rest.len() - trimmed.len();
                    rest = &rest[start..];
                    (is_rest, from) = (true, at);
                }
                _ => return by_line,
            }
        }
        by_line
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let has_found = 0 < self.findings.counts.total();
        has_found.then(|| Candidate { format: "errorformat", findings: self.findings, ..Candidate::default() })
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::formats::shown;

    fn read(formats: &[&str], lines: &[&str]) -> Vec<String> {
        let mut running = Running::new(Arc::new(ErrorFormat::new("x", formats).unwrap()));
        for (at, text) in lines.iter().enumerate() {
            let start = at as u64;
            running.line(&Line::new(*text, Stream::Stdout, start..start + 1));
        }
        Box::new(running).finish().map(shown).unwrap_or_default()
    }

    #[test]
    fn one_line_formats_fill_findings() {
        let formats = ["%f:%l:%c: %t%n: %m", "%f:%l:%c:%*[^:]: %m", "%f:%l: %m", "%-G%.%#"];
        let lines = [
            "a.go:3:4: W12: bad",
            "C:\\a.go:5: worse",
            "a.go:1:2:note: x",
            "nothing",
            "a\\ b.go:7: y",
            "some words:7: y",
        ];
        assert_eq!(
            read(&formats, &lines),
            [
                "Warning a.go 3:4:-:- 12: bad",
                "Error C:/a.go 5:-:-:- -: worse",
                "Error a.go 1:2:-:- -: x",
                "Error a/ b.go 7:-:-:- -: y"
            ]
        );
    }

    #[test]
    fn a_finding_may_span_lines() {
        let javac = ["%E%f:%l: error: %m", "%W%f:%l: warning: %m", "%C  symbol: %m", "%Z%p^", "%C%.%#", "%-G%.%#"];
        let lines = [
            "A.java:5: error: cannot find symbol",
            "    int x = y;",
            "  symbol: y",
            "            ^",
            "B.java:6: warning: w",
            "1 error",
        ];
        assert_eq!(
            read(&javac, &lines),
            ["Error A.java 5:13:-:- -: cannot find symbol\ny", "Warning B.java 6:-:-:- -: w"]
        );
        let python = ["%A  File \"%f\"\\, line %l%.%#", "%C    %.%#", "%Z%[%^ ]%\\@=%m"];
        assert!(ErrorFormat::new("py", &python).is_err());
        let python = ["%A  File \"%f\"\\, line %l%.%#", "%+C    %.%#", "%Z%m"];
        let lines = ["  File \"a.py\", line 3, in f", "    x = 1", "NameError: no"];
        assert_eq!(read(&python, &lines), ["Error a.py 3:-:-:- -: x = 1\nNameError: no"]);
    }

    #[test]
    fn directories_and_files_are_entered_and_left() {
        let formats = ["%Dmake: Entering directory '%f'", "%Xmake: Leaving directory '%f'", "%f:%l: %m"];
        let lines = ["make: Entering directory 'sub'", "a.c:1: x", "make: Leaving directory 'sub'", "a.c:2: y"];
        assert_eq!(read(&formats, &lines), ["Error sub/a.c 1:-:-:- -: x", "Error a.c 2:-:-:- -: y"]);
        let formats = ["%+P[%f]", "(%l\\,%c)%*[ ]%t%*[^:]:%m", "%-Q"];
        let lines = ["[a1.tt]", "(1,17)  error: ';' missing", "(21,2)  warning: variable 'z' not defined", "", "x"];
        assert_eq!(
            read(&formats, &lines),
            ["Error a1.tt 1:17:-:- -: ';' missing", "Warning a1.tt 21:2:-:- -: variable 'z' not defined"]
        );
        let formats = ["%P[%f]%r", "%f:%l %m", "%l %m"];
        assert_eq!(read(&formats, &["[a.c]3 bad"]), ["Error a.c 3:-:-:- -: bad"]);
    }

    #[test]
    fn general_messages_are_no_findings() {
        assert!(read(&["%+GError in %.%#", "%-G%.%#"], &["Error in x", "y"]).is_empty());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place_and_a_remedy() {
        for (format, said) in [
            ("%f:%l:%y", "`%y` means nothing"),
            ("%f:%f", "`%f` stands twice"),
            ("%m%", "ends in `%`"),
            ("%m %[a", "is not closed"),
            ("%m%\\1", "refers back"),
            ("abc", "captures neither"),
        ] {
            let error = ErrorFormat::new("lint", &["%f:%l: %m", format]).unwrap_err().to_string();
            assert!(error.starts_with("lint, format 2:") && error.contains(said), "{format}: {error}");
        }
    }
}
