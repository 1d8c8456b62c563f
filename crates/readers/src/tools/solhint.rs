//! Solhint, which has the formats of ESLint for Solidity files: `stylish`, `compact`, `unix`, `table` and JSON.

use crate::prelude::*;
use crate::shapes::record_kind::RecordKind;
use crate::tools::eslint::stylish::Stylish;

pub(crate) static TOOL: Tool = Tool::new("solhint", &[], Role::Lint)
    .lines(&[
        LineFormat::rows(&["[Error/", "[Warning/", "[Error]", "[Warning]"], &UNIX),
        LineFormat::rows(&[".sol: line "], &COMPACT),
        LineFormat::new(&["  error  ", "  warning  ", "✖ "], |is_hinted| {
            Stylish::new(is_hinted)
                .of("solhint", "solhint/stylish", |found| is_solidity(found).then_some(Confidence::Certain))
        }),
    ])
    .documents(&[DocumentFormat::new(&["[{\"line\":"], &["\"line\":"], |stream, _| JSON.reader(stream, false))]);

static UNIX: Rows = Rows::new("solhint", "unix").rows(&[
    // `contracts/A.sol:3:3: Variable name must be in mixedCase X [Warning/var-name-mixedcase]`.
    finding(
        r"^(?<file>\S.*?\.sol):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<level>Error|Warning)(?:/(?<code>[\w@/-]+))?\]$",
    ),
    sum(PROBLEMS),
]);

static COMPACT: Rows = Rows::new("solhint", "compact").rows(&[
    // `contracts/A.sol: line 3, col 3, Warning - Variable name must be in mixedCase X (var-name-mixedcase)`.
    finding(
        r"^(?<file>\S.*?\.sol): line (?<line>\d+), col (?<column>\d+), (?<level>Error|Warning) - (?<message>.*?)(?: \((?<code>[\w@/-]+)\))?$",
    ),
    sum(PROBLEMS),
]);

/// `16 problem/s (2 error/s, 14 warning/s)`.
const PROBLEMS: &str = r"^\d+ problem/s \((?<errors>\d+) error/s, (?<warnings>\d+) warning/s\)$";

/// `[{"line":2,"column":1,"severity":"Error","message":"…","ruleId":"compiler-version","filePath":"a.sol"}, {"conclusion":"…"}]`.
static JSON: JsonFindings = JsonFindings {
    is_strict: true,
    record: Some(|record| match record.value.get("conclusion") {
        Some(_) => RecordKind::Nothing,
        None => MEMBERS.told(record),
    }),
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "solhint",
    file: "filePath",
    line: "line",
    column: "column",
    code: "ruleId",
    fix: "fix",
    level: "severity",
    needs: &["severity"],
    check: |made, _| is_solidity(made),
    ..Members::MESSAGE
};

fn is_solidity(found: &Diagnostic) -> bool {
    found.file.as_deref().is_some_and(|file| file.rsplit('.').next() == Some("sol"))
}
