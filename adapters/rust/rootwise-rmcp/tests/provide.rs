//! The roots that a client on rmcp provides, to a server that listens and to one on Rootwise.
#![cfg(feature = "client")]
#![allow(deprecated, reason = "the protocol deprecates roots, and most clients still use them")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rmcp::model::{
    CallToolRequestParams, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction, ListRootsResult,
    ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, NotificationContext, RequestContext, RunningService};
use rmcp::{
    ClientHandler, ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router,
};
use rootwise_rmcp::client::{Folder, WithRoots, provide_roots};
use rootwise_rmcp::{NoProject, Rootwise};

/// A server that records how often it is told of changes.
#[derive(Clone, Default)]
struct Listener(Arc<AtomicUsize>);

impl ServerHandler for Listener {
    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        self.0.fetch_add(1, Relaxed);
    }
}

type Provided = RunningService<RoleClient, WithRoots<()>>;

async fn listened(folders: &[&str]) -> (RunningService<RoleServer, Listener>, Provided, Listener) {
    let listener = Listener::default();
    let (near, far) = tokio::io::duplex(65_536);
    let serving = tokio::spawn(listener.clone().serve(far));
    let client = provide_roots((), folders.iter().copied()).unwrap().serve(near).await.unwrap();
    (serving.await.unwrap().unwrap(), client, listener)
}

/// The URIs and names that the server gets. What was sent before has arrived by then.
async fn listed(server: &RunningService<RoleServer, Listener>) -> Vec<(String, Option<String>)> {
    let ListRootsResult { roots, .. } = server.peer().list_roots().await.unwrap();
    roots.into_iter().map(|root| (root.uri, root.name)).collect()
}

#[tokio::test]
async fn a_server_gets_the_folders_and_is_told_once_of_each_change() {
    let (server, client, told) = listened(&["/work/a b#c%d \u{e9}", "/work/a b#c%d \u{e9}/"]).await;
    assert_eq!(listed(&server).await, [("file:///work/a%20b%23c%25d%20%C3%A9".into(), Some("a b#c%d \u{e9}".into()))]);
    let told = || told.0.load(Relaxed);
    let roots = client.service().roots();
    let peer = client.peer();
    roots.update(peer, ["/work/a b#c%d \u{e9}"]).await.unwrap();
    listed(&server).await;
    assert_eq!(told(), 0, "an equal list is no change");
    let (one, two, three) =
        tokio::join!(roots.update(peer, ["/a"]), roots.update(peer, ["/b"]), roots.update(peer, ["/c", "/d"]));
    one.and(two).and(three).unwrap();
    assert_eq!(listed(&server).await.len(), 2);
    assert_eq!(told(), 1, "changes that come together are one");
    roots.update(peer, [Folder::named("/c", "Sea"), "/d".into()]).await.unwrap();
    assert_eq!(listed(&server).await[0], ("file:///c".into(), Some("Sea".into())));
    assert_eq!(told(), 2);
    let wrong = roots.update(peer, ["/e", "relative"]).await.unwrap_err();
    assert_eq!(wrong.place, "folders[1]");
    assert_eq!(listed(&server).await.len(), 2);
    roots.update(peer, Vec::<Folder>::new()).await.unwrap();
    assert!(listed(&server).await.is_empty());
    assert_eq!(told(), 3);
    assert!(provide_roots((), ["relative"]).is_err());
}

#[tokio::test]
async fn a_closed_client_tells_nobody_and_two_clients_keep_their_own() {
    let (server, client, told) = listened(&["/one"]).await;
    let (other_server, other, other_told) = listened(&["/two"]).await;
    let roots = client.service().roots();
    let peer = client.peer().clone();
    client.cancel().await.unwrap();
    roots.update(&peer, ["/three"]).await.unwrap();
    server.waiting().await.unwrap();
    assert_eq!(told.0.load(Relaxed), 0);
    assert_eq!(listed(&other_server).await[0].0, "file:///two");
    assert_eq!(other_told.0.load(Relaxed), 0);
    drop(other);
}

struct Notes {
    projects: Rootwise,
}

#[tool_router]
impl Notes {
    #[tool(name = "where")]
    async fn place(&self, context: RequestContext<RoleServer>) -> Result<String, NoProject> {
        Ok(self.projects.project(&context).await?.path().display().to_string())
    }
}

#[tool_handler]
impl ServerHandler for Notes {}

/// A client that does something of its own too.
struct Editor;

impl ClientHandler for Editor {
    fn get_info(&self) -> ClientConfig {
        let mut config = ClientConfig::default();
        config.capabilities = serde_json::from_str(r#"{ "elicitation": {} }"#).unwrap();
        config
    }

    async fn create_elicitation(
        &self,
        _request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Cancel))
    }
}

#[tokio::test]
async fn a_server_on_rootwise_works_in_the_folder_in_both_eras() {
    for is_modern in [false, true] {
        let projects = Rootwise::recommended().unwrap();
        let (near, far) = tokio::io::duplex(65_536);
        tokio::spawn(async move {
            let server = projects.serve(Notes { projects: projects.clone() }, far).await.unwrap();
            server.waiting().await
        });
        let lifecycle = if is_modern {
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
        } else {
            ClientLifecycleMode::Initialize
        };
        let editor = provide_roots(Editor, ["/usr/share"]).unwrap();
        let client = editor.serve_with_lifecycle(near, lifecycle).await.unwrap();
        let place = async || {
            let result = client.call_tool(CallToolRequestParams::new("where")).await.unwrap();
            serde_json::to_value(&result.content[0]).unwrap()["text"].as_str().unwrap().to_owned()
        };
        assert_eq!(place().await, "/usr/share");
        client.service().roots().update(client.peer(), ["/usr/lib"]).await.unwrap();
        // In 2026-07-28 nobody tells the server of a change, and it may keep a list for a second.
        let mut found = place().await;
        while is_modern && found == "/usr/share" {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            found = place().await;
        }
        assert_eq!(found, "/usr/lib");
    }
}
