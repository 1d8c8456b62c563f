//! Options of a command of this program.

use std::io;

/// Options as they were typed.
pub(crate) struct CommandLine {
    options: Vec<(String, String)>,
    flags: Vec<String>,
}

impl CommandLine {
    /// Reads options that have a value, and flags that have none.
    pub(crate) fn parse(arguments: &[String], with_value: &[&str], flags: &[&str]) -> io::Result<Self> {
        let mut read = Self { options: Vec::new(), flags: Vec::new() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            if flags.contains(&argument.as_str()) {
                read.flags.push(argument.clone());
                continue;
            }
            let (name, inline) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            if !with_value.contains(&name) {
                return Err(io::Error::other(format!("unexpected argument {argument:?}")));
            }
            let value = inline.or_else(|| arguments.next().cloned());
            let value = value.ok_or_else(|| io::Error::other(format!("{name} needs a value")))?;
            read.options.push((name.to_owned(), value));
        }
        Ok(read)
    }

    /// The values of an option, in order.
    pub(crate) fn values(&self, name: &str) -> Vec<String> {
        self.options.iter().filter(|(given, _)| given == name).map(|(_, value)| value.clone()).collect()
    }

    /// The value of an option that counts once. None: it was not given.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        self.values(name).pop()
    }

    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given == flag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> io::Result<CommandLine> {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        CommandLine::parse(&arguments, &["--target", "--out"], &["--host-only"])
    }

    #[test]
    fn options_are_read_in_both_forms_and_what_is_unknown_is_an_error() {
        let read = parse(&["--target", "a", "--host-only", "--target=b"]).unwrap();
        assert_eq!((read.values("--target"), read.value("--out")), (vec!["a".to_owned(), "b".to_owned()], None));
        assert!(read.has("--host-only") && !parse(&[]).unwrap().has("--host-only"));
        for wrong in [&["--tarmac"][..], &["--out"], &["--host-only=yes"], &["dir"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
