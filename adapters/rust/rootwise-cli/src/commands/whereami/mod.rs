//! `rootwise whereami`: a server that shows what a client tells its servers.

mod report;
mod server;

use std::io::IsTerminal;

use rootwise_rmcp::{Rootwise, ToolNames};
use serde_json::json;

use crate::command_line::Whereami;
use crate::output::{Answer, Failure};
use server::Server;

const ON_A_TERMINAL: &str = "\
This is an MCP server: a client starts it, not a person. Add it to the configuration of your client, and call its tool `whereami`:

  { \"mcpServers\": { \"whereami\": { \"command\": \"rootwise\", \"args\": [\"whereami\"] } } }

Without a client, this shows the same report:

  rootwise call --root . --tool whereami -- rootwise whereami";

pub(crate) fn whereami(_options: &Whereami) -> Result<Answer, Failure> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(Answer { text: ON_A_TERMINAL.into(), json: json!({ "message": ON_A_TERMINAL }), good: true });
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    runtime.block_on(async {
        let projects = Rootwise::options().tools(ToolNames::default()).build().map_err(Failure::new)?;
        let server = Server { projects: projects.clone() };
        let running = projects.serve(server, rmcp::transport::stdio()).await;
        // A client that goes away before its handshake needs no report.
        if let Ok(running) = running {
            let _ = running.waiting().await;
        }
        Ok(Answer::silent(true))
    })
}
