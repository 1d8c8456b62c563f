//! The debt register as Markdown pages for people and agents, and the check that such pages still agree with the
//! register (contract of debt, "agent's part and integrity check").
//!
//! | page                | content                                                                  |
//! |---------------------|--------------------------------------------------------------------------|
//! | `tasks.md`          | items assigned to the sprint, as tasks with a checkbox                   |
//! | `technical-debt.md` | all items by task and severity, with what is wrong and what to do        |
//! | `debt-inventory.md` | all items by inventory number, with the location of each                 |
//!
//! Referee writes one block between two markers; everything outside the block belongs to people. Each item in the
//! block carries a mark with its id, so that the check finds the item wherever it was moved. All text of tools
//! passes through `markdown`, so that it cannot look like a mark, a checkbox or a link.

use referee_model::debt::RegisteredDebt;

mod block;
mod check;
mod entry;
mod markdown;

#[cfg(test)]
pub(crate) mod fixture;

pub use block::{BrokenBlock, into_page};
pub use check::{Violation, ViolationKind, check};

referee_model::words! {
    /// A page, with the word that identifies it in markers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum View {
        Tasks = "tasks",
        Report = "report",
        Inventory = "inventory",
    }
}

impl View {
    /// Returns the file name of the page.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Tasks => "tasks.md",
            Self::Report => "technical-debt.md",
            Self::Inventory => "debt-inventory.md",
        }
    }

    /// Returns the heading of a newly created page.
    fn title(self) -> &'static str {
        match self {
            Self::Tasks => "Tasks",
            Self::Report => "Technical debt",
            Self::Inventory => "Debt inventory",
        }
    }
}

/// Returns the block of a page, markers included. `evidence` is the path from the page's directory to the evidence
/// root.
pub fn block(view: View, items: &[RegisteredDebt], evidence: &str) -> String {
    block::render(view, &entry::entries(view, items, evidence))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_three_pages() {
        let items = [fixture::failed_test(), fixture::type_error(), fixture::resolved()];
        for view in View::ALL {
            let page = into_page(view, None, &block(view, &items, "../evidence")).unwrap();
            insta::assert_snapshot!(view.file_name(), page);
        }
    }

    #[test]
    fn a_register_without_items_makes_pages_that_say_so() {
        for view in View::ALL {
            let page = into_page(view, None, &block(view, &[], "evidence")).unwrap();
            assert_eq!(check(view, &[], "evidence", Some(&page)), [], "{page}");
            assert!(page.contains("debt is in the sprint.") || page.contains("There is no debt."), "{page}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn whatever_a_tool_says_a_page_agrees_with_the_register_it_came_from(
            evil in "(?s).{0,60}|(<!-- referee:debt:(begin|end|item) (tasks|DEBT-T001-001)? ?-->|\n|- \\[x\\] |#|1\\. |\\[a\\]\\(b\\)|\\\\){0,6}",
        ) {
            let items = [fixture::hostile(&evil), fixture::failed_test(), fixture::resolved()];
            for view in View::ALL {
                let block = block(view, &items, "evidence");
                let page = into_page(view, Some("theirs\n"), &block).unwrap();
                prop_assert_eq!(check(view, &items, "evidence", Some(&page)), vec![]);
                prop_assert_eq!(&into_page(view, Some(&page), &block).unwrap(), &page);
                let boxes = page.lines().filter(|line| line.trim_start().starts_with("- [")).count();
                prop_assert_eq!(boxes, if view == View::Tasks { 2 } else { 0 });
            }
        }
    }
}
