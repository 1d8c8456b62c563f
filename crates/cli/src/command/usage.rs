//! Finds the help for a command line that is invalid.

use std::ffi::OsString;

use clap::CommandFactory as _;

use crate::args::Arguments;

/// Returns the command whose help is meant, such as `referee incident show`, from all arguments of the process.
pub(super) fn command_of(arguments: &[OsString]) -> String {
    let mut command = Arguments::command();
    let mut named = command.get_name().to_owned();
    for argument in arguments.iter().skip(1) {
        let subcommand = argument.to_str().and_then(|word| command.find_subcommand(word));
        if let Some(subcommand) = subcommand.cloned() {
            named = format!("{named} {}", subcommand.get_name());
            command = subcommand;
        }
    }
    named
}

/// Returns clap's message about the arguments, with the help of that command in place of `--help` alone.
pub(super) fn message(error: &clap::Error, command: &str) -> String {
    const GENERAL: &str = "try '--help'";
    let rendered = error.render().to_string();
    match rendered.rfind(GENERAL) {
        Some(at) => format!("{}try '{command} --help'{}", &rendered[..at], &rendered[at + GENERAL.len()..]),
        None => rendered,
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_innermost_command_is_named_wherever_options_stand() {
        for (line, expected) in [
            ("referee", "referee"),
            ("referee --nope", "referee"),
            ("referee -C /tmp run --nope", "referee run"),
            ("referee incident show", "referee incident show"),
            ("referee incident nope", "referee incident"),
        ] {
            assert_eq!(command_of(&words(line)), expected, "{line}");
        }
    }

    #[test]
    fn a_usage_error_names_the_help_of_its_command() {
        let typed = words("referee incident show");
        let error = Arguments::try_parse_from(&typed).unwrap_err();
        let message = message(&error, &command_of(&typed));
        assert!(message.ends_with("For more information, try 'referee incident show --help'.\n"), "{message}");
    }
}
