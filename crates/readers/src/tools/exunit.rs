//! ExUnit, as run by `mix test`: failures as `  1) test adds (CartTest)` with the location of the test below,
//! then the error and its location, and `5 tests, 3 failures, 1 skipped` at the end.

use super::elixir;
use crate::prelude::*;
use crate::test_rows::{TestRows, failed, frame, heading, part, place, sum, within};

pub(crate) static TOOL: Tool = Tool::new("exunit", &["mix-test"], Role::Test)
    .lines(&[
        LineFormat::tests(
            &[
                ") test ",
                ") doctest ",
                ") property ",
                ": failure on setup_all",
                " failures",
                "Running ExUnit",
                "Finished in ",
            ],
            &TEXT,
        ),
        LineFormat::hinted(elixir::FORMAT.prefilter, |_| elixir::FORMAT.reader(false)),
    ])
    .merge(candidate::together);

static TEXT: TestRows = TestRows::new("exunit", "text").details(Language::PLAIN, 5).trimmed().skips_blank_lines().rows(&[
    // `  1) test sums up (CartTest)`; for a module whose `setup_all` failed, only the module.
    failed(
        r"^ {1,4}\d+\) (?:(?:test|doctest|property|feature) (?<name>.+?)|(?<broken>[A-Z][\w.]*): failure on setup_all callback.*?)(?: \([A-Z][\w.]*\))?$",
    )
    .enters("message"),
    // `2 doctests, 5 tests, 3 failures, 1 excluded, 1 invalid, 1 skipped`.
    sum(
        r"^(?<list>(?:\d+ (?:doctests?|propert(?:y|ies)|features?|tests?), )+\d+ failures?(?:, \d+ (?:excluded|invalid|skipped|cancelled|canceled))*)$",
    )
    .announced(),
    heading(r"^Finished in ").announces(),
    within(r"^(?:Randomized with seed |Running ExUnit with seed: )"),
    // `  * test adds (2.4ms) [L#4]`, as printed with `--trace`; output of the test may precede it on the line.
    heading(r"(?:^|\s)\* (?:test|doctest|property) [^*]+? \((?:[\d.]+ms|skipped|excluded|invalid)\)(?: \[L#\d+\])?$"),
    place(r"^ {5,8}(?:\([\w.]+(?: [\w.-]+)?\) )?(?<file>[\w./@+-]+\.exs?):(?<line>\d+)$"),
    part(r"^ {5,}stacktrace:$").enters("stack"),
    frame(r"^ {5,8}(?:\([\w.]+(?: [\w.-]+)?\) )?(?<file>[\w./@+-]+\.exs?):(?<line>\d+): .*$").inside("stack"),
    frame(r"^ {5,}\S").inside("stack"),
    part(r"^ {5,}(?<message>left:(?<received>.*))$"),
    part(r"^ {5,}(?<message>right:(?<expected>.*))$"),
]);
