use proptest::prelude::*;
use referee_model::debt::DebtAssessment;
use referee_model::time::Timestamp;

use super::*;
use crate::debt::fixture;
use crate::human::fixture::{plain, quiet, verbose};

#[test]
fn a_list_has_a_line_for_each_item_and_the_sums() {
    let items = [fixture::type_error(), fixture::failed_test(), fixture::resolved()];
    let items: Vec<&RegisteredDebt> = items.iter().collect();
    insta::assert_snapshot!(plain(100, |style, out| list(&items, &style, out)));
    insta::assert_snapshot!(plain(100, |style, out| list(&[], &style, out)));
}

#[test]
fn an_item_is_shown_with_all_that_is_known() {
    let mut item = fixture::failed_test();
    item.item.status = DebtStatus::Deferred;
    item.deferred_until = Some(Timestamp::from_millisecond(1_798_070_400_000));
    item.item.case.occurrences = 3;
    insta::assert_snapshot!(plain(100, |style, out| show(&item, &style, out)));
    insta::assert_snapshot!(plain(100, |style, out| changed(&item, &style, out)));
}

#[test]
fn a_run_tells_of_debt_in_one_line_where_there_is_any() {
    let told = |debt: &DebtAssessment| {
        plain(100, |style, out| of_run(debt, "evidence/T001/technical-debt-data.json", &style, out))
    };
    assert_eq!(told(&DebtAssessment::default()), "");
    let mut items = [fixture::type_error(), fixture::failed_test(), fixture::resolved()].map(|debt| debt.item);
    items[2].status = DebtStatus::Reopened;
    let debt = DebtAssessment {
        created: vec![items[0].id.clone()],
        resolved: vec![fixture::registered(9, Severity::Low, Destination::Inventory, "x").item.id],
        items: items.to_vec(),
        ..DebtAssessment::default()
    };
    assert_eq!(
        told(&debt),
        "debt      1 new, 1 known, 1 reopened, 1 resolved: evidence/T001/technical-debt-data.json\n"
    );
    assert_eq!(quiet(100, |style, out| of_run(&debt, "file", &style, out)), "");
}

#[test]
fn the_ids_that_are_most_like_what_was_typed_are_named_first() {
    let items: Vec<RegisteredDebt> =
        (1..=30).map(|number| fixture::registered(number, Severity::Low, Destination::Inventory, "x")).collect();
    let named = |typed: &str| near(typed, &items, 2).into_iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(named("DEBT-T001-17")[0], "DEBT-T001-017");
    assert_eq!(named("T001-004")[0], "DEBT-T001-004");
    assert_eq!(near("x", &[], 2).len(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn whatever_a_tool_says_no_escape_gets_through(evil in "(?s).{0,80}|[\\x00-\\x9f\\[\\]]{0,80}", width in 0usize..150) {
        let item = fixture::hostile(&evil);
        let text = plain(width, |style, out| show(&item, &style, out))
            + &verbose(width, |style, out| list(&[&item], &style, out));
        prop_assert_eq!(text.chars().find(|character| character.is_control() && *character != '\n'), None);
    }
}
