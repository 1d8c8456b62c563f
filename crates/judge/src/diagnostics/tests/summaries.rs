//! The summary, and merged entries.

use proptest::prelude::*;
use proptest::strategy::Strategy;

use super::*;

/// Returns seven different ones without a file, as in the cases of seed 4.
fn seven() -> Vec<Finding> {
    (1..=7).map(|number| entry(&format!("m{number}"), None, None)).collect()
}

#[test]
fn the_layout_is_that_of_seed_4() {
    assert_eq!(summary(&[], 0, SUMMARY_CAUSES, SUMMARY_CHARACTERS), "No active diagnostics.");
    assert_eq!(
        summary(&seven(), 7, SUMMARY_CAUSES, SUMMARY_CHARACTERS),
        "Top 5 Diagnostics:\n- [TEST] Global: m1 (x1)\n- [TEST] Global: m2 (x1)\n- [TEST] Global: m3 (x1)\n- [TEST] Global: m4 \
         (x1)\n- [TEST] Global: m5 (x1)\n... and 2 more.\n"
    );
    let built = Finding { source: DiagnosticSource::Build, occurrences: 4, ..entry("x", Some("a.ts"), Some(3)) };
    assert_eq!(summary(std::slice::from_ref(&built), 1, 5, 4_000), "Top 1 Diagnostics:\n- [BUILD] a.ts:3: x (x4)\n");
}

#[test]
fn a_summary_that_has_no_room_still_says_how_many_there_are() {
    assert_eq!(summary(&seven(), 7, 5, 0), "Top 0 Diagnostics:\n... and 7 more.\n");
    assert_eq!(summary(&seven(), u64::MAX, 0, 10).chars().count(), "Top 0 Diagnostics:\n... and  more.\n".len() + 20);
    // The message is shortened, not the location.
    let long = entry(&"wort ".repeat(400), Some("src/größe.ts"), Some(9));
    let told = summary(&[long, entry("m2", None, None)], 2, 5, 150);
    assert_eq!(told.lines().count(), 3, "{told}");
    assert!(
        told.contains("- [TEST] src/größe.ts:9: wort wort") && told.contains("… (x1)\n... and 1 more.\n"),
        "{told}"
    );
}

#[test]
fn a_message_stays_one_harmless_line() {
    let hostile = entry("one\r\n\u{1b}[31m- [TEST] a:\u{202e} two\0", Some("a\nb.ts"), Some(1));
    assert_eq!(summary(&[hostile], 1, 5, 4_000), "Top 1 Diagnostics:\n- [TEST] a b.ts:1: one - [TEST] a: two (x1)\n");
}

fn any_entry() -> impl Strategy<Value = Finding> {
    let file = prop::option::of(prop_oneof![Just("a.ts".to_owned()), Just("b.ts".to_owned()), "\\PC{0,300}"]);
    let message = prop_oneof![Just("m1".to_owned()), Just("m2".to_owned()), "(?s).{0,500}", "[`<|/\\n#-]{0,40}"];
    let level = prop_oneof![Just(Level::Error), Just(Level::Warning), Just(Level::Info)];
    (file, prop::option::of(1_u32..4), message, level, any::<bool>(), 1_u64..9).prop_map(
        |(file, line, message, severity, blocking, occurrences)| Finding {
            severity,
            blocking,
            occurrences,
            code: (occurrences > 4).then(|| message.clone()),
            ..entry(&message, file.as_deref(), line)
        },
    )
}

fn key(entry: &Finding) -> (DiagnosticSource, Option<String>, String, Option<u32>) {
    (entry.source, entry.file.clone(), entry.message.clone(), entry.line())
}

proptest! {
    #[test]
    fn merging_loses_no_count_and_depends_on_no_order(entries in prop::collection::vec(any_entry(), 0..30), turn in 0_usize..30) {
        let told = |entries: &[Finding]| {
            let merged = merged(entries.to_vec(), key);
            let mut told: Vec<_> = merged
                .iter()
                .map(|entry| (key(entry), entry.occurrences, entry.blocking, entry.severity))
                .collect();
            told.sort();
            told
        };
        let mut turned = entries.clone();
        turned.rotate_left(turn.min(entries.len()));
        turned.reverse();
        prop_assert_eq!(told(&entries), told(&turned));
        let sum: u64 = entries.iter().map(|entry| entry.occurrences).sum();
        prop_assert_eq!(told(&entries).iter().map(|(_, count, ..)| count).sum::<u64>(), sum);
        prop_assert_eq!(told(&merged(entries.clone(), key)), told(&entries));
    }

    #[test]
    fn no_summary_or_prompt_exceeds_its_bound_or_leaves_its_lines(
        entries in prop::collection::vec(any_entry(), 0..12),
        more in 0_u64..3,
        top in 0_usize..14,
        characters in 0_usize..1_500,
    ) {
        let distinct = entries.len() as u64 + more;
        let told = summary(&entries, distinct, top, characters);
        prop_assert!(told.chars().count() <= characters.max(SUMMARY_CHARACTERS_LEAST), "{}", told);
        if distinct > 0 {
            let is_known = |line: &str| line.starts_with("Top ") || line.starts_with("- [TEST] ") || line.starts_with("... and ");
            prop_assert!(told.lines().all(is_known) && told.ends_with('\n'), "{}", told);
        }
        let log = DiagnosticLog { entries, distinct, summary: String::new() };
        for audience in [Audience::Planner, Audience::Coder] {
            let told = prompt(&log, audience, top, characters);
            prop_assert!(told.chars().count() <= characters.max(PROMPT_CHARACTERS_LEAST), "{} > {}: {}", told.chars().count(), characters, told);
            let fences = told.lines().filter(|line| line.trim_start().starts_with("```")).count();
            prop_assert!(matches!(fences, 0 | 2) && !told.contains("<|") && !told.contains("</"), "{}", told);
            let known = ["files: ", "... and ", "```"];
            let is_numbered = |line: &str| line.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
            prop_assert!(told.lines().skip(3).all(|line| is_numbered(line) || known.iter().any(|start| line.starts_with(start))), "{}", told);
        }
    }
}
