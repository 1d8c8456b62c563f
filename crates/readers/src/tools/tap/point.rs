//! One test point: `not ok 2 - sum # TODO later`.

use crate::prelude::*;

static POINT: Pattern =
    Pattern::new(r"^(?<indent> *)(?<not>not )?ok(?: (?<number>\d+))?(?<dash> -)?(?: (?<rest>\S.*?))??(?<opens> \{)?$");

/// A directive after the description: `# SKIP no net`, `# todo`.
static DIRECTIVE: Pattern = Pattern::new(r"(?:^| )# *(?i:(?:skip(?:ped)?|(?<todo>todo)))\b:?(?<reason>.*)$");

/// A suffix that runners add to the description: `# time=9.40ms`.
static TIME: Pattern = Pattern::new(r" # time=(?<time>[\d.]+)(?<unit>m?s)(?: .*)?$");

#[derive(Debug, PartialEq)]
pub(super) struct Point<'a> {
    pub(super) level: usize,
    pub(super) number: Option<u64>,
    pub(super) status: TestStatus,
    pub(super) name: &'a str,
    /// Whether ` - ` precedes the name.
    pub(super) has_dash: bool,
    /// Whether its subtests follow in braces.
    pub(super) opens: bool,
    pub(super) duration_ms: Option<u64>,
}

pub(super) fn point(line: &str) -> Option<Point<'_>> {
    let trimmed = line.trim_start_matches(' ');
    if !trimmed.starts_with("ok") && !trimmed.starts_with("not ok") {
        return None;
    }
    let captures = POINT.find(line.trim_end())?;
    let rest = captures.text("rest");
    let (rest, time) = match TIME.find(rest) {
        Some(time) => (&rest[..time.whole().start], Some(time)),
        None => (rest, None),
    };
    let duration_ms = time.and_then(|time| {
        let number: f64 = time.text("time").parse().ok()?;
        crate::shapes::results::milliseconds(if time.text("unit") == "s" { number * 1000.0 } else { number })
    });
    let (name, directive) = match DIRECTIVE.find(rest) {
        Some(directive) => {
            let before = rest[..directive.whole().start].trim_end();
            let reason = directive.text("reason").trim();
            (if before.is_empty() { reason } else { before }, true)
        }
        None => (rest, false),
    };
    let status = match captures.get("not") {
        _ if directive => TestStatus::Skipped,
        Some(_) => TestStatus::Failed,
        None => TestStatus::Passed,
    };
    Some(Point {
        level: captures.text("indent").len().div_ceil(4),
        number: captures.count("number"),
        status,
        name: name.trim_start_matches("- ").trim(),
        has_dash: captures.has("dash"),
        opens: captures.has("opens"),
        duration_ms,
    })
}

/// Parses a plan: `1..5`, possibly followed by the reason why there are no tests.
pub(super) fn plan(line: &str) -> Option<u64> {
    let rest = line.trim_end().strip_prefix("1..")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = rest.split_at(digits);
    (rest.is_empty() || rest.trim_start().starts_with('#')).then(|| text::count(digits)).flatten()
}

#[cfg(test)]
mod tests {
    use TestStatus::{Failed, Passed, Skipped};

    use super::*;

    #[test]
    fn points_are_read() {
        for (line, level, number, status, name, opens) in [
            ("ok 1 - first", 0, Some(1), Passed, "first", false),
            ("not ok 2 - sum", 0, Some(2), Failed, "sum", false),
            ("not ok", 0, None, Failed, "", false),
            ("ok", 0, None, Passed, "", false),
            ("ok 5 # skip not here", 0, Some(5), Skipped, "not here", false),
            ("ok 5 - # SKIP calc later", 0, Some(5), Skipped, "calc later", false),
            ("ok 7 Array is pending # SKIP -", 0, Some(7), Skipped, "Array is pending", false),
            ("not ok 6 - todo one # TODO later", 0, Some(6), Skipped, "todo one", false),
            ("not ok 1 - a.test.ts # time=22.26ms {", 0, Some(1), Failed, "a.test.ts", true),
            ("    ok 1 - talks about # hashes # time=1.5ms", 1, Some(1), Passed, "talks about # hashes", false),
            ("ok 2 - is okay", 0, Some(2), Passed, "is okay", false),
            ("ok 3 - todos", 0, Some(3), Passed, "todos", false),
        ] {
            let found = point(line).unwrap();
            assert_eq!(
                (found.level, found.number, found.status, found.name, found.opens),
                (level, number, status, name, opens),
                "{line}"
            );
        }
        for line in ["okay then", "ok\tgithub.com/x/y\t0.01s", "not okay", "ok  \tpkg"] {
            assert!(point(line).is_none(), "{line}");
        }
    }

    #[test]
    fn plans_are_read() {
        assert_eq!(
            (plan("1..5"), plan("1..0 # SKIP no database"), plan("1..x"), plan("1..5 more")),
            (Some(5), Some(0), None, None)
        );
    }
}
