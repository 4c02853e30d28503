//! The configuration files of clients: where they are, and how an entry for a server looks in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value, json};

const TABLE: &str = include_str!("../data/configs.json");

/// How a client is configured.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Config {
    /// Its name, as `rootwise call --client` takes it.
    pub(crate) client: String,
    /// The members that lead to the servers.
    servers: Vec<String>,
    shape: Shape,
    /// Files by scope: `project`, `user`, or the name of a system for a user's file there.
    files: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Shape {
    /// `command`, `args`, `env`.
    Plain,
    /// The same with `type`.
    Typed,
    /// `command` is the whole command line.
    List,
    /// As plain, in TOML.
    Toml,
}

/// A server in a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) cwd: Option<String>,
    /// Its address, if it is reached over HTTP instead.
    pub(crate) url: Option<String>,
}

pub(crate) fn configs() -> Vec<Config> {
    serde_json::from_str(TABLE).unwrap_or_default()
}

impl Config {
    /// The files that this client reads in a project and in a home folder, on this system; those of the project first.
    pub(crate) fn files(&self, project: &Path, home: Option<&Path>) -> Vec<(&'static str, PathBuf)> {
        let own = self.files.get("project").map(|file| ("project", project.join(file)));
        let of_user = self.files.get("user").or_else(|| self.files.get(std::env::consts::OS));
        let of_user = of_user.and_then(|file| Some(("user", home?.join(file.strip_prefix("~/")?))));
        own.into_iter().chain(of_user).collect()
    }

    /// The servers in the text of a file; those over HTTP have no command.
    pub(crate) fn read(&self, text: &str, project: &Path) -> Result<Vec<Server>, String> {
        let document: Value = if self.shape == Shape::Toml {
            toml::from_str(text).map_err(|error| error.to_string())?
        } else {
            // Many clients allow comments and commas at the end.
            jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
                .map_err(|error| error.to_string())?
        };
        let inside = |mut value: &'_ Value| -> Option<Map<String, Value>> {
            for name in &self.servers {
                value = value.get(name)?;
            }
            value.as_object().cloned()
        };
        // Claude Code keeps what belongs to one project in the user's file.
        let own = project.to_str().and_then(|project| document.get("projects")?.get(project));
        let found = [Some(&document), own].into_iter().flatten().filter_map(inside).flatten();
        Ok(found.filter_map(|(name, entry)| self.server(name, &entry)).collect())
    }

    fn server(&self, name: String, entry: &Value) -> Option<Server> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let texts = |value: Option<&Value>| -> Vec<String> {
            value.and_then(Value::as_array).into_iter().flatten().filter_map(text).collect()
        };
        let env = entry.get("env").or_else(|| entry.get("environment")).and_then(Value::as_object);
        let env = env.into_iter().flatten().filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect();
        let cwd = entry.get("cwd").and_then(text);
        // Gemini CLI and Windsurf have names of their own for it.
        let url = ["url", "httpUrl", "serverUrl"].into_iter().find_map(|name| entry.get(name).and_then(text));
        let (command, args) = if entry.get("command").is_none() {
            (url.as_ref().map(|_| String::new())?, Vec::new())
        } else if self.shape == Shape::List {
            let mut words = texts(entry.get("command")).into_iter();
            (words.next()?, words.collect())
        } else {
            // One that is no text is empty here, and named by whoever looks for mistakes.
            (text(entry.get("command")?).unwrap_or_default(), texts(entry.get("args")))
        };
        Some(Server { name, command, args, env, cwd, url })
    }

    /// The entry for a server as this client reads it, with the members around it.
    pub(crate) fn entry(&self, server: &Server) -> String {
        let Server { name, command, args, env, cwd, .. } = server;
        let mut entry = Map::new();
        match self.shape {
            Shape::List => {
                let words: Vec<&String> = std::iter::once(command).chain(args).collect();
                entry.insert("type".into(), "local".into());
                entry.insert("command".into(), json!(words));
                entry.extend((!env.is_empty()).then(|| ("environment".to_owned(), json!(env))));
            }
            Shape::Plain | Shape::Typed | Shape::Toml => {
                entry.extend((self.shape == Shape::Typed).then(|| ("type".to_owned(), json!("stdio"))));
                entry.insert("command".into(), json!(command));
                entry.insert("args".into(), json!(args));
                entry.extend((!env.is_empty()).then(|| ("env".to_owned(), json!(env))));
                entry.extend(cwd.as_ref().map(|cwd| ("cwd".to_owned(), json!(cwd))));
            }
        }
        let around = self.servers.iter().rev().fold(json!({ name: entry }), |inner, member| json!({ member: inner }));
        if self.shape == Shape::Toml {
            return toml::to_string(&around).unwrap_or_default();
        }
        format!("{around:#}")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written_by_every_client() {
        let mut server = Server { name: "git".into(), command: "uvx".into(), ..Server::default() };
        server.args = vec!["mcp-server-git".into(), "{path}".into()];
        server.env.insert("KEY".into(), "value".into());
        assert!(configs().len() > 10);
        for config in configs() {
            let text = config.entry(&server);
            assert_eq!(config.read(&text, Path::new("/p")), Ok(vec![server.clone()]), "{}: {text}", config.client);
            assert!(rootwise::clients::KnownClient::find(&config.client).is_ok(), "{}", config.client);
            assert!(!config.files(Path::new("/p"), Some(Path::new("/h"))).is_empty(), "{}", config.client);
        }
    }

    #[test]
    fn comments_and_servers_over_http_are_no_obstacle() {
        let config = configs().into_iter().find(|config| config.client == "claude-code").unwrap();
        let text = r#"{ // mine
            "mcpServers": { "far": { "type": "http", "url": "https://example.com" }, "near": { "command": "a", } },
            "projects": { "/p": { "mcpServers": { "own": { "command": "b" } } } } }"#;
        let servers = config.read(text, Path::new("/p")).unwrap();
        let names: Vec<&str> = servers.iter().map(|server| server.name.as_str()).collect();
        assert_eq!(names, ["far", "near", "own"]);
        assert_eq!(servers.first().and_then(|far| far.url.as_deref()), Some("https://example.com"));
        assert!(config.read("{", Path::new("/p")).is_err());
    }
}
