//! Ruby itself: syntax errors, warnings, and uncaught exceptions.
//!
//! ```text
//! broken.rb:2: syntax error, unexpected string literal, expecting ')'
//! lib/calc.rb:6: warning: assigned but unused variable - unused
//! raises.rb:2:in `g': bad thing (ArgumentError)
//!         from raises.rb:6:in `f'
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("ruby", &[], Role::Compile).lines(&[LineFormat::rows(
    &[": syntax error", "Error)", "\tfrom ", "Exception)", "Syntax OK"],
    &TEXT,
)
.both(&[": warning: "], &[".rb:", ".rake:", ".ru:", ".gemspec:", ".erb:", "-e:"])]);

const COMPILER: &str = "ruby/compiler";

/// A syntax error whose source and messages follow, as printed since version 3.4: `ruby: ` or the file may precede it.
const FRAMED: &str = r"^(?:ruby: |[^\s:]+\.rb: )?(?:-e:in `[^']*': )?(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:rb|rake|ru|gemspec|erb)|-e):(?<line>\d+): (?:\(SyntaxError\) )?syntax errors? found";

const SYNTAX: &str = r"^(?:ruby: |[^\s:]+\.rb: )?(?:-e:in `[^']*': )?(?<file>[^\s:][^:]*|[A-Za-z]:[^:]+):(?<line>\d+): (?:\(SyntaxError\) )?(?<message>syntax errors?\b.*?)(?: \(SyntaxError\))?$";

const WARNING: &str = r"^(?:ruby: |[^\s:]+\.rb: )?(?:-e:in `[^']*': )?(?<file>[^\s:][^:]*|[A-Za-z]:[^:]+):(?<line>\d+): warning: (?<message>.*)$";

/// An exception without its class, which another program's message may look like.
const RAISED: &str = r"^(?<file>\S[^:]*|[A-Za-z]:[^:]+):(?<line>\d+):in (?:`|')[^']+': (?<message>.*)$";

/// A location in the stack below the exception.
const FROM: &str = r"^\s+(?:\d+: )?from (?<file>.+?):(?<line>\d+)(?::in .*)?$";

// A mere warning or exception in another tool's output yields to that tool's findings.
static TEXT: Rows = Rows::new("ruby", "text").confidence(Confidence::Likely).yields().lists().most_lines(40).rows(&[
    subheading(r"^[> ] *(?<line>\d+) \| ?(?<source>.*)$").inside("frame"),
    finding(r"^ +\| ?(?<caret> *[\^~]+) ?(?<message>\S.*?)(?:; .*)?$").rule(COMPILER).inside("frame"),
    within(r"^ +\| |^ *(?:~|\.\.\.)").inside("frame"),
    heading(FRAMED).enters("frame").names_tool().fails(),
    head(SYNTAX).rule(COMPILER).check(is_ruby).enters("source").names_tool().fails(),
    head(SYNTAX).rule(COMPILER).hinted().enters("source").names_tool().fails(),
    head(WARNING).rule(COMPILER).level(Level::Warning).check(is_ruby).enters("source"),
    head(WARNING).rule(COMPILER).level(Level::Warning).hinted().enters("source"),
    head(r"^(?<file>\S[^:]*|[A-Za-z]:[^:]+):(?<line>\d+):in (?:`|')[^']+': (?<message>.*?) \((?<code>[A-Z][\w:]*)\)$")
        .rule("ruby/uncaught")
        .enters("stack"),
    head(RAISED).rule("ruby/uncaught").hinted().enters("stack"),
    lead(RAISED).rule("ruby/uncaught").enters("stack"),
    known("^Syntax OK$").hinted(),
    // The line below is the source, those below it are marks.
    part(r"^(?<source>(?:[^:]|:[^ ])+)$").inside("source").enters("mark"),
    part(r"^ *[\^~.][\^~. ]*$").inside("source|mark").enters("mark"),
    rest(FROM).then(|made, found| candidate::relate(made, [found.related()])),
    related(FROM).inside("stack"),
    part("^(?<message> .*)$").inside("stack").check(|made, _| made.related.is_empty()),
]);

/// Whether a file is one that Ruby reads; other tools print such lines too.
fn is_ruby(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    let file = made.file.as_deref().unwrap_or_default();
    file == "-e" || text::has_extension(file, &["rb", "rake", "ru", "gemspec", "erb"])
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    /// Level, file, line, column and message of a finding.
    type Facts = (Level, String, Option<u32>, Option<u32>, String);

    fn found(lines: &[&str]) -> Vec<Facts> {
        let mut reader = TEXT.reader(false);
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
