//! An MCP server with a browser that is not there.
//!
//! | flaw | what it does |
//! |---|---|
//! | `mute` | never answers |
//! | `old` | lacks the tool that runs code |
//! | `noisy` | prints other things around each answer: junk, notifications, requests, answers to other requests |
//! | `no-browser` | says that there is no browser |
//! | `error` | answers the first command with an error of the protocol |
//! | `hang` | never answers commands |
//! | `die` | exits with 3 at the first command, after a complaint |
//! | `die-at=WORD` | dies so at the first command that contains the word |
//! | `endless` | answers the first command with a line without an end |
//! | `nonsense` | answers commands with something else |
//! | `other-browser` | answers commands from a browser that was just started |
//! | `no-picture` | gives pictures that are none |
//! | `deaf` | never reads its input |

use std::io::{self, BufRead, Write};
use std::time::Duration;

/// A picture of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Answers requests until there are no more. Returns the exit code if the server has to exit.
pub(crate) fn serve(flaws: &[String]) -> io::Result<Option<u8>> {
    let has = |flaw: &str| flaws.iter().any(|each| each == flaw);
    let word = flaws.iter().find_map(|flaw| flaw.strip_prefix("die-at="));
    if has("deaf") {
        std::thread::sleep(Duration::from_mins(1));
    }
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some(id) = after(&line, "\"id\":") else { continue };
        if has("mute") || !line.contains("\"method\"") {
            continue;
        }
        let is_command = line.contains("tools/call") && !line.contains("\\\"start\\\"") && line.contains("nonce");
        if is_command && (has("die") || word.is_some_and(|word| line.contains(word))) {
            writeln!(io::stderr(), "the browser has gone\n")?;
            return Ok(Some(3));
        }
        if is_command && has("endless") {
            endless()?;
        }
        if is_command && has("hang") {
            continue;
        }
        if has("noisy") {
            let (next, same) = (id.parse::<u64>().unwrap_or(0) + 1, "\"result\":{\"isError\":true}");
            say(&format!("listening\n{{\"jsonrpc\":\"2.0\",\"id\":{next},{same}}}\n{{\"id\":\"{id}\",{same}}}"))?;
            say("[1,2]\n\nnull\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}")?;
            say("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"id\":2,\"method\":\"roots/list\"}\n\u{1}")?;
        }
        let answer = answer(&line, is_command, &has);
        say(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{answer}}}"))?;
    }
    Ok(None)
}

fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    writeln!(out, "{text}")?;
    out.flush()
}

fn endless() -> io::Result<()> {
    let part = [b'x'; 8 * 1024];
    loop {
        io::stdout().write_all(&part)?;
    }
}

/// Returns the result of a request, or its error.
fn answer(line: &str, is_command: bool, has: &dyn Fn(&str) -> bool) -> String {
    if line.contains("\"initialize\"") {
        return "\"result\":{\"protocolVersion\":\"1\",\"serverInfo\":{\"name\":\"Fake\",\"version\":\"1.0\"}}"
            .to_owned();
    }
    if line.contains("tools/list") {
        let tool = if has("old") { "browser_evaluate" } else { "browser_run_code_unsafe" };
        // Two pages.
        return if line.contains("cursor") {
            format!("\"result\":{{\"tools\":[{{\"name\":\"{tool}\"}}]}}")
        } else {
            "\"result\":{\"tools\":[{\"name\":\"browser_close\"}],\"nextCursor\":\"2\"}".to_owned()
        };
    }
    if is_command && has("error") {
        return "\"error\":{\"code\":-1,\"message\":\"too tired\"}".to_owned();
    }
    if !is_command && has("no-browser") {
        return content("### Error\\nNo browser found", true);
    }
    if is_command && has("nonsense") {
        return content("### Result\\n42", false);
    }
    let nonce = after(line, "nonce\\\":\\\"").unwrap_or_default();
    let rest = if line.contains("\\\"screenshot\\\":") {
        format!(r#"\"image\":\"{}\","#, if has("no-picture") { "aGVsbG8=" } else { PIXEL })
    } else if line.contains("\\\"evaluate\\\":") {
        r#"\"value\":\"{\\\"a\\\":1}\","#.to_owned()
    } else {
        String::new()
    };
    let is_new = !is_command || has("other-browser");
    let told = format!(
        r#"{{\"referee\":\"{nonce}\",\"isNew\":{is_new},\"kind\":\"done\",\"message\":\"\",{rest}\"url\":\"about:blank\",\"title\":\"\",\"text\":null,\"browser\":{{\"name\":\"chromium\",\"version\":\"1\"}},\"console\":[],\"requests\":[],\"errors\":[],\"dialogs\":[],\"downloads\":[],\"windows\":[],\"dropped\":0}}"#
    );
    content(&format!("### Result\\n{told}\\n### Page"), false)
}

fn content(text: &str, is_error: bool) -> String {
    format!("\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"{text}\"}}],\"isError\":{is_error}}}")
}

/// Returns the letters and digits that follow a text.
fn after<'line>(line: &'line str, text: &str) -> Option<&'line str> {
    let rest = &line[line.find(text)? + text.len()..];
    rest.split(|letter: char| !letter.is_ascii_alphanumeric()).next().filter(|word| !word.is_empty())
}
