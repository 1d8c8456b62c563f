//! `referee man`: manual pages, made of the help texts.

use std::io;
use std::path::Path;

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::document;
use referee_model::exit_code;
use referee_report::style;
use referee_syntax::distance::nearest;

use crate::args;
use crate::args::Arguments;
use crate::output;

/// Prints the page of a command, or writes the pages of all.
pub(super) fn execute(context: &Context, arguments: &args::man::Man) -> Result<u8, EngineError> {
    let mut program = Arguments::command().disable_help_subcommand(true);
    program.build();
    match &arguments.output {
        Some(directory) => {
            let directory = context.directory.join(directory);
            if !directory.is_dir() {
                return Err(EngineError::usage(format!("--output: {} is not a directory", directory.display())));
            }
            write_all(&program, &directory)?;
        }
        None => output::answer(&page(named(&program, &arguments.command)?)?)?,
    }
    Ok(exit_code::PASSED)
}

/// Returns the command of these words.
fn named<'program>(program: &'program Command, words: &[String]) -> Result<&'program Command, EngineError> {
    words.iter().try_fold(program, |command, word| {
        command.find_subcommand(word).filter(|found| !found.is_hide_set()).ok_or_else(|| {
            let known: Vec<&str> = visible(command).map(Command::get_name).collect();
            let advice = match (nearest(word, known.iter().copied()), known.is_empty()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, true) => "it has no commands".to_owned(),
                (None, false) => format!("expected one of {}", known.join(", ")),
            };
            let above = command.get_bin_name().unwrap_or_else(|| command.get_name());
            EngineError::usage(format!("`{}` is not a command of `{above}`: {advice}", style::plain(word)))
        })
    })
}

fn write_all(command: &Command, directory: &Path) -> Result<(), EngineError> {
    let file = directory.join(format!("{}.1", title(command)));
    document::write(&file, &page(command)?)
        .map_err(|error| EngineError::usage(format!("the manual page was not written: {error}")))?;
    visible(command).try_for_each(|below| write_all(below, directory))
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set())
}

fn title(command: &Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// Renders the page of a command. What its help says last, such as examples, keeps its lines.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    // An empty date would let the next argument of the title take its place.
    let man = Man::new(command.clone()).date(" ");
    let man = man.source(concat!("referee ", env!("CARGO_PKG_VERSION"))).manual("Referee manual");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if visible(command).next().is_some() {
        man.render_subcommands_section(&mut page)?;
    }
    let last = command.get_after_long_help().or_else(|| command.get_after_help());
    if let Some(last) = last {
        sections(&last.to_string()).to_writer(&mut page)?;
    }
    Ok(page)
}

/// Makes sections of a text in which a heading stands at the left and ends with a colon.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    let mut is_open = false;
    for line in text.lines() {
        match line.strip_suffix(':').filter(|heading| !heading.starts_with(' ')) {
            Some(heading) => {
                if is_open {
                    roff.control("fi", []);
                }
                roff.control("SH", [heading.to_uppercase().as_str()]).control("nf", []);
                is_open = true;
            }
            None => {
                roff.text([roman(line)]);
            }
        }
    }
    if is_open {
        roff.control("fi", []);
    }
    roff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_sections_and_examples_keep_their_lines() {
        let roff = sections("Examples:\n  referee run   run it\n\nHelp topics:\n  referee help x\n").to_roff();
        assert_eq!(
            roff,
            ".SH EXAMPLES\n.nf\n  referee run   run it\n\n.fi\n.SH \"HELP TOPICS\"\n.nf\n  referee help x\n.fi\n"
        );
    }
}
