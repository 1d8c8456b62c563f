//! A tool that follows instructions in its arguments, for tests of code that runs tools.

mod mcp;
mod script;

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::process::Signal;

use crate::script::{Child, Instruction, Target};

/// Exit code for invalid instructions and for failures to follow them.
const BROKEN: u8 = 99;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = script::read(&words).map_err(io::Error::other).and_then(|instructions| {
        for instruction in &instructions {
            if let Some(code) = follow(instruction)? {
                return Ok(code);
            }
        }
        Ok(0)
    });
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // If standard error is closed as well, the exit code is sufficient.
            let _ = writeln!(io::stderr(), "fake-tool: {error}");
            ExitCode::from(BROKEN)
        }
    }
}

/// Follows one instruction. Returns the exit code if the tool has to exit.
fn follow(instruction: &Instruction) -> io::Result<Option<u8>> {
    match instruction {
        Instruction::Print(target, bytes) => print(*target, bytes)?,
        Instruction::Flood(targets, bytes) => flood(targets, *bytes)?,
        Instruction::Sleep(milliseconds) => std::thread::sleep(Duration::from_millis(*milliseconds)),
        Instruction::Exit(code) => return Ok(Some(*code)),
        Instruction::Die(signal) => die(*signal)?,
        Instruction::IgnoreTerm => {
            signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::new(AtomicBool::new(false)))?;
        }
        Instruction::Child(child) => start(child)?,
        Instruction::Stdin => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes)?;
            print(Target::Out, format!("stdin: {} bytes\n", bytes.len()).as_bytes())?;
        }
        Instruction::Terminal => match OpenOptions::new().read(true).write(true).open("/dev/tty") {
            Ok(_) => print(Target::Out, b"tty: opened\n")?,
            Err(error) => print(Target::Err, format!("/dev/tty: {error}\n").as_bytes())?,
        },
        Instruction::Environment => {
            let mut variables: Vec<_> = std::env::vars_os().collect();
            variables.sort();
            for (name, value) in variables {
                print(Target::Out, format!("{}={}\n", name.display(), value.display()).as_bytes())?;
            }
        }
        Instruction::Directory => {
            print(Target::Out, format!("{}\n", std::env::current_dir()?.display()).as_bytes())?;
        }
        Instruction::Write(path, text) => write(path, &text.replace("%p", &std::process::id().to_string()))?,
        Instruction::Wait(path) => wait(path),
        Instruction::Listen(status, address) => listen(*status, address)?,
        Instruction::ModelContext(flaws) => return mcp::serve(flaws),
        Instruction::Session => {
            rustix::process::setsid()?;
        }
        Instruction::Close => {
            let nothing = File::options().write(true).open("/dev/null")?;
            rustix::stdio::dup2_stdout(&nothing)?;
            rustix::stdio::dup2_stderr(&nothing)?;
        }
    }
    Ok(None)
}

fn print(target: Target, bytes: &[u8]) -> io::Result<()> {
    match target {
        Target::Out => io::stdout().write_all(bytes).and_then(|()| io::stdout().flush()),
        Target::Err => io::stderr().write_all(bytes),
    }
}

/// Prints lines of 64 bytes; the last one is cut to the requested number of bytes.
fn flood(targets: &[Target], bytes: u64) -> io::Result<()> {
    let block = b"............................................................###\n".repeat(128);
    let mut left = bytes;
    while left > 0 {
        let part = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
        for target in targets {
            print(*target, &block[..part])?;
        }
        left -= part as u64;
    }
    Ok(())
}

fn die(signal: i32) -> io::Result<()> {
    let signal = Signal::from_named_raw(signal).ok_or_else(|| io::Error::other("no such signal"))?;
    rustix::process::kill_process(rustix::process::getpid(), signal)?;
    // The signal has been sent; nothing else may happen until it arrives.
    std::thread::sleep(Duration::from_mins(1));
    Ok(())
}

fn start(child: &Child) -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    if child.cleared {
        command.env_clear();
    }
    if child.closed {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    }
    if child.detached {
        // The intermediate process creates a session, starts the child and exits.
        command.args(["session".to_owned(), format!("child=:{}", child.script.join(";"))]);
        command.status().map(drop)
    } else {
        let mut started = command.args(&child.script).spawn()?;
        if child.waited { started.wait().map(drop) } else { Ok(()) }
    }
}

/// Accepts connections as soon as it returns, and answers on a thread of its own.
fn listen(status: u16, address: &str) -> io::Result<()> {
    let port = std::env::var("PORT").unwrap_or_default();
    let listener = TcpListener::bind(address.replace("$PORT", &port))?;
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // Probes that only test whether the port is open send nothing and disconnect.
            let _ = answer(connection, status);
        }
    });
    Ok(())
}

/// Reads the head of a request and answers it.
fn answer(mut connection: TcpStream, status: u16) -> io::Result<()> {
    connection.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut head = Vec::new();
    let mut part = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match connection.read(&mut part)? {
            0 => return Ok(()),
            read => head.extend_from_slice(&part[..read]),
        }
    }
    connection
        .write_all(format!("HTTP/1.1 {status} Said\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok").as_bytes())
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let half = path.with_extension(format!("half-{}", std::process::id()));
    std::fs::write(&half, text)?;
    std::fs::rename(&half, path)
}

fn wait(path: &Path) {
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
}
