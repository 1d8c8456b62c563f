//! An error that a program threw, as JSON or as the text that it printed (seed 2, `fromSystemError`).

use referee_model::build_error::{BuildErrorType, FailedPhase, SystemError};
use referee_model::limit::FOREIGN_DOCUMENT_BYTES;

use crate::foreign::{Foreign, ForeignError, Form, Members, TEXT};

/// The document's name in messages.
const NAME: &str = "the system error";

/// What a trace of Python begins with; its last line says what was thrown, where others begin with that.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// Reads an error: an object with `message`, and `name`, `stack`, `type`, `context` and `phase` where they are known; or the
/// text that a program printed, whose whole is the stack.
///
/// # Errors
/// Fails for an object without a message, for a type that is none, and for nothing at all.
pub fn read(bytes: &[u8]) -> Result<SystemError, ForeignError> {
    if bytes.len() > FOREIGN_DOCUMENT_BYTES {
        return Err(ForeignError::TooLarge { document: NAME });
    }
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        return of_members(&Foreign::read(NAME, bytes)?.members()?);
    }
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().ok_or(ForeignError::Missing { document: NAME, key: "message".to_owned() })?;
    let said = if first.starts_with(TRACEBACK) { lines.next_back().unwrap_or(first) } else { first };
    let (name, message) = thrown(said);
    Ok(SystemError {
        name: name.to_owned(),
        message: message.to_owned(),
        stack: Some(text.trim_end().to_owned()),
        ..SystemError::default()
    })
}

fn of_members(members: &Members<'_>) -> Result<SystemError, ForeignError> {
    const KIND: Form<BuildErrorType> =
        Form::new("one of the thirteen types of build errors", |node| BuildErrorType::parse(&node.text()?));
    let context = members.object("context")?;
    let context = context.iter().flat_map(Members::each);
    Ok(SystemError {
        name: members.optional("name", &TEXT)?.unwrap_or_default(),
        message: members.required("message", &TEXT)?,
        stack: members.optional("stack", &TEXT)?,
        kind: members.optional("type", &KIND)?,
        context: context.map(|(key, node)| (key.to_owned(), node.into())).collect(),
        phase: members.optional("phase", &TEXT)?.as_deref().and_then(FailedPhase::named),
    })
}

/// Takes `TypeError: x is no function` apart. A name is one word that is called an error or exception, or has a dot, as classes
/// with their modules do.
fn thrown(line: &str) -> (&str, &str) {
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    match line.split_once(": ") {
        Some((name, message)) if is_name(name) => (name, message.trim()),
        _ => ("", line),
    }
}

fn is_name(word: &str) -> bool {
    let is_word = !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || "._$".contains(letter));
    is_word && (word.ends_with("Error") || word.ends_with("Exception"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_thrown_is_read_from_json_and_from_text() {
        let stack = "Error: Connection refused\n    at connect()";
        let trace = "Traceback (most recent call last):\n  File \"a.py\", line 1\nurllib3.exceptions.HTTPError: 502";
        for (bytes, name, message) in [
            (r#"{"name": "HttpError", "message": "GitHub API: 502", "stack": "x"}"#, "HttpError", "GitHub API: 502"),
            (stack, "Error", "Connection refused"),
            ("  \nUncaught TypeError: x is no function\n", "TypeError", "x is no function"),
            (trace, "urllib3.exceptions.HTTPError", "502"),
            ("fatal: unable to access the remote", "", "fatal: unable to access the remote"),
        ] {
            let error = read(bytes.as_bytes()).unwrap();
            assert_eq!((error.name.as_str(), error.message.as_str()), (name, message), "{bytes}");
        }
        assert_eq!(read(stack.as_bytes()).unwrap().stack.as_deref(), Some(stack));
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for junk in ["", " \n", "{}", "{\"message\": 1}", "{\"message\": \"x\", \"type\": \"no\"}", "{"] {
            assert!(read(junk.as_bytes()).is_err(), "{junk}");
        }
    }
}
