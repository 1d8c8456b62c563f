//! What the tool is told to do: one instruction an argument, `verb` or `verb=value`, in order.

use std::path::PathBuf;

#[derive(Debug)]
pub(crate) enum Instruction {
    /// `out=TEXT`, `err=TEXT`: prints it; `\n \r \t \e \\ \xNN` are understood, so that any byte can be printed.
    Print(Target, Vec<u8>),
    /// `flood=out:BYTES`, `flood=err:BYTES`, `flood=both:BYTES`: prints lines, that many bytes a stream, interleaved.
    Flood(Vec<Target>, u64),
    /// `sleep=MS`.
    Sleep(u64),
    /// `exit=CODE`: ends here; without it the tool exits with 0.
    Exit(u8),
    /// `die=SIGNAL`: ends by this signal.
    Die(i32),
    /// `ignore-term`: the polite signal has no effect from here on.
    IgnoreTerm,
    /// `child=FLAGS:a;b;c`: starts a child that is told `a`, `b` and `c`, and goes on. Flags, by comma: `detached` (a
    /// session of its own, and a parent that is gone), `closed` (no pipes), `cleared` (no variables), `waited`.
    Child(Child),
    /// `stdin`: reads standard input to its end, and prints how many bytes came.
    Stdin,
    /// `tty`: tries to open the terminal, and prints what came of it.
    Terminal,
    /// `env`: prints the environment, one `NAME=VALUE` a line, sorted.
    Environment,
    /// `directory`: prints the current directory.
    Directory,
    /// `write=PATH:TEXT`: writes a file, by one rename: whoever sees it sees it whole. `%p` in the text is the process id.
    Write(PathBuf, String),
    /// `wait=PATH`: waits until the file is there.
    Wait(PathBuf),
    /// `listen=ADDRESS`, `listen=STATUS@ADDRESS`: accepts connections from here on, and answers every request with 200 or
    /// that status. `$PORT` in the address is the variable.
    Listen(u16, String),
    /// `session`: makes a session of its own.
    Session,
    /// `close`: gives up both output streams.
    Close,
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

/// Reads the instructions; `@FILE` stands for the lines of a file.
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
