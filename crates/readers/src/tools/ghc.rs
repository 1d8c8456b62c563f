//! GHC, the Haskell compiler, also with its output passed on by cabal and stack.
//!
//! ```text
//! Main.hs:15:9: error: [GHC-88464]
//!     Variable not in scope: undefinedName
//!    |
//! 15 |   print undefinedName
//!    |         ^^^^^^^^^^^^^
//! ```
//!
//! Before version 9.4 there is no code, and a one-line message may follow the severity.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("ghc", &["cabal", "stack", "runghc", "ghci"], Role::Compile).lines(&[
    LineFormat::rows(&["<no location info>: ", "<interactive>", "<command line>"], &TEXT).both(
        &[": error:", ": warning:", ": fatal:", ": information:"],
        &["hs:", ".hs-boot:", ".hsc:", ".hsig:", ".cabal:", ".x:", ".y:"],
    ),
    LineFormat::new(&["\"ghcVersion\":\"ghc-"], |_| JSON.reader()),
]);

/// The text format. The prefix that stack writes before every line is left out.
static TEXT: Rows = Rows::new("ghc", "text").spans_blank_lines().rows(&[
    head(
        r"^(?:[\w.-]+ *> )?(?:(?<file>(?:[A-Za-z]:)?[^\s:][^:]*\.(?:l?hs|hs-boot|hsc|chs|hsig|cabal|x|y)):(?:(?<line>\d+):(?<column>\d+)(?:-(?<last_column>\d+))?|\((?<line2>\d+),(?<column2>\d+)\)-\((?<end_line>\d+),(?<last_column2>\d+)\))|<(?:no location info|interactive|command line)>(?::\d+:\d+(?:-\d+)?)?): (?<level>error|warning|fatal|information):?(?<tail>.*)$",
    )
    .then(|made, found| {
        let (codes, message) = split_codes(found.text("tail"));
        // Terminals without bullets show an asterisk instead.
        let message = message.strip_prefix("• ").or_else(|| message.strip_prefix("* ")).unwrap_or(message);
        (made.code, made.message) = (code(&codes, made.level), message.to_owned());
})
    .enters("message"),
    part(r"^(?:[\w.-]+ *> )? *(?<number>\d+) +\| ?(?<source>.*)$").enters("frame").check(|made, found| {
        made.source.is_none() && found.position("number") == made.line
    }),
    part(r"^(?:[\w.-]+ *> )? +\| ?(?<caret> *\^+)").enters("frame"),
    part(r"^(?:[\w.-]+ *> )? *\d* +\|").enters("frame"),
    part(r"^(?:[\w.-]+ *> )?    \s*(?:[•*] )?(?<message>.*)$").inside("message"),
]);

/// Splits the bracketed codes that follow the severity from the message.
fn split_codes(tail: &str) -> (Vec<&str>, &str) {
    let mut codes = Vec::new();
    let mut rest = tail.trim();
    while let Some((inner, behind)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        if !inner.starts_with("GHC-") && !inner.starts_with("-W") && !inner.starts_with("-f") {
            break;
        }
        codes.extend(inner.split(", "));
        rest = behind.trim_start();
    }
    (codes, rest)
}

/// Returns the code of a finding: the number for an error, the flag that enables it for a warning.
fn code(codes: &[&str], level: Level) -> Option<String> {
    let flag = codes.iter().find(|code| code.starts_with("-W") && !code.starts_with("-Werror"));
    let number = codes.iter().find(|code| code.starts_with("GHC-"));
    let code = if level == Level::Error { number.or(flag) } else { flag.or(number) };
    code.or(codes.first()).map(|code| name(code))
}

/// The JSON format of `-fdiagnostics-as-json`, since version 9.10.
static JSON: JsonLines = JsonLines::of("json", &["\"ghcVersion\""], &MEMBERS);

const MEMBERS: Members = Members {
    tool: "ghc",
    message: "",
    file: "span/file",
    line: "span/start/line",
    column: "span/start/column",
    end_line: "span/end/line",
    end_column: "span/end/column",
    suggestion: "hints/0",
    level: "severity",
    otherwise: Level::Info,
    needs: &["severity", "message"],
    complete: |made, record| {
        let parts = record.value.get("message").and_then(Value::as_array).into_iter().flatten();
        for part in parts.filter_map(Value::as_str).flat_map(str::lines) {
            text::append_line(&mut made.message, part, limit::MESSAGE_BYTES);
        }
        let flag = said(&record.value, "reason/flags/0").map(|flag| format!("-W{flag}"));
        let number = record.value.get("code").and_then(Value::as_u64).map(|code| format!("GHC-{code:05}"));
        made.code = flag.filter(|_| made.level != Level::Error).or(number);
    },
    ..Members::MESSAGE
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_behind_the_severity() {
        for (tail, said, expected, message) in [
            (" Variable not in scope: x", Level::Error, None, "Variable not in scope: x"),
            (" [GHC-88464]", Level::Error, Some("GHC-88464"), ""),
            (" [-Wunused-imports]", Level::Warning, Some("-Wunused-imports"), ""),
            (" [GHC-66111] [-Wunused-imports]", Level::Warning, Some("-Wunused-imports"), ""),
            (" [-Wtype-defaults, -Werror=type-defaults]", Level::Error, Some("-Wtype-defaults"), ""),
            (" [1] is odd", Level::Error, None, "[1] is odd"),
        ] {
            let (codes, rest) = split_codes(tail);
            assert_eq!((code(&codes, said).as_deref(), rest), (expected, message), "{tail}");
        }
    }
}
