// Generated from the Rust types by `npm run build -- --types`. Change those and run it again.

/**
 * One event, in the past tense.
 *
 * In JSON the variant's name stands in the field `type`, beside the fields of the variant.
 */
export type Event = { "type": "clientInitialized" } & ClientInitialized | { "type": "clientReady" } | { "type": "rootsListed" } & RootsListed | { "type": "userAnswered" } & UserAnswered | { "type": "requestRefused" } & RequestRefused | { "type": "rootsChanged" } & RootsChanged | { "type": "hostFactsChanged" } & HostFactsChanged | { "type": "asked" } & Asked | { "type": "selected" } & Selected | { "type": "selectionCleared" } & SelectionCleared | { "type": "askWithdrawn" } & AskWithdrawn | { "type": "probed" } & Probed | { "type": "deadlineReached" } | { "type": "message" } & Message | { "type": "closed" };

/**
 * The parameters of `initialize`: raw JSON from the peer, of any shape.
 */
export type ClientInitialized = { 
/**
 * `params.protocolVersion`.
 */
protocolVersion?: unknown, 
/**
 * `params.capabilities`.
 */
capabilities?: unknown, 
/**
 * `params.clientInfo`.
 */
clientInfo?: unknown, };

/**
 * A raw list of roots.
 */
export type RootsListed = { 
/**
 * The request it answers; absent for a list that the host obtained in another way.
 */
request?: RequestToken | null, 
/**
 * The raw result, `{"roots": [...]}`.
 */
result: unknown, };

/**
 * The answer of the client's user.
 */
export type UserAnswered = { 
/**
 * The request that it answers.
 */
request: RequestToken, 
/**
 * The raw result, `{"action": "accept", "content": {"project": "..."}}`.
 */
result: unknown, };

/**
 * The failure of a request.
 */
export type RequestRefused = { 
/**
 * The request.
 */
request: RequestToken, 
/**
 * The kind of failure.
 */
kind: RefusalKind, 
/**
 * The JSON-RPC error code of an `error`.
 */
code?: number | null, 
/**
 * The error message of an `error`.
 */
message?: string | null, };

/**
 * The ways a request can fail.
 */
export type RefusalKind = "error" | "undeliverable" | "unreadable" | "abandoned";

/**
 * A change of the client's roots.
 */
export type RootsChanged = { 
/**
 * Whether the host has an open stream on which a request outside a call reaches this client now; otherwise the host
 * facts decide.
 */
push?: boolean, };

/**
 * New host facts.
 */
export type HostFactsChanged = { 
/**
 * All facts; they replace the old ones as a whole.
 */
facts: HostFacts, };

/**
 * A call that asks for its project.
 */
export type Asked = { 
/**
 * The host's id for this ask.
 */
ask: AskId, 
/**
 * The wanted result.
 */
want?: Want, 
/**
 * Whether and how this call can carry a question to the client; if absent, the facts decide.
 */
askVia?: AskVia | null, 
/**
 * The facts of the request.
 */
facts?: RequestFacts, 
/**
 * A path that the call touches, to tell several roots apart.
 */
target?: string | null, 
/**
 * Whether the answer carries the full explanation even when a project was found.
 */
explain?: boolean, 
/**
 * Whether the client's user is not to be asked for it, because no call of the client waits for the answer.
 */
quiet?: boolean, 
/**
 * Whether the answer carries the hints of the policy, because the caller shows them.
 */
hints?: boolean, };

/**
 * The result an ask wants.
 */
export type Want = "project" | "roots";

/**
 * Whether and how a call can carry a question to the client.
 */
export type AskVia = "none" | "request" | "inputRequired";

/**
 * The facts of one request.
 */
export type RequestFacts = { 
/**
 * What the server itself knows about the caller: an authenticated workspace, or a handle the server issued.
 */
server?: string, 
/**
 * The call's project argument, of any type: what is not a text is refused.
 */
argument?: unknown, 
/**
 * HTTP headers; names match in any case.
 */
headers?: { [key in string]: string }, 
/**
 * HTTP query parameters.
 */
query?: { [key in string]: string }, 
/**
 * The raw `_meta` of the request.
 */
meta?: unknown, 
/**
 * The client's raw capabilities, where an SDK lifted them out of `_meta`.
 */
capabilities?: unknown, 
/**
 * The client's raw self-description, where an SDK lifted it out of `_meta`.
 */
clientInfo?: unknown, 
/**
 * The raw `inputResponses` of a retried call.
 */
inputResponses?: unknown, 
/**
 * The folders to which this caller is confined, within those of the host facts, which must have some.
 */
allowedDirs?: Array<string>, };

/**
 * A tool that selects the connection's project.
 */
export type Selected = { 
/**
 * The host's id for this ask.
 */
ask: AskId, 
/**
 * The selection.
 */
by: SelectBy, 
/**
 * As in [`Asked`].
 */
askVia?: AskVia | null, 
/**
 * As in [`Asked`].
 */
facts?: RequestFacts, 
/**
 * As in [`Asked`].
 */
explain?: boolean, };

/**
 * The ways a selection can name its project.
 */
export type SelectBy = { "name": string } | { "path": string } | { "uri": string } | { "root": string } | { "value": string };

/**
 * A tool that clears the selection.
 */
export type SelectionCleared = { 
/**
 * The host's id for this ask.
 */
ask: AskId, 
/**
 * As in [`Asked`].
 */
askVia?: AskVia | null, 
/**
 * As in [`Asked`].
 */
facts?: RequestFacts, 
/**
 * As in [`Asked`].
 */
explain?: boolean, };

/**
 * An ask whose caller is gone.
 */
export type AskWithdrawn = { 
/**
 * The ask.
 */
ask: AskId, };

/**
 * The reply to a probe.
 */
export type Probed = { 
/**
 * The probe.
 */
probe: ProbeId, 
/**
 * The state of each path; an omitted path counts as unconfirmed.
 */
paths: Array<ProbedPath>, };

/**
 * The state of one path.
 */
export type ProbedPath = { 
/**
 * The path as the probe spelled it.
 */
path: string, 
/**
 * The kind of file system entry.
 */
found: EntryKind, 
/**
 * The real path, with all links resolved.
 */
realPath?: string | null, 
/**
 * Those of the requested markers that exist, as file or folder.
 */
markers?: Array<string>, 
/**
 * The nearest folder that was looked for, if there is one.
 */
nearest?: Nearest | null, 
/**
 * The texts of the files that were to be read, by name, as far as they could be.
 */
files?: { [key in string]: string }, };

/**
 * The nearest folder with an entry that was looked for.
 */
export type Nearest = { 
/**
 * The folder, by its real path.
 */
path: string, 
/**
 * The name of the entry in it.
 */
name: string, 
/**
 * The kind of the entry, with links followed.
 */
found: EntryKind, 
/**
 * Its text, if it is a regular file in UTF-8 that is not too large, and no link.
 */
text?: string | null, };

/**
 * The kinds of file system entries.
 */
export type EntryKind = "directory" | "file" | "missing" | "unreadable";

/**
 * One raw message.
 */
export type Message = { 
/**
 * The message or batch as it arrived, without its line end.
 */
text: string, };

/**
 * One thing to do.
 *
 * The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward,
 * log.
 */
export type Action = { "type": "answer" } & Answer | { "type": "announce" } & Announce | { "type": "cancel" } & Cancel | { "type": "sendRequest" } & SendRequest | { "type": "probe" } & Probe | { "type": "forward" } & Forward | { "type": "log" } & Log;

/**
 * The end of an ask, or of several that end alike.
 */
export type Answer = { 
/**
 * The asks that it ends, in the order of their arrival.
 */
asks: Array<AskId>, 
/**
 * A counter that grows by one whenever the connection's project visibly changes.
 */
revision: number, 
/**
 * Texts to show beside the result.
 */
hints?: Array<string>, 
/**
 * The result of every source; present if no project was found, and on request.
 */
explanation?: Explanation, } & ({ "outcome": "resolved", 
/**
 * The project.
 */
project: Project, } | { "outcome": "selected", 
/**
 * The project.
 */
project: Project, 
/**
 * The policy's confirmation.
 */
message: string, } | { "outcome": "cleared", 
/**
 * The project that counts instead.
 */
project?: Project, 
/**
 * The reason for which there is none.
 */
code?: Reason, 
/**
 * This reason as a sentence.
 */
message?: string, } | { "outcome": "listed", 
/**
 * The roots, usable or not.
 */
roots: Array<RootView>, 
/**
 * The state of the list.
 */
state: RootsState, 
/**
 * Whether the client has listed its roots at all.
 */
answered: boolean, 
/**
 * Whether this is its list as far as anybody knows: it was listed, and nothing has reported a change or is too old.
 */
current: boolean, 
/**
 * The list as a person or a model reads it.
 */
text: string, 
/**
 * The reason for which none of the roots can be used on this machine, if that is so.
 */
unusable?: string, } | { "outcome": "needsInput", 
/**
 * The input requests by key.
 */
inputRequests: { [key in string]: InputRequest }, } | { "outcome": "refused" } & Refused | { "outcome": "unresolved" } & Unresolved);

/**
 * The ways an ask ends.
 */
export type Outcome = { "outcome": "resolved", 
/**
 * The project.
 */
project: Project, } | { "outcome": "selected", 
/**
 * The project.
 */
project: Project, 
/**
 * The policy's confirmation.
 */
message: string, } | { "outcome": "cleared", 
/**
 * The project that counts instead.
 */
project?: Project, 
/**
 * The reason for which there is none.
 */
code?: Reason, 
/**
 * This reason as a sentence.
 */
message?: string, } | { "outcome": "listed", 
/**
 * The roots, usable or not.
 */
roots: Array<RootView>, 
/**
 * The state of the list.
 */
state: RootsState, 
/**
 * Whether the client has listed its roots at all.
 */
answered: boolean, 
/**
 * Whether this is its list as far as anybody knows: it was listed, and nothing has reported a change or is too old.
 */
current: boolean, 
/**
 * The list as a person or a model reads it.
 */
text: string, 
/**
 * The reason for which none of the roots can be used on this machine, if that is so.
 */
unusable?: string, } | { "outcome": "needsInput", 
/**
 * The input requests by key.
 */
inputRequests: { [key in string]: InputRequest }, } | { "outcome": "refused" } & Refused | { "outcome": "unresolved" } & Unresolved;

/**
 * A request in the `input_required` result of a call.
 */
export type InputRequest = { 
/**
 * The method.
 */
method: RequestMethod, 
/**
 * The parameters, if the method has any.
 */
params?: { [key in string]: unknown }, };

/**
 * The methods a resolver sends to a client.
 */
export type RequestMethod = "roots/list" | "elicitation/create";

/**
 * A refused value.
 */
export type Refused = { 
/**
 * The stable code.
 */
code: Reason, 
/**
 * The source of the value.
 */
source: SourceKind, 
/**
 * What happened, with the value in display form.
 */
message: string, 
/**
 * The next step for the user.
 */
instruction?: string, 
/**
 * The HTTP status the policy gives it.
 */
status?: number, };

/**
 * The absence of a project.
 */
export type Unresolved = { 
/**
 * The stable code.
 */
code: Reason, 
/**
 * What happened.
 */
message: string, 
/**
 * The next step for the user.
 */
instruction?: string, };

/**
 * The state of the list of roots.
 */
export type RootsState = "notAsked" | "notReady" | "undeclared" | "unsupported" | "pending" | "overdue" | "timedOut" | "failed" | "empty" | "allInvalid" | "ok" | "stale" | "severalClients";

/**
 * A change of the connection's project.
 */
export type Announce = { 
/**
 * The previous project.
 */
from: Project | null, 
/**
 * The new project.
 */
to: Project | null, 
/**
 * What both have in common.
 */
shared?: SharedBy, };

/**
 * What the projects before and after a change have in common.
 */
export type SharedBy = "checkout" | "repository";

/**
 * A request to give up.
 */
export type Cancel = { 
/**
 * The request; hosts with an SDK abort it.
 */
request: RequestToken, 
/**
 * The complete `notifications/cancelled` message for hosts without an SDK.
 */
message: string, };

/**
 * A request to send.
 */
export type SendRequest = { 
/**
 * The resolver's token; the event of the answer repeats it.
 */
request: RequestToken, 
/**
 * The method.
 */
method: RequestMethod, 
/**
 * The parameters, if there are any.
 */
params?: { [key in string]: unknown }, 
/**
 * The ask whose call should carry the request.
 */
relatesTo?: AskId, 
/**
 * The complete JSON-RPC request for hosts without an SDK.
 */
message: string, };

/**
 * Paths to probe.
 */
export type Probe = { 
/**
 * The id of the probe; the reply repeats it.
 */
probe: ProbeId, 
/**
 * The paths.
 */
paths: Array<ProbePath>, };

/**
 * One path to probe.
 */
export type ProbePath = { 
/**
 * The path.
 */
path: string, 
/**
 * File names to look for in it.
 */
markers?: Array<string>, 
/**
 * The nearest folder to look for, from its real path upwards.
 */
nearest?: FindNearest, 
/**
 * Small files in it to read.
 */
files?: ReadFiles, };

/**
 * A search for the nearest folder that has an entry with one of these names: the real path of the probed path, then each
 * folder above it. A host that does not search reports nothing.
 */
export type FindNearest = { 
/**
 * The names; of several in one folder the first counts.
 */
names: Array<string>, 
/**
 * The folders to which the search is confined: it ends at the first folder that is not inside one of them.
 */
within?: Array<string>, 
/**
 * The size up to which the text of a file with such a name is reported.
 */
bytes: number, };

/**
 * Files to read in a folder. Only a regular file counts, never a link, a pipe or a device, and only a text in UTF-8.
 */
export type ReadFiles = { 
/**
 * The names of the files.
 */
names: Array<string>, 
/**
 * The folders to which reading is confined: nothing is read if the real path of the folder is not inside one of them.
 */
within?: Array<string>, 
/**
 * The size up to which a file is read; a larger one is not reported.
 */
bytes: number, };

/**
 * A message that is not for the resolver.
 */
export type Forward = { 
/**
 * The kind of message.
 */
kind: MessageKind, 
/**
 * The original text, or the rest of a batch.
 */
text: string, };

/**
 * The kinds of raw messages.
 */
export type MessageKind = "request" | "notification" | "response" | "batch" | "blank" | "broken";

/**
 * A log line.
 */
export type Log = { 
/**
 * The level.
 */
level: Level, 
/**
 * The stable code.
 */
code: LogCode, 
/**
 * The ask it belongs to.
 */
ask?: AskId, 
/**
 * The text.
 */
message: string, };

/**
 * The level of a log line.
 */
export type Level = "debug" | "info" | "warning";

/**
 * The subject of a log line; the serialised form is the stable code.
 */
export type LogCode = "project_chosen" | "disagreement" | "value_rejected" | "roots_failed" | "roots_unsupported" | "roots_cut" | "root_repaired" | "answer_stale" | "answer_unexpected" | "selected_root_left" | "several_clients" | "user_asked" | "user_declined" | "too_many_asks" | "logs_dropped" | "wait_expired" | "cannot_ask" | "cannot_select" | "event_failed" | "allowed_dir_unusable";

/**
 * One event of an endpoint, in the past tense.
 *
 * In JSON the variant's name stands in the field `type`, beside the fields of the variant.
 */
export type EndpointEvent = { "type": "sessionOpened" } & SessionOpened | { "type": "sessionClosed" } & SessionClosed | { "type": "clientInitialized" } & SessionInitialized | { "type": "clientReady" } & SessionReady | { "type": "rootsChanged" } & SessionRootsChanged | { "type": "requestSeen" } & RequestSeen | { "type": "inputClosed" } & InputClosed | { "type": "message" } & SessionMessage | { "type": "channelOpened" } & ChannelOpened | { "type": "channelClosed" } & ChannelClosed | { "type": "callStarted" } & CallStarted | { "type": "callReturned" } & CallReturned | { "type": "callEnded" } & CallEnded | { "type": "asked" } & CallAsked | { "type": "selected" } & CallSelected | { "type": "selectionCleared" } & CallCleared | { "type": "askWithdrawn" } & EndpointAskWithdrawn | { "type": "requestAnswered" } & RequestAnswered | { "type": "requestRefused" } & RequestRefused | { "type": "probed" } & EndpointProbed | { "type": "deadlineReached" } | { "type": "hostFactsChanged" } & EndpointFactsChanged | { "type": "rootsWatched" } & RootsWatched;

/**
 * A client that connected.
 */
export type SessionOpened = { 
/**
 * The host's id for the session.
 */
session: SessionId, 
/**
 * The transport.
 */
transport: Transport, 
/**
 * Whether the client is on this machine; by default as the host facts say, and true over stdio.
 */
local?: boolean | null, 
/**
 * Whether the host may send requests outside a call; by default true, and false over HTTP.
 */
push?: boolean | null, 
/**
 * A session that another process saved; the client is asked for its roots again.
 */
saved?: string | null, 
/**
 * A secret of at least 32 bytes that seals the session's snapshots.
 */
snapshotKey?: string | null, 
/**
 * Starts the ids of requests; distinct in every process that continues the same session.
 */
idPrefix?: string | null, 
/**
 * The folders to which the session's user is confined, within those of the host facts; its calls may have others.
 */
allowedDirs?: Array<string> | null, };

/**
 * A session that ended.
 */
export type SessionClosed = { 
/**
 * The session.
 */
session: SessionId, };

/**
 * The parameters of `initialize`: raw JSON from the peer, of any shape.
 */
export type SessionInitialized = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * `params.protocolVersion`.
 */
protocolVersion?: unknown, 
/**
 * `params.capabilities`.
 */
capabilities?: unknown, 
/**
 * `params.clientInfo`.
 */
clientInfo?: unknown, 
/**
 * The JSON-RPC id of the request.
 */
id?: unknown, 
/**
 * The JSON-RPC id of the last request before it.
 */
previousId?: unknown, };

/**
 * A client that completed its handshake.
 */
export type SessionReady = { 
/**
 * The session.
 */
session: SessionId, };

/**
 * A change of the client's roots.
 */
export type SessionRootsChanged = { 
/**
 * The session.
 */
session: SessionId, };

/**
 * A request of a client that may share its session with others.
 */
export type RequestSeen = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * Its JSON-RPC id.
 */
id: unknown, 
/**
 * Its method.
 */
method?: string | null, };

/**
 * A client that sends no more messages.
 */
export type InputClosed = { 
/**
 * The session.
 */
session: SessionId, };

/**
 * A raw message.
 */
export type SessionMessage = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * One JSON-RPC message as text.
 */
text: string, };

/**
 * A stream outside calls, or one that was resumed.
 */
export type ChannelOpened = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * The host's id for the stream.
 */
channel: ChannelId, };

/**
 * A stream that ended before its calls.
 */
export type ChannelClosed = { 
/**
 * The stream.
 */
channel: ChannelId, 
/**
 * Whether the client may resume it.
 */
end: ChannelEnd, };

/**
 * The ways a stream ends before its calls.
 */
export type ChannelEnd = "broken" | "cut";

/**
 * A call, with the parts of its request as they came.
 */
export type CallStarted = { 
/**
 * The host's id for the call.
 */
call: CallId, 
/**
 * The session that it belongs to; without one the call is stateless.
 */
session?: SessionId | null, 
/**
 * The stream that can carry requests with this call. Over HTTP, absent means that its response cannot carry any.
 */
channel?: ChannelId | null, 
/**
 * The transport of a call without a session; by default HTTP.
 */
transport?: Transport | null, 
/**
 * Whether the client of a call without a session is on this machine; by default as the host facts say.
 */
local?: boolean | null, 
/**
 * The method of the request.
 */
method?: string | null, 
/**
 * The revision of the protocol that the request follows.
 */
protocolVersion?: string | null, 
/**
 * HTTP headers; names match in any case.
 */
headers?: { [key in string]: string }, 
/**
 * HTTP query parameters.
 */
query?: { [key in string]: string }, 
/**
 * The raw `_meta` of the request.
 */
meta?: unknown, 
/**
 * The client's raw capabilities, where an SDK took them out of `_meta`.
 */
capabilities?: unknown, 
/**
 * The client's raw self-description, where an SDK took it out of `_meta`.
 */
clientInfo?: unknown, 
/**
 * The raw `inputResponses` of a repeated call.
 */
inputResponses?: unknown, 
/**
 * The `requestState` of a repeated call.
 */
requestState?: string | null, 
/**
 * The argument that names the project, of any type: what is not a text is refused.
 */
argument?: unknown, 
/**
 * Who makes the call, as the host has authenticated it: what a call without a session selects counts for the next calls
 * of the same caller.
 */
caller?: string | null, 
/**
 * The folders to which the caller is confined, within those of the host facts; by default those of the session.
 */
allowedDirs?: Array<string> | null, };

/**
 * A handler that returned.
 */
export type CallReturned = { 
/**
 * The call.
 */
call: CallId, 
/**
 * Whether the handler's own result is `input_required`.
 */
inputRequired: boolean, };

/**
 * A call that is over.
 */
export type CallEnded = { 
/**
 * The call.
 */
call: CallId, 
/**
 * Whether its client cancelled it.
 */
cancelled?: boolean, };

/**
 * An ask of a call, or of a session if it has no request-specific facts.
 */
export type CallAsked = { 
/**
 * The host's id for this ask.
 */
ask: AskId, 
/**
 * The call that asks.
 */
call?: CallId | null, 
/**
 * The session that asks, outside any call.
 */
session?: SessionId | null, 
/**
 * The wanted result.
 */
want?: Want, 
/**
 * A path that the call touches, to tell several roots apart.
 */
target?: string | null, 
/**
 * The project that the call names, in place of the call's own argument.
 */
argument?: unknown, 
/**
 * The server's own knowledge of the caller: an authenticated workspace, or a handle that the server issued.
 */
server?: string | null, 
/**
 * Whether the answer carries the full explanation even when a project was found.
 */
explain?: boolean, 
/**
 * Whether the answer carries the hints of the policy, because the caller shows them.
 */
hints?: boolean, 
/**
 * Whether it is answered in this event, from what is known.
 */
peek?: boolean, };

/**
 * A selection.
 */
export type CallSelected = { 
/**
 * The host's id for this ask.
 */
ask: AskId, 
/**
 * The selection.
 */
by: SelectBy, 
/**
 * As in [`CallAsked`].
 */
call?: CallId | null, 
/**
 * As in [`CallAsked`].
 */
session?: SessionId | null, 
/**
 * As in [`CallAsked`].
 */
explain?: boolean, };

/**
 * The removal of a selection.
 */
export type CallCleared = { 
/**
 * The host's id for this ask.
 */
ask: AskId, 
/**
 * As in [`CallAsked`].
 */
call?: CallId | null, 
/**
 * As in [`CallAsked`].
 */
session?: SessionId | null, 
/**
 * As in [`CallAsked`].
 */
explain?: boolean, };

/**
 * An ask for which nobody waits.
 */
export type EndpointAskWithdrawn = { 
/**
 * The ask.
 */
ask: AskId, };

/**
 * The client's answer to a request.
 */
export type RequestAnswered = { 
/**
 * The request.
 */
request: RequestToken, 
/**
 * The raw result.
 */
result: unknown, };

/**
 * The reply to a probe.
 */
export type EndpointProbed = { 
/**
 * The probe.
 */
probe: ProbeId, 
/**
 * The state of each path; an omitted path counts as unconfirmed.
 */
paths: Array<ProbedPath>, };

/**
 * New facts of the process, for all sessions.
 */
export type EndpointFactsChanged = { 
/**
 * All facts; they replace the old ones as a whole.
 */
facts: HostFacts, };

/**
 * Whether lists of roots are announced.
 */
export type RootsWatched = { 
/**
 * Whether they are.
 */
watched: boolean, };

/**
 * One thing to do. The actions of an event come in the order of these variants.
 */
export type EndpointAction = { "type": "answer" } & Answer | { "type": "announce" } & AnnounceProject | { "type": "announceRoots" } & AnnounceRoots | { "type": "callResult" } & CallResult | { "type": "cancel" } & CancelRequest | { "type": "sendRequest" } & RouteRequest | { "type": "probe" } & Probe | { "type": "forward" } & ForwardMessage | { "type": "watchRequests" } & WatchRequests | { "type": "log" } & EndpointLog;

/**
 * A change of a session's project.
 */
export type AnnounceProject = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * The previous project.
 */
from: Project | null, 
/**
 * The new project.
 */
to: Project | null, 
/**
 * What both have in common.
 */
shared?: SharedBy, 
/**
 * Whether the session ended.
 */
ended?: boolean, };

/**
 * A change of a session's roots.
 */
export type AnnounceRoots = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * The roots, each verified.
 */
roots: Array<RootView>, 
/**
 * The state of the list.
 */
state: RootsState, 
/**
 * Whether this is the client's list as far as anybody knows.
 */
current: boolean, 
/**
 * The list as a person or a model reads it.
 */
text: string, 
/**
 * The reason for which none of the roots can be used on this machine, if that is so.
 */
unusable?: string, 
/**
 * The roots that were announced before.
 */
previous?: Array<RootView>, };

/**
 * The result of a call of revision 2026-07-28.
 */
export type CallResult = { 
/**
 * The call.
 */
call: CallId, 
/**
 * Questions for the client: the result is `input_required`, with the handler's own questions and these. Absent, the
 * handler's result stays as it is.
 */
inputRequests?: { [key in string]: InputRequest }, 
/**
 * The `requestState` of that result, where the handler has none of its own.
 */
requestState?: string, };

/**
 * A request for which nobody waits any more.
 */
export type CancelRequest = { 
/**
 * The request; hosts with an SDK abort it.
 */
request: RequestToken, 
/**
 * The reason, for the client.
 */
reason: string, 
/**
 * The complete `notifications/cancelled` message for hosts without an SDK, if the client should be told.
 */
message?: string, };

/**
 * A request to send, and the way it travels.
 */
export type RouteRequest = { 
/**
 * The endpoint's id for the request; the event of the answer repeats it.
 */
request: RequestToken, 
/**
 * The session of the client.
 */
session: SessionId, 
/**
 * The call that it travels with.
 */
call?: CallId, 
/**
 * The stream that it travels on; absent where the transport is one channel.
 */
channel?: ChannelId, 
/**
 * The method.
 */
method: RequestMethod, 
/**
 * The parameters, if there are any.
 */
params?: { [key in string]: unknown }, 
/**
 * The complete JSON-RPC request for hosts without an SDK.
 */
message: string, };

/**
 * A message that is not for the endpoint.
 */
export type ForwardMessage = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * The kind of message.
 */
kind: MessageKind, 
/**
 * The original text, or the rest of a batch.
 */
text: string, };

/**
 * A session whose requests are to be reported.
 */
export type WatchRequests = { 
/**
 * The session.
 */
session: SessionId, };

/**
 * A log line.
 */
export type EndpointLog = { 
/**
 * The level.
 */
level: Level, 
/**
 * The stable code.
 */
code: LogCode, 
/**
 * The session that it belongs to.
 */
session?: SessionId, 
/**
 * The ask that it belongs to.
 */
ask?: AskId, 
/**
 * The text.
 */
message: string, };

/**
 * The inputs that a policy reads.
 */
export type PolicyInputs = { 
/**
 * HTTP headers, in lower case.
 */
headers: Array<string>, 
/**
 * HTTP query parameters.
 */
query: Array<string>, 
/**
 * Places in `_meta`, each as the names that lead to it.
 */
meta: Array<Array<string>>, 
/**
 * Keys of `_meta` by which clients name a conversation. A host passes them on with calls without a session and with those of
 * revision 2026-07-28.
 */
conversation: Array<string>, 
/**
 * Environment variables.
 */
env: Array<string>, 
/**
 * Command line options, without dashes.
 */
options: Array<string>, 
/**
 * Whether it reads the project that a call names in an argument.
 */
argument: boolean, 
/**
 * The keys of the endpoint's questions in `inputRequests` and `inputResponses`.
 */
inputKeys: Array<string>, 
/**
 * Bytes of the longest value that counts.
 */
valueBytes: number, };

/**
 * What a host keeps of a session, so that reading it needs no call.
 */
export type SessionChange = { 
/**
 * The session.
 */
session: SessionId, 
/**
 * The session's project, if it changed.
 */
project?: Project | null | null, 
/**
 * Present if the answer in `actions` is also the answer to every ask of this session that is like the one it answers, until the
 * session is named again: it has no facts of its own, and its call is of the same era and describes its client in the same way.
 */
known?: { until?: number, modern?: boolean }, };

/**
 * The project a client works in.
 */
export type Project = { 
/**
 * The identity: the same folder has the same key whatever its spelling, and with another
 * [`identity`](crate::policy::Identity) the same folder of a repository has it in every worktree or clone.
 */
key: string, 
/**
 * A short hash of the key.
 */
id: string, 
/**
 * A folder name for it, safe on every system: the readable part of its name and its `id`.
 */
slug: string, 
/**
 * The folder's name, or the name it was selected by, as the peer wrote it.
 */
name: string, 
/**
 * The name made safe to show: one line, bounded, without control or invisible characters.
 */
displayName: string, 
/**
 * The folder, if this process can use it: the client is on this machine, or the folder was verified inside
 * `allowedDirs`. Always there if the policy says `requirePath`, which is the default.
 */
path?: string, 
/**
 * The folder as the client spells it, if that is not `path`: on another machine, where it was not checked, or by the path map.
 */
clientPath?: string, 
/**
 * The spelling of its paths and of its key, if it is a folder: a client on another machine may run another system.
 */
style?: PathStyle, 
/**
 * The canonical URI, if there is one.
 */
uri?: string, 
/**
 * The real path, if a probe reported it.
 */
realPath?: string, 
/**
 * The repository that the folder belongs to, if the policy looks for it and there is one.
 */
repository?: Repository, 
/**
 * The nearest package between the `target` of an ask and the project's folder. Only in answers.
 */
package?: Package, 
/**
 * The source that won.
 */
source: SourceKind, 
/**
 * The exact input that source read: a variable, a header, an option, or for `remembered` the original source.
 */
via?: string, 
/**
 * The client root it came from.
 */
root?: RootRef, 
/**
 * The first of the client's other roots, if this one was picked from several; of a project that is a mere name, all of them.
 */
otherRoots?: Array<RootRef>, 
/**
 * The number of other roots that `otherRoots` leaves out because they are too many or too long; ask for the roots
 * to get all of them.
 */
otherRootsOmitted?: number, 
/**
 * The text that names it in each call. Only in the answer to a selection that is kept nowhere, because nothing connects the
 * calls of this client.
 */
handle?: string, 
/**
 * Whether the client or the disk did not confirm in time that this still holds: the list of roots or the report that
 * it rests on is older than `maxAgeMs`, or out of date. Only in answers.
 */
stale?: boolean, };

/**
 * The repository of a project's folder.
 */
export type Repository = { 
/**
 * The top folder of this checkout, by its real path.
 */
path: string, 
/**
 * The identity: all worktrees of a repository have the same key.
 */
key: string, 
/**
 * A short hash of the key.
 */
id: string, 
/**
 * The name of the repository's folder, the same in all worktrees.
 */
name: string, 
/**
 * The system that keeps it.
 */
kind: RepositoryKind, 
/**
 * The project's folder relative to the top, with `/` on every system; empty at the top.
 */
inside: string, 
/**
 * The worktree, if this is not the main checkout.
 */
worktree?: Worktree, 
/**
 * Whether its `.git` is a file that leads to no repository which confirms it: it was moved, is damaged, or leads out of
 * `allowedDirs`. It then counts as a repository of its own.
 */
broken?: boolean, 
/**
 * The place of the remote `origin`, or of the only one, as `host/path`: without scheme, user, password and `.git`. Only if
 * the policy asks for it.
 */
remote?: string, };

/**
 * The systems that keep repositories.
 */
export type RepositoryKind = "git" | "jj" | "hg";

/**
 * A worktree that its repository knows.
 */
export type Worktree = { 
/**
 * The name by which the repository knows it.
 */
name: string, 
/**
 * The top folder of the main checkout; a bare repository has none.
 */
main?: string, };

/**
 * A package inside a project.
 */
export type Package = { 
/**
 * Its folder, spelled like the project's.
 */
path: string, 
/**
 * The folder's name.
 */
name: string, 
/**
 * The folder relative to the project's, with `/` on every system.
 */
inside: string, 
/**
 * The marker by which it is one.
 */
marker: string, };

/**
 * A client root as a project refers to it.
 */
export type RootRef = { 
/**
 * Position in the client's list.
 */
index: number, 
/**
 * The URI as the client sent it, made safe to show.
 */
uri: string, 
/**
 * The root's own name, made safe to show.
 */
name?: string, 
/**
 * The folder that the URI names on this machine. It is not verified.
 */
path?: string, 
/**
 * The folder that the URI names on the client's machine, if that is another one.
 */
clientPath?: string, };

/**
 * A client root as the roots view shows it.
 */
export type RootView = { 
/**
 * The real path of the folder, if a probe reported it.
 */
realPath?: string, 
/**
 * The reason for which it is no folder that can be used here, as a stable code.
 */
problem?: Reason, 
/**
 * Whether the folder exists on this machine; absent where nobody has checked that for this client.
 */
exists?: boolean, 
/**
 * Whether it is a folder on this machine without a problem, whose real path is known: paths can be compared with it.
 */
usable?: boolean, 
/**
 * Position in the client's list.
 */
index: number, 
/**
 * The URI as the client sent it, made safe to show.
 */
uri: string, 
/**
 * The root's own name, made safe to show.
 */
name?: string, 
/**
 * The folder that the URI names on this machine. It is not verified.
 */
path?: string, 
/**
 * The folder that the URI names on the client's machine, if that is another one.
 */
clientPath?: string, };

/**
 * The result of every source.
 */
export type Explanation = { 
/**
 * The name of the policy.
 */
policy: string, 
/**
 * The reason for which there is no project, as a stable code.
 */
code?: Reason, 
/**
 * What happened, if there is no project.
 */
message?: string, 
/**
 * The next step for the user, if there is no project.
 */
instruction?: string, 
/**
 * The sources in the policy's order.
 */
tried: Array<SourceReport>, 
/**
 * The client's roots.
 */
roots: RootsReport, 
/**
 * The client's name for itself, made safe to show.
 */
client?: string, 
/**
 * The transport of the connection.
 */
transport: Transport, 
/**
 * The protocol era of the client.
 */
era: Era, 
/**
 * The number of answers that arrived too late to count.
 */
staleAnswers?: number, 
/**
 * The whole explanation as a small table.
 */
text: string, };

/**
 * The result of one source.
 */
export type SourceReport = { 
/**
 * The source.
 */
source: SourceKind, 
/**
 * The exact input it read.
 */
via?: string, 
/**
 * The inputs that it looked for, if it found none.
 */
reads?: Array<string>, 
/**
 * The verdict.
 */
verdict: Verdict, 
/**
 * The value it named, made safe to show.
 */
value?: string, 
/**
 * The project's folder, made safe to show, if the value names another one: one below it, or a link to it.
 */
path?: string, 
/**
 * The reason for which the value was rejected.
 */
reason?: Reason, 
/**
 * A finer code for that reason.
 */
detail?: string, };

/**
 * The verdict on a source.
 */
export type Verdict = "won" | "agrees" | "otherFolder" | "disagrees" | "absent" | "rejected" | "off" | "notAsked" | "pending";

/**
 * The client's roots as far as they are known.
 */
export type RootsReport = { 
/**
 * The state of the list.
 */
state: RootsState, 
/**
 * Whether the client declared `listChanged`. A change counts even if it did not.
 */
listChanged?: boolean, 
/**
 * The roots, usable or not.
 */
available?: Array<RootView>, 
/**
 * The number of roots that are known and left out of `available`, because an answer carries only the first ones.
 */
omitted?: number, 
/**
 * The number of roots beyond the limit.
 */
dropped?: number, };

/**
 * The protocol era of a client.
 */
export type Era = "unknown" | "legacy" | "modern";

/**
 * The facts of the machine and the connection. A peer never changes them; the host replaces them as a whole.
 */
export type HostFacts = { 
/**
 * The spelling of paths on the server's machine.
 */
style: PathStyle, 
/**
 * The transport of the connection.
 */
transport?: Transport, 
/**
 * Whether the client is on the server's machine, so that its paths are valid there; by default true over stdio and
 * false otherwise. Without it and without `allowedDirs`, no path of the client is checked.
 */
local?: boolean | null, 
/**
 * Whether the host may send requests outside a client's call; by default true over stdio and false otherwise.
 */
push?: boolean | null, 
/**
 * Whether this process serves this client alone, in the folder and with the variables that the client gave it; by
 * default true over stdio with a local client. Only then do the working directory and variables say where it works.
 */
dedicated?: boolean | null, 
/**
 * The server's environment, or the part of it that the policy reads.
 */
env?: { [key in string]: string }, 
/**
 * The server's working directory.
 */
cwd?: string | null, 
/**
 * The server's command line, by option name without dashes; a bare flag has an empty value.
 */
arguments?: { [key in string]: string }, 
/**
 * The parameter of the server's tools that takes a project path, if they have one. Advice names it.
 */
toolArgument?: string | null, 
/**
 * The server's tool that selects a project, if there is one. Advice names it.
 */
selectTool?: string | null, 
/**
 * Folders that are never projects by themselves.
 */
excludedDirs?: ExcludedDirs, 
/**
 * The folders to which the operator confines every project, together with their real paths. Without it there is no
 * limit; an empty list allows nothing.
 */
allowedDirs?: Array<string> | null, 
/**
 * The client's folders on the server's machine (container, WSL); the first matching entry decides. Entries of the command
 * line option `path-map` in `arguments`, and of the variable `ROOTWISE_PATH_MAP` in `env`, come before these.
 */
pathMap?: Array<PathMap>, 
/**
 * Whether network shares may be probed; a probe contacts their host.
 */
probeShares?: boolean, 
/**
 * Whether several processes serve the clients that call over HTTP, so that none of them knows what another one remembers.
 * Then nothing is remembered between calls that have no session, and a selection is answered with a handle.
 */
replicas?: boolean, };

/**
 * The transport of a connection.
 */
export type Transport = "stdio" | "http" | "other";

/**
 * Folders that are never projects by themselves.
 */
export type ExcludedDirs = { 
/**
 * The user's home, in every spelling: as the system gives it, and its real path. Excluded itself, not the folders
 * below.
 */
home?: Array<string>, 
/**
 * Temporary folders; excluded themselves, not the folders below.
 */
temporary?: Array<string>, 
/**
 * Install folders of programs and plugins; excluded with everything below.
 */
install?: Array<string>, };

/**
 * One folder of the client and its place on the server's machine.
 */
export type PathMap = { 
/**
 * The folder as the client spells it; or the start of a URI of another scheme than `file`, such as
 * `vscode-remote://ssh-remote+box/home/me`, whose style is `posix`. `+*` at the end of its host stands for any host of the kind.
 */
from: string, 
/**
 * The client's spelling of paths.
 */
fromStyle: PathStyle, 
/**
 * The same folder as the server spells it.
 */
to: string, };

/**
 * The rules by which a path is read.
 */
export type PathStyle = "posix" | "windows";

/**
 * The characters that a sanitised name consists of.
 */
export type NameForm = "word" | "identifier";

/**
 * The way a server finds its project, as an operator writes it.
 */
export type Policy = { 
/**
 * Where an editor finds the schema of this file; the resolver does not read it.
 */
$schema?: string | null, 
/**
 * A name for logs and snapshots.
 */
name?: string, 
/**
 * Remarks for the reader, such as deliberate differences from the system it follows.
 */
notes?: Array<string>, 
/**
 * The sources, best first. Without them, a policy as JSON is the recommended one with the changes that it has.
 */
sources?: Array<Source>, 
/**
 * The rules for requesting the client's roots and picking one.
 */
roots?: Partial<RootsRules>, 
/**
 * Durations.
 */
timing?: Partial<Timing>, 
/**
 * The state that outlives a call.
 */
memory?: Partial<Memory>, 
/**
 * The rules for a tool's selection.
 */
selection?: Partial<Selection>, 
/**
 * When the client's user is asked for the project, once for each connection.
 */
elicit?: Elicit, 
/**
 * The origin of a project's name.
 */
nameFrom?: NameFrom, 
/**
 * What the probe of a project's folder finds out about its repository.
 */
repository?: FindRepository, 
/**
 * What makes two folders the same project.
 */
identity?: Identity, 
/**
 * File names that make a folder a package, for asks with a `target`.
 */
packages?: Array<string>, 
/**
 * Whether a project must have a folder that this process can use; if not, a name or a folder on the client's machine
 * is a project too.
 */
requirePath?: boolean, 
/**
 * Whether a log line reports that a source that lost names another project.
 */
reportDisagreement?: boolean, 
/**
 * Texts to show beside certain results.
 */
hints?: Array<Hint>, 
/**
 * Advice for certain clients or transports if no project was found; the first match is `{advice}` in texts. Without a
 * match, the advice names the ways that the sources, the host facts and the client leave open.
 */
advice?: Array<Advice>, 
/**
 * Message templates that replace the standard ones.
 */
texts?: { [key in string]: string }, 
/**
 * Bounds on everything a peer can grow.
 */
limits?: Partial<Limits>, };

/**
 * One source: where a value is read, and how it is judged.
 */
export type Source = { 
/**
 * The kind of source.
 */
from: SourceKind, 
/**
 * The inputs to read, in order: header or query names, JSON pointers into `_meta`, variables, or for `configured`
 * command line options and, with a leading `$`, variables.
 */
read?: Array<string>, 
/**
 * The form of the value.
 */
format?: Format, 
/**
 * The required state on disk.
 */
verify?: Verify, 
/**
 * The treatment of a relative path.
 */
relative?: Relative, 
/**
 * The treatment of links.
 */
links?: Links, 
/**
 * The folders that it may name; by default `knownFolders` for the words of a model (`argument`, `selected`) and
 * `anywhere` for the others.
 */
within?: Within | null, 
/**
 * The treatment of excluded folders; by default they are allowed for what an operator or a user chose on purpose
 * (`server`, `header`, `query`, `configured`, and what is `within: anywhere` of `argument` and `selected`) and refused for
 * the others.
 */
excludedDirs?: ExcludedDirsRule | null, 
/**
 * The effect of a bad value; by default it ends the ask for `server`, `argument`, `header` and `query`, and yields to
 * the next source for the others.
 */
onBad?: OnBad, 
/**
 * The HTTP status of a bad value that ends the ask.
 */
status?: number | null, 
/**
 * A walk from the value up to a marked folder.
 */
refine?: Markers | null, 
/**
 * The conditions under which the source applies.
 */
when?: When, 
/**
 * How often the disk is probed.
 */
recheck?: Recheck, };

/**
 * The kinds of sources.
 */
export type SourceKind = "server" | "argument" | "header" | "query" | "meta" | "selected" | "configured" | "roots" | "remembered" | "env" | "cwd";

/**
 * The form of a value.
 */
export type Format = "pathOrUri" | "path" | "any" | "list";

/**
 * The required state on disk.
 */
export type Verify = "none" | "exists" | "directory";

/**
 * The treatment of a relative path.
 */
export type Relative = "refuse" | "cwd";

/**
 * The treatment of links.
 */
export type Links = "keep" | "follow";

/**
 * The treatment of excluded folders.
 */
export type ExcludedDirsRule = "allow" | "named" | "refuse";

/**
 * The effect of a bad value.
 */
export type OnBad = { 
/**
 * For every reason that is not listed.
 */
otherwise?: BadOutcome, } & ({ [key in "no_project" | "ambiguous" | "closed" | "cancelled" | "call_over" | "placeholder" | "relative" | "invalid" | "not_file_uri" | "too_long" | "missing" | "not_directory" | "unreadable" | "unconfirmed" | "outside" | "other_machine" | "other_system" | "no_path" | "excluded_dir" | "nameless" | "no_marker" | "invalid_name" | "empty" | "traversal" | "not_in_roots" | "immutable" | "selection_off" | "several_clients" | "pass_each_call"]?: "next" | "error" });

/**
 * The two effects of a bad value.
 */
export type BadOutcome = "next" | "error";

/**
 * A walk from a folder up to a marked one.
 */
export type Markers = { 
/**
 * Groups of markers, best first; within a group the nearest folder wins.
 */
tiers: Array<Tier>, 
/**
 * The number of folders to probe, including the starting folder.
 */
levels?: number, 
/**
 * The result if no folder is marked.
 */
otherwise?: Unmarked, };

/**
 * A group of markers.
 */
export type Tier = { 
/**
 * File or folder names.
 */
names: Array<string>, 
/**
 * The number of them that must exist.
 */
atLeast?: number, };

/**
 * The result of a walk that finds no marker.
 */
export type Unmarked = "reject" | "start";

/**
 * The conditions under which a source applies.
 */
export type When = { 
/**
 * Only over these transports; an empty list means any.
 */
transports?: Array<Transport>, 
/**
 * Only if the command line has this option.
 */
argument?: string, 
/**
 * Only if the process serves this client alone; by default true for `env` and `cwd`.
 */
dedicated?: boolean, };

/**
 * The folders that a source may name.
 */
export type Within = "anywhere" | "knownFolders";

/**
 * How often the disk is probed.
 */
export type Recheck = "onChange" | "eachAsk";

/**
 * What the probe of a project's folder finds out about its repository.
 */
export type FindRepository = "no" | "local" | "remote";

/**
 * What makes two folders the same project: the same `key`, `id` and `slug`, for stored data, the recovery of sessions and
 * announcements.
 */
export type Identity = "folder" | "repository" | "remote";

/**
 * The rules for requesting the client's roots and picking one.
 */
export type RootsRules = { 
/**
 * When to request the roots.
 */
ask: RequestWhen, 
/**
 * Whether to ask only clients that declared roots.
 */
requireCapability: boolean, 
/**
 * Which root to pick.
 */
pick: Pick, 
/**
 * The effect of an unusable root.
 */
onUnusable: OnUnusable, 
/**
 * The effect of an entry that is not an object.
 */
nonObjects: NonObjects, 
/**
 * The effect of a root that is not a `file:` URI.
 */
nonFile: NonFile, 
/**
 * The treatment of an absolute path instead of a URI.
 */
barePaths: BarePaths, 
/**
 * The meaning of a root that is a file.
 */
files: Files, 
/**
 * Whether several roots end the ask, if `pick` is `only`, or yield to the next source.
 */
ambiguity: BadOutcome, 
/**
 * The effect of a change.
 */
onChange: OnChange, 
/**
 * The form of the requests.
 */
request?: Partial<RequestForm>, };

/**
 * When to request the roots.
 */
export type RequestWhen = "eager" | "lazy" | "eachRequest" | "never";

/**
 * Which root to pick.
 */
export type Pick = "first" | "only";

/**
 * The effect of an unusable root.
 */
export type OnUnusable = "accept" | "nextRoot" | "nextSource" | "error";

/**
 * The effect of an entry of the list that is not an object.
 */
export type NonObjects = "skip" | "emptyList";

/**
 * The effect of a root that is not a `file:` URI.
 */
export type NonFile = "skip" | "nextSource" | "error" | "nameOnly";

/**
 * The treatment of an absolute path instead of a URI.
 */
export type BarePaths = "repair" | "refuse";

/**
 * The meaning of a root that is a file.
 */
export type Files = "parent" | "refuse";

/**
 * The effect of `list_changed`.
 */
export type OnChange = "ignore" | "invalidate" | "refetch";

/**
 * The form of `roots/list` requests.
 */
export type RequestForm = { 
/**
 * The text before the number in a request id; with an empty prefix the id is a number.
 */
idPrefix: string, 
/**
 * Whether an empty `params` object is sent.
 */
emptyParams: boolean, };

/**
 * Durations in milliseconds.
 */
export type Timing = { 
/**
 * The wait of one caller, and the life of a probe.
 */
callerTimeoutMs: number, 
/**
 * The life of a request; then it is cancelled.
 */
requestTimeoutMs: number, 
/**
 * The minimum interval between two requests that changes cause.
 */
minIntervalMs: number, 
/**
 * The age up to which a list of roots and the report of a probe count without a refresh; `null` means that they count
 * until something changes.
 */
maxAgeMs: number | null, 
/**
 * The number of later asks that may retry after an error, until the roots change; a request without an answer is not
 * retried.
 */
retries: number, };

/**
 * The state that outlives a call.
 */
export type Memory = { 
/**
 * Whether the connection's first project is pinned.
 */
pin: Pin, 
/**
 * The sources that can pin; an empty list means every source of the connection.
 */
pinFrom: Array<SourceKind>, 
/**
 * Whether `remembered` keeps a root that a newer list no longer contains.
 */
keepLostRoot: boolean, };

/**
 * Whether the connection's first project is pinned.
 */
export type Pin = "no" | "sticky" | "immutable";

/**
 * The rules for a tool's selection.
 */
export type Selection = { 
/**
 * The meaning of a bare name.
 */
names: Names, 
/**
 * The form of a name.
 */
nameRule: NameRule, 
/**
 * Whether `..` is resolved or refused.
 */
traversal: Traversal, 
/**
 * When the selection must be one of the client's roots, if the client has any.
 */
enforceRoots: EnforceRoots, 
/**
 * The test for being one of them.
 */
rootMatch: RootMatch, };

/**
 * The meaning of a bare name.
 */
export type Names = "roots" | "any";

/**
 * The form of a name.
 */
export type NameRule = "any" | "word";

/**
 * Whether `..` is resolved or refused.
 */
export type Traversal = "resolve" | "refuse";

/**
 * When the client's user is asked for the project. The answer is a selection.
 */
export type Elicit = "never" | "ambiguous" | "unresolved";

/**
 * When a selection must be one of the client's roots.
 */
export type EnforceRoots = "off" | "onSelect";

/**
 * The test for being one of the roots.
 */
export type RootMatch = "key" | "exactUri";

/**
 * The origin of a project's name.
 */
export type NameFrom = "basename" | "rootName";

/**
 * A text to show beside certain results.
 */
export type Hint = { 
/**
 * The sources of the results.
 */
sources: Array<SourceKind>, 
/**
 * Whether only clients without roots receive it: those that declare none or do not support the request.
 */
withoutRoots?: boolean, 
/**
 * Whether a connection receives it only once.
 */
once?: boolean, 
/**
 * The text.
 */
text: string, };

/**
 * Advice for a certain client or transport.
 */
export type Advice = { 
/**
 * The client's name, with `*` at the end for every name that begins so; absent for any client.
 */
client?: string | null, 
/**
 * The transport; absent for any transport.
 */
transport?: Transport | null, 
/**
 * The text.
 */
text: string, };

/**
 * The bounds of a resolver; the explanation shows when one is reached.
 */
export type Limits = { 
/**
 * Bytes of one event; a larger one is misuse, because the host should have refused it before copying it in.
 */
eventBytes: number, 
/**
 * Roots kept from one list; the rest are counted.
 */
roots: number, 
/**
 * Bytes of URIs and names kept from one list; the first root that does not fit and those after it are counted.
 */
rootsBytes: number, 
/**
 * Bytes of one URI, path or other value; a longer value alone is rejected.
 */
valueBytes: number, 
/**
 * Bytes of a root's own name; a longer name is ignored.
 */
nameBytes: number, 
/**
 * Characters of a name shown to a person or a model.
 */
nameChars: number, 
/**
 * Characters of a path or another value shown to a person or a model.
 */
valueChars: number, 
/**
 * Asks that may wait at the same time; one more is answered at once from what is known.
 */
waitingAsks: number, 
/**
 * Actions of one event besides answers; log lines are dropped first.
 */
actions: number, 
/**
 * Disagreements and rejected values remembered per connection, so that each is reported once; more are not reported.
 */
reported: number, 
/**
 * Folders of a marker walk, including the starting folder.
 */
walkLevels: number, 
/**
 * Paths that the host probes at the same time; the others follow when it has replied.
 */
probePaths: number, };

/**
 * The session to find, and the sessions to search.
 */
export type RecoverRequest = { 
/**
 * The id of the wanted session; it wins over everything else.
 */
sessionId?: string | null, 
/**
 * The project as an answer carries it, or its key, path or root URI. A blank text is no project.
 */
project?: ProjectRef | null, 
/**
 * Sessions last used before this time count as archived, unless they are pinned. A number, whose unit is the
 * store's choice, or a date and time by ISO 8601.
 */
archivedBefore?: number | string | null, 
/**
 * The sessions the host knows, in any order.
 */
sessions?: Array<SessionRecord>, };

/**
 * A session as the host stores it; further fields are ignored.
 */
export type SessionRecord = { 
/**
 * The session's id.
 */
id: string, 
/**
 * The project it was started in: best its key, else the project, its path or its root URI. A session without one, or
 * with a blank text, belongs to no project.
 */
project?: ProjectRef | null, 
/**
 * Other projects in which it is found as well.
 */
linkedProjects?: Array<ProjectRef>, 
/**
 * The time of its last use: a number, whose unit is the store's choice, or a date and time by ISO 8601.
 */
updatedAt?: number | string | null, 
/**
 * Whether it is the project's primary session.
 */
pinned?: boolean, 
/**
 * Whether it is found only by its id.
 */
archived?: boolean, };

/**
 * A project as a search for sessions names it.
 */
export type ProjectRef = { 
/**
 * Its identity.
 */
key: string, 
/**
 * The spelling of its paths.
 */
style?: PathStyle | null, } | string;

/**
 * The result of a search.
 */
export type Recovery = { 
/**
 * How the session was found, or why not.
 */
outcome: RecoveryOutcome, 
/**
 * The session's id.
 */
sessionId?: string, 
/**
 * Whether the session was started in another project than the given one; worth a log line.
 */
otherProject: boolean, 
/**
 * The project's sessions, best first, for a person who wants to choose.
 */
candidates: Array<string>, 
/**
 * The candidates whose time could not be used; each may be newer than the session that was found. Worth a log line.
 */
problems: Array<RecoveryProblem>, };

/**
 * A session whose time could not be used.
 */
export type RecoveryProblem = { 
/**
 * The session's id.
 */
sessionId: string, 
/**
 * What is wrong with its time, as a stable code.
 */
code: TimeProblem, 
/**
 * What is wrong, and what to write instead.
 */
message: string, };

/**
 * Why the time of a session could not be used.
 */
export type TimeProblem = "unreadable" | "not_comparable";

/**
 * How a session was found, or why not.
 */
export type RecoveryOutcome = "explicit" | "pinned" | "newest" | "undated" | "unknown_id" | "no_session" | "no_project";

/**
 * The reason for which a value is rejected or an ask has no project; the serialised form is the stable code.
 */
export type Reason = "no_project" | "ambiguous" | "closed" | "cancelled" | "call_over" | "placeholder" | "relative" | "invalid" | "not_file_uri" | "too_long" | "missing" | "not_directory" | "unreadable" | "unconfirmed" | "outside" | "other_machine" | "other_system" | "no_path" | "excluded_dir" | "nameless" | "no_marker" | "invalid_name" | "empty" | "traversal" | "not_in_roots" | "immutable" | "selection_off" | "several_clients" | "pass_each_call";

/**
 * The host's id for one ask; unique among the asks that wait.
 */
export type AskId = number;

/**
 * The resolver's token for one request to the client; counts up from 1.
 */
export type RequestToken = number;

/**
 * The resolver's id for one probe; counts up from 1.
 */
export type ProbeId = number;

/**
 * The host's id for one session of an endpoint.
 */
export type SessionId = number;

/**
 * The host's id for one channel of an endpoint.
 */
export type ChannelId = number;

/**
 * The host's id for one call of an endpoint.
 */
export type CallId = number;

/**
 * Milliseconds on the host's clock. The origin is the host's choice; only differences count.
 */
export type Millis = number;

/**
 * The reason for which a URI or a path is refused.
 *
 * The message never repeats the refused text; [`code`](Self::code) is stable across releases.
 */
export type Refusal = "not_file_uri" | "relative" | "empty_path" | "encoded_separator" | "nul" | "control" | "outer_blank" | "malformed_percent" | "invalid_utf8" | "remote_host" | "invalid_host" | "query_or_fragment" | "backslash" | "no_drive" | "drive_relative" | "drive_on_posix" | "drive_like_component" | "drive_not_first" | "device_namespace" | "bad_unc" | "unc_escape" | "leading_double_slash" | "ambiguous_dots" | "outside" | "alternate_stream";
