//! Simple commands and the operators before them.

use referee_syntax::shell::{Operator, lex};

#[test]
fn lines_are_split_into_commands_and_words() {
    for (line, split) in [
        ("npm test", "npm_test"),
        ("a 'b c' \"d \\\" e\" && f || g; h | i & j", "a_b c_d \" e && f || g h | i & j"),
        ("a > out.txt 2>&1 b # and c", "a_b"),
        ("(a; b) && c\nd", "a b && c d"),
        ("a && (b; c) | (d)", "a && b c | d"),
        ("a |\n b ||\n\n c", "a | b || c"),
        ("a |& b", "a | b"),
        ("a \\\n  b", "a_b"),
        ("a \"$(b | c)\" <(d)", "b | c d a_$(b | c)_<(d)"),
        ("a <<E; b\nc\nE\nd", "a b d"),
        ("", ""),
        ("&&", ""),
    ] {
        let commands = lex(line).all_commands().into_iter().filter(|command| !command.words.is_empty());
        let shown = commands.map(|command| {
            let sign = match command.before {
                Some(Operator::And) => "&& ",
                Some(Operator::Or) => "|| ",
                Some(Operator::Pipe) => "| ",
                Some(Operator::Background) => "& ",
                _ => "",
            };
            format!("{sign}{}", command.texts().join("_"))
        });
        assert_eq!(shown.collect::<Vec<_>>().join(" "), split, "{line}");
    }
}
