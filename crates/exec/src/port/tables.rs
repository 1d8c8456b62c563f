//! Who listens at a port, from /proc (proc_net(5), proc_pid_fd(5)).

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;

use referee_model::record::service::PortHolder;

use super::Listeners;
use crate::process_table::COMMAND_CHARACTERS;

/// Maximum number of bytes that are read of one file below /proc.
const PROC_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// State of a listening socket in the system's tables.
const LISTENING: &str = "0A";

/// Finds the processes that listen at a port, with `is_own` called for each of them.
pub(crate) fn check(port: u16, is_own: &dyn Fn(u32) -> bool) -> Listeners {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| read(path).unwrap_or_default());
    let sockets: BTreeSet<u64> =
        tables.iter().flat_map(|table| listeners(&String::from_utf8_lossy(table), port)).collect();
    let holders = if sockets.is_empty() { Vec::new() } else { holders(&sockets, is_own) };
    Listeners { port, in_use: !sockets.is_empty(), holders: Some(holders) }
}

/// Returns the inodes of the sockets that listen at a port.
fn listeners(table: &str, port: u16) -> Vec<u64> {
    let inode = |line: &str| {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let (_, local_port) = fields.get(1)?.rsplit_once(':')?;
        let is_here = u16::from_str_radix(local_port, 16).ok()? == port && *fields.get(3)? == LISTENING;
        is_here.then(|| fields.get(9)?.parse().ok()).flatten()
    };
    table.lines().skip(1).filter_map(inode).collect()
}

/// Returns the processes that hold one of these sockets.
fn holders(sockets: &BTreeSet<u64>, is_own: &dyn Fn(u32) -> bool) -> Vec<PortHolder> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut holders: Vec<PortHolder> = pids
        .filter(|pid| holds(*pid, sockets))
        .map(|pid: u32| PortHolder { pid, name: name(pid), command: command(pid), own: is_own(pid) })
        .collect();
    holders.sort_by_key(|holder| holder.pid);
    holders
}

fn holds(pid: u32, sockets: &BTreeSet<u64>) -> bool {
    // Processes of another user cannot be examined: the port counts as in use then, without a process.
    let Ok(entries) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    let socket = |target: &str| target.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok();
    entries
        .flatten()
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .any(|target| target.to_str().and_then(socket).is_some_and(|inode: u64| sockets.contains(&inode)))
}

fn name(pid: u32) -> String {
    shortened(&read(&format!("/proc/{pid}/comm")).unwrap_or_default())
}

fn command(pid: u32) -> String {
    shortened(&read(&format!("/proc/{pid}/cmdline")).unwrap_or_default())
}

fn shortened(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text).replace('\0', " ");
    text.trim_end().chars().take(COMMAND_CHARACTERS).collect()
}

fn read(path: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(PROC_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_table_are_read_by_state_and_port() {
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        let row = |address: &str, state: &str, inode: &str| {
            format!(
                "   0: {address} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000     0        0 {inode} 1\n"
            )
        };
        let table = [
            head.to_owned(),
            row("0100007F:0BB8", "0A", "11"),
            row("00000000000000000000000001000000:0BB8", "0A", "12"),
            row("0100007F:0BB8", "01", "13"),
            row("0100007F:0BB9", "0A", "14"),
            "junk\n".to_owned(),
            row("0100007F:0BB8", "0A", "x"),
        ];
        assert_eq!(listeners(&table.concat(), 3000), [11, 12]);
    }
}
