//! The table of a file, wrapped to the terminal's width, and the final count.

use crate::prelude::*;

pub(super) static TABLE: Rows = Rows::new("phpstan", "table").spans_blank_lines().rows(&[
    // ` [ERROR] Found 3 errors`, or ` [OK] No errors` if there are no findings.
    sum(r"^ ?\[ERROR\] Found (?<errors>\d+) errors?$").names_tool().enters("end"),
    known(r"^ ?\[OK\] No errors$").hinted().enters("end"),
    // `  Line   src/Account.php`, at the top of a table; findings without a file are below `Error`.
    heading(r"^  Line   (?<file>\S.*?)(?: \(in context of .*\))?$").enters("top"),
    heading("^     Error$").enters("top without file"),
    within(RULE).inside("top").enters("table"),
    within(RULE).inside("top without file").enters("table without file"),
    within(RULE).enters("end"),
    // `  12     Message`, with a colon before the number since version 2.
    head(r"^ {2,4}:?(?<line>\d+|-) {2,}(?<message>\S.*)$").inside("table"),
    part(r"^ +(?<message>\S.*)$").inside("table without file").joined(),
    head(r"^ +(?<message>\S.*)$").inside("table without file").then(|made, _| made.file = None),
    part(r"^ +🪪 *(?<code>[^ ]+)").inside("table"),
    part(r"^ +💡 *(?<suggestion>.*)$").inside("table"),
    part(r"^ +(?<suggestion>\S.*)$").inside("table").check(|made, _| made.suggestion.is_some()),
    // A row without a number continues the message.
    part(r"^ +(?<message>[^ ✏].*)$").inside("table").joined().check(|made, _| made.code.is_none()),
    part("^ ").inside("table"),
]);

const RULE: &str = "^ *--[- ]*$";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial;

    #[test]
    fn wrapped_messages_tips_and_identifiers_are_put_together() {
        let lines = [
            " ------ ---------------------------------------------",
            "  Line   src/Account.php (in context of class App\\A)",
            " ------ ---------------------------------------------",
            "  :12    Call to an undefined method",
            "         Account::missing().",
            "         🪪  method.notFound",
            "         💡 Learn more: https://phpstan.org/x",
            "  20     Second.",
            " ------ ---------------------------------------------",
            "",
            " -- ------------",
            "     Error",
            " -- ------------",
            "     Ignored error pattern was not matched.",
            " -- ------------",
            " [ERROR] Found 4 errors",
        ];
        let candidate = trial::claimed(TABLE.reader(false), &lines.join("\n")).unwrap();
        assert_eq!(candidate.findings.counts.errors, 4);
        let all = candidate.findings.kept.into_items();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].message, "Call to an undefined method Account::missing().");
        assert_eq!((all[0].file.as_deref(), all[0].line), (Some("src/Account.php"), Some(12)));
        assert_eq!(all[0].code.as_deref(), Some("method.notFound"));
        assert!(all[0].suggestion.is_some() && all[1].line == Some(20));
        assert_eq!((all[2].file.as_deref(), all[2].message.as_str()), (None, "Ignored error pattern was not matched."));
    }
}
