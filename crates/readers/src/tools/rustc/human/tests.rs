//! Tests of the reader of rustc's human layout.

use referee_model::record::Stream;

use super::*;

fn read(text: &str, is_hinted: bool) -> Option<Vec<Diagnostic>> {
    let mut reader = Box::new(Human::new(is_hinted));
    for text in text.lines() {
        let end = text.len() as u64;
        reader.line(&Line::new(text, Stream::Stderr, 0..end));
    }
    reader.finish().map(|candidate| candidate.findings.kept.into_items())
}

#[test]
fn a_finding_has_its_place_its_end_its_lint_and_its_notes() {
    let text = "warning: unneeded `return` statement\n --> src/lib.rs:7:5\n  |\n7 |     return 1;\n  |     ^^^^^^^^ here\n  |\nnote: defined here\n --> src/a.rs:1:2\n  = help: for further information visit https://rust-lang.github.io/rust-clippy/master/index.html#needless_return\n\nwarning: `demo` (lib) generated 1 warning\n";
    let found = read(text, false).unwrap();
    assert_eq!(found.len(), 1);
    let found = &found[0];
    assert_eq!((found.line, found.column, found.end_column), (Some(7), Some(5), Some(13)));
    assert_eq!((found.tool.as_str(), found.code.as_deref()), ("clippy", Some("clippy::needless_return")));
    assert_eq!((found.related.len(), found.related[0].message.as_str()), (1, "defined here"));
    assert_eq!(found.source.as_deref(), Some("    return 1;"));
}

#[test]
fn what_others_print_in_this_style_is_theirs() {
    for text in [
        "error: `teh` should be `the`\n  --> typo.txt:1:6\n",
        "error[unresolved-import]: Cannot resolve `x`\n --> a.py:1:8\n",
        "error: something went wrong\n",
        "warning: CRLF will be replaced by LF\n",
    ] {
        assert!(read(text, false).is_none(), "{text}");
    }
}

#[test]
fn what_a_program_prints_is_no_finding() {
    let text = "   Compiling a v0.1.0 (/a)\nerror: linking with `cc` failed: exit status: 1\n\n     Running `target/debug/a`\nerror: no such file\n\n";
    let found = read(text, true).unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].message.starts_with("linking"));
}

#[test]
fn what_tests_captured_is_no_finding() {
    let text = "   Compiling a v0.1.0 (/a)\n---- src/lib.rs - x (line 3) stdout ----\nerror[E0425]: cannot find value `y`\n --> src/lib.rs:4:1\n\nfailures:\n";
    assert!(read(text, true).unwrap().is_empty());
}

#[test]
fn what_a_build_script_warns_of_counts_once() {
    let warning = "warning: demo@0.1.0: no library\n";
    let text = format!("   Compiling demo v0.1.0 (/demo)\n{warning}{warning}warning: demo@0.1.0: slow\n");
    assert_eq!(read(&text, false).unwrap().len(), 2);
}
