//! The command that a host is given: it runs the script beside the configuration, which calls Referee and answers in its place
//! where it gives no answer.
//!
//! Most hosts go on as if nothing were wrong where a hook is missing, dies, takes too long or prints what they cannot read. The
//! script sees to that (`hook.sh`). The command is short, since some hosts show it to the model: it reads the script, runs what
//! it read if that has the checksum that it was written with, and otherwise blocks by itself, where the event is gated.
//!
//! Hosts hand the command to the user's shell, whichever that is; so it is one call of `sh` whose words are in single quotes and
//! hold no single quote of their own.

use referee_model::hook::{AgentHost, HookMoment, HookReply};

use super::{ConfigurationError, HookRequest, Reach, place, script_beside};

/// The script that every hook runs.
pub const SCRIPT: &str = include_str!("hook.sh");

/// What the command runs where the script is as it was written: `f` is its path, `s` what it holds.
const RUN: &str = r#"s=$(cat "$f")&&[ "$(echo "$s"|cksum)" = "#;
const AS_WRITTEN: &str = r#" ]&&exec sh -c "$s" "$0" "$@";"#;

/// Returns the command for an event.
pub(super) fn line(wanted: &HookRequest<'_>, (event, moment): (&str, HookMoment), words: &[&str]) -> String {
    let program = if is_plain(wanted.program) { wanted.program.to_owned() } else { quoted(wanted.program) };
    let (path, otherwise) = (script_path(wanted.host, wanted.reach), otherwise(wanted.host, event, moment));
    // The shell takes the line end at the end off, and `echo` puts it back; the script holds no backslash for it to read.
    let sum = cksum(SCRIPT.as_bytes());
    let script = format!("{path};{RUN}\"{sum}\"{AS_WRITTEN}{otherwise}");
    format!("sh -c {} {program} {} {event}", quoted(&script), words.join(" "))
}

/// Sets `f` to where the script lies, as the host's own environment says. No variable of Codex, Copilot, opencode or VS Code names the
/// project: what they start hooks in lies in it.
fn script_path(host: AgentHost, reach: Reach) -> String {
    let place = place(host);
    match reach {
        Reach::Project => {
            let script = script_beside(place.project);
            match host {
                AgentHost::Claude => format!("f=\"${{CLAUDE_PROJECT_DIR:-.}}/{script}\""),
                AgentHost::Gemini => format!("f=\"${{GEMINI_PROJECT_DIR:-.}}/{script}\""),
                AgentHost::Qwen => format!("f=\"${{QWEN_PROJECT_DIR:-.}}/{script}\""),
                AgentHost::Cursor => format!("f=\"${{CURSOR_PROJECT_DIR:-.}}/{script}\""),
                AgentHost::Codex | AgentHost::Copilot | AgentHost::OpenCode | AgentHost::VsCode => {
                    format!("r=$(git rev-parse --show-toplevel 2>&-);f=\"${{r:-.}}/{script}\"")
                }
            }
        }
        Reach::User => match place.moved_by {
            Some((variable, file)) => {
                let directory = place.user.strip_suffix(file).unwrap_or_default().trim_end_matches('/');
                format!("f=\"${{{variable}:-$HOME/{directory}}}/{}\"", script_beside(file))
            }
            None => format!("f=\"$HOME/{}\"", script_beside(place.user)),
        },
        Reach::Managed => format!("f=\"{}/{}\"", super::MANAGED, script_beside(super::MANAGED_FILE)),
    }
}

/// What the command does where the script is gone or is not what was written: it blocks where something is gated. Codex, Gemini
/// CLI and opencode ask as often as they are refused, so where the agent goes on after a block already its turn is ended. The event is read to
/// its end in any case: a host that cannot write all of it may call the hook failed.
fn otherwise(host: AgentHost, event: &str, moment: HookMoment) -> &'static str {
    const BLOCK: &str = r#"cat>/dev/null;echo "[referee] restore $f">&2;exit 2"#;
    const BLOCK_ONCE: &str =
        r#"case $(cat) in *_active?:true*)echo "{\"continue\":false}";;*)echo "[referee] restore $f">&2;exit 2;esac"#;
    match host {
        AgentHost::Cursor if event == "beforeSubmitPrompt" => r#"cat>/dev/null;echo "{\"continue\":true}""#,
        _ if !moment.is_gated() && moment != HookMoment::ConfigurationChanges => "cat>/dev/null;echo {}",
        AgentHost::Claude | AgentHost::Qwen | AgentHost::VsCode => BLOCK,
        AgentHost::Codex | AgentHost::Gemini | AgentHost::OpenCode => BLOCK_ONCE,
        AgentHost::Copilot => {
            r#"cat>/dev/null;echo "{\"decision\":\"block\",\"reason\":\"[referee] see: referee doctor\"}""#
        }
        AgentHost::Cursor => r#"cat>/dev/null;echo "{\"followup_message\":\"[referee] see: referee doctor\"}""#,
    }
}

/// Returns what `cksum` prints of bytes: the cyclic redundancy check of POSIX, and how many there are.
fn cksum(bytes: &[u8]) -> String {
    let step = |sum: u32, byte: u8| {
        (0..8).fold(sum ^ (u32::from(byte) << 24), |sum, _| {
            if sum & 0x8000_0000 == 0 { sum << 1 } else { (sum << 1) ^ 0x04c1_1db7 }
        })
    };
    let length = bytes.len().to_le_bytes();
    let used = length.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let sum = bytes.iter().chain(length.iter().take(used)).fold(0, |sum, byte| step(sum, *byte));
    format!("{} {}", !sum, bytes.len())
}

/// Returns the same for PowerShell, which stops nothing: there the host's own time decides.
pub(super) fn power_shell(program: &str, words: &[&str], stand_in: &HookReply) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let (answer, end) = if stand_in.exit == 0 {
        (String::from_utf8_lossy(&stand_in.stdout), "$j }; exit 0".to_owned())
    } else {
        (String::from_utf8_lossy(&stand_in.stderr), "[Console]::Error.WriteLine($j); exit 2 }; exit 0".to_owned())
    };
    format!(
        "$j={}; $o=''; $c=1; [Console]::OutputEncoding=[Text.Encoding]::UTF8; try {{ $o=([Console]::In.ReadToEnd() | & {} {} \
         | Out-String).Trim(); $c=$LASTEXITCODE }} catch {{ $c=1 }}; if ($c -eq 0 -and $o.StartsWith('{{') -and \
         $o.EndsWith('}}')) {{ $o }} else {{ {end}",
        quoted(answer.trim()),
        quoted(program),
        words.join(" ")
    )
}

/// Refuses a program that no quoting makes safe in every shell.
///
/// # Errors
/// Fails for a name with a control character or a backslash, for an empty one, and for a relative path.
pub fn check_program(program: &str) -> Result<(), ConfigurationError> {
    let is_relative = program.contains('/') && !program.starts_with('/');
    if program.is_empty() || is_relative || program.contains('\\') || program.chars().any(char::is_control) {
        return Err(ConfigurationError::new(format!(
            "{program:?} cannot be configured as the program: give a name for the search path or an absolute path, without \
             backslashes and control characters"
        )));
    }
    Ok(())
}

fn is_plain(word: &str) -> bool {
    word.chars().all(|character| character.is_ascii_alphanumeric() || "/._-+".contains(character))
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_one_that_every_echo_gives_back() {
        assert!(SCRIPT.ends_with('\n') && !SCRIPT.ends_with("\n\n") && !SCRIPT.contains('\\') && SCRIPT.is_ascii());
    }

    #[test]
    fn a_checksum_is_what_cksum_prints() {
        for (text, sum) in [("", "4294967295 0"), ("a", "1220704766 1"), ("123456789", "930766865 9")] {
            assert_eq!(cksum(text.as_bytes()), sum, "{text}");
        }
    }
}
