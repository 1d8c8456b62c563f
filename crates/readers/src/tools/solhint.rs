//! Solhint, which has the formats of ESLint for files of Solidity: `stylish`, `compact`, `unix`, `table` and JSON.

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Diagnostic;

use crate::candidate;
use crate::document::Opening;
use crate::rows::{Rows, finding, sum};
use crate::shapes::json_findings::{JsonFindings, RecordKind};
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};
use crate::tools::eslint::alike::Alike;

pub(crate) const TOOL: Tool = Tool {
    name: "solhint",
    aliases: &[],
    role: Role::Lint,
    lines: &[
        LineFormat {
            prefilter: &["[Error/", "[Warning/", "[Error]", "[Warning]"],
            reader: |is_hinted| UNIX.reader(is_hinted),
        },
        LineFormat { prefilter: &[".sol: line "], reader: |is_hinted| COMPACT.reader(is_hinted) },
        LineFormat {
            prefilter: &["  error  ", "  warning  ", "✖ "],
            reader: |is_hinted| {
                Box::new(Alike::new(is_hinted, "solhint", "solhint/stylish", |found| {
                    (is_solidity(found), is_solidity(found))
                }))
            },
        },
    ],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["[{\"line\":"], keys: &["\"line\":"], empty: None },
        reader: |stream, _| JSON.reader(stream, false),
    }],
    merge: candidate::gravest,
};

static UNIX: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "solhint",
        "unix",
        [
            // `contracts/A.sol:3:3: Variable name must be in mixedCase X [Warning/var-name-mixedcase]`.
            finding(
                r"^(?<file>\S.*?\.sol):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<level>Error|Warning)(?:/(?<code>[\w@/-]+))?\]$",
            ),
            sum(PROBLEMS),
        ],
    )
});

static COMPACT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "solhint",
        "compact",
        [
            // `contracts/A.sol: line 3, col 3, Warning - Variable name must be in mixedCase X (var-name-mixedcase)`.
            finding(
                r"^(?<file>\S.*?\.sol): line (?<line>\d+), col (?<column>\d+), (?<level>Error|Warning) - (?<message>.*?)(?: \((?<code>[\w@/-]+)\))?$",
            ),
            sum(PROBLEMS),
        ],
    )
});

/// `16 problem/s (2 error/s, 14 warning/s)`.
const PROBLEMS: &str = r"^\d+ problem/s \((?<errors>\d+) error/s, (?<warnings>\d+) warning/s\)$";

/// `[{"line":2,"column":1,"severity":"Error","message":"…","ruleId":"compiler-version","filePath":"a.sol"}, {"conclusion":"…"}]`.
static JSON: JsonFindings = JsonFindings {
    rule: "solhint/json",
    record: |record| match record.value.get("conclusion") {
        Some(_) => RecordKind::Nothing,
        None => MEMBERS.told(record),
    },
    is_strict: true,
    ..JsonFindings::LIST
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
