//! Parses an error that a program threw, given as JSON or as printed text (seed 2, `fromSystemError`).

use referee_model::build_error::{BuildErrorType, FailedPhase, SystemError};
use referee_model::foreign::{Foreign, ForeignError, Form, Members, TEXT};
use referee_model::limit::FOREIGN_DOCUMENT_BYTES;

/// Name of the document in messages.
const NAME: &str = "the system error";

/// The UTF-8 byte order mark that some editors write before a document.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// First line of a Python traceback.
const TRACEBACK: &str = "Traceback (most recent call last)";

/// Error name for panics of Go and Rust, which have none of their own.
const PANIC: &str = "panic";

/// Parses an error: an object with `message` and, where known, `name`, `stack`, `type`, `context` and `phase`;
/// or the text that a program printed, all of which becomes the stack. Input that begins like an object but is
/// not JSON is such a text.
///
/// # Errors
/// Fails for an object without a message, for an unknown type, and for empty input.
pub fn read(bytes: &[u8]) -> Result<SystemError, ForeignError> {
    if bytes.len() > FOREIGN_DOCUMENT_BYTES {
        return Err(ForeignError::TooLarge { document: NAME });
    }
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        match Foreign::read(NAME, bytes) {
            Err(ForeignError::Json { source, .. }) if source.is_syntax() || source.is_eof() => {}
            read => return of_members(&read?.members()?),
        }
    }
    of_text(&String::from_utf8_lossy(bytes))
}

fn of_text(text: &str) -> Result<SystemError, ForeignError> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let said = said(&lines).ok_or(ForeignError::Missing { document: NAME, key: "message".to_owned() })?;
    Ok(SystemError {
        name: said.name.to_owned(),
        message: said.message,
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

/// The error that a text describes.
struct Said<'a> {
    name: &'a str,
    message: String,
}

/// Finds the error: the first one printed in the form of a known language runtime; otherwise the line above a
/// stack that begins with an error name; otherwise the first line. Returns `None` if the text is empty.
fn said<'a>(lines: &[&'a str]) -> Option<Said<'a>> {
    let forms = [of_python, of_java, of_rust, of_go, of_node];
    let told = (0..lines.len()).find_map(|at| forms.iter().find_map(|form| form(&lines[at..])));
    told.or_else(|| of_stack(lines)).or_else(|| {
        let first = lines.iter().position(|line| !line.is_empty())?;
        Some(apart(&lines[first..=first], is_name))
    })
}

/// `Traceback (most recent call last):`, or the location of a syntax error. The last exception ended the
/// program; it is in the first line after its stack that is not indented.
fn of_python<'a>(lines: &[&'a str]) -> Option<Said<'a>> {
    let is_place = |line: &str| line.starts_with("  File \"") && line.contains("\", line ");
    let is_trace = |line: &&str| line.trim_start().starts_with(TRACEBACK) || is_place(line);
    lines.first().filter(|line| is_trace(line))?;
    let below = lines.get(lines.iter().rposition(is_trace)? + 1..)?;
    let outdented = below.iter().position(|line| !line.is_empty() && !line.starts_with([' ', '\t']));
    let at = outdented.or_else(|| below.iter().rposition(|line| !line.is_empty()))?;
    Some(apart(&below[at..=at], is_word))
}

/// `Exception in thread "main" java.lang.IllegalStateException: wrong`. Its causes follow below.
fn of_java<'a>(lines: &[&'a str]) -> Option<Said<'a>> {
    let (_, first) = lines.first()?.trim_start().strip_prefix("Exception in thread \"")?.split_once("\" ")?;
    let more = &above_stack(lines).unwrap_or(&lines[..1])[1..];
    Some(apart(&[&[first], more].concat(), is_word))
}

/// `thread 'main' panicked at src/main.rs:2:5:` above the message; older versions print the message in quotes
/// before the location.
fn of_rust<'a>(lines: &[&'a str]) -> Option<Said<'a>> {
    let (_, place) = lines.first()?.trim_start().strip_prefix("thread '")?.split_once(" panicked at ")?;
    let below = &lines[1..];
    let is_end = |line: &&str| line.starts_with("note: ") || line.starts_with("stack backtrace:");
    let end = below.iter().position(is_end).or_else(|| below.iter().position(|line| line.is_empty()));
    let below = below[..end.unwrap_or(below.len())].join("\n");
    let message = match place.strip_prefix('\'') {
        Some(quoted) => {
            let quoted = format!("{quoted}\n{below}");
            quoted.rsplit_once("', ").map_or(quoted.as_str(), |(message, _)| message).trim().to_owned()
        }
        None if below.is_empty() => place.to_owned(),
        None => below,
    };
    Some(Said { name: PANIC, message })
}

/// `panic: runtime error: …`. Panics raised while handling it follow below.
fn of_go<'a>(lines: &[&'a str]) -> Option<Said<'a>> {
    let first = lines.first()?.strip_prefix("panic: ")?;
    let is_end = |line: &&str| ["goroutine ", "[signal ", "\tpanic: "].iter().any(|mark| line.starts_with(mark));
    let end = lines.iter().position(|line| line.is_empty() || is_end(line)).unwrap_or(1);
    let message = [&[first], &lines[1..end]].concat().join("\n");
    Some(Said { name: PANIC, message: message.trim_end_matches(" [recovered]").to_owned() })
}

/// The source location, the source line and a marker below it; then the thrown value, which may be anything.
fn of_node<'a>(lines: &[&'a str]) -> Option<Said<'a>> {
    let [place, _, mark, below @ ..] = lines else { return None };
    let is_place = place.rsplit_once(':').is_some_and(|(file, line)| !file.is_empty() && line.parse::<u32>().is_ok());
    if !is_place || !mark.ends_with('^') || !mark.trim_matches([' ', '\t', '^']).is_empty() {
        return None;
    }
    let below = &below[below.iter().position(|line| !line.is_empty())?..];
    Some(match above_stack(below) {
        Some(thrown) => apart(thrown, is_word),
        None => apart(&below[..1], is_name),
    })
}

/// Returns the error above a stack, from the first line that begins with the name of an error.
fn of_stack<'a>(lines: &[&'a str]) -> Option<Said<'a>> {
    let above = above_stack(lines)?;
    let at = above.iter().position(|line| !apart(&[line], is_name).name.is_empty())?;
    Some(apart(&above[at..], is_name))
}

/// Returns the lines above the first line of a JavaScript or Java stack, or `None` if there is no stack or
/// nothing above it.
fn above_stack<'a, 'b>(lines: &'b [&'a str]) -> Option<&'b [&'a str]> {
    let is_frame = |line: &&str| line.starts_with([' ', '\t']) && line.trim_start().starts_with("at ");
    let is_cause = |line: &str| line.starts_with("Caused by: ");
    let end = lines.iter().position(|line| is_frame(line) || is_cause(line))?;
    lines.get(..end).filter(|above| !above.is_empty())
}

/// Splits `TypeError [ERR_CODE]: x is no function` and the lines below into name and message. An error without
/// a message uses its name.
fn apart<'a>(lines: &[&'a str], is_name: fn(&str) -> bool) -> Said<'a> {
    let (first, more) = lines.split_first().map_or(("", lines), |(first, more)| (*first, more));
    let first = first.trim_start();
    let first = first.strip_prefix("Uncaught ").unwrap_or(first);
    let (named, rest) = first.split_once(": ").unwrap_or((first.trim_end_matches(':'), ""));
    let coded = named.split_once(" [").filter(|(_, code)| code.ends_with(']'));
    let name = coded.map_or(named, |(name, _)| name);
    let (name, beginning) = if is_name(name) { (name, rest) } else { ("", first) };
    let message = [&[beginning], more].concat().join("\n");
    let message = if message.trim().is_empty() { name } else { message.trim() };
    Said { name, message: message.to_owned() }
}

/// Returns whether a word is an error name regardless of its context.
fn is_name(word: &str) -> bool {
    let is_plain = word.chars().all(|letter| letter.is_alphanumeric() || "._$".contains(letter));
    is_plain && (word.ends_with("Error") || word.ends_with("Exception"))
}

/// Returns whether the text is a single word, which is a name where only a name can stand.
fn is_word(word: &str) -> bool {
    !word.is_empty() && !word.contains(char::is_whitespace)
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

    /// Parses each text, as printed by Node 20, Java 17, rustc 1.95 and 1.70, Go 1.26 and Python 3.
    fn told(texts: &[(&str, &str, &str)]) {
        for (text, name, message) in texts {
            let error = read(text.as_bytes()).unwrap();
            assert_eq!((error.name.as_str(), error.message.as_str()), (*name, *message), "{text}");
            assert_eq!(error.stack.as_deref(), Some(text.trim_end()));
        }
    }

    #[test]
    fn what_node_prints_says_name_and_message() {
        let at = "\n    at [eval]:1:6\n    at node:internal/main/eval_string:51:3";
        for (thrown, name, message) in [
            ("TypeError: Cannot read null", "TypeError", "Cannot read null"),
            ("TypeError [ERR_X]: bad", "TypeError", "bad"),
            ("Error: ENOENT: no such file, open '/nope'", "Error", "ENOENT: no such file, open '/nope'"),
            ("AssertionError [ERR_A]: Not equal:\n\n1 !== 2\n", "AssertionError", "Not equal:\n\n1 !== 2"),
            ("UnhandledPromiseRejection: reason", "UnhandledPromiseRejection", "reason"),
            ("Error", "Error", "Error"),
        ] {
            let more = "{\n  [cause]: TypeError: inner\n      at [eval]:1:32\n}\n\nNode.js v20.20.2\n";
            for place in ["[eval]:1", "/a/t.js:1", "node:fs:573"] {
                told(&[(&format!("{place}\nthe source\n     ^\n\n{thrown}{at} {more}"), name, message)]);
            }
            if name.ends_with("Error") {
                told(&[(&format!("> start\n> node a.js\n\n{thrown}{at} {more}"), name, message)]);
            }
        }
        told(&[
            ("[eval]:1\nthrow {a:1}\n^\n\n{ a: 1 }\n\nNode.js v20.20.2\n", "", "{ a: 1 }"),
            ("\n[eval]:1\nthrow x\n^\ntext: more\n(Use `node --trace-uncaught ...`)\n", "", "text: more"),
        ]);
    }

    #[test]
    fn what_java_and_python_print_says_name_and_message() {
        let caused = "Exception in thread \"main\" java.lang.IllegalStateException: wrong\n\tat A.main(A.java:3)\n\
            Caused by: java.lang.IllegalArgumentException: inner\n\tat A.f(A.java:1)\n\t... 1 more\n";
        let silent = "Exception in thread \"main\" java.lang.NullPointerException\n\tat A.main(A.java:3)";
        let chained = "Traceback (most recent call last):\n  File \"c.py\", line 4, in f\nZeroDivisionError: zero\n\n\
            During handling of the above exception, another exception occurred:\n\n\
            Traceback (most recent call last):\n  File \"c.py\", line 19, in <module>\nValueError: outer\n";
        let stopped = "Traceback (most recent call last):\n  File \"c.py\", line 1\nKeyboardInterrupt\n";
        let syntax = "  File \"x.py\", line 1\n    a b\n      ^\nSyntaxError: invalid syntax";
        told(&[
            (caused, "java.lang.IllegalStateException", "wrong"),
            (silent, "java.lang.NullPointerException", "java.lang.NullPointerException"),
            ("Exception in thread \"a\" A$Fault: one\ntwo: 2\n\tat A.main(A.java:3)", "A$Fault", "one\ntwo: 2"),
            (chained, "ValueError", "outer"),
            (stopped, "KeyboardInterrupt", "KeyboardInterrupt"),
            (syntax, "SyntaxError", "invalid syntax"),
        ]);
    }

    #[test]
    fn what_rust_and_go_print_says_the_message_of_a_panic() {
        let compared = "assertion `left == right` failed: no\n  left: 1\n right: 2";
        let noted = format!(
            "\nthread 'main' (82) panicked at src/main.rs:2:5:\n{compared}\nnote: run with `RUST_BACKTRACE=1`\n"
        );
        let beyond = "panic: runtime error: index out of range [5]\n\ngoroutine 1 [running]:\nmain.main()";
        told(&[
            (&noted, PANIC, compared),
            ("thread 'main' panicked at src/main.rs:2:5:\nboom: no", PANIC, "boom: no"),
            ("thread 'main' panicked at 'it's, no', src/main.rs:2:5\nnote: run", PANIC, "it's, no"),
            ("thread 'a' panicked at 'one\ntwo', src/main.rs:2:5\n", PANIC, "one\ntwo"),
            (beyond, PANIC, "runtime error: index out of range [5]"),
            ("panic: nil\n[signal SIGSEGV: addr=0x0]\n\ngoroutine 1", PANIC, "nil"),
            ("panic: first [recovered]\n\tpanic: second\n\ngoroutine 1", PANIC, "first"),
            ("the log says: panic: none\nthread 'x' went", "", "the log says: panic: none"),
        ]);
    }

    #[test]
    fn what_begins_like_an_object_is_json_or_a_text() {
        for (bytes, message) in [
            (&b"\xef\xbb\xbf{\"message\": \"said\"}"[..], "said"),
            (b"\xef\xbb\xbfError: said", "said"),
            (b"{ not json }\nmore", "{ not json }"),
            (b"{", "{"),
            (b"{\"message\": \"a\"} and more", "{\"message\": \"a\"} and more"),
        ] {
            assert_eq!(read(bytes).unwrap().message, message);
        }
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for junk in [
            "",
            " \n",
            "{}",
            r#"{"message": 1}"#,
            r#"{"message": "x", "type": "no"}"#,
            r#"{"message": "x", "message": "y"}"#,
        ] {
            assert!(read(junk.as_bytes()).is_err(), "{junk}");
        }
    }
}
