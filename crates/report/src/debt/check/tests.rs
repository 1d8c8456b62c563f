use super::*;
use crate::debt::{block as block_of, fixture, into_page};

fn items() -> [RegisteredDebt; 3] {
    [fixture::type_error(), fixture::failed_test(), fixture::resolved()]
}

fn page(view: View) -> String {
    let block = block_of(view, &items(), "../evidence");
    let page = into_page(view, Some("# Mine\n\n- [x] **T001**: my own task\n"), &block).unwrap();
    format!("{page}\n- [ ] another of mine\n")
}

fn found(view: View, page: Option<&str>) -> Vec<(ViolationKind, Option<String>, usize)> {
    let violations = check(view, &items(), "../evidence", page);
    violations.into_iter().map(|violation| (violation.kind, violation.debt, violation.line)).collect()
}

/// Returns the 1-based line of a page that holds this text.
fn line_of(page: &str, text: &str) -> usize {
    page.lines().position(|line| line.contains(text)).unwrap() + 1
}

#[test]
fn pages_as_they_were_written_agree_whatever_people_wrote_around_them() {
    for view in View::ALL {
        assert_eq!(found(view, Some(&page(view))), [], "{view:?}");
        assert_eq!(found(view, Some(&page(view).replace('\n', "\r\n"))), [], "{view:?}, with other line ends");
    }
}

#[test]
fn each_change_is_one_violation_with_its_line() {
    use ViolationKind::{ClassificationModified, MissingInventoryCorrelation, TaskContentMismatch};
    let rows: [(View, &str, &str, ViolationKind, &str); 15] = [
        (View::Tasks, "- [ ] **T031**", "- [x] **T031**", ClassificationModified, "DEBT-T001-001"),
        (View::Tasks, "- [ ] **T031**", "- [X] **T031**", ClassificationModified, "DEBT-T001-001"),
        (View::Tasks, "- [x] **T033**", "- [ ] **T033**", ClassificationModified, "DEBT-T001-003"),
        (View::Tasks, "**T031**: TS2345", "**T032**: TS2345", TaskContentMismatch, "DEBT-T001-001"),
        (
            View::Tasks,
            "Severity: CRITICAL, priority 1",
            "Severity: LOW, priority 4",
            ClassificationModified,
            "DEBT-T001-001",
        ),
        (View::Tasks, "Status: OPEN", "Status: RESOLVED", ClassificationModified, "DEBT-T001-001"),
        (View::Tasks, "Line 12 of", "Line 13 of", TaskContentMismatch, "DEBT-T001-001"),
        (
            View::Tasks,
            "../evidence/T001/STEP.1-types.log",
            "https://evil.example",
            TaskContentMismatch,
            "DEBT-T001-001",
        ),
        (View::Report, "Status: RESOLVED", "Status: OPEN", ClassificationModified, "DEBT-T001-003"),
        (View::Report, "### CRITICAL", "### LOW", ClassificationModified, "DEBT-T001-001"),
        (View::Report, "adds a quote <", "adds two quotes <", TaskContentMismatch, "DEBT-T001-002"),
        (
            View::Inventory,
            "DEBT-INV-2026-11-21-002",
            "DEBT-INV-2026-11-21-009",
            MissingInventoryCorrelation,
            "DEBT-T001-002",
        ),
        (View::Inventory, "Place: IN_INVENTORY", "Place: IN_SPRINT as T040", ClassificationModified, "DEBT-T001-002"),
        (
            View::Inventory,
            "IN_SPRINT as T031\n",
            "IN_SPRINT as T031\n- Dismissed: yes\n",
            TaskContentMismatch,
            "DEBT-T001-001",
        ),
        (View::Inventory, "- Created: 2026-11-21\n", "", TaskContentMismatch, "DEBT-T001-001"),
    ];
    for (view, from, to, kind, id) in rows {
        let before = page(view);
        let after = before.replacen(from, to, 1);
        assert_ne!(before, after, "{from}");
        let line = match from {
            // A missing line is reported at the item's first line, an extra line at its own.
            "### CRITICAL" | "- Created: 2026-11-21\n" => line_of(&after, &format!("item {id} ")),
            "IN_SPRINT as T031\n" => line_of(&after, "Dismissed"),
            _ => line_of(&before, from),
        };
        assert_eq!(found(view, Some(&after)), [(kind, Some(id.to_owned()), line)], "{from} to {to}");
    }
}

#[test]
fn items_that_are_gone_added_or_moved_are_named() {
    use ViolationKind::{
        ClassificationModified, MissingDebtDocumentation, MissingInventoryCorrelation, MissingSprintTask,
        TaskContentMismatch,
    };
    let kinds = |view, page: Option<&str>| -> Vec<_> { found(view, page).into_iter().map(|(kind, ..)| kind).collect() };
    for (view, kind, count) in [
        (View::Tasks, MissingSprintTask, 2),
        (View::Report, MissingDebtDocumentation, 3),
        (View::Inventory, MissingInventoryCorrelation, 3),
    ] {
        for nothing in [None, Some(""), Some("- [ ] **T031**: TS2345 in src/quote.ts\n")] {
            assert_eq!(kinds(view, nothing), vec![kind; count], "{view:?} {nothing:?}");
        }
        let page = page(view);
        let without = page.replace("item DEBT-T001-001 ", "");
        assert!(kinds(view, Some(&without)).contains(&kind), "{view:?}");
        let open = page.replace(":end ", ":finish ");
        assert_eq!(kinds(view, Some(&open)), [TaskContentMismatch], "{view:?}");
    }
    let tasks = page(View::Tasks);
    let end = "<!-- referee:debt:end tasks";
    for (line, kind) in [
        ("- [ ] **T040**: mine <!-- referee:debt:item DEBT-T001-002 -->", ClassificationModified),
        ("- [ ] **T040**: mine <!-- referee:debt:item DEBT-T009-001 -->", TaskContentMismatch),
        ("- [ ] **T031**: TS2345 in src/quote.ts <!-- referee:debt:item DEBT-T001-001 -->", TaskContentMismatch),
        ("- [ ] **T040**: mine", TaskContentMismatch),
    ] {
        let more = tasks.replace(end, &format!("{line}\n{end}"));
        assert_eq!(kinds(View::Tasks, Some(&more)), [kind], "{line}");
    }
}

#[test]
fn text_before_the_first_item_of_a_block_belongs_to_nobody() {
    let page = page(View::Tasks).replace("tasks -->\n", "tasks -->\nall done already\n");
    assert_eq!(found(View::Tasks, Some(&page)).len(), 1, "{page}");
}
