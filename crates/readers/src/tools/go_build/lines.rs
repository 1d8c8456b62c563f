//! `file.go:line:column: message`, with the package in a line before (`# example.com/demo`); further lines of a
//! message begin with a tab.

use super::LEVEL;
use crate::prelude::*;

/// Texts one of which is in some line of every output of these tools.
pub(crate) const PREFILTER: &[&str] = &[
    ".go:",
    ".s:",
    ": import cycle not allowed",
    "go: go.mod file not found",
    "go: cannot find main module",
    "go.mod:",
    "function main is undeclared in the main package",
    "missing go.sum entry",
];

/// The lines that a tool prints, and their level.
pub(crate) struct Kind {
    pub(crate) tool: &'static str,
    pub(crate) rule: &'static str,
    pub(crate) level: Level,
    /// Which lines outside a package section are the tool's when there is no hint.
    bare: Bare,
    /// Whether lines in a package section are the tool's.
    takes_sections: fn(is_vet: bool) -> bool,
}

/// How a tool treats lines that no package name precedes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bare {
    /// Never the tool's, with or without a hint.
    Never,
    /// The tool's if worded like messages of the compiler.
    OfCompiler,
    /// The tool's unless worded like messages of the compiler.
    NotOfCompiler,
}

/// `go build`.
pub(crate) const BUILD: Kind = Kind {
    tool: "go-build",
    rule: "go-build/text",
    level: LEVEL,
    bare: Bare::OfCompiler,
    takes_sections: |is_vet| !is_vet,
};

/// `go vet`.
pub(crate) const VET: Kind = Kind {
    tool: "govet",
    rule: "govet/text",
    level: Level::Error,
    bare: Bare::NotOfCompiler,
    takes_sections: |is_vet| is_vet,
};

/// Errors that keep `go test` from building a package.
pub(crate) const TEST: Kind =
    Kind { tool: "go-build", rule: "go-build/text", level: LEVEL, bare: Bare::Never, takes_sections: |_| true };

/// `app/main.go:5:2: message`, `vet: ./a.go:3:2: message`.
static FINDING: Pattern = Pattern::new(
    r"^(?:vet: )?(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:go|s|S|y|mod|work|c|h|cgo1\.go)):(?<line>\d+)(?::(?<column>\d+))?: (?<message>\S.*)$",
);

/// `# example.com/demo [example.com/demo.test]`; `# [example.com/demo]` precedes findings of vet.
static SECTION: Pattern = Pattern::new(r"^# (?<vet>\[)?[\w./~@+-]+\]?(?: \[[\w./~@+-]+\])?$");

/// Starts and phrases of messages of the compiler and the package loader.
static OF_COMPILER: Pattern = Pattern::new(
    r"^(?:undefined: |syntax error: |cannot (?:use|assign|find (?:module|package)|convert|call|refer|infer|range|take|index|slice) |declared and not used: |missing return|too many (?:arguments|errors|return values)|not enough (?:arguments|return values)|invalid operation: |invalid (?:argument|recursive type|use of|receiver type)|assignment mismatch: |expected |non-(?:name|boolean|declaration) |no new variables |no required module |package \S+ is not in |import cycle |duplicate (?:case|key|method|argument)|unknown field |undefined reference|found packages |impossible type |multiple-value |label \S+ (?:not )?(?:defined|already) |missing go\.sum |use of internal package |import \S+ is a program)|imported and not used|declared (?:and|but) not used| redeclared in this block|undefined \(type | is not a type$|missing function body| \(untyped .* constant|does not implement | is not used$|other declaration of ",
);

/// Decisions of the compiler, printed with `-gcflags=-m`; they are no problems.
static OF_OPTIMIZER: Pattern = Pattern::new(
    r"^(?:can inline |cannot inline |inlining call to |leaking (?:closure|param)|moved to heap: |ignoring self-assignment |devirtualizing |index bounds check elided|Found Is(?:Slice)?InBounds|\S.* (?:escapes to heap|does not escape)(?: in \S+)?:?$|  )",
);

/// Messages of the go command about the module as a whole.
const OF_MODULE: &[&str] = &[
    "go: go.mod file not found",
    "go: cannot find main module",
    "go: updates to go.mod needed",
    "go: inconsistent vendoring",
    "go: errors parsing go.mod",
];

pub(crate) struct Compiler {
    kind: &'static Kind,
    is_hinted: bool,
    findings: Findings,
    section: Option<Section>,
    open: Option<Diagnostic>,
    /// Whether a line identified the tool.
    is_certain: bool,
    /// Whether a line outside a package section has a column: lines of ordinary logs have none.
    has_column: bool,
    bare: u64,
}

/// A package section: the findings of the package follow.
#[derive(Clone, Copy)]
struct Section {
    is_vet: bool,
}

impl Compiler {
    pub(crate) fn new(kind: &'static Kind, is_hinted: bool) -> Self {
        Self {
            kind,
            is_hinted,
            findings: Findings::default(),
            section: None,
            open: None,
            is_certain: false,
            has_column: false,
            bare: 0,
        }
    }

    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }

    fn finding(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if text.starts_with([' ', '\t', '#']) || !text.contains(": ") {
            return false;
        }
        let Some(captures) = FINDING.find(text) else { return false };
        let message = captures.text("message");
        let is_vet = text.starts_with("vet: ");
        let is_own = match self.section {
            _ if is_vet && self.kind.bare != Bare::Never => self.is_hinted || self.kind.bare == Bare::NotOfCompiler,
            Some(section) => {
                (self.kind.takes_sections)(section.is_vet) || self.is_hinted && self.kind.bare != Bare::Never
            }
            None => match self.kind.bare {
                Bare::Never => false,
                _ if self.is_hinted => true,
                Bare::OfCompiler => OF_COMPILER.is_match(message),
                Bare::NotOfCompiler => !OF_COMPILER.is_match(message) && !is_of_another_linter(message),
            },
        };
        if !is_own {
            return false;
        }
        self.close();
        if OF_OPTIMIZER.is_match(message) {
            return true;
        }
        if self.section.is_some() || is_vet {
            self.is_certain = true;
        } else {
            self.has_column |= captures.has("column");
            self.bare += 1;
        }
        // `go test` also runs vet on the packages it builds.
        let by_vet = self.section.is_some_and(|section| section.is_vet);
        let Kind { tool, rule, level, .. } = if by_vet { &VET } else { self.kind };
        let mut found = captures.diagnostic(tool, rule, line, *level);
        if is_vet {
            // With this prefix vet passes on a compile error, and checks nothing else in the package.
            BUILD.tool.clone_into(&mut found.tool);
            self.section = None;
        }
        self.open = Some(found);
        true
    }

    /// Reads a message about a package or the module as a whole.
    fn placeless(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let is_cycle = text.ends_with(": import cycle not allowed") && text.starts_with("\timports ");
        let is_of_module = text.starts_with("go: ") && OF_MODULE.iter().any(|said| text.starts_with(said));
        let has_no_main = text.ends_with("function main is undeclared in the main package");
        if !is_cycle && !is_of_module && !has_no_main || self.kind.level != LEVEL {
            return false;
        }
        self.close();
        self.is_certain = true;
        self.findings.add(diagnostic(self.kind.tool, self.kind.rule, line, LEVEL, text.trim()));
        true
    }
}

impl LineReader for Compiler {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if text.starts_with("# ")
            && let Some(captures) = SECTION.find(text)
        {
            self.close();
            let is_vet = captures.has("vet");
            self.section = Some(Section { is_vet });
            return match ((self.kind.takes_sections)(is_vet), is_vet) {
                (false, _) => Use::None,
                (true, false) => Use::Line,
                // The line before names the package too.
                (true, true) => Use::WithPrevious,
            };
        }
        let is_below_name = self.section.is_some() && text.starts_with("vet: ");
        if self.finding(line) || self.placeless(line) {
            return if is_below_name { Use::WithPrevious } else { Use::Line };
        }
        if let Some(open) = &mut self.open
            && text.starts_with('\t')
            && !line.is_blank()
        {
            text::add_line(&mut open.message, text.trim(), limit::MESSAGE_BYTES);
            open.origin.end = line.end;
            return Use::Line;
        }
        if text == "exit status 1" && self.open.is_some() && self.kind.bare == Bare::NotOfCompiler {
            // `exit status 1` ends the output of vet, even where no line has a column.
            self.has_column = true;
            self.close();
            return Use::Line;
        }
        self.close();
        if text == "too many errors" && self.section.is_some() {
            return Use::Line;
        }
        self.section = None;
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let found = 0 < self.findings.counts.total();
        let is_recognized = self.is_hinted || self.is_certain || self.has_column || self.kind.bare == Bare::OfCompiler;
        let confidence = if self.is_certain || self.is_hinted || self.kind.bare == Bare::OfCompiler {
            Confidence::Certain
        } else {
            Confidence::Likely
        };
        (found && is_recognized).then(|| Candidate::of("text", self.findings).confidence(confidence))
    }
}

/// Whether a message is worded like those of other linters that print lines in the same format.
fn is_of_another_linter(message: &str) -> bool {
    message.contains(" ==> ")
        || message.ends_with(')') && message.rfind(" (").is_some_and(|at| is_code(&message[at + 2..message.len() - 1]))
        || message.contains(" is a misspelling of ")
        || ["error: ", "warning: ", "note: ", "info: ", "[", "E", "W"].iter().any(|start| {
            message.starts_with(start) && (1 < start.len() || message.as_bytes().get(1).is_some_and(u8::is_ascii_digit))
        })
}

/// Whether a word in parentheses is a rule code or the name of a linter.
fn is_code(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn read(kind: &'static Kind, text: &str) -> Vec<(String, Option<u32>)> {
        let mut reader = Box::new(Compiler::new(kind, false));
        for text in text.lines() {
            let end = text.len() as u64;
            reader.line(&Line::new(text, Stream::Stderr, 0..end));
        }
        let found = reader.finish().map(|candidate| candidate.findings.kept.into_items()).unwrap_or_default();
        found.into_iter().map(|found| (found.message, found.line)).collect()
    }

    #[test]
    fn packages_tell_whose_the_lines_are() {
        let text = "# a/b\n./x.go:3:4: odd words\n\thave (int)\n\n./y.go:3: a log line\n";
        assert_eq!(read(&BUILD, text), [("odd words\nhave (int)".to_owned(), Some(3))]);
        assert!(read(&VET, text).is_empty());
        let text = "# a/b\n# [a/b]\n./x.go:3:4: unreachable code\n";
        assert_eq!(read(&VET, text).len(), 1);
        assert!(read(&BUILD, text).is_empty());
        let text = "# a/b\n./x.go:3:4: can inline F\n./x.go:3:4: ... argument does not escape\n./x.go:3:9: \"x\" escapes to heap\n./x.go:4:9: undefined: y\n";
        assert_eq!(
            read(&BUILD, text),
            [("undefined: y".to_owned(), Some(4))],
            "the optimizer's decisions are no findings"
        );
    }

    #[test]
    fn bare_lines_are_told_apart_by_their_words() {
        let text = "x.go:3:4: undefined: y\n";
        assert_eq!((read(&BUILD, text).len(), read(&VET, text).len(), read(&TEST, text).len()), (1, 0, 0));
        let text = "x.go:3:4: unreachable code\nx.go:9:1: bad name (revive)\n";
        assert_eq!((read(&BUILD, text).len(), read(&VET, text).len()), (0, 1));
        assert!(read(&VET, "x.go:3: started\n").is_empty());
    }
}
