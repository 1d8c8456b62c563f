//! The entry by which a host of coding agents starts Referee's MCP server.
//!
//! ```text
//! host         file of a project       file of a user                     member
//! Claude Code  .mcp.json               .claude.json                       mcpServers
//! Codex        .codex/config.toml      .codex/config.toml                 [mcp_servers.referee]
//! Copilot      .github/mcp.json        .copilot/mcp-config.json           mcpServers
//! Gemini CLI   .gemini/settings.json   .gemini/settings.json              mcpServers
//! Qwen Code    .qwen/settings.json     .qwen/settings.json                mcpServers
//! opencode     opencode.json           .config/opencode/opencode.json     mcp
//! Cursor       .cursor/mcp.json        .cursor/mcp.json                   mcpServers
//! VS Code      .vscode/mcp.json        .config/Code/User/mcp.json         servers
//! ```

use referee_model::hook::AgentHost;
use referee_syntax::toml;
use referee_syntax::tree::Node;
use serde_json::{Value, json};

use super::entries::{self, Entries};
use super::{BYTES, ConfigurationError, HookFiles};

/// Name of the server in a host's configuration.
const NAME: &str = "referee";

/// Time that a host waits for an answer, in seconds: a tool that runs checks takes as long as they do.
const TIMEOUT_SECONDS: u64 = 3_600;

/// A configuration with Referee's server merged into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedServer {
    pub text: String,
    /// Whether there was an entry of this name, which was replaced.
    pub is_replaced: bool,
}

/// Returns the locations of the servers of a host.
pub fn mcp_place(host: AgentHost) -> HookFiles {
    let place = |project, user, moved_by| HookFiles { project, user, moved_by };
    match host {
        AgentHost::Claude => place(".mcp.json", ".claude.json", Some(("CLAUDE_CONFIG_DIR", ".claude.json"))),
        AgentHost::Codex => place(".codex/config.toml", ".codex/config.toml", Some(("CODEX_HOME", "config.toml"))),
        AgentHost::Copilot => {
            place(".github/mcp.json", ".copilot/mcp-config.json", Some(("COPILOT_HOME", "mcp-config.json")))
        }
        AgentHost::Gemini => place(".gemini/settings.json", ".gemini/settings.json", None),
        AgentHost::Qwen => place(".qwen/settings.json", ".qwen/settings.json", Some(("QWEN_HOME", "settings.json"))),
        AgentHost::OpenCode => {
            let user = ".config/opencode/opencode.json";
            place("opencode.json", user, Some(("XDG_CONFIG_HOME", "opencode/opencode.json")))
        }
        AgentHost::Cursor => place(".cursor/mcp.json", ".cursor/mcp.json", None),
        AgentHost::VsCode => {
            let user = ".config/Code/User/mcp.json";
            place(".vscode/mcp.json", user, Some(("XDG_CONFIG_HOME", "Code/User/mcp.json")))
        }
    }
}

/// Returns a configuration with this server only. `program`: a name for the search path, or an absolute path.
pub fn mcp_document(host: AgentHost, program: &str) -> String {
    if host == AgentHost::Codex {
        table(program)
    } else {
        with_server(host, program, Entries::default(), Entries::default())
    }
}

/// Merges the server into a configuration. Every other member stays as it is, in its order.
///
/// # Errors
/// Fails where the configuration is not plain JSON, or not TOML for Codex; where a key is duplicated; and where an entry of
/// this name cannot be replaced.
pub fn mcp_merged(host: AgentHost, program: &str, bytes: &[u8]) -> Result<MergedServer, ConfigurationError> {
    if u64::try_from(bytes.len()).map_or(true, |length| length > BYTES) {
        return Err(ConfigurationError::new(format!("it is larger than the {} MiB that are read", BYTES >> 20)));
    }
    if host == AgentHost::Codex {
        return merged_toml(program, bytes);
    }
    let root: Entries = if bytes.trim_ascii().is_empty() {
        Entries::default()
    } else {
        serde_json::from_slice(bytes).map_err(|error| {
            ConfigurationError::new(format!(
                "it is no plain JSON object ({error}); a comment or a comma too many is taken out by hand, since neither would survive"
            ))
        })?
    };
    let servers = match root.get(member(host)) {
        None | Some("null") => Entries::default(),
        Some(text) => serde_json::from_str(text).map_err(|error| {
            ConfigurationError::new(format!("`{}` cannot be read as servers ({error})", member(host)))
        })?,
    };
    let is_replaced = servers.get(NAME).is_some();
    Ok(MergedServer { text: with_server(host, program, root, servers), is_replaced })
}

fn with_server(host: AgentHost, program: &str, mut root: Entries, mut servers: Entries) -> String {
    servers.set(NAME, entries::indented(&format!("{:#}", server(host, program)), 2));
    root.set(member(host), servers.laid_out(1));
    format!("{}\n", root.laid_out(0))
}

/// Returns the member of a configuration that holds its servers.
fn member(host: AgentHost) -> &'static str {
    match host {
        AgentHost::OpenCode => "mcp",
        AgentHost::VsCode => "servers",
        AgentHost::Claude
        | AgentHost::Codex
        | AgentHost::Copilot
        | AgentHost::Gemini
        | AgentHost::Qwen
        | AgentHost::Cursor => "mcpServers",
    }
}

fn server(host: AgentHost, program: &str) -> Value {
    match host {
        AgentHost::Claude | AgentHost::Codex | AgentHost::Cursor => json!({ "command": program, "args": ["mcp"] }),
        AgentHost::Copilot => json!({ "type": "local", "command": program, "args": ["mcp"], "tools": ["*"] }),
        AgentHost::Gemini | AgentHost::Qwen => {
            json!({ "command": program, "args": ["mcp"], "timeout": TIMEOUT_SECONDS * 1_000 })
        }
        AgentHost::OpenCode => json!({ "type": "local", "command": [program, "mcp"], "enabled": true }),
        AgentHost::VsCode => json!({ "type": "stdio", "command": program, "args": ["mcp"] }),
    }
}

/// Returns the table of Codex. The escapes of a JSON string are those of a TOML string.
fn table(program: &str) -> String {
    format!(
        "[mcp_servers.{NAME}]\ncommand = {}\nargs = [\"mcp\"]\ntool_timeout_sec = {TIMEOUT_SECONDS}\n",
        Value::from(program)
    )
}

/// Appends the table to a configuration of Codex, whose comments and layout stay as they are.
fn merged_toml(program: &str, bytes: &[u8]) -> Result<MergedServer, ConfigurationError> {
    let before =
        std::str::from_utf8(bytes).map_err(|error| ConfigurationError::new(format!("it is not text ({error})")))?;
    let invalid = |error: String| ConfigurationError::new(format!("it is not TOML ({error})"));
    let root = toml::read(before).map_err(invalid)?;
    if let Some(known) = entry(&root) {
        return if is_ours(known, program) {
            Ok(MergedServer { text: before.to_owned(), is_replaced: false })
        } else {
            Err(ConfigurationError::new(format!("it has another table [mcp_servers.{NAME}]: take that out")))
        };
    }
    let gap = if before.trim().is_empty() {
        ""
    } else if before.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    let text = format!("{before}{gap}{}", table(program));
    // An inline table `mcp_servers` cannot be extended so.
    let is_extended =
        toml::read(&text).ok().is_some_and(|root| entry(&root).is_some_and(|known| is_ours(known, program)));
    if is_extended {
        Ok(MergedServer { text, is_replaced: false })
    } else {
        Err(ConfigurationError::new("`mcp_servers` in it cannot be extended by a table"))
    }
}

fn entry(root: &Node) -> Option<&Node> {
    root.get("mcp_servers")?.get(NAME)
}

fn is_ours(entry: &Node, program: &str) -> bool {
    let arguments: Vec<_> = entry.get("args").map(Node::elements).unwrap_or_default().iter().map(Node::text).collect();
    entry.get("command").and_then(Node::text) == Some(program) && arguments == [Some("mcp")]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_of_every_host_is_what_its_contract_says() {
        let all: Vec<String> = AgentHost::ALL
            .iter()
            .map(|host| format!("// {}\n{}", mcp_place(*host).project, mcp_document(*host, "referee")))
            .collect();
        insta::assert_snapshot!(all.join("\n"));
    }

    #[test]
    fn what_is_written_is_merged_again_without_a_change() {
        for host in AgentHost::ALL {
            let document = mcp_document(host, "/opt/a b/referee");
            let again = mcp_merged(host, "/opt/a b/referee", document.as_bytes()).unwrap();
            assert_eq!(again.text, document, "{host:?}");
        }
    }

    #[test]
    fn other_members_and_servers_stay_as_they_are() {
        let before = r#"{ "theme":  "dark", "mcpServers": { "other": {"command": "x"}, "referee": {"command": "old"} }, "n": 12345678901234567890123 }"#;
        let MergedServer { text, is_replaced } = mcp_merged(AgentHost::Gemini, "referee", before.as_bytes()).unwrap();
        assert!(is_replaced);
        assert!(text.contains(r#""theme": "dark""#) && text.contains(r#""other": {"command": "x"}"#), "{text}");
        assert!(text.contains("12345678901234567890123") && !text.contains("old"), "{text}");
        let before = "# mine\nmodel = \"o\" # best\n[mcp_servers.other]\ncommand = \"x\"";
        let MergedServer { text, .. } = mcp_merged(AgentHost::Codex, "referee", before.as_bytes()).unwrap();
        assert!(text.starts_with(before) && text.ends_with(&table("referee")), "{text}");
    }

    #[test]
    fn what_cannot_be_merged_is_refused() {
        for (host, before, reason) in [
            (AgentHost::VsCode, "// comment\n{}", "no plain JSON object"),
            (AgentHost::Claude, r#"{"mcpServers": {}, "mcpServers": {}}"#, "appears twice"),
            (AgentHost::Claude, r#"{"mcpServers": []}"#, "cannot be read as servers"),
            (AgentHost::Codex, "[mcp_servers", "not TOML"),
            (AgentHost::Codex, "[mcp_servers.referee]\ncommand = \"x\"\n", "another table"),
            (AgentHost::Codex, "mcp_servers = { other = { command = \"x\" } }\n", "cannot be extended"),
        ] {
            let error = mcp_merged(host, "referee", before.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(reason), "{before}: {error}");
        }
    }
}
