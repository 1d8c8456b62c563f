use serde_json::json;

use super::*;

const TEXT: &str = "\
# comment
.PHONY: test lint
PYTEST ?= python -m pytest # why
SRCS = a.c \\
  b.c -Wall
SRCS += c.c
export PATH := bin:$(PATH)
include mk/*.mk extra.mk
test: build | out
\t@$(PYTEST) $(ARGS)
\t# said
ifdef CI
\tflake8
endif
ifdef WIDE
FLAGS = -x
endif
lint: FLAGS = -q
lint: ; ruff
define run
echo one
endef
%.o: %.c
\t$(CC) -c $<
$(eval x: y)
";

#[test]
fn a_makefile_is_read_as_make_does() {
    let read = serde_json::to_value(Makefile::read(TEXT)).unwrap();
    let expected = json!({
        "default": "test",
        "targets": {
            "test": {
                "prerequisites": { "build": true, "out": true },
                "recipe": ["@$(PYTEST) $(ARGS)", "ifdef CI", "flake8"],
                "phony": true,
            },
            "lint": { "recipe": ["ruff"], "variables": ["FLAGS = -q"], "phony": true },
            "%.o": { "prerequisites": { "%.c": true }, "recipe": ["$(CC) -c $<"] },
        },
        "variables": {
            "PYTEST": { "assignments": ["?= python -m pytest"] },
            "SRCS": { "assignments": ["= -Wall"], "sources": { "a.c": true, "b.c": true, "c.c": true } },
            "PATH": { "assignments": [":= bin:$(PATH)"] },
            "FLAGS": { "assignments": ["ifdef WIDE = -x"] },
            "run": { "assignments": ["define echo one"] },
        },
        "includes": ["mk/*.mk", "extra.mk"],
        "exports": ["PATH := bin:$(PATH)"],
        "other": ["$(eval x: y)"],
    });
    assert_eq!(read, expected);
}

#[test]
fn recipes_are_read_without_prefixes_comments_and_conditions() {
    let made = Makefile::read(
        "\
.PHONY: test lint
JEST := npx jest
# test: not this
all: test lint

test: build
\t@npx jest \\
\t  --ci
\t# said
ifdef CI
\t@
endif

lint: ; npx eslint .
both one: dep
\t-npx a

\tnpx b
",
    );
    let shown = |target| {
        let lines = made.recipe(target).into_iter();
        lines.map(|line| format!("{}{}", if line.failure_ignored { "-" } else { "" }, line.command)).collect::<Vec<_>>()
    };
    for (target, lines) in [
        (Some("test"), vec!["npx jest --ci"]),
        (Some("lint"), vec!["npx eslint ."]),
        (Some("one"), vec!["-npx a", "npx b"]),
        (Some("all"), vec![]),
        (Some("none"), vec![]),
        (None, vec![]),
    ] {
        assert_eq!(shown(target), lines, "{target:?}");
    }
}

#[test]
fn a_source_is_added_freely_and_nothing_else_is() {
    let same = |one: &str, other: &str| {
        let of = |text: &str| Makefile::read(text).variables.remove("X").unwrap();
        let (one, other) = (of(one), of(other));
        one.assignments == other.assignments && one.sources.keys().all(|word| other.sources.contains_key(word))
    };
    for (before, after, is_free) in [
        ("X = a.c", "X = a.c b.c", true),
        ("X = a.c", "X = a.c\nX += b.o", true),
        ("X = a.c b.c", "X = a.c", false),
        ("X = a.c", "X = a.c\nX = b.c", false),
        ("X = a.c", "X = a.c -w", false),
        ("X = a.c", "X = a.c || true", false),
        ("X = a.c", "X = a.c\nifdef NEVER\nX += b.c\nendif", false),
        ("X = tools/run.py", "X = tools/other.py tools/run.py", false),
    ] {
        assert_eq!(same(before, after), is_free, "{before:?} {after:?}");
    }
}

#[test]
fn variables_are_found_and_filled_in() {
    let made = Makefile::read("A = $(B) x\nB = y\nC = $(C)\n");
    assert_eq!(made.filled_in("$(A) ${B} $$HOME $(MAKE) $(D) $(C"), "y x y $HOME make $(D) $(C");
    assert!(made.filled_in("$(C)").contains("$(C)"), "a variable of itself ends");
    let found = used("$(A) ${B:.c=.o} $$X $(call run,$(C)) $(shell ls $D) $@ $(wildcard $(E)/*)");
    assert_eq!(found.into_iter().collect::<Vec<_>>(), ["A", "B", "C", "D", "E", "run"]);
}
