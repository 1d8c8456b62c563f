//! The hosts: how each is installed, configured and asked to do one task without a person.

use std::path::PathBuf;

use super::stage::PORT;

/// One host of coding agents.
pub(super) struct Host {
    /// Its name for `referee hook`, and that of its directory among the installed.
    pub(super) name: &'static str,
    pub(super) package: &'static str,
    pub(super) program: &'static str,
    /// Its words before the task.
    pub(super) words: &'static [&'static str],
    /// Where the model is, and what keeps the host from asking for anything else.
    pub(super) variables: Vec<(&'static str, String)>,
    /// A file of its home.
    pub(super) settings: Option<(&'static str, String)>,
    /// Hooks belong to the user, where those of a project need a person's trust first.
    pub(super) for_the_user: bool,
}

impl Host {
    /// The directory that it was installed in; None where it was not.
    pub(super) fn directory(&self) -> Option<PathBuf> {
        let directory = PathBuf::from(std::env::var_os("REFEREE_HOSTS")?).join(self.name).join("node_modules");
        directory.join(".bin").join(self.program).exists().then_some(directory)
    }

    /// The installed version.
    pub(super) fn version(&self) -> Option<String> {
        let path = self.directory()?.join(self.package).join("package.json");
        let package: serde_json::Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
        package["version"].as_str().map(str::to_owned)
    }
}

fn model(path: &str) -> String {
    format!("http://127.0.0.1:{PORT}{path}")
}

fn on(names: &[&'static str]) -> impl Iterator<Item = (&'static str, String)> {
    names.iter().map(|name| (*name, "1".to_owned()))
}

pub(super) fn claude() -> Host {
    let off = [
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_BUG_COMMAND",
        "DISABLE_ERROR_REPORTING",
        "DISABLE_TELEMETRY",
        // The user is root in a network of one's own; Claude Code bypasses permissions for root in sandboxes alone.
        "IS_SANDBOX",
    ];
    let model = [("ANTHROPIC_BASE_URL", model("")), ("ANTHROPIC_API_KEY", "sk-of-the-play".to_owned())];
    Host {
        name: "claude",
        package: "@anthropic-ai/claude-code",
        program: "claude",
        words: &["--permission-mode", "bypassPermissions", "-p"],
        variables: model.into_iter().chain(on(&off)).collect(),
        settings: None,
        for_the_user: false,
    }
}

pub(super) fn codex() -> Host {
    let settings = format!(
        r#"model = "of-the-play"
model_provider = "play"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.play]
name = "play"
base_url = "{}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[feedback]
enabled = false
"#,
        model("/v1")
    );
    Host {
        name: "codex",
        package: "@openai/codex",
        program: "codex",
        words: &["exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check"],
        variables: Vec::new(),
        settings: Some((".codex/config.toml", settings)),
        for_the_user: true,
    }
}

pub(super) fn copilot() -> Host {
    let variables = [
        ("COPILOT_PROVIDER_BASE_URL", model("/v1")),
        ("COPILOT_PROVIDER_API_KEY", "of-the-play".to_owned()),
        ("COPILOT_MODEL", "of-the-play".to_owned()),
        ("COPILOT_OFFLINE", "true".to_owned()),
        ("COPILOT_AUTO_UPDATE", "false".to_owned()),
    ];
    Host {
        name: "copilot",
        package: "@github/copilot",
        program: "copilot",
        words: &["--allow-all-tools", "--disable-client-telemetry", "-p"],
        variables: variables.into(),
        settings: None,
        for_the_user: true,
    }
}

/// What Gemini CLI and its descendants are told: how they sign in, and not to tell of themselves or look for updates.
fn quiet(sign_in: &str) -> String {
    format!(
        r#"{{
  "security": {{ "auth": {{ "selectedType": "{sign_in}" }} }},
  "general": {{ "enableAutoUpdate": false, "enableAutoUpdateNotification": false }},
  "privacy": {{ "usageStatisticsEnabled": false }},
  "telemetry": {{ "enabled": false }}
}}"#
    )
}

pub(super) fn gemini() -> Host {
    let variables = [("GOOGLE_GEMINI_BASE_URL", model("")), ("GEMINI_API_KEY", "of-the-play".to_owned())];
    Host {
        name: "gemini",
        package: "@google/gemini-cli",
        program: "gemini",
        words: &["--model", "gemini-2.5-flash", "--yolo", "--skip-trust", "-p"],
        variables: variables.into(),
        settings: Some((".gemini/settings.json", quiet("gemini-api-key"))),
        for_the_user: true,
    }
}

pub(super) fn opencode() -> Host {
    let settings = format!(
        r#"{{
  "autoupdate": false,
  "share": "disabled",
  "model": "play/of-the-play",
  "small_model": "play/of-the-play",
  "enabled_providers": ["play"],
  "provider": {{
    "play": {{
      "npm": "@ai-sdk/openai-compatible",
      "options": {{ "baseURL": "{}", "apiKey": "of-the-play" }},
      "models": {{ "of-the-play": {{ "name": "of the play" }} }}
    }}
  }}
}}"#,
        model("/v1")
    );
    // It installs the types of plugins beside each of them; without a network it goes on at once.
    let offline = [("npm_config_fetch_retries", "0".to_owned()), ("npm_config_offline", "true".to_owned())];
    let off = ["OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_LSP_DOWNLOAD", "OPENCODE_DISABLE_MODELS_FETCH"];
    Host {
        name: "opencode",
        package: "opencode-ai",
        program: "opencode",
        words: &["run"],
        variables: offline.into_iter().chain(on(&off)).collect(),
        settings: Some((".config/opencode/opencode.json", settings)),
        for_the_user: false,
    }
}

pub(super) fn qwen() -> Host {
    let variables = [
        ("OPENAI_BASE_URL", model("/v1")),
        ("OPENAI_API_KEY", "of-the-play".to_owned()),
        ("OPENAI_MODEL", "of-the-play".to_owned()),
    ];
    Host {
        name: "qwen",
        package: "@qwen-code/qwen-code",
        program: "qwen",
        words: &["--yolo", "-p"],
        variables: variables.into(),
        settings: Some((".qwen/settings.json", quiet("openai"))),
        for_the_user: true,
    }
}
