//! The client of docs/tutorials/rust.md that switches.
// The newest revision of the protocol deprecates roots, but most clients use them.
#![allow(deprecated)]

use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, JsonObject, ListRootsResult, Root};
use rmcp::service::RequestContext;
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, ErrorData, RoleClient, ServiceExt};

struct Client {
    roots: Vec<Root>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.capabilities = ClientCapabilities::builder().enable_roots().build();
        config
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.roots.clone()))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut roots = Vec::new();
    for folder in std::env::args().skip(1) {
        let folder = std::fs::canonicalize(folder)?;
        let uri = url::Url::from_file_path(folder).map_err(|()| "not an absolute path")?;
        roots.push(Root::new(uri.as_str()));
    }
    let mut server = tokio::process::Command::new(std::fs::canonicalize("target/debug/notes")?);
    server.current_dir("/");
    let client = Client { roots }.serve(TokioChildProcess::new(server)?).await?;
    let last = std::env::args().next_back().unwrap_or_default();
    let last = std::fs::canonicalize(last)?.display().to_string();
    let arguments = JsonObject::from_iter([("project".to_owned(), last.into())]);
    let switch = CallToolRequestParams::new("switch_project").with_arguments(arguments);
    for call in [CallToolRequestParams::new("status"), switch, CallToolRequestParams::new("status")] {
        let result = client.call_tool(call).await?;
        for text in result.content.iter().filter_map(|part| part.as_text()) {
            println!("{}", text.text);
        }
    }
    client.cancel().await?;
    Ok(())
}
