//! `file.go:line:column: message`, with the package in a line before (`# example.com/demo`); further lines of a
//! message begin with a tab.

use crate::prelude::*;
use crate::rows::Row;

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

/// `app/main.go:5:2: message`.
const FOUND: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:#][^:]*\.(?:go|s|S|y|mod|work|c|h|cgo1\.go)):(?<line>\d+)(?::(?<column>\d+))?: (?<message>\S.*)$";

/// The same with a column, which lines of ordinary logs do not have.
const PLACED: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:#][^:]*\.(?:go|s|S|y|mod|work|c|h|cgo1\.go)):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$";

/// A compile error that vet passes on: it checks nothing else in the package.
const PASSED_ON: &str = r"^vet: (?<file>(?:[A-Za-z]:)?[^\s:#][^:]*\.(?:go|s|S|y|mod|work|c|h|cgo1\.go)):(?<line>\d+)(?::(?<column>\d+))?: (?<message>\S.*)$";

/// Decisions of the compiler, printed with `-gcflags=-m`; they are no problems.
const OF_OPTIMIZER: &str = r"^(?<file>(?:[A-Za-z]:)?[^\s:#][^:]*\.(?:go|s|S|y|mod|work|c|h|cgo1\.go)):(?<line>\d+)(?::\d+)?: (?:can inline |cannot inline |inlining call to |leaking (?:closure|param)|moved to heap: |ignoring self-assignment |devirtualizing |index bounds check elided|Found Is(?:Slice)?InBounds|\S.* (?:escapes to heap|does not escape)(?: in \S+)?:?$|  )";

/// The lines of a package follow; in [`OF_VET`], what vet says of it.
const OF_PACKAGE: &str = r"^# [\w./~@+-]+(?: \[[\w./~@+-]+\])?$";
const OF_VET: &str = r"^# \[[\w./~@+-]+\]?(?: \[[\w./~@+-]+\])?$";

/// `go build`.
pub(crate) static BUILD: Rows = Rows::new("go-build", "text").lists().and(FURTHER).rows(&[
    within(OF_VET).tentative().enters("vet"),
    within(OF_PACKAGE).enters("package"),
    within(OF_OPTIMIZER).inside("package"),
    within(OF_OPTIMIZER).hinted(),
    head(PASSED_ON).hinted().inside("package|vet").with_previous().then(of_build).enters(""),
    head(PASSED_ON).hinted().then(of_build).enters(""),
    head(FOUND).inside("package"),
    head(FOUND).inside("vet").then(of_vet).hinted(),
    head(FOUND).hinted(),
    head(FOUND).inside("").check(|made, _| OF_COMPILER.is_match(&made.message)),
]);

/// Errors that keep `go test` from building a package.
pub(crate) static TEST: Rows = Rows::new("go-build", "text")
    .lists()
    .rows(&[
        within(OF_VET).with_previous().enters("vet"),
        within(OF_PACKAGE).enters("package"),
        within(OF_OPTIMIZER).inside("package|vet"),
        head(PASSED_ON).inside("package|vet").with_previous().then(of_build).enters(""),
        head(FOUND).inside("package"),
        head(FOUND).inside("vet").then(of_vet),
    ])
    .and(FURTHER);

/// `go vet`.
pub(crate) static VET: Rows = Rows::new("govet", "text").confidence(Confidence::Likely).lists().and(FURTHER).rows(&[
    within(OF_VET).with_previous().enters("vet"),
    within(OF_PACKAGE).tentative().enters("package"),
    head(PASSED_ON).inside("package|vet").with_previous().then(of_build).enters("").names_tool(),
    head(PASSED_ON).then(of_build).enters("").names_tool(),
    head(FOUND).inside("vet").names_tool(),
    head(FOUND).hinted(),
    head(PLACED).inside("").check(is_of_vet),
    head(FOUND).inside("").check(is_of_vet).common(),
    // The end of the output of vet, even where no line has a column.
    within("^exit status 1$").open().confirms(),
]);

/// Messages about a package or the module as a whole, and further lines of a message.
const FURTHER: &[Row] = &[
    finding(r"^\t(?<message>imports .*: import cycle not allowed)$").names_tool(),
    finding(r"^(?<message>go: (?:go\.mod file not found|cannot find main module|updates to go\.mod needed|inconsistent vendoring|errors parsing go\.mod).*)$")
        .names_tool(),
    finding(r"^(?<message>.*function main is undeclared in the main package)$").names_tool(),
    part(r"^\t\s*(?<message>\S.*)$"),
    within("^too many errors$").inside("package|vet"),
];

fn of_build(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    "go-build".clone_into(&mut made.tool);
}

/// `go test` also runs vet on the packages that it builds.
fn of_vet(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    "govet".clone_into(&mut made.tool);
    "govet/text".clone_into(&mut made.origin.rule);
}

fn is_of_vet(made: &mut Diagnostic, _: &Groups<'_, '_>) -> bool {
    !OF_COMPILER.is_match(&made.message) && !is_of_another_linter(&made.message)
}

/// Starts and phrases of messages of the compiler and the package loader.
static OF_COMPILER: Pattern = Pattern::new(
    r"^(?:undefined: |syntax error: |cannot (?:use|assign|find (?:module|package)|convert|call|refer|infer|range|take|index|slice) |declared and not used: |missing return|too many (?:arguments|errors|return values)|not enough (?:arguments|return values)|invalid operation: |invalid (?:argument|recursive type|use of|receiver type)|assignment mismatch: |expected |non-(?:name|boolean|declaration) |no new variables |no required module |package \S+ is not in |import cycle |duplicate (?:case|key|method|argument)|unknown field |undefined reference|found packages |impossible type |multiple-value |label \S+ (?:not )?(?:defined|already) |missing go\.sum |use of internal package |import \S+ is a program)|imported and not used|declared (?:and|but) not used| redeclared in this block|undefined \(type | is not a type$|missing function body| \(untyped .* constant|does not implement | is not used$|other declaration of ",
);

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
    use super::*;
    use crate::trial::claimed;

    fn read(rows: &'static Rows, text: &str) -> Vec<(String, Option<u32>)> {
        let found = claimed(rows.reader(false), text);
        let found = found.map(|candidate| candidate.findings.kept.into_items()).unwrap_or_default();
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
