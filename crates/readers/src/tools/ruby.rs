//! Ruby itself: syntax errors, warnings, and uncaught exceptions.
//!
//! ```text
//! broken.rb:2: syntax error, unexpected string literal, expecting ')'
//! lib/calc.rb:6: warning: assigned but unused variable - unused
//! raises.rb:2:in `g': bad thing (ArgumentError)
//!         from raises.rb:6:in `f'
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("ruby", &[], Role::Compile).lines(&[LineFormat::new(
    &[": syntax error", ": warning: ", "Error)", "\tfrom ", "Exception)", "Syntax OK"],
    |is_hinted| Box::new(Ruby::new(is_hinted)),
)]);

/// Findings of the compiler; since version 3.4 `ruby: ` or the file precedes a syntax error.
static COMPILER: Pattern = Pattern::new(
    r"^(?:ruby: |[^\s:]+\.rb: )?(?:-e:in `[^']*': )?(?<file>[^\s:][^:]*|[A-Za-z]:[^:]+):(?<line>\d+): (?:(?<warning>warning: )|(?<syntax>(?:\(SyntaxError\) )?syntax errors?\b))(?<message>.*)$",
);

/// The first line of an exception: `raises.rb:2:in `g': bad thing (ArgumentError)`.
static RAISED: Pattern = Pattern::new(
    r"^(?<file>\S[^:]*|[A-Za-z]:[^:]+):(?<line>\d+):in (?:`|')(?<method>[^']+)': (?<message>.*?)(?: \((?<class>[A-Z][\w:]*)\))?$",
);

/// A location in the stack below the exception.
static FROM: Pattern = Pattern::new(r"^\s+(?:\d+: )?from (?<file>.+?):(?<line>\d+)(?::in .*)?$");

/// A source line shown by the parser since version 3.4: `> 2 |   puts "a"`.
static SOURCE: Pattern = Pattern::new(r"^(?<mark>[> ]) *(?<line>\d+) \| ?(?<source>.*)$");

/// The parser's message below a source line: `    |        ^ unexpected …`.
static CARET: Pattern = Pattern::new(r"^ +\| ?(?<indent> *)(?<mark>[\^~]+) ?(?<message>.*)$");

struct Ruby {
    is_hinted: bool,
    findings: Findings,
    open: Option<Open>,
    is_clean: bool,
    /// Whether the compiler reported an error.
    has_syntax: bool,
}

/// The finding whose lines are being read.
struct Open {
    found: Diagnostic,
    part: Part,
    lines: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A source line and a mark below it.
    Source,
    /// Numbered source lines, with messages below marks.
    Frame { line: Option<u32>, told: u32 },
    /// An exception; a further line of its message may name its class.
    Stack { is_known: bool },
}

/// What ends the names of files that Ruby reads, and its name for a script on the command line.
const FILES: &[&str] = &[".rb", ".rake", ".ru", ".gemspec", ".erb", "-e"];

impl Ruby {
    fn new(is_hinted: bool) -> Self {
        Self { is_hinted, findings: Findings::default(), open: None, is_clean: false, has_syntax: false }
    }

    fn close(&mut self) {
        let Some(Open { found, part, .. }) = self.open.take() else { return };
        match part {
            Part::Frame { told, .. } if 0 < told => {}
            Part::Stack { is_known: false } if !self.is_hinted && found.related.is_empty() => {}
            _ => self.findings.add(found),
        }
    }

    fn compiler(&mut self, line: &Line<'_>) -> bool {
        if !self.is_hinted && !FILES.iter().any(|end| line.text.contains(end)) {
            return false;
        }
        let Some(captures) = COMPILER.find(line.text.trim_end()) else { return false };
        let file = text::path(captures.text("file"));
        let is_ruby = FILES[..FILES.len() - 1].iter().any(|end| file.ends_with(end)) || file == "-e";
        let syntax = captures.get("syntax");
        // Other tools print such warnings too.
        if !is_ruby && !self.is_hinted {
            return false;
        }
        self.close();
        self.has_syntax |= syntax.is_some();
        let level = if syntax.is_some() { Level::Error } else { Level::Warning };
        let message = match syntax {
            Some(_) => format!("syntax error{}", captures.text("message")),
            None => captures.text("message").to_owned(),
        };
        let is_framed = syntax.is_some() && captures.text("message").starts_with(" found");
        let message = message.replacen("syntax error found", "syntax errors found", usize::from(is_framed));
        let mut found = diagnostic("ruby", "ruby/compiler", line, level, message.trim_end_matches(" (SyntaxError)"));
        found.file = Some(name(&file));
        found.line = captures.position("line");
        let part = if is_framed { Part::Frame { line: None, told: 0 } } else { Part::Source };
        self.open = Some(Open { found, part, lines: 0 });
        true
    }

    fn raised(&mut self, line: &Line<'_>) -> bool {
        let Some(captures) = RAISED.find(line.text.trim_end()) else { return false };
        self.close();
        let class = captures.get("class").map(name);
        let mut found = diagnostic("ruby", "ruby/uncaught", line, Level::Error, captures.text("message"));
        found.file = captures.file("file");
        found.line = captures.position("line");
        let part = Part::Stack { is_known: class.is_some() };
        found.code = class;
        self.open = Some(Open { found, part, lines: 0 });
        true
    }

    /// Reads a line below a finding.
    fn detail(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.open else { return false };
        let text = line.text.trim_end();
        open.lines += 1;
        let end = line.end;
        let is_own = match open.part {
            Part::Source => {
                let trimmed = text.trim_start();
                let is_mark =
                    !trimmed.is_empty() && trimmed.bytes().all(|byte| matches!(byte, b'^' | b'~' | b'.' | b' '));
                let is_source = open.lines == 1 && !text.is_empty() && !text.contains(": ");
                if is_source {
                    open.found.source = Some(cut::head(text, limit::MESSAGE_BYTES).to_owned());
                }
                is_source || (is_mark && trimmed.starts_with(['^', '~', '.']))
            }
            Part::Frame { line: number, told } => {
                if let Some(captures) = SOURCE.find(text) {
                    open.part = Part::Frame { line: captures.position("line"), told };
                    true
                } else if let Some(captures) = CARET.find(text) {
                    let column = u32::try_from(captures.text("indent").len() + 1).ok();
                    for message in captures.text("message").split("; ").take(1).filter(|message| !message.is_empty()) {
                        let mut found = open.found.clone();
                        message.clone_into(&mut found.message);
                        (found.line, found.column) = (number.or(found.line), column);
                        found.origin = candidate::origin("ruby/compiler", line);
                        self.findings.add(found);
                        open.part = Part::Frame { line: number, told: told + 1 };
                    }
                    true
                } else {
                    text.trim_start().starts_with('~') || text.trim_start().starts_with("...")
                }
            }
            Part::Stack { .. } => open.stack(text),
        };
        if is_own {
            open.found.origin.end = end;
        } else {
            self.close();
        }
        is_own
    }
}

impl Open {
    /// Reads a stack location or a further line of the message.
    fn stack(&mut self, text: &str) -> bool {
        if let Some(captures) = FROM.find(text) {
            candidate::relate(&mut self.found, [captures.related()]);
            return true;
        }
        let is_open = self.found.related.is_empty() && self.lines < 40;
        if is_open && !text.is_empty() && text.starts_with(' ') {
            text::add_line(&mut self.found.message, text, limit::MESSAGE_BYTES);
            return true;
        }
        is_open && text.is_empty() && self.lines < 3
    }
}

impl LineReader for Ruby {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        let is_frame = matches!(self.open, Some(Open { part: Part::Frame { .. }, .. })) && text.contains(" | ");
        if !is_frame {
            if text.contains(": ") && (self.compiler(line) || (text.contains(":in ") && self.raised(line))) {
                return Use::Line;
            }
            if text.trim_end() == "Syntax OK" {
                self.is_clean |= self.is_hinted;
                return if self.is_hinted { Use::Line } else { Use::None };
            }
        }
        if self.detail(line) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let is_recognized = self.is_clean || 0 < self.findings.counts.total();
        // For a mere warning or exception in another tool's output, that tool's findings take precedence.
        let confidence = if self.has_syntax || self.is_clean { Confidence::Certain } else { Confidence::Likely };
        is_recognized.then(|| Candidate::of("text", self.findings).confidence(confidence))
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    /// Level, file, line, column and message of a finding.
    type Facts = (Level, String, Option<u32>, Option<u32>, String);

    fn found(lines: &[&str]) -> Vec<Facts> {
        let mut reader = Box::new(Ruby::new(false));
        for (at, text) in lines.iter().enumerate() {
            let (start, text) = (at as u64, *text);
            reader.line(&Line::new(text, Stream::Stderr, start..start + 1));
        }
        let found = reader.finish().map_or(Vec::new(), |candidate| candidate.findings.kept.into_items());
        found.into_iter().map(|it| (it.level, it.file.unwrap(), it.line, it.column, it.message)).collect()
    }

    #[test]
    fn both_parsers_are_read() {
        let old = ["a.rb:2: syntax error, unexpected ')'", "  puts a)", "        ^", "a.rb:3: warning: unused"];
        let is = |level, line, column, message: &str| (level, "a.rb".to_owned(), line, column, message.to_owned());
        assert_eq!(
            found(&old),
            [
                is(Level::Error, Some(2), None, "syntax error, unexpected ')'"),
                is(Level::Warning, Some(3), None, "unused")
            ]
        );
        let new = [
            "a.rb: --> a.rb",
            "a.rb:1: syntax errors found (SyntaxError)",
            "  1 | def f(",
            "> 2 |   puts \"a\"",
            "    |        ^ unexpected string literal; expected a `)` to close the parameters",
        ];
        assert_eq!(found(&new), [is(Level::Error, Some(2), Some(8), "unexpected string literal")]);
    }

    #[test]
    fn exceptions_have_a_class_or_a_stack() {
        let raised = ["a.rb:2:in `g': bad thing (ArgumentError)", "\tfrom a.rb:6:in `f'"];
        let all = found(&raised);
        assert_eq!((all.len(), all[0].2, all[0].4.as_str()), (1, Some(2), "bad thing"));
        assert!(found(&["a.rb:2:in `g': loading"]).is_empty());
        assert!(found(&["main.c:3: warning: unused"]).is_empty());
    }
}
