//! One client of the server.

use std::sync::{Arc, OnceLock};

use http::request::Parts;
use rmcp::RoleServer;
use rmcp::model::{InitializeRequestParams, RequestId};
use rmcp::service::Peer;
use rootwise::SessionId;
use rootwise::endpoint::event::{
    EndpointEvent, InputClosed, RequestSeen, SessionInitialized, SessionOpened, SessionReady, SessionRootsChanged,
};
use rootwise::host::Transport;
use rootwise_host::Channel;
use serde_json::value::to_raw_value;

use crate::projects::Shared;
use crate::sender::PeerSender;
use crate::streams::{Standalone, session_id};

/// One client of the server.
pub(crate) struct Session {
    shared: Arc<Shared>,
    /// Since its transport is observed, or since it sent `initialize` over HTTP.
    client: OnceLock<rootwise_host::Session>,
    /// Reaches the client outside calls.
    sender: Arc<PeerSender>,
    /// The transport that is observed.
    transport: OnceLock<Transport>,
    /// The HTTP session of the client, and its stream outside calls.
    http: OnceLock<(Arc<str>, Option<Standalone>)>,
}

impl Session {
    pub(crate) fn new(shared: Arc<Shared>) -> Arc<Self> {
        let (client, sender, transport, http) = Default::default();
        Arc::new(Self { shared, client, sender, transport, http })
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Observes the transport, from before the handshake.
    pub(crate) fn observe(&self, transport: Transport, in_memory: bool) {
        self.transport.get_or_init(|| transport);
        let mut opened = SessionOpened::new(0, transport);
        // The option `local` counts for every transport.
        opened.local = (in_memory && self.shared.local.is_none()).then_some(true);
        self.open(opened);
    }

    /// Whether the transport reports messages, in order.
    pub(crate) fn is_observed(&self) -> bool {
        self.transport.get().is_some()
    }

    /// The transport of a call that has no session.
    pub(crate) fn transport(&self, http: bool) -> Transport {
        if http { Transport::Http } else { self.transport.get().copied().unwrap_or(Transport::Other) }
    }

    fn open(&self, mut opened: SessionOpened) {
        // Where each caller has folders of its own, the session has none.
        opened.allowed_dirs = self.shared.dirs_of.is_some().then(Vec::new);
        // The options were checked; what is left is a server outside a runtime, which rmcp cannot run.
        if self.client.get().is_none()
            && let Ok(client) = self.shared.host.open(opened, self.sender.clone())
        {
            // Messages of one client come one after another.
            let _ = self.client.set(client);
        }
    }

    pub(crate) fn reached_by(&self, peer: &Peer<RoleServer>) {
        self.sender.peer.get_or_init(|| peer.clone());
    }

    fn tell<E: Into<EndpointEvent>>(&self, event: impl FnOnce(SessionId) -> E) {
        if let Some(client) = self.client.get() {
            // The endpoint refuses no event about an open session.
            let _ = self.shared.host.feed(event(client.id()));
        }
    }

    /// A handler got `initialize`.
    pub(crate) fn begin(&self, params: &InitializeRequestParams, peer: &Peer<RoleServer>, http: bool) {
        self.reached_by(peer);
        if !self.is_observed() {
            self.open(SessionOpened::new(0, self.transport(http)));
            self.initialize(params, None, None);
        }
    }

    /// The client sent `initialize`, after the request `previous`.
    pub(crate) fn initialize(
        &self,
        params: &InitializeRequestParams,
        id: Option<&RequestId>,
        previous: Option<&RequestId>,
    ) {
        let raw = |id: Option<&RequestId>| id.and_then(|id| to_raw_value(id).ok());
        self.tell(|session| {
            let mut initialized = SessionInitialized::new(session);
            initialized.protocol_version = to_raw_value(&params.protocol_version).ok();
            initialized.capabilities = to_raw_value(&params.capabilities).ok();
            initialized.client_info = to_raw_value(&params.client_info).ok();
            (initialized.id, initialized.previous_id) = (raw(id), raw(previous));
            initialized
        });
    }

    /// The client sent another request.
    pub(crate) fn request_seen(&self, id: &RequestId) {
        if self.client.get().is_some_and(rootwise_host::Session::is_watched)
            && let Ok(id) = to_raw_value(id)
        {
            self.tell(|session| RequestSeen::new(session, id));
        }
    }

    pub(crate) fn ready(&self) {
        self.tell(SessionReady::new);
    }

    pub(crate) fn roots_changed(&self) {
        self.tell(SessionRootsChanged::new);
    }

    pub(crate) fn input_closed(&self) {
        self.tell(InputClosed::new);
    }

    pub(crate) fn close(&self) {
        if let Some(client) = self.client.get() {
            client.close();
        }
        if let Some((_, Some(standalone))) = self.http.get() {
            standalone.forget();
        }
    }

    /// The client that a message belongs to. Over HTTP it is the one that sent `initialize` here: a server object that serves
    /// several sessions must not let one client's project pass to another.
    pub(crate) fn client_of(self: &Arc<Self>, http: Option<&Parts>) -> Option<&rootwise_host::Session> {
        let client = self.client.get()?;
        let Some(parts) = http else { return Some(client) };
        let id = session_id(&parts.headers)?;
        let claim = || {
            let id = Arc::<str>::from(id);
            client.set_name(id.clone());
            let standalone = parts.extensions.get::<Standalone>().cloned();
            standalone.iter().for_each(|standalone| standalone.follow(self));
            (id, standalone)
        };
        (*self.http.get_or_init(claim).0 == *id).then_some(client)
    }

    /// The client opened a stream outside calls.
    pub(crate) fn channel(&self) -> Option<Channel> {
        self.client.get()?.channel().ok()
    }
}
