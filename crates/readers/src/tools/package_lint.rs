//! Tools that look for what a JavaScript package does not use: Knip and depcheck; and lychee, which looks for dead links.
//! All print lists below headings.

use crate::prelude::*;

pub(crate) const KNIP: Tool = Tool::new("knip", &[], Role::Lint)
    .lines(&[LineFormat::new(&["Unused ", "Unlisted ", "Unresolved imports", "Duplicate exports"], |_| {
        Box::new(Lists::new(Kind::Knip))
    })]);

pub(crate) const DEPCHECK: Tool = Tool::new("depcheck", &[], Role::Lint).lines(&[LineFormat::new(
    &["Unused dependencies", "Unused devDependencies", "Missing dependencies", "No depcheck issue"],
    |_| Box::new(Lists::new(Kind::Depcheck)),
)]);

pub(crate) const LYCHEE: Tool = Tool::new("lychee", &[], Role::Lint)
    .lines(&[LineFormat::new(&["Issues found in ", "[ERROR] ", "[404] "], |_| Box::new(Lists::new(Kind::Lychee)))]);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Knip,
    Depcheck,
    Lychee,
}

/// `Unused exports (2)`.
static KNIP_HEAD: Pattern = Pattern::new(
    r"^(?<what>Unused (?:files|dependencies|devDependencies|exports|exported types|exported enum members|exported class members|optional peerDependencies|catalog entries)|Unlisted (?:dependencies|binaries)|Unresolved imports|Duplicate exports|Referenced optional peerDependencies|Exports in used namespace|Exported types in used namespace) \(\d+\)$",
);

/// `foo  function  src/a.ts:3:14`, `lodash  package.json`, or only a file.
static KNIP_ROW: Pattern =
    Pattern::new(r"^(?<message>\S+)(?: {2,}.*?)??(?: {2,}(?<file>\S+?)(?::(?<line>\d+):(?<column>\d+))?)?$");

static DEPCHECK_HEAD: Pattern =
    Pattern::new(r"^(?<what>Unused dependencies|Unused devDependencies|Missing dependencies)$");

/// `* foo: ./src/a.js`.
static DEPCHECK_ROW: Pattern = Pattern::new(r"^\* (?<message>\S+?)(?:: (?<file>\S+))?$");

/// `[./README.md]:`.
static LYCHEE_HEAD: Pattern = Pattern::new(r"^\[(?<what>[^\]\s]+)\]:$");

/// `[404] https://example.org/a | Rejected status code`, with the place in newer versions.
static LYCHEE_ROW: Pattern = Pattern::new(
    r"^ *\[(?<code>\d{3}|ERROR|TIMEOUT)\] <?(?<message>\w+:\S+?)>?(?: \(at (?<line>\d+):(?<column>\d+)\))?(?<said> \| .*)?$",
);

struct Lists {
    kind: Kind,
    /// The heading of the list that is read.
    head: Option<String>,
    findings: Findings,
    is_clean: bool,
}

impl Lists {
    fn new(kind: Kind) -> Self {
        Self { kind, head: None, findings: Findings::default(), is_clean: false }
    }

    fn row(&mut self, head: &str, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let (row, tool, rule) = match self.kind {
            Kind::Knip => (&KNIP_ROW, "knip", "knip/text"),
            Kind::Depcheck => (&DEPCHECK_ROW, "depcheck", "depcheck/text"),
            Kind::Lychee => (&LYCHEE_ROW, "lychee", "lychee/text"),
        };
        let Some(captures) = row.find(text) else {
            return false;
        };
        let mut found = captures.diagnostic(tool, rule, line, Level::Error);
        match self.kind {
            Kind::Lychee => {
                found.file = Some(head.to_owned());
                found.message.push_str(captures.text("said"));
            }
            Kind::Knip | Kind::Depcheck => found.code = Some(head.to_owned()),
        }
        if head == "Unused files" {
            found.file = captures.file("message");
        }
        self.findings.add(found);
        true
    }
}

impl LineReader for Lists {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        let head = match self.kind {
            Kind::Knip => &KNIP_HEAD,
            Kind::Depcheck => &DEPCHECK_HEAD,
            Kind::Lychee => &LYCHEE_HEAD,
        };
        if let Some(captures) = head.find(text) {
            self.head = Some(name(captures.text("what")));
            return Use::Line;
        }
        if self.kind == Kind::Depcheck && text == "No depcheck issue" {
            self.is_clean = true;
            return Use::Line;
        }
        let Some(head) = self.head.take() else {
            return Use::None;
        };
        let is_own = self.row(&head, line);
        if is_own {
            self.head = Some(head);
        }
        if is_own { Use::Line } else { Use::None }
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        let is_recognized = self.is_clean || 0 < self.findings.counts.total();
        is_recognized.then(|| Candidate { format: "text", findings: self.findings, ..Candidate::default() })
    }
}
