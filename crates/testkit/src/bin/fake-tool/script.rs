//! Instructions of the tool: one per argument, `verb` or `verb=value`, in order.

use std::path::PathBuf;

#[derive(Debug)]
pub(crate) enum Instruction {
    /// `out=TEXT`, `err=TEXT`: prints the text; the escapes `\n \r \t \e \\ \xNN` allow any byte.
    Print(Target, Vec<u8>),
    /// `flood=out:BYTES`, `flood=err:BYTES`, `flood=both:BYTES`: prints lines with this number of bytes per
    /// stream, interleaved.
    Flood(Vec<Target>, u64),
    /// `sleep=MS`: sleeps, in milliseconds.
    Sleep(u64),
    /// `exit=CODE`: exits; without it the tool exits with 0 at the end.
    Exit(u8),
    /// `die=SIGNAL`: ends by this signal.
    Die(i32),
    /// `ignore-term`: ignores SIGTERM from here on.
    IgnoreTerm,
    /// `child=FLAGS:a;b;c`: starts a child with the instructions `a`, `b` and `c`, and continues. Flags,
    /// separated by commas: `detached` (in a session of its own, whose parent exits), `closed` (no pipes),
    /// `cleared` (empty environment), `waited`.
    Child(Child),
    /// `stdin`: reads standard input to its end and prints the number of bytes.
    Stdin,
    /// `tty`: tries to open the terminal and prints the result.
    Terminal,
    /// `env`: prints the environment, one `NAME=VALUE` per line, sorted.
    Environment,
    /// `directory`: prints the current directory.
    Directory,
    /// `write=PATH:TEXT`: writes a file atomically by renaming. `%p` in the text is replaced by the process id.
    Write(PathBuf, String),
    /// `wait=PATH`: waits until the file exists.
    Wait(PathBuf),
    /// `listen=ADDRESS`, `listen=STATUS@ADDRESS`: accepts connections from here on, and answers every request
    /// with status 200 or the given one. `$PORT` in the address is replaced by that environment variable.
    Listen(u16, String),
    /// `session`: starts a session of its own.
    Session,
    /// `close`: closes both output streams.
    Close,
    /// `mcp`, `mcp=FLAW,FLAW`: serves the Model Context Protocol on standard input and output until the input ends,
    /// with a browser that does everything that it is asked, apart from its flaws (`mcp.rs`).
    ModelContext(Vec<String>),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    Out,
    Err,
}

#[derive(Debug, Default)]
pub(crate) struct Child {
    pub(crate) detached: bool,
    pub(crate) closed: bool,
    pub(crate) cleared: bool,
    pub(crate) waited: bool,
    pub(crate) script: Vec<String>,
}

/// Parses the instructions; `@FILE` stands for the lines of a file.
pub(crate) fn read(words: &[String]) -> Result<Vec<Instruction>, String> {
    let mut instructions = Vec::new();
    for word in words {
        if let Some(file) = word.strip_prefix('@') {
            let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
            let lines: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
            instructions.extend(read(&lines)?);
        } else {
            instructions.push(instruction(word).map_err(|reason| format!("{word}: {reason}"))?);
        }
    }
    Ok(instructions)
}

fn instruction(word: &str) -> Result<Instruction, String> {
    let (verb, value) = word.split_once('=').unwrap_or((word, ""));
    Ok(match verb {
        "out" => Instruction::Print(Target::Out, unescaped(value)?),
        "err" => Instruction::Print(Target::Err, unescaped(value)?),
        "flood" => {
            let (streams, bytes) = value.split_once(':').ok_or("STREAM:BYTES is needed")?;
            Instruction::Flood(targets(streams)?, number(bytes)?)
        }
        "sleep" => Instruction::Sleep(number(value)?),
        "exit" => Instruction::Exit(number(value)?),
        "die" => Instruction::Die(number(value)?),
        "ignore-term" => Instruction::IgnoreTerm,
        "child" => Instruction::Child(child(value)?),
        "stdin" => Instruction::Stdin,
        "tty" => Instruction::Terminal,
        "env" => Instruction::Environment,
        "directory" => Instruction::Directory,
        "write" => {
            let (path, text) = value.split_once(':').ok_or("PATH:TEXT is needed")?;
            Instruction::Write(path.into(), text.to_owned())
        }
        "wait" => Instruction::Wait(value.into()),
        "listen" => match value.split_once('@') {
            Some((status, address)) => Instruction::Listen(number(status)?, address.to_owned()),
            None => Instruction::Listen(200, value.to_owned()),
        },
        "session" => Instruction::Session,
        "close" => Instruction::Close,
        "mcp" => Instruction::ModelContext(value.split(',').map(str::to_owned).collect()),
        _ => return Err("is not an instruction".to_owned()),
    })
}

fn child(value: &str) -> Result<Child, String> {
    let (flags, script) = value.split_once(':').ok_or("FLAGS:SCRIPT is needed")?;
    let mut child = Child { script: script.split(';').map(str::to_owned).collect(), ..Child::default() };
    for flag in flags.split(',').filter(|flag| !flag.is_empty()) {
        match flag {
            "detached" => child.detached = true,
            "closed" => child.closed = true,
            "cleared" => child.cleared = true,
            "waited" => child.waited = true,
            _ => return Err(format!("`{flag}` is not a flag of a child")),
        }
    }
    Ok(child)
}

fn targets(streams: &str) -> Result<Vec<Target>, String> {
    match streams {
        "out" => Ok(vec![Target::Out]),
        "err" => Ok(vec![Target::Err]),
        "both" => Ok(vec![Target::Out, Target::Err]),
        _ => Err(format!("`{streams}` is not a stream")),
    }
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is not a fitting number"))
}

fn unescaped(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next().ok_or("ends in a backslash")? {
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'e' => bytes.push(0x1b),
            b'\\' => bytes.push(b'\\'),
            b'x' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8_lossy(&digits);
                bytes.push(u8::from_str_radix(&digits, 16).map_err(|_| format!("`\\x{digits}` is not a byte"))?);
            }
            other => return Err(format!("`\\{}` is not an escape", char::from(other))),
        }
    }
    Ok(bytes)
}
