//! Linkers that print as GNU `ld` does, `gold` among them, and Apple's.
//!
//! ``/usr/bin/ld: /src/link.c:3: undefined reference to `missing'`` or, without debug information,
//! ``link.c:(.text+0xa): undefined reference to `missing'``; at the end `collect2: error: ld returned 1 exit status`.

use crate::prelude::*;
use crate::shapes::nothing;

pub(crate) static TOOL: Tool = Tool::new("ld", &["gold", "collect2"], Role::Compile)
    .lines(&[LineFormat::new(PREFILTER, |_| Box::new(Ld::default()))]);

/// What is in the first line of a linker's finding.
pub(crate) const PREFILTER: &[&str] = &[
    "undefined reference to ",
    "multiple definition of ",
    "ld: cannot ",
    "ld.exe: cannot ",
    "ld: warning: ",
    "ld: error: ",
    "ld.gold: error: ",
    "ld.bfd: ",
    "Undefined symbols for architecture",
    "ld: library not found",
    "ld: framework not found",
    "duplicate symbol '",
    " symbols for architecture",
    "ld: relocation ",
    "file format not recognized",
    "file not recognized",
    "recompile with -f",
    "ld returned 1 exit status",
    "collect2: fatal error: ",
];

/// A finding at a place: a line of the source, or of a section of an object.
static PLACED: Pattern = Pattern::new(
    r"^(?:(?:\S*[/\\])?(?:[\w-]+-)?ld(?:\.\w+)*: )?(?:(?<object>(?:[A-Za-z]:)?[^:\s]+\.(?:o|obj|a|so|lo)(?:\([^)]*\))?):)?(?<file>(?:[A-Za-z]:)?[^:\s(][^:]*?)?(?::(?<line>\d+))?(?::?\([^()]*(?:\([^()]*\)[^()]*)*\)|:function [^']*?)?: (?:error: )?(?<message>(?:undefined reference to|multiple definition of) .*)$",
);

/// A finding of the linker itself.
static OWN: Pattern = Pattern::new(
    r"^(?:(?:\S*[/\\])?(?:[\w-]+-)?ld(?:\.(?:gold|bfd|exe|real))*|collect2): (?:(?<level>fatal error|error|warning): )?(?<message>\S.*)$",
);

/// `  "_missing", referenced from:`, below `Undefined symbols for architecture …:`.
static SYMBOL: Pattern = Pattern::new(r#"^  (?<symbol>".*"), referenced from:$"#);

/// Words of which one is in every finding that is not said to be an error.
const WRONG: &str = "cannot |can not |could not |failed to |not found|unrecognized|not recognized|undefined |relocation |mismatch|\
    duplicate |No such file|unknown |is incompatible with|dangerous";

/// Makes the reader that stands beside a compiler's: where the command is not known, the linker is a tool of its own.
pub(crate) fn beside(is_hinted: bool) -> Box<dyn LineReader> {
    nothing::with_hint(is_hinted, || Box::new(Ld::default()))
}

#[derive(Default)]
pub(crate) struct Ld {
    findings: Findings,
    /// Warnings that undefined references bring about.
    consequences: Vec<Diagnostic>,
    /// Whether the lines below name undefined symbols.
    is_in_symbols: bool,
}

impl Ld {
    fn placed(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = PLACED.find(&line.text) else { return false };
        let mut made = found.diagnostic("ld", "ld/text", line, Level::Error);
        // What was optimized when it was linked has no file.
        made.file = made.file.or_else(|| found.file("object")).filter(|file| file != "<artificial>");
        self.findings.add(made);
        true
    }

    fn own(&mut self, line: &Line<'_>) -> bool {
        let Some(found) = OWN.find(&line.text) else { return false };
        let message = found.text("message");
        let is_sum = message.contains("ld returned ")
            || message.starts_with("symbol(s) not found")
            || message.starts_with("final link failed")
            || message.contains(": in function ")
            || message.contains(": In function ")
            || message.starts_with("skipping incompatible ")
            || message.ends_with("first defined here")
            || message.ends_with(": previous definition here")
            // gold explains an undefined reference that it lists, too.
            || message.starts_with("the vtable symbol may be undefined because ");
        if is_sum {
            return true;
        }
        let is_warning = !found.has("level") && message.contains(": warning: ");
        if !found.has("level") && !is_warning && !WRONG.split('|').any(|word| message.contains(word)) {
            return false;
        }
        let level = if is_warning { Level::Warning } else { Level::Error };
        let made = found.diagnostic("ld", "ld/text", line, level);
        if message.contains("relocation against ") && is_warning || message.starts_with("creating DT_TEXTREL") {
            self.consequences.push(made);
            self.consequences.truncate(limit::FINDINGS_KEPT);
        } else {
            self.findings.add(made);
        }
        true
    }

    /// Takes what Apple's linker lists below a heading.
    fn symbols(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if text.starts_with("Undefined symbols for architecture ") || text == "Undefined symbols:" {
            self.is_in_symbols = true;
            return true;
        }
        if text.starts_with("duplicate symbol ") && text.ends_with("in:") {
            let message = text.trim_end_matches(" in:");
            self.findings.add(diagnostic("ld", "ld/apple", line, Level::Error, message));
            return true;
        }
        if !self.is_in_symbols {
            return false;
        }
        if let Some(found) = SYMBOL.find(text) {
            let message = format!("undefined symbol {}", found.text("symbol"));
            self.findings.add(diagnostic("ld", "ld/apple", line, Level::Error, &message));
            return true;
        }
        self.is_in_symbols = text.starts_with("      ");
        self.is_in_symbols
    }
}

impl LineReader for Ld {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        let is_context = || (text.contains(": In function ") || text.contains(": in function ")) && text.contains(".o");
        if self.placed(line) || self.own(line) || self.symbols(line) || is_context() {
            return Use::Line;
        }
        Use::None
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        if self.findings.counts.errors == 0 {
            self.consequences.drain(..).for_each(|found| self.findings.add(found));
        }
        self.findings.candidate("text")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_of_the_source_where_it_is_known() {
        for (text, file, number) in [
            ("/usr/bin/ld: /src/link.c:3: undefined reference to `x'", Some("/src/link.c"), Some("3")),
            ("/src/link.c:3: undefined reference to `x'", Some("/src/link.c"), Some("3")),
            ("link.c:(.text+0xa): undefined reference to `x'", Some("link.c"), None),
            ("/usr/bin/ld: a.o:link.c:(.text+0xa): undefined reference to `x'", Some("link.c"), None),
            ("C:/mingw/bin/ld.exe: C:\\t\\a.o:link.c:(.text+0xa): undefined reference to `x'", Some("link.c"), None),
            ("(.text+0x17): undefined reference to `main'", None, None),
            ("foo.so: undefined reference to `x'", Some("foo.so"), None),
            ("link.c:3: error: undefined reference to 'x'", Some("link.c"), Some("3")),
            ("/tmp/a.o:b.cpp:function main: error: undefined reference to 'x'", Some("b.cpp"), None),
            ("/tmp/a.o:b.cpp:function W::~W(): error: undefined reference to 'V::~V()'", Some("b.cpp"), None),
        ] {
            let found = PLACED.find(text).unwrap();
            assert_eq!((found.get("file"), found.get("line")), (file, number), "{text}");
        }
    }
}
