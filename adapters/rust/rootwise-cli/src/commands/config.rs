//! `rootwise config`: the entry for a server in the configuration of a client.

use std::path::Path;

use serde_json::json;

use crate::command_line::Config as Options;
use crate::configs::{Config, Server, configs};
use crate::output::{Answer, FAINT, Failure, styled};
use crate::program::launcher;

pub(crate) fn config(options: &Options) -> Result<Answer, Failure> {
    let known = configs();
    let Some(config) = known.iter().find(|config| config.client == options.client) else {
        let names: Vec<&str> = known.iter().map(|config| config.client.as_str()).collect();
        return Err(Failure(format!("{}: the clients are {}", options.client, names.join(", "))));
    };
    let words: Vec<String> = options.server.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let server =
        before(&Server { name: options.name.clone().unwrap_or_else(|| name_of(&words)), ..server_of(&words) }, &[]);
    let entry = config.entry(&server);
    let files = file_lines(config);
    let text = format!("{}\n{entry}", styled(FAINT, format_args!("Add this to {}:", files.join(" or "))));
    let json = json!({ "client": config.client, "files": files, "name": server.name, "command": server.command, "args": server.args, "entry": entry });
    Ok(Answer { text, json, good: true })
}

fn server_of(words: &[String]) -> Server {
    let (command, args) = words.split_first().map(|(first, rest)| (first.clone(), rest.to_vec())).unwrap_or_default();
    Server { command, args, ..Server::default() }
}

/// A name for a server: its package, where a launcher starts it.
fn name_of(words: &[String]) -> String {
    const LAUNCHERS: [&str; 8] = ["npx", "uvx", "bunx", "pnpx", "uv", "node", "python", "python3"];
    let named =
        words.iter().find(|word| !word.starts_with('-') && !LAUNCHERS.contains(&word.as_str()) && *word != "run");
    let base = named.and_then(|word| Path::new(word).file_stem()).map(|stem| stem.to_string_lossy().into_owned());
    base.map(|base| base.split('@').next().unwrap_or_default().to_owned())
        .filter(|base| !base.is_empty())
        .unwrap_or_else(|| "server".into())
}

fn file_lines(config: &Config) -> Vec<String> {
    let home = std::env::home_dir();
    let files = config.files(Path::new("."), home.as_deref());
    files.into_iter().map(|(_, file)| file.display().to_string().trim_start_matches("./").to_owned()).collect()
}

/// The same server behind `rootwise run`; these folders in its arguments become `{path}`.
pub(crate) fn before(server: &Server, folders: &[String]) -> Server {
    let filled = |word: &String| {
        let fits = |folder: &&String| !folder.is_empty() && (word == *folder || word.ends_with(&format!("={folder}")));
        let word =
            folders.iter().find(fits).map_or_else(|| word.clone(), |folder| word.replace(folder.as_str(), "{path}"));
        // What only some clients fill in.
        word.replace("${workspaceFolder}", "{path}")
    };
    let own = ["run", "--"].map(str::to_owned).into_iter();
    let args = own.chain([server.command.clone()]).chain(server.args.iter().map(filled)).collect();
    by_launcher(&launcher(), Server { args, cwd: None, ..server.clone() })
}

/// A server that this program starts, with the command by which its client can start this program.
pub(crate) fn by_launcher(launcher: &[String], server: Server) -> Server {
    let (command, first) =
        launcher.split_first().map(|(command, first)| (command.clone(), first.to_vec())).unwrap_or_default();
    Server { command, args: first.into_iter().chain(server.args).collect(), ..server }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_packages() {
        let name = |line: &str| name_of(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(name("npx -y @modelcontextprotocol/server-filesystem {path}"), "server-filesystem");
        assert_eq!(name("uvx mcp-server-git"), "mcp-server-git");
        assert_eq!(name("uv run server.py"), "server");
        assert_eq!(name("npx"), "server");
    }

    #[test]
    fn fixed_folders_become_placeholders() {
        let args = vec!["--repository".into(), "/work/app".into(), "--root=/work/app".into(), "/work/app/data".into()];
        let server = before(&Server { command: "git".into(), args, ..Server::default() }, &["/work/app".into()]);
        let own = server.args.iter().position(|word| word == "run").unwrap_or_default();
        assert_eq!(
            server.args.get(own..).unwrap_or_default(),
            ["run", "--", "git", "--repository", "{path}", "--root={path}", "/work/app/data"]
        );
    }
}
