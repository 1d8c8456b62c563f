//! `referee help TOPIC`: help on topics beyond a single command.

use std::ffi::OsString;

use referee_model::exit_code;

use crate::output;

/// Topics by name, with their texts.
pub(super) const TOPICS: &[(&str, &str)] = &[
    ("evidence", include_str!("topic/evidence.txt")),
    ("exit-codes", include_str!("topic/exit-codes.txt")),
    ("specification", include_str!("topic/specification.txt")),
];

/// Returns the text of `referee help TOPIC`. None: the arguments ask for something else.
pub(super) fn asked(arguments: &[OsString]) -> Option<&'static str> {
    let [_, help, topic] = arguments else { return None };
    let is_help = help.to_str() == Some("help");
    TOPICS.iter().find(|(name, _)| is_help && topic.to_str() == Some(name)).map(|(_, text)| *text)
}

pub(super) fn print(text: &str) -> u8 {
    output::answer(text.as_bytes()).map_or(exit_code::INTERNAL, |()| exit_code::PASSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_no_command_and_fits_a_terminal() {
        let typed = |words: &[&str]| asked(&words.iter().map(OsString::from).collect::<Vec<_>>());
        for (name, text) in TOPICS {
            assert_eq!(typed(&["referee", "help", name]), Some(*text));
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{name}");
        }
        assert_eq!((typed(&["referee", "help"]), typed(&["referee", "help", "run"])), (None, None));
    }

    #[test]
    fn the_topic_of_exit_codes_names_each() {
        let (_, text) = TOPICS.iter().find(|(name, _)| *name == "exit-codes").unwrap();
        for known in exit_code::TABLE {
            let row = format!("  {:<4}{}", known.code, known.name);
            assert!(text.lines().any(|line| line.starts_with(&row)), "{row}");
        }
    }
}
