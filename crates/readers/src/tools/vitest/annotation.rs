//! Vitest's GitHub annotations:
//! `::error file=/p/a.test.ts,title=a.test.ts > add > floats,line=7,column=27::message`.

use crate::prelude::*;
use crate::shapes::locate::Frame;
use crate::tools::vitest::SEPARATOR;
use crate::tools::vitest::frame;

static ANNOTATION: Pattern = Pattern::new(
    r"^::error file=(?<file>[^,:]+|[A-Za-z](?::|%3A)[^,:]+),title=(?<title>[^:]+?),line=(?<line>\d+),column=(?<column>\d+)::(?<message>.*)$",
);

/// Parses the annotation of a failed test.
pub(super) fn failing(line: &Line<'_>) -> Option<Failing> {
    if !line.text.starts_with("::error file=") {
        return None;
    }
    let captures = ANNOTATION.find(&line.text)?;
    let title = unescaped(captures.text("title"));
    let (file, name) = title.split_once(SEPARATOR)?;
    let file = file.rsplit(' ').next().filter(|file| file.contains('.'))?;
    let mut failing = Failing::new(name, "vitest/github", line).in_file(file);
    let own = Frame { file: text::path(&unescaped(captures.text("file"))), ..Frame::of(&captures) };
    let message = unescaped(captures.text("message"));
    let is_frame = |line: &&str| frame::read(line).is_some();
    message.lines().take_while(|line| !is_frame(line)).for_each(|line| failing.say(line));
    failing.frame(own, "");
    for line in message.lines() {
        if let Some(frame) = frame::read(line) {
            failing.frame(frame, line);
        }
    }
    Some(failing)
}

/// Resolves the escapes of a workflow command.
fn unescaped(text: &str) -> String {
    let text = text.replace("%0D", "").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",");
    text.replace("%25", "%")
}
