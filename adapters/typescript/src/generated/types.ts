// Generated from the Rust types by `npm run build -- --types`. Change those and run it again.

/**
 * One thing that happened, in the past tense.
 */
export type Event = { "type": "clientInitialized" } & ClientInitialized | { "type": "clientReady" } | { "type": "rootsListed" } & RootsListed | { "type": "rootsRefused" } & RootsRefused | { "type": "rootsChanged" } | { "type": "hostFactsChanged" } & HostFactsChanged | { "type": "asked" } & Asked | { "type": "selected" } & Selected | { "type": "selectionCleared" } & SelectionCleared | { "type": "askWithdrawn" } & AskWithdrawn | { "type": "probed" } & Probed | { "type": "deadlineReached" } | { "type": "message" } & Message | { "type": "closed" };

/**
 * What `initialize` said; every part is the peer's raw JSON and may be anything.
 */
export type ClientInitialized = { 
/**
 * `params.protocolVersion`.
 */
protocolVersion?: Json, 
/**
 * `params.capabilities`.
 */
capabilities?: Json, 
/**
 * `params.clientInfo`.
 */
clientInfo?: Json, };

/**
 * A list of roots, raw.
 */
export type RootsListed = { 
/**
 * The request it answers; without one it is a list the host was given some other way.
 */
request?: number | null, 
/**
 * The raw result, `{"roots": [...]}`.
 */
result: Json, };

/**
 * Why a request for roots came to nothing.
 */
export type RootsRefused = { 
/**
 * The request.
 */
request: number, 
/**
 * What happened.
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
 * The ways a request for roots comes to nothing.
 */
export type RefusalKind = "error" | "undeliverable" | "unreadable" | "abandoned";

/**
 * New host facts, whole.
 */
export type HostFactsChanged = { 
/**
 * All of them: nothing of the old ones stays.
 */
facts: HostFacts, };

/**
 * A call that asks for its project.
 */
export type Asked = { 
/**
 * The host's id for this ask.
 */
ask: number, 
/**
 * What is wanted.
 */
want?: Want, 
/**
 * Whether and how this call can carry a question to the client; absent, the facts decide.
 */
askBy?: AskBy | null, 
/**
 * What came with the request.
 */
facts?: RequestFacts, 
/**
 * A path the call touches, to tell several roots apart.
 */
target?: string | null, 
/**
 * Whether the answer carries the full explanation even when a project was found.
 */
explain?: boolean, };

/**
 * What an ask wants.
 */
export type Want = "project" | "roots";

/**
 * Whether and how a call can carry a question to the client.
 */
export type AskBy = "none" | "request" | "inputRequired";

/**
 * What came with one request.
 */
export type RequestFacts = { 
/**
 * What the host itself knows of the caller: an authenticated workspace, or a handle the server issued.
 */
host?: string, 
/**
 * The call's project argument.
 */
argument?: string, 
/**
 * HTTP headers; names match in any case.
 */
headers?: { [key in string]: string }, 
/**
 * HTTP query parameters.
 */
query?: { [key in string]: string }, 
/**
 * The request's raw `_meta`.
 */
meta?: Json, 
/**
 * The client's raw capabilities, where an SDK lifted them out of `_meta`.
 */
capabilities?: Json, 
/**
 * The client's raw self-description, where an SDK lifted it out of `_meta`.
 */
clientInfo?: Json, 
/**
 * The raw `inputResponses` of a call made again.
 */
inputResponses?: Json, };

/**
 * A tool that selects the connection's project.
 */
export type Selected = { 
/**
 * The host's id for this ask.
 */
ask: number, 
/**
 * What is selected.
 */
by: SelectBy, 
/**
 * As in [`Asked`].
 */
askBy?: AskBy | null, 
/**
 * As in [`Asked`].
 */
facts?: RequestFacts, 
/**
 * As in [`Asked`].
 */
explain?: boolean, };

/**
 * How a selection names its project.
 */
export type SelectBy = { "name": string } | { "path": string } | { "uri": string } | { "root": string } | { "value": string };

/**
 * A tool that drops the selection.
 */
export type SelectionCleared = { 
/**
 * The host's id for this ask.
 */
ask: number, 
/**
 * As in [`Asked`].
 */
askBy?: AskBy | null, 
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
ask: number, };

/**
 * What the host found.
 */
export type Probed = { 
/**
 * The probe.
 */
probe: number, 
/**
 * What is at each path; a path left out counts as not confirmed.
 */
paths: Array<ProbedPath>, };

/**
 * What is at one path.
 */
export type ProbedPath = { 
/**
 * The path as the probe spelled it.
 */
path: string, 
/**
 * What is there.
 */
found: Found, 
/**
 * The real path, links followed.
 */
realPath?: string | null, 
/**
 * Which of the markers asked for are there, as file or folder.
 */
markers?: Array<string>, };

/**
 * What can be at a path.
 */
export type Found = "directory" | "file" | "missing" | "unreadable";

/**
 * One raw message.
 */
export type Message = { 
/**
 * The message or batch as it arrived, without its line end.
 */
text: string, };

/**
 * One thing to do. The actions of an event come in a fixed order: answers as the asks came, announce, cancel, send,
 * probe, hand back, notices.
 */
export type Action = { "type": "answer" } & Answer | { "type": "announce" } & Announce | { "type": "cancel" } & Cancel | { "type": "sendRequest" } & SendRequest | { "type": "probe" } & Probe | { "type": "forward" } & Forward | { "type": "log" } & Log;

/**
 * The end of one ask.
 */
export type Answer = { 
/**
 * The ask.
 */
ask: number, 
/**
 * Grows by one whenever the connection's project visibly changes.
 */
revision: number, 
/**
 * Texts worth showing beside the result.
 */
hints?: Array<string>, 
/**
 * What every source said; there when nothing was found, and on request.
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
message: string, } | { "outcome": "listed", 
/**
 * The roots, good and bad.
 */
roots: Array<RootView>, 
/**
 * How current they are.
 */
state: RootsState, } | { "outcome": "needsInput", 
/**
 * Ready-made input requests by key.
 */
inputRequests: { [key in string]: Json }, } | { "outcome": "refused" } & Refused | { "outcome": "unresolved" } & Unresolved);

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
message: string, } | { "outcome": "listed", 
/**
 * The roots, good and bad.
 */
roots: Array<RootView>, 
/**
 * How current they are.
 */
state: RootsState, } | { "outcome": "needsInput", 
/**
 * Ready-made input requests by key.
 */
inputRequests: { [key in string]: Json }, } | { "outcome": "refused" } & Refused | { "outcome": "unresolved" } & Unresolved;

/**
 * Why a value is not acceptable.
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
 * What to do next.
 */
instruction?: string, 
/**
 * The HTTP status the policy wants for it.
 */
status?: number, };

/**
 * Why there is no project.
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
 * What to do next.
 */
instruction?: string, };

/**
 * How current the list of roots is.
 */
export type RootsState = "notAsked" | "notReady" | "undeclared" | "unsupported" | "pending" | "overdue" | "timedOut" | "failed" | "empty" | "allInvalid" | "ok" | "stale";

/**
 * A change of the connection's project.
 */
export type Announce = { 
/**
 * What it was.
 */
from: Project | null, 
/**
 * What it is.
 */
to: Project | null, };

/**
 * A request to give up.
 */
export type Cancel = { 
/**
 * The request; SDK hosts abort it.
 */
request: number, 
/**
 * The ready-made `notifications/cancelled` for hosts without an SDK.
 */
message: string, };

/**
 * A request to send.
 */
export type SendRequest = { 
/**
 * The resolver's token; the answer's event repeats it.
 */
request: number, 
/**
 * Always `roots/list`.
 */
method: string, 
/**
 * The params, where the policy sends any.
 */
params?: Json, 
/**
 * The ask whose call the request should travel with.
 */
relatesTo?: number, 
/**
 * The ready-made JSON-RPC request for hosts without an SDK.
 */
message: string, };

/**
 * Paths to look at.
 */
export type Probe = { 
/**
 * The probe's id; the reply repeats it.
 */
probe: number, 
/**
 * The paths.
 */
paths: Array<ProbePath>, };

/**
 * One path to look at.
 */
export type ProbePath = { 
/**
 * The path.
 */
path: string, 
/**
 * Names to look for in it.
 */
markers?: Array<string>, };

/**
 * A message that is not the resolver's.
 */
export type Forward = { 
/**
 * What it is.
 */
kind: MessageKind, 
/**
 * The original text, or the rest of a batch.
 */
text: string, };

/**
 * What a raw message is.
 */
export type MessageKind = "request" | "notification" | "response" | "batch" | "blank" | "broken";

/**
 * A line for the log.
 */
export type Log = { 
/**
 * How much it matters.
 */
level: Level, 
/**
 * The stable code.
 */
code: LogCode, 
/**
 * The ask it belongs to.
 */
ask?: number, 
/**
 * The line.
 */
message: string, };

/**
 * How much a log line matters.
 */
export type Level = "debug" | "info" | "warning";

/**
 * What a log line is about; the serialised form is the stable code.
 */
export type LogCode = "project_chosen" | "disagreement" | "value_rejected" | "roots_failed" | "roots_unsupported" | "roots_cut" | "root_repaired" | "answer_stale" | "answer_unexpected" | "selected_root_left" | "too_many_asks" | "logs_dropped";

/**
 * The project a client works in.
 */
export type Project = { 
/**
 * Identity: the same folder has the same key whatever its spelling; lexical, never the real path.
 */
key: string, 
/**
 * Short hash of the key, fit for file names.
 */
id: string, 
/**
 * The folder's name, or the name it was selected by; as the peer wrote it.
 */
name: string, 
/**
 * The name made safe to show: one line, bounded, without control or invisible characters.
 */
displayName: string, 
/**
 * The folder on the server's machine, where there is one.
 */
path?: string, 
/**
 * The canonical URI, where there is one.
 */
uri?: string, 
/**
 * The real path, where a probe told it.
 */
realPath?: string, 
/**
 * The source that won.
 */
source: SourceKind, 
/**
 * What exactly that source read: a variable, a header, an option, or for `remembered` the first source.
 */
via?: string, 
/**
 * The client root it came from.
 */
root?: RootRef, 
/**
 * The client's other roots, where this one was picked from several.
 */
otherRoots?: Array<RootRef>, };

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
 * The folder on the server's machine, where the URI names one.
 */
path?: string, };

/**
 * A client root as the roots view shows it.
 */
export type RootView = { 
/**
 * Why it names no folder here, as a stable code.
 */
problem?: Reason, 
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
 * The folder on the server's machine, where the URI names one.
 */
path?: string, };

/**
 * What every source said.
 */
export type Explanation = { 
/**
 * The policy.
 */
policy: string, 
/**
 * Why there is no project, as a stable code.
 */
code?: Reason, 
/**
 * What happened, where there is no project.
 */
message?: string, 
/**
 * What to do next, where there is no project.
 */
instruction?: string, 
/**
 * The sources in the policy's order.
 */
tried: Array<Tried>, 
/**
 * The client's roots.
 */
roots: RootsReport, 
/**
 * The client's name for itself, made safe to show.
 */
client?: string, 
/**
 * How the client is connected.
 */
transport: Transport, 
/**
 * How the client speaks.
 */
era: Era, 
/**
 * Answers that came too late to count.
 */
staleAnswers?: number, 
/**
 * All of this as a small table.
 */
text: string, };

/**
 * What one source said.
 */
export type Tried = { 
/**
 * The source.
 */
source: SourceKind, 
/**
 * What exactly it read.
 */
via?: string, 
/**
 * What came of it.
 */
verdict: Verdict, 
/**
 * What it named, made safe to show.
 */
value?: string, 
/**
 * Why it is rejected.
 */
reason?: Reason, 
/**
 * More about that reason, as a stable code.
 */
detail?: string, };

/**
 * What came of a source.
 */
export type Verdict = "won" | "agrees" | "disagrees" | "absent" | "rejected" | "off" | "notAsked" | "pending";

/**
 * The client's roots as far as they are known.
 */
export type RootsReport = { 
/**
 * How current they are.
 */
state: RootsState, 
/**
 * The roots, good and bad.
 */
available?: Array<RootView>, 
/**
 * How many more the client sent than are kept.
 */
dropped?: number, };

/**
 * How a client speaks.
 */
export type Era = "unknown" | "legacy" | "modern";

/**
 * Facts given at construction and replaced whole by an event; never changed by a peer.
 */
export type HostFacts = { 
/**
 * How paths are spelled on the server's machine.
 */
style: PathStyle, 
/**
 * How the client is connected.
 */
transport?: Transport, 
/**
 * Whether the client's paths mean the same here; by default true over stdio and false otherwise.
 */
local?: boolean | null, 
/**
 * Whether a request may be sent outside a client's call; by default true over stdio and false otherwise.
 */
push?: boolean | null, 
/**
 * The server's environment, or the part of it the policy reads.
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
 * Folders that are nobody's project.
 */
excludedDirs?: ExcludedDirs, 
/**
 * Folders the operator confines every project to, with their real paths; none means no such ceiling.
 */
allowedDirs?: Array<string>, 
/**
 * Where the client's folders are found here (container, WSL); the first entry that matches decides.
 */
pathMap?: Array<PathMap>, 
/**
 * Whether network shares may be looked at; looking contacts that host.
 */
probeShares?: boolean, };

/**
 * How the client is connected.
 */
export type Transport = "stdio" | "http" | "other";

/**
 * Folders that are nobody's project.
 */
export type ExcludedDirs = { 
/**
 * The user's home; refused itself, not what is below.
 */
home?: string, 
/**
 * Temporary folders; refused themselves, not what is below.
 */
temporary?: Array<string>, 
/**
 * Install folders of programs and plugins; refused with everything below.
 */
install?: Array<string>, };

/**
 * One folder of the client and where it is found on the server's machine.
 */
export type PathMap = { 
/**
 * The folder as the client spells it.
 */
from: string, 
/**
 * How the client spells paths.
 */
fromStyle: PathStyle, 
/**
 * The same folder as the server spells it.
 */
to: string, };

/**
 * Names the rules a path is read by.
 */
export type PathStyle = "posix" | "windows";

/**
 * How a server finds its project.
 */
export type Policy = { 
/**
 * A name for logs and snapshots.
 */
name: string, 
/**
 * What a reader should know: where the policy departs from the system it follows, and why.
 */
notes?: Array<string>, 
/**
 * The sources, best first.
 */
sources: Array<Source>, 
/**
 * How the client's roots are asked for and picked from.
 */
roots?: Partial<RootsRules>, 
/**
 * How long things take.
 */
timing?: Partial<Timing>, 
/**
 * What outlives an ask.
 */
memory?: Partial<Memory>, 
/**
 * What a tool may select.
 */
selection?: Partial<Selection>, 
/**
 * Where a project's name comes from.
 */
nameFrom?: NameFrom, 
/**
 * Whether a notice tells when a source that lost names another project.
 */
reportDisagreement?: boolean, 
/**
 * Texts to show beside certain results.
 */
hints?: Array<Hint>, 
/**
 * What to do for a certain client or transport when nothing was found; the first match is `{advice}` in texts.
 */
advice?: Array<Advice>, 
/**
 * Message templates that replace the standard ones.
 */
texts?: { [key in string]: string }, 
/**
 * Bounds on what a peer can grow.
 */
limits?: Partial<Limits>, };

/**
 * One source: where a value is read and how it is judged.
 */
export type Source = { 
/**
 * The kind of source.
 */
from: SourceKind, 
/**
 * What to read, in order: header or query names, JSON pointers into `_meta`, variables, or for `configured`
 * command line options and, with a leading `$`, variables.
 */
read?: Array<string>, 
/**
 * What the value looks like.
 */
format?: Format, 
/**
 * What must be on disk.
 */
verify?: Verify, 
/**
 * What happens to a relative path.
 */
relative?: Relative, 
/**
 * Which places are refused; by default all for sources nobody chose on purpose (`meta`, `roots`, `remembered`,
 * `env`, `cwd`), none for the others.
 */
excludedDirs?: ExcludedDirsRule | null, 
/**
 * What a bad value does; by default it ends the ask for `host`, `argument`, `header` and `query`, and gives way
 * to the next source for the others.
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
 * When the source counts at all.
 */
when?: When, 
/**
 * How often the disk is looked at.
 */
recheck?: Recheck, };

/**
 * The kinds of sources.
 */
export type SourceKind = "host" | "argument" | "header" | "query" | "meta" | "selected" | "configured" | "roots" | "remembered" | "env" | "cwd";

/**
 * What a value looks like.
 */
export type Format = "pathOrUri" | "name" | "any" | "list";

/**
 * What must be on disk.
 */
export type Verify = "none" | "exists" | "directory";

/**
 * What happens to a relative path.
 */
export type Relative = "refuse" | "cwd";

/**
 * Which places are refused.
 */
export type ExcludedDirsRule = "allow" | "named" | "refuse";

/**
 * What a bad value does.
 */
export type OnBad = { 
/**
 * For every reason not named.
 */
otherwise?: BadOutcome, } & ({ [key in "no_project" | "ambiguous" | "not_chosen" | "closed" | "placeholder" | "relative" | "invalid" | "not_file_uri" | "too_long" | "missing" | "not_directory" | "unreadable" | "unconfirmed" | "outside" | "excluded_dir" | "nameless" | "no_marker" | "invalid_name" | "empty" | "traversal" | "not_in_roots" | "no_roots" | "immutable" | "pass_each_call"]?: "next" | "error" });

/**
 * The two things a bad value can do.
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
 * How many folders are looked at, the starting one included.
 */
levels?: number, 
/**
 * What happens when no folder is marked.
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
 * How many of them must be there.
 */
atLeast?: number, };

/**
 * What happens when no folder is marked.
 */
export type Unmarked = "reject" | "start";

/**
 * When a source counts.
 */
export type When = { 
/**
 * Only over these transports; none means any.
 */
transports?: Array<Transport>, 
/**
 * Only when the client's paths mean the same here.
 */
local?: boolean, 
/**
 * Only when the command line has this option.
 */
argument?: string, };

/**
 * How often the disk is looked at.
 */
export type Recheck = "onChange" | "eachAsk";

/**
 * How the client's roots are asked for and picked from.
 */
export type RootsRules = { 
/**
 * When to ask.
 */
ask: Ask, 
/**
 * Whether only a client that declared roots is asked.
 */
requireCapability: boolean, 
/**
 * Which root counts.
 */
pick: Pick, 
/**
 * What an unusable root does.
 */
onUnusable: OnUnusable, 
/**
 * What a root that is no `file:` URI does.
 */
nonFile: NonFile, 
/**
 * What an absolute path in place of a URI is.
 */
barePaths: BarePaths, 
/**
 * What a root that is a file stands for.
 */
files: Files, 
/**
 * Whether several roots end the ask, where `pick` is `only`, or give way to the next source.
 */
ambiguity: BadOutcome, 
/**
 * What a change does.
 */
onChange: OnChange, 
/**
 * What a change does while a request is in flight.
 */
whileAsking: WhileAsking, 
/**
 * After how long a list is asked for again.
 */
maxAgeMs: number | null, 
/**
 * After how long an empty list is asked for again.
 */
emptyMaxAgeMs: number | null, 
/**
 * How the requests look.
 */
request?: Partial<RequestForm>, 
/**
 * Which errors mean that the client has no roots method.
 */
unsupported?: Partial<UnsupportedErrors>, };

/**
 * When roots are asked for.
 */
export type Ask = "eager" | "lazy" | "eachRequest" | "never";

/**
 * Which root counts.
 */
export type Pick = "first" | "only" | "chosen";

/**
 * What an unusable root does.
 */
export type OnUnusable = "accept" | "nextRoot" | "nextSource" | "error";

/**
 * What a root that is no `file:` URI does.
 */
export type NonFile = "skip" | "nextSource" | "error" | "nameOnly";

/**
 * What an absolute path in place of a URI is.
 */
export type BarePaths = "repair" | "refuse";

/**
 * What a root that is a file stands for.
 */
export type Files = "parent" | "refuse";

/**
 * What `list_changed` does.
 */
export type OnChange = "ignore" | "invalidate" | "refetch";

/**
 * What `list_changed` does while a request is in flight.
 */
export type WhileAsking = "coalesce" | "drop";

/**
 * How requests for roots look.
 */
export type RequestForm = { 
/**
 * What precedes the number in a request id; an empty prefix makes the id a number.
 */
idPrefix: string, 
/**
 * Whether an empty `params` object is sent.
 */
emptyParams: boolean, };

/**
 * Which errors mean that the client has no roots method.
 */
export type UnsupportedErrors = { 
/**
 * These codes do.
 */
codes: Array<number>, 
/**
 * So do messages that contain one of these, in any ASCII case.
 */
messages: Array<string>, };

/**
 * How long things take, in milliseconds.
 */
export type Timing = { 
/**
 * How long one caller waits, and how long a probe stays open.
 */
waitMs: number, 
/**
 * How long a request lives before it is cancelled.
 */
lifeMs: number, 
/**
 * The least time between two requests that changes cause.
 */
minIntervalMs: number, 
/**
 * How many more asks may try after a failure, until the roots change.
 */
retries: number, };

/**
 * What outlives an ask.
 */
export type Memory = { 
/**
 * Whether the connection's first project stays.
 */
pin: Pin, 
/**
 * Which sources can pin; none means every source of the connection.
 */
pinFrom: Array<SourceKind>, 
/**
 * Whether `remembered` keeps a root that a newer list no longer has.
 */
keepLostRoot: boolean, };

/**
 * Whether the connection's first project stays.
 */
export type Pin = "no" | "sticky" | "immutable";

/**
 * What a tool may select.
 */
export type Selection = { 
/**
 * What a bare name may be.
 */
names: Names, 
/**
 * How a name must look.
 */
nameRule: NameRule, 
/**
 * Whether a `..` is resolved or refused.
 */
traversal: Traversal, 
/**
 * When the selection must be one of the client's roots, if the client has any.
 */
enforceRoots: EnforceRoots, 
/**
 * What makes it one of them.
 */
rootMatch: RootMatch, };

/**
 * What a bare name may be.
 */
export type Names = "roots" | "any";

/**
 * How a name must look.
 */
export type NameRule = "any" | "word";

/**
 * Whether a `..` is resolved or refused.
 */
export type Traversal = "resolve" | "refuse";

/**
 * When a selection must be one of the client's roots.
 */
export type EnforceRoots = "off" | "onSelect" | "always";

/**
 * What makes a selection one of the roots.
 */
export type RootMatch = "key" | "exactUri" | "inside";

/**
 * Where a project's name comes from.
 */
export type NameFrom = "basename" | "rawBasename" | "rootName";

/**
 * A text to show beside certain results.
 */
export type Hint = { 
/**
 * When one of these sources won.
 */
sources: Array<SourceKind>, 
/**
 * Whether a connection gets it only once.
 */
once?: boolean, 
/**
 * The text.
 */
text: string, };

/**
 * What to do for a certain client or transport.
 */
export type Advice = { 
/**
 * The client's name, with `*` at the end for any that begins so; none means any client.
 */
client?: string | null, 
/**
 * The transport; none means any.
 */
transport?: Transport | null, 
/**
 * The text.
 */
text: string, };

/**
 * How much of each thing a resolver takes; reaching a bound is visible in the explanation.
 */
export type Limits = { 
/**
 * Bytes of one event; a larger one is misuse, because the host should have cut it off before copying it in.
 */
eventBytes: number, 
/**
 * Roots kept from one list; the rest are counted.
 */
roots: number, 
/**
 * Bytes of one URI, path or other value; a longer one is rejected alone.
 */
valueBytes: number, 
/**
 * Bytes of a root's own name; a longer one is ignored.
 */
nameBytes: number, 
/**
 * Characters of a name shown to a person or a model.
 */
nameChars: number, 
/**
 * Characters of a path or any other value shown to a person or a model.
 */
valueChars: number, 
/**
 * Asks that may wait at the same time; one more is answered at once from what is known.
 */
waitingAsks: number, 
/**
 * Actions one event may cause besides answers; notices give way first.
 */
actions: number, 
/**
 * Disagreements and rejected values remembered per connection, so that each is reported once; more are not reported.
 */
reported: number, 
/**
 * Folders a marker walk looks at, the starting one included.
 */
walkLevels: number, };

/**
 * What is looked for, and where.
 */
export type RecoverRequest = { 
/**
 * How paths are spelled in the URIs.
 */
style: PathStyle, 
/**
 * The session asked for by name; it wins over everything else.
 */
sessionId?: string | null, 
/**
 * The project: its root URI, its path, or its key.
 */
project?: string | null, 
/**
 * The sessions the host knows, in any order.
 */
sessions?: Array<SessionRecord>, };

/**
 * A session as the host stores it.
 */
export type SessionRecord = { 
/**
 * The session's id.
 */
id: string, 
/**
 * The project it was started in: root URI, path or key; a session without one belongs to no project.
 */
project?: string | null, 
/**
 * When it was last used, as a number of any unit; anything else counts as oldest.
 */
updatedAt?: Json | null, 
/**
 * Whether it is the project's primary session.
 */
pinned?: boolean, 
/**
 * Whether it is found only by its id.
 */
archived?: boolean, };

/**
 * What was found.
 */
export type Recovery = { 
/**
 * How it was found, or why not.
 */
outcome: RecoveryOutcome, 
/**
 * The session's id.
 */
sessionId?: string, 
/**
 * Whether the session was started in another project than the one given; worth a line in the log.
 */
otherProject: boolean, 
/**
 * The project's sessions, best first, for somebody who wants to choose.
 */
candidates: Array<string>, };

/**
 * How a session was found, or why not.
 */
export type RecoveryOutcome = "explicit" | "pinned" | "newest" | "unknown_id" | "no_session" | "no_project";

/**
 * Why a value is not taken or an ask has no project; the serialised form is the stable code.
 */
export type Reason = "no_project" | "ambiguous" | "not_chosen" | "closed" | "placeholder" | "relative" | "invalid" | "not_file_uri" | "too_long" | "missing" | "not_directory" | "unreadable" | "unconfirmed" | "outside" | "excluded_dir" | "nameless" | "no_marker" | "invalid_name" | "empty" | "traversal" | "not_in_roots" | "no_roots" | "immutable" | "pass_each_call";

/**
 * Names the reason a URI or a path is refused.
 *
 * The message never repeats the refused text; [`code`](Self::code) is stable across releases.
 */
export type Refusal = "not_file_uri" | "relative" | "empty_path" | "encoded_separator" | "nul" | "control" | "outer_blank" | "malformed_percent" | "invalid_utf8" | "remote_host" | "invalid_host" | "query_or_fragment" | "backslash" | "no_drive" | "drive_relative" | "drive_on_posix" | "drive_like_component" | "drive_not_first" | "device_namespace" | "bad_unc" | "unc_escape" | "leading_double_slash" | "ambiguous_dots" | "outside" | "alternate_stream";

/**
 * JSON text as a peer wrote it, known to be well formed.
 */
export type Json = unknown;
