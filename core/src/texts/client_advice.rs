//! What the users of each client can do to name a project. Generated from `core/clients.json`:
//! `UPDATE_CLIENTS=1 cargo test -p rootwise --test clients`.

/// Patterns of client names, each with parts of a sentence.
#[rustfmt::skip]
pub(crate) const CLIENT_ADVICE: &[(&str, &[&str])] = &[
    ("claude-code", &["start Claude Code inside the project"]),
    ("claude-ai", &["add `--{option}=/absolute/path` to this server's args in `claude_desktop_config.json`"]),
    ("cursor*", &["open a folder in this window and try again", "add `--{option}=${workspaceFolder}` to this server's args in `.cursor/mcp.json`"]),
    ("Visual Studio Code*", &["open a folder in this window and try again", "add `--{option}=${workspaceFolder}` to this server's args in `.vscode/mcp.json`"]),
    ("copilot-cli", &["start Copilot CLI inside the project", "add `--{option}=/absolute/path` to this server's args in `~/.copilot/mcp-config.json`"]),
    ("github-copilot-developer", &["start Copilot CLI inside the project", "add `--{option}=/absolute/path` to this server's args in `~/.copilot/mcp-config.json`"]),
    ("JetBrains-*", &["add `--{option}=/absolute/path` to this server's args in Copilot's `mcp.json`"]),
    ("windsurf*", &["add `--{option}=/absolute/path` to this server's args in `mcp_config.json`"]),
    ("Windsurf", &["add `--{option}=/absolute/path` to this server's args in `mcp_config.json`"]),
    ("Cline", &["add `--{option}=/absolute/path` to this server's args in `cline_mcp_settings.json`"]),
    ("@cline/core", &["add `--{option}=/absolute/path` to this server's args in `cline_mcp_settings.json`"]),
    ("Roo Code", &["add `--{option}=${workspaceFolder}` to this server's args in `.roo/mcp.json`"]),
    ("Zed", &["add `--{option}=/absolute/path` to this server's args under `context_servers` in Zed's settings"]),
    ("codex*", &["add `--{option}=/absolute/path` to this server's args in `~/.codex/config.toml`"]),
    ("gemini-cli*", &["start Gemini CLI inside the project", "type `/directory add /absolute/path`"]),
    ("qwen-cli-mcp-client-*", &["start Qwen Code inside the project", "type `/directory add /absolute/path`"]),
    ("qwen-code*", &["start Qwen Code inside the project", "type `/directory add /absolute/path`"]),
    ("goose*", &["start goose inside the project"]),
    ("opencode", &["start opencode inside the project", "add `--{option}=/absolute/path` to this server's command in `opencode.json`"]),
    ("continue-*", &["add `--{option}=/absolute/path` to this server's args in `.continue/mcpServers`"]),
    ("@librechat/*", &["add `--{option}=/absolute/path` to this server's args in `librechat.yaml`"]),
    ("antigravity*", &["add `--{option}=/absolute/path` to this server's args in Antigravity's `mcp_config.json`"]),
    ("theia-client", &["open a folder in this workspace and try again"]),
    ("kilo", &["start Kilo inside the project"]),
    ("mcporter", &["add `--{option}=/absolute/path` to this server's args in mcporter's configuration"]),
];
