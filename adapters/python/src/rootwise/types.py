"""Everything that crosses the wire.

Generated from the Rust types by `python3 adapters/python/test.py --only generate`. Change those and run it again.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, TypeAlias, TypedDict

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    try:
        from typing_extensions import NotRequired
    except ImportError:
        from typing import Optional as NotRequired

AskId: TypeAlias = int
"""
The host's id for one ask; unique among the asks that wait.
"""


AskVia: TypeAlias = Literal['none', 'request', 'inputRequired']
"""
Whether and how a call can carry a question to the client.
"""


class AskWithdrawn(TypedDict):
    """
    The caller of an ask is gone; no answer follows.
    """

    type: Literal['askWithdrawn']
    ask: AskId
    """
    The ask.
    """


BadOutcome: TypeAlias = Literal['next', 'error']
"""
The two effects of a bad value.
"""


BarePaths: TypeAlias = Literal['repair', 'refuse']
"""
The treatment of an absolute path instead of a URI.
"""


CallId: TypeAlias = int
"""
The host's id for one call of an endpoint.
"""


class CallReturned(TypedDict):
    """
    The handler of a call of revision 2026-07-28 returned; ends in one `callResult` unless the call ends first.
    """

    type: Literal['callReturned']
    call: CallId
    """
    The call.
    """
    inputRequired: bool
    """
    Whether the handler's own result is `input_required`.
    """


ChannelEnd: TypeAlias = Literal['broken', 'cut']
"""
The ways a stream ends before its calls.
"""


ChannelId: TypeAlias = int
"""
The host's id for one channel of an endpoint.
"""


class ClientInitialized(TypedDict):
    """
    The client sent `initialize`. A second one closes the connection and opens a fresh one with the same host facts.
    """

    type: Literal['clientInitialized']
    protocolVersion: NotRequired[Any]
    """
    `params.protocolVersion`.
    """
    capabilities: NotRequired[Any]
    """
    `params.capabilities`.
    """
    clientInfo: NotRequired[Any]
    """
    `params.clientInfo`.
    """


class ClientReady(TypedDict):
    """
    The client sent `notifications/initialized`.
    """

    type: Literal['clientReady']


class Closed(TypedDict):
    """
    The connection closed.
    """

    type: Literal['closed']


class DeadlineReached(TypedDict):
    """
    The time that `deadline` named has come; an early event has no effect.
    """

    type: Literal['deadlineReached']


Elicit: TypeAlias = Literal['never', 'ambiguous', 'unresolved']
"""
When the client's user is asked for the project. The answer is a selection.
"""


EnforceRoots: TypeAlias = Literal['off', 'onSelect']
"""
When a selection must be one of the client's roots.
"""


EntryKind: TypeAlias = Literal['directory', 'file', 'missing', 'unreadable']
"""
The kinds of file system entries.
"""


Era: TypeAlias = Literal['unknown', 'legacy', 'modern']
"""
The protocol era of a client.
"""


class ExcludedDirs(TypedDict):
    """
    Folders that are never projects by themselves.
    """

    home: NotRequired[list[str]]
    """
    The user's home, in every spelling: as the system gives it, and its real path. Excluded itself, not the folders
    below.
    """
    temporary: NotRequired[list[str]]
    """
    Temporary folders; excluded themselves, not the folders below.
    """
    install: NotRequired[list[str]]
    """
    Install folders of programs and plugins; excluded with everything below.
    """


ExcludedDirsRule: TypeAlias = Literal['allow', 'named', 'refuse']
"""
The treatment of excluded folders.
"""


Files: TypeAlias = Literal['parent', 'refuse']
"""
The meaning of a root that is a file.
"""


class FindNearest(TypedDict):
    """
    A search for the nearest folder that has an entry with one of these names: the real path of the probed path, then each
    folder above it. A host that does not search reports nothing.
    """

    names: list[str]
    """
    The names; of several in one folder the first counts.
    """
    within: NotRequired[list[str]]
    """
    The folders to which the search is confined: it ends at the first folder that is not inside one of them.
    """
    bytes: int
    """
    The size up to which the text of a file with such a name is reported.
    """


FindRepository: TypeAlias = Literal['no', 'local', 'remote']
"""
What the probe of a project's folder finds out about its repository.
"""


Format: TypeAlias = Literal['pathOrUri', 'path', 'any', 'list']
"""
The form of a value.
"""


Identity: TypeAlias = Literal['folder', 'repository', 'remote']
"""
What makes two folders the same project: the same `key`, `id` and `slug`, for stored data, the recovery of sessions and
announcements.
"""


Level: TypeAlias = Literal['debug', 'info', 'warning']
"""
The level of a log line.
"""


class Limits(TypedDict):
    """
    The bounds of a resolver; the explanation shows when one is reached.
    """

    eventBytes: NotRequired[int]
    """
    Bytes of one event; a larger one is misuse, because the host should have refused it before copying it in.
    """
    roots: NotRequired[int]
    """
    Roots kept from one list; the rest are counted.
    """
    rootsBytes: NotRequired[int]
    """
    Bytes of URIs and names kept from one list; the first root that does not fit and those after it are counted.
    """
    valueBytes: NotRequired[int]
    """
    Bytes of one URI, path or other value; a longer value alone is rejected.
    """
    nameBytes: NotRequired[int]
    """
    Bytes of a root's own name; a longer name is ignored.
    """
    nameChars: NotRequired[int]
    """
    Characters of a name shown to a person or a model.
    """
    valueChars: NotRequired[int]
    """
    Characters of a path or another value shown to a person or a model.
    """
    waitingAsks: NotRequired[int]
    """
    Asks that may wait at the same time; one more is answered at once from what is known.
    """
    actions: NotRequired[int]
    """
    Actions of one event besides answers; log lines are dropped first.
    """
    reported: NotRequired[int]
    """
    Disagreements and rejected values remembered per connection, so that each is reported once; more are not reported.
    """
    walkLevels: NotRequired[int]
    """
    Folders of a marker walk, including the starting folder.
    """
    probePaths: NotRequired[int]
    """
    Paths that the host probes at the same time; the others follow when it has replied.
    """


Links: TypeAlias = Literal['keep', 'follow']
"""
The treatment of links.
"""


LogCode: TypeAlias = Literal['project_chosen', 'disagreement', 'value_rejected', 'roots_failed', 'roots_unsupported', 'roots_cut', 'root_repaired', 'answer_stale', 'answer_unexpected', 'selected_root_left', 'several_clients', 'user_asked', 'user_declined', 'too_many_asks', 'logs_dropped', 'wait_expired', 'cannot_ask', 'cannot_select', 'event_failed', 'allowed_dir_unusable']
"""
The subject of a log line; the serialised form is the stable code.
"""


class Message(TypedDict):
    """
    A raw JSON-RPC message arrived, for hosts without an SDK.
    """

    type: Literal['message']
    text: str
    """
    The message or batch as it arrived, without its line end.
    """


MessageKind: TypeAlias = Literal['request', 'notification', 'response', 'batch', 'blank', 'broken']
"""
The kinds of raw messages.
"""


NameForm: TypeAlias = Literal['word', 'identifier']
"""
The characters that a sanitised name consists of.
"""


NameFrom: TypeAlias = Literal['basename', 'rootName']
"""
The origin of a project's name.
"""


NameRule: TypeAlias = Literal['any', 'word']
"""
The form of a name.
"""


Names: TypeAlias = Literal['roots', 'any']
"""
The meaning of a bare name.
"""


class Nearest(TypedDict):
    """
    The nearest folder with an entry that was looked for.
    """

    path: str
    """
    The folder, by its real path.
    """
    name: str
    """
    The name of the entry in it.
    """
    found: EntryKind
    """
    The kind of the entry, with links followed.
    """
    text: NotRequired[str | None]
    """
    Its text, if it is a regular file in UTF-8 that is not too large, and no link.
    """


NonFile: TypeAlias = Literal['skip', 'nextSource', 'error', 'nameOnly']
"""
The effect of a root that is not a `file:` URI.
"""


NonObjects: TypeAlias = Literal['skip', 'emptyList']
"""
The effect of an entry of the list that is not an object.
"""


class OnBad(TypedDict):
    """
    The effect of a bad value, by reason.
    """

    otherwise: NotRequired[BadOutcome]
    """
    For every reason that is not listed.
    """
    no_project: NotRequired[BadOutcome]
    """
    No source named a project.
    """
    ambiguous: NotRequired[BadOutcome]
    """
    The client has several roots and the policy accepts only a single one, or several roots have the name that was given.
    """
    closed: NotRequired[BadOutcome]
    """
    The connection closed while the ask waited.
    """
    cancelled: NotRequired[BadOutcome]
    """
    The client cancelled the call, or its stream broke.
    """
    call_over: NotRequired[BadOutcome]
    """
    The call that asked is over.
    """
    placeholder: NotRequired[BadOutcome]
    """
    The value is a template that the client should have expanded, such as `${workspaceFolder}`.
    """
    relative: NotRequired[BadOutcome]
    """
    The path is relative where only absolute paths are accepted.
    """
    invalid: NotRequired[BadOutcome]
    """
    The URI or path has no single safe reading.
    """
    not_file_uri: NotRequired[BadOutcome]
    """
    The URI has another scheme than `file`.
    """
    too_long: NotRequired[BadOutcome]
    """
    The value exceeds the limit.
    """
    missing: NotRequired[BadOutcome]
    """
    The path does not exist.
    """
    not_directory: NotRequired[BadOutcome]
    """
    The path is not a folder.
    """
    unreadable: NotRequired[BadOutcome]
    """
    The host may not read the path.
    """
    unconfirmed: NotRequired[BadOutcome]
    """
    The host did not report in time whether the path exists.
    """
    outside: NotRequired[BadOutcome]
    """
    The path is outside the folders the operator allows.
    """
    other_machine: NotRequired[BadOutcome]
    """
    The folder is on the client's machine, which is another one, and the policy requires a folder on this one.
    """
    other_system: NotRequired[BadOutcome]
    """
    The path is spelled for another operating system than the host's, such as `C:\\x` on a POSIX host.
    """
    no_path: NotRequired[BadOutcome]
    """
    The project is a mere name, and the policy requires a folder.
    """
    excluded_dir: NotRequired[BadOutcome]
    """
    The folder is never a project by itself, such as `/` or the home folder.
    """
    nameless: NotRequired[BadOutcome]
    """
    The path has no last component to take a name from.
    """
    no_marker: NotRequired[BadOutcome]
    """
    Neither the folder nor one above it has a project marker.
    """
    invalid_name: NotRequired[BadOutcome]
    """
    The name breaks the policy's rule for names.
    """
    empty: NotRequired[BadOutcome]
    """
    The selection is empty.
    """
    traversal: NotRequired[BadOutcome]
    """
    The path contains `..` where the policy refuses it.
    """
    not_in_roots: NotRequired[BadOutcome]
    """
    The project is not among the client's roots.
    """
    immutable: NotRequired[BadOutcome]
    """
    The connection's project is pinned permanently.
    """
    selection_off: NotRequired[BadOutcome]
    """
    The policy has no source for selections, or it is off.
    """
    several_clients: NotRequired[BadOutcome]
    """
    Several clients share the connection, and their calls cannot be told apart.
    """
    pass_each_call: NotRequired[BadOutcome]
    """
    The connection keeps no state: the caller must pass the project with every call.
    """


OnChange: TypeAlias = Literal['ignore', 'invalidate', 'refetch']
"""
The effect of `list_changed`.
"""


OnUnusable: TypeAlias = Literal['accept', 'nextRoot', 'nextSource', 'error']
"""
The effect of an unusable root.
"""


class Package(TypedDict):
    """
    A package inside a project.
    """

    path: str
    """
    Its folder, spelled like the project's.
    """
    name: str
    """
    The folder's name.
    """
    inside: str
    """
    The folder relative to the project's, with `/` on every system.
    """
    marker: str
    """
    The marker by which it is one.
    """


PathMapBase = TypedDict(
    'PathMapBase',
    {
        'from': str
    },
)


PathStyle: TypeAlias = Literal['posix', 'windows']
"""
The rules by which a path is read.
"""


Pick: TypeAlias = Literal['first', 'only']
"""
Which root to pick.
"""


Pin: TypeAlias = Literal['no', 'sticky', 'immutable']
"""
Whether the connection's first project is pinned.
"""


PolicyBase = TypedDict(
    'PolicyBase',
    {
        '$schema': NotRequired[str | None]
    },
)


ProbeId: TypeAlias = int
"""
The resolver's id for one probe; counts up from 1.
"""


class ProbedPath(TypedDict):
    """
    The state of one path.
    """

    path: str
    """
    The path as the probe spelled it.
    """
    found: EntryKind
    """
    The kind of file system entry.
    """
    realPath: NotRequired[str | None]
    """
    The real path, with all links resolved.
    """
    markers: NotRequired[list[str]]
    """
    Those of the requested markers that exist, as file or folder.
    """
    nearest: NotRequired[Nearest | None]
    """
    The nearest folder that was looked for, if there is one.
    """
    files: NotRequired[dict[str, str]]
    """
    The texts of the files that were to be read, by name, as far as they could be.
    """


class ProjectRef1(TypedDict):
    """
    A project as an answer carries it; further fields are ignored.
    """

    key: str
    """
    Its identity.
    """
    style: NotRequired[PathStyle | None]
    """
    The spelling of its paths.
    """


ProjectRef: TypeAlias = ProjectRef1 | str
"""
A project as a search for sessions names it.
"""


class ReadFiles(TypedDict):
    """
    Files to read in a folder. Only a regular file counts, never a link, a pipe or a device, and only a text in UTF-8.
    """

    names: list[str]
    """
    The names of the files.
    """
    within: NotRequired[list[str]]
    """
    The folders to which reading is confined: nothing is read if the real path of the folder is not inside one of them.
    """
    bytes: int
    """
    The size up to which a file is read; a larger one is not reported.
    """


Reason: TypeAlias = Literal['no_project', 'ambiguous', 'closed', 'cancelled', 'call_over', 'placeholder', 'relative', 'invalid', 'not_file_uri', 'too_long', 'missing', 'not_directory', 'unreadable', 'unconfirmed', 'outside', 'other_machine', 'other_system', 'no_path', 'excluded_dir', 'nameless', 'no_marker', 'invalid_name', 'empty', 'traversal', 'not_in_roots', 'immutable', 'selection_off', 'several_clients', 'pass_each_call']
"""
The reason for which a value is rejected or an ask has no project; the serialised form is the stable code.
"""


Recheck: TypeAlias = Literal['onChange', 'eachAsk']
"""
How often the disk is probed.
"""


RecoveryOutcome: TypeAlias = Literal['explicit', 'pinned', 'newest', 'undated', 'unknown_id', 'no_session', 'no_project']
"""
How a session was found, or why not.
"""


RefusalKind: TypeAlias = Literal['error', 'undeliverable', 'unreadable', 'abandoned']
"""
The ways a request can fail.
"""


Relative: TypeAlias = Literal['refuse', 'cwd']
"""
The treatment of a relative path.
"""


RepositoryKind: TypeAlias = Literal['git', 'jj', 'hg']
"""
The systems that keep repositories.
"""


class RequestFacts(TypedDict):
    """
    The facts of one request.
    """

    server: NotRequired[str | None]
    """
    What the server itself knows about the caller: an authenticated workspace, or a handle the server issued.
    """
    argument: NotRequired[Any]
    """
    The call's project argument, of any type: what is not a text is refused.
    """
    headers: NotRequired[dict[str, str]]
    """
    HTTP headers; names match in any case.
    """
    query: NotRequired[dict[str, str]]
    """
    HTTP query parameters.
    """
    meta: NotRequired[Any]
    """
    The raw `_meta` of the request.
    """
    capabilities: NotRequired[Any]
    """
    The client's raw capabilities, where an SDK lifted them out of `_meta`.
    """
    clientInfo: NotRequired[Any]
    """
    The client's raw self-description, where an SDK lifted it out of `_meta`.
    """
    inputResponses: NotRequired[Any]
    """
    The raw `inputResponses` of a retried call.
    """
    allowedDirs: NotRequired[list[str] | None]
    """
    The folders to which this caller is confined, within those of the host facts, which must have some.
    """


class RequestForm(TypedDict):
    """
    The form of `roots/list` requests.
    """

    idPrefix: NotRequired[str]
    """
    The text before the number in a request id; with an empty prefix the id is a number.
    """
    emptyParams: NotRequired[bool]
    """
    Whether an empty `params` object is sent.
    """


RequestMethod: TypeAlias = Literal['roots/list', 'elicitation/create']
"""
The methods a resolver sends to a client.
"""


RequestToken: TypeAlias = int
"""
The resolver's token for one request to the client; counts up from 1.
"""


RequestWhen: TypeAlias = Literal['eager', 'lazy', 'eachRequest', 'never']
"""
When to request the roots.
"""


RootMatch: TypeAlias = Literal['key', 'exactUri']
"""
The test for being one of the roots.
"""


class RootRefDict(TypedDict):
    """
    A client root as a project refers to it.
    """

    index: int
    """
    Position in the client's list.
    """
    uri: str
    """
    The URI as the client sent it, made safe to show.
    """
    name: NotRequired[str]
    """
    The root's own name, made safe to show.
    """
    path: NotRequired[str]
    """
    The folder that the URI names on this machine. It is not verified.
    """
    clientPath: NotRequired[str]
    """
    The folder that the URI names on the client's machine, if that is another one.
    """


class RootView(TypedDict):
    """
    A client root as the roots view shows it.
    """

    index: int
    """
    Position in the client's list.
    """
    uri: str
    """
    The URI as the client sent it, made safe to show.
    """
    name: NotRequired[str]
    """
    The root's own name, made safe to show.
    """
    path: NotRequired[str]
    """
    The folder that the URI names on this machine. It is not verified.
    """
    clientPath: NotRequired[str]
    """
    The folder that the URI names on the client's machine, if that is another one.
    """
    realPath: NotRequired[str]
    """
    The real path of the folder, if a probe reported it.
    """
    problem: NotRequired[Reason]
    """
    The reason for which it is no folder that can be used here, as a stable code.
    """
    exists: NotRequired[bool]
    """
    Whether the folder exists on this machine; absent where nobody has checked that for this client.
    """
    usable: NotRequired[bool]
    """
    Whether it is a folder on this machine without a problem, whose real path is known: paths can be compared with it.
    """


class RootsChanged(TypedDict):
    """
    The client sent `notifications/roots/list_changed`.
    """

    type: Literal['rootsChanged']
    push: NotRequired[bool]
    """
    Whether the host has an open stream on which a request outside a call reaches this client now; otherwise the host
    facts decide.
    """


class RootsListed(TypedDict):
    """
    A list of roots arrived.
    """

    type: Literal['rootsListed']
    request: NotRequired[RequestToken | None]
    """
    The request it answers; absent for a list that the host obtained in another way.
    """
    result: Any
    """
    The raw result, `{"roots": [...]}`.
    """


class RootsRules(TypedDict):
    """
    The rules for requesting the client's roots and picking one.
    """

    ask: NotRequired[RequestWhen]
    """
    When to request the roots.
    """
    requireCapability: NotRequired[bool]
    """
    Whether to ask only clients that declared roots.
    """
    pick: NotRequired[Pick]
    """
    Which root to pick.
    """
    onUnusable: NotRequired[OnUnusable]
    """
    The effect of an unusable root.
    """
    nonObjects: NotRequired[NonObjects]
    """
    The effect of an entry that is not an object.
    """
    nonFile: NotRequired[NonFile]
    """
    The effect of a root that is not a `file:` URI.
    """
    barePaths: NotRequired[BarePaths]
    """
    The treatment of an absolute path instead of a URI.
    """
    files: NotRequired[Files]
    """
    The meaning of a root that is a file.
    """
    ambiguity: NotRequired[BadOutcome]
    """
    Whether several roots end the ask, if `pick` is `only`, or yield to the next source.
    """
    onChange: NotRequired[OnChange]
    """
    The effect of a change.
    """
    request: NotRequired[RequestForm]
    """
    The form of the requests.
    """


RootsState: TypeAlias = Literal['notAsked', 'notReady', 'undeclared', 'unsupported', 'pending', 'overdue', 'timedOut', 'failed', 'empty', 'allInvalid', 'ok', 'stale', 'severalClients']
"""
The state of the list of roots.
"""


class RootsWatched(TypedDict):
    """
    Whether lists of roots are announced changed.
    """

    type: Literal['rootsWatched']
    watched: bool
    """
    Whether they are.
    """


class SelectByName(TypedDict):
    """
    By name.
    """

    name: str


class SelectByPath(TypedDict):
    """
    By path.
    """

    path: str


class SelectByRoot(TypedDict):
    """
    One of the client's roots, by its URI, path or name.
    """

    root: str


class SelectByUri(TypedDict):
    """
    By URI.
    """

    uri: str


class SelectByValue(TypedDict):
    """
    By any of these: a `file:` URI, a path if it has a separator, else a name.
    """

    value: str


class SelectionCleared(TypedDict):
    """
    A tool clears the selection; answered like an ask.
    """

    type: Literal['selectionCleared']
    ask: AskId
    """
    The host's id for this ask.
    """
    askVia: NotRequired[AskVia | None]
    """
    As in [`Asked`].
    """
    facts: NotRequired[RequestFacts]
    """
    As in [`Asked`].
    """
    explain: NotRequired[bool]
    """
    As in [`Asked`].
    """


class SendRequest(TypedDict):
    """
    Send a request to the client.
    """

    type: Literal['sendRequest']
    request: RequestToken
    """
    The resolver's token; the event of the answer repeats it.
    """
    method: RequestMethod
    """
    The method.
    """
    params: NotRequired[dict[str, Any]]
    """
    The parameters, if there are any.
    """
    relatesTo: NotRequired[AskId]
    """
    The ask whose call should carry the request.
    """
    message: str
    """
    The complete JSON-RPC request for hosts without an SDK.
    """


SessionId: TypeAlias = int
"""
The host's id for one session of an endpoint.
"""


class SessionRecord(TypedDict):
    """
    A session as the host stores it; further fields are ignored.
    """

    id: str
    """
    The session's id.
    """
    project: NotRequired[ProjectRef | None]
    """
    The project it was started in: best its key, else the project, its path or its root URI. A session without one, or
    with a blank text, belongs to no project.
    """
    linkedProjects: NotRequired[list[ProjectRef]]
    """
    Other projects in which it is found as well.
    """
    updatedAt: NotRequired[float | str | None]
    """
    The time of its last use: a number, whose unit is the store's choice, or a date and time by ISO 8601.
    """
    pinned: NotRequired[bool]
    """
    Whether it is the project's primary session.
    """
    archived: NotRequired[bool]
    """
    Whether it is found only by its id.
    """


SharedBy: TypeAlias = Literal['checkout', 'repository']
"""
What the projects before and after a change have in common.
"""


SourceKind: TypeAlias = Literal['server', 'argument', 'header', 'query', 'meta', 'selected', 'configured', 'roots', 'remembered', 'env', 'cwd']
"""
The kinds of sources.
"""


class Tier(TypedDict):
    """
    A group of markers.
    """

    names: list[str]
    """
    File or folder names.
    """
    atLeast: NotRequired[int]
    """
    The number of them that must exist.
    """


TimeProblem: TypeAlias = Literal['unreadable', 'not_comparable']
"""
Why the time of a session could not be used.
"""


class Timing(TypedDict):
    """
    Durations in milliseconds.
    """

    callerTimeoutMs: NotRequired[int]
    """
    The wait of one caller, and the life of a probe.
    """
    requestTimeoutMs: NotRequired[int]
    """
    The life of a request; then it is cancelled.
    """
    minIntervalMs: NotRequired[int]
    """
    The minimum interval between two requests that changes cause.
    """
    maxAgeMs: NotRequired[int | None]
    """
    The age up to which a list of roots and the report of a probe count without a refresh; `null` means that they count
    until something changes.
    """
    retries: NotRequired[int]
    """
    The number of later asks that may retry after an error, until the roots change; a request without an answer is not
    retried.
    """


Transport: TypeAlias = Literal['stdio', 'http', 'other']
"""
The transport of a connection.
"""


Traversal: TypeAlias = Literal['resolve', 'refuse']
"""
Whether `..` is resolved or refused.
"""


Unmarked: TypeAlias = Literal['reject', 'start']
"""
The result of a walk that finds no marker.
"""


class UserAnswered(TypedDict):
    """
    The client's user answered the question for the project.
    """

    type: Literal['userAnswered']
    request: RequestToken
    """
    The request that it answers.
    """
    result: Any
    """
    The raw result, `{"action": "accept", "content": {"project": "..."}}`.
    """


Verdict: TypeAlias = Literal['won', 'agrees', 'otherFolder', 'disagrees', 'absent', 'rejected', 'off', 'notAsked', 'pending']
"""
The verdict on a source.
"""


Verify: TypeAlias = Literal['none', 'exists', 'directory']
"""
The required state on disk.
"""


Want: TypeAlias = Literal['project', 'roots']
"""
The result an ask wants.
"""


class WatchRequests(TypedDict):
    """
    From now on, report the requests of this session.
    """

    type: Literal['watchRequests']
    session: SessionId
    """
    The session.
    """


class When(TypedDict):
    """
    The conditions under which a source applies.
    """

    transports: NotRequired[list[Transport]]
    """
    Only over these transports; an empty list means any.
    """
    argument: NotRequired[str | None]
    """
    Only if the command line has this option.
    """
    dedicated: NotRequired[bool | None]
    """
    Only if the process serves this client alone; by default true for `env` and `cwd`.
    """


Within: TypeAlias = Literal['anywhere', 'knownFolders']
"""
The folders that a source may name.
"""


class Worktree(TypedDict):
    """
    A worktree that its repository knows.
    """

    name: str
    """
    The name by which the repository knows it.
    """
    main: NotRequired[str]
    """
    The top folder of the main checkout; a bare repository has none.
    """


class Advice(TypedDict):
    """
    Advice for a certain client or transport.
    """

    client: NotRequired[str | None]
    """
    The client's name, with `*` at the end for every name that begins so; absent for any client.
    """
    transport: NotRequired[Transport | None]
    """
    The transport; absent for any transport.
    """
    text: str
    """
    The text.
    """


class AnnounceRoots(TypedDict):
    """
    Tell listeners that the roots of a session changed.
    """

    type: Literal['announceRoots']
    session: SessionId
    """
    The session.
    """
    roots: list[RootView]
    """
    The roots, each verified.
    """
    state: RootsState
    """
    The state of the list.
    """
    current: bool
    """
    Whether this is the client's list as far as anybody knows.
    """
    text: str
    """
    The list as a person or a model reads it.
    """
    unusable: NotRequired[str]
    """
    The reason for which none of the roots can be used on this machine, if that is so.
    """
    previous: NotRequired[list[RootView]]
    """
    The roots that were announced before.
    """


class Asked(TypedDict):
    """
    A call asks for its project; ends in exactly one answer unless withdrawn.
    """

    type: Literal['asked']
    ask: AskId
    """
    The host's id for this ask.
    """
    want: NotRequired[Want]
    """
    The wanted result.
    """
    askVia: NotRequired[AskVia | None]
    """
    Whether and how this call can carry a question to the client; if absent, the facts decide.
    """
    facts: NotRequired[RequestFacts]
    """
    The facts of the request.
    """
    target: NotRequired[str | None]
    """
    A path that the call touches, to tell several roots apart.
    """
    explain: NotRequired[bool]
    """
    Whether the answer carries the full explanation even when a project was found.
    """
    quiet: NotRequired[bool]
    """
    Whether the client's user is not to be asked for it, because no call of the client waits for the answer.
    """
    hints: NotRequired[bool]
    """
    Whether the answer carries the hints of the policy, because the caller shows them.
    """


class CallEnded(TypedDict):
    """
    A call is over; the last event of a call.
    """

    type: Literal['callEnded']
    call: CallId
    """
    The call.
    """
    cancelled: NotRequired[bool]
    """
    Whether its client cancelled it.
    """


class CallStarted(TypedDict):
    """
    A call arrived.
    """

    type: Literal['callStarted']
    call: CallId
    """
    The host's id for the call.
    """
    session: NotRequired[SessionId | None]
    """
    The session that it belongs to; without one the call is stateless.
    """
    channel: NotRequired[ChannelId | None]
    """
    The stream that can carry requests with this call. Over HTTP, absent means that its response cannot carry any.
    """
    transport: NotRequired[Transport | None]
    """
    The transport of a call without a session; by default HTTP.
    """
    local: NotRequired[bool | None]
    """
    Whether the client of a call without a session is on this machine; by default as the host facts say.
    """
    method: NotRequired[str | None]
    """
    The method of the request.
    """
    protocolVersion: NotRequired[str | None]
    """
    The revision of the protocol that the request follows.
    """
    headers: NotRequired[dict[str, str]]
    """
    HTTP headers; names match in any case.
    """
    query: NotRequired[dict[str, str]]
    """
    HTTP query parameters.
    """
    meta: NotRequired[Any]
    """
    The raw `_meta` of the request.
    """
    capabilities: NotRequired[Any]
    """
    The client's raw capabilities, where an SDK took them out of `_meta`.
    """
    clientInfo: NotRequired[Any]
    """
    The client's raw self-description, where an SDK took it out of `_meta`.
    """
    inputResponses: NotRequired[Any]
    """
    The raw `inputResponses` of a repeated call.
    """
    requestState: NotRequired[str | None]
    """
    The `requestState` of a repeated call.
    """
    argument: NotRequired[Any]
    """
    The argument that names the project, of any type: what is not a text is refused.
    """
    caller: NotRequired[str | None]
    """
    Who makes the call, as the host has authenticated it: what a call without a session selects counts for the next calls
    of the same caller.
    """
    allowedDirs: NotRequired[list[str] | None]
    """
    The folders to which the caller is confined, within those of the host facts; by default those of the session.
    """


class Cancel(TypedDict):
    """
    Give up a request.
    """

    type: Literal['cancel']
    request: RequestToken
    """
    The request; hosts with an SDK abort it.
    """
    message: str
    """
    The complete `notifications/cancelled` message for hosts without an SDK.
    """


class ChannelClosed(TypedDict):
    """
    A stream ended before its calls.
    """

    type: Literal['channelClosed']
    channel: ChannelId
    """
    The stream.
    """
    end: ChannelEnd
    """
    Whether the client may resume it.
    """


class ChannelOpened(TypedDict):
    """
    A stream outside calls opened, or the client resumed a stream that was cut.
    """

    type: Literal['channelOpened']
    session: SessionId
    """
    The session.
    """
    channel: ChannelId
    """
    The host's id for the stream.
    """


class EndpointAsked(TypedDict):
    """
    A call or session asks for its project or its roots; ends in exactly one answer unless withdrawn.
    """

    type: Literal['asked']
    ask: AskId
    """
    The host's id for this ask.
    """
    call: NotRequired[CallId | None]
    """
    The call that asks.
    """
    session: NotRequired[SessionId | None]
    """
    The session that asks, outside any call.
    """
    want: NotRequired[Want]
    """
    The wanted result.
    """
    target: NotRequired[str | None]
    """
    A path that the call touches, to tell several roots apart.
    """
    argument: NotRequired[Any]
    """
    The project that the call names, in place of the call's own argument.
    """
    server: NotRequired[str | None]
    """
    The server's own knowledge of the caller: an authenticated workspace, or a handle that the server issued.
    """
    explain: NotRequired[bool]
    """
    Whether the answer carries the full explanation even when a project was found.
    """
    hints: NotRequired[bool]
    """
    Whether the answer carries the hints of the policy, because the caller shows them.
    """
    peek: NotRequired[bool]
    """
    Whether it is answered in this event, from what is known.
    """


class EndpointCancel(TypedDict):
    """
    Stop waiting for a request.
    """

    type: Literal['cancel']
    request: RequestToken
    """
    The request; hosts with an SDK abort it.
    """
    reason: str
    """
    The reason, for the client.
    """
    message: NotRequired[str]
    """
    The complete `notifications/cancelled` message for hosts without an SDK, if the client should be told.
    """


class EndpointClientInitialized(TypedDict):
    """
    The client of a session sent `initialize`.
    """

    type: Literal['clientInitialized']
    session: SessionId
    """
    The session.
    """
    protocolVersion: NotRequired[Any]
    """
    `params.protocolVersion`.
    """
    capabilities: NotRequired[Any]
    """
    `params.capabilities`.
    """
    clientInfo: NotRequired[Any]
    """
    `params.clientInfo`.
    """
    id: NotRequired[Any]
    """
    The JSON-RPC id of the request.
    """
    previousId: NotRequired[Any]
    """
    The JSON-RPC id of the last request before it.
    """


class EndpointClientReady(TypedDict):
    """
    The client of a session sent `notifications/initialized`.
    """

    type: Literal['clientReady']
    session: SessionId
    """
    The session.
    """


class EndpointForward(TypedDict):
    """
    Process a message that is not for the endpoint.
    """

    type: Literal['forward']
    session: SessionId
    """
    The session.
    """
    kind: MessageKind
    """
    The kind of message.
    """
    text: str
    """
    The original text, or the rest of a batch.
    """


class EndpointLog(TypedDict):
    """
    Write a log line.
    """

    type: Literal['log']
    level: Level
    """
    The level.
    """
    code: LogCode
    """
    The stable code.
    """
    session: NotRequired[SessionId]
    """
    The session that it belongs to.
    """
    ask: NotRequired[AskId]
    """
    The ask that it belongs to.
    """
    message: str
    """
    The text.
    """


class EndpointMessage(TypedDict):
    """
    A raw JSON-RPC message arrived, for hosts without an SDK.
    """

    type: Literal['message']
    session: SessionId
    """
    The session.
    """
    text: str
    """
    One JSON-RPC message as text.
    """


class EndpointRootsChanged(TypedDict):
    """
    The client of a session sent `notifications/roots/list_changed`.
    """

    type: Literal['rootsChanged']
    session: SessionId
    """
    The session.
    """


class EndpointSelectionCleared(TypedDict):
    """
    A call clears the selection; answered like an ask.
    """

    type: Literal['selectionCleared']
    ask: AskId
    """
    The host's id for this ask.
    """
    call: NotRequired[CallId | None]
    """
    As in [`CallAsked`].
    """
    session: NotRequired[SessionId | None]
    """
    As in [`CallAsked`].
    """
    explain: NotRequired[bool]
    """
    As in [`CallAsked`].
    """


class EndpointSendRequest(TypedDict):
    """
    Send a request to a client.
    """

    type: Literal['sendRequest']
    request: RequestToken
    """
    The endpoint's id for the request; the event of the answer repeats it.
    """
    session: SessionId
    """
    The session of the client.
    """
    call: NotRequired[CallId]
    """
    The call that it travels with.
    """
    channel: NotRequired[ChannelId]
    """
    The stream that it travels on; absent where the transport is one channel.
    """
    method: RequestMethod
    """
    The method.
    """
    params: NotRequired[dict[str, Any]]
    """
    The parameters, if there are any.
    """
    message: str
    """
    The complete JSON-RPC request for hosts without an SDK.
    """


class Forward(TypedDict):
    """
    Process a message that is not for the resolver.
    """

    type: Literal['forward']
    kind: MessageKind
    """
    The kind of message.
    """
    text: str
    """
    The original text, or the rest of a batch.
    """


class Hint(TypedDict):
    """
    A text to show beside certain results.
    """

    sources: list[SourceKind]
    """
    The sources of the results.
    """
    withoutRoots: NotRequired[bool]
    """
    Whether only clients without roots receive it: those that declare none or do not support the request.
    """
    once: NotRequired[bool]
    """
    Whether a connection receives it only once.
    """
    text: str
    """
    The text.
    """


class InputClosed(TypedDict):
    """
    The client of a session sends no more messages; it may still read.
    """

    type: Literal['inputClosed']
    session: SessionId
    """
    The session.
    """


class InputRequest(TypedDict):
    """
    A request in the `input_required` result of a call.
    """

    method: RequestMethod
    """
    The method.
    """
    params: NotRequired[dict[str, Any]]
    """
    The parameters, if the method has any.
    """


class Log(TypedDict):
    """
    Write a log line.
    """

    type: Literal['log']
    level: Level
    """
    The level.
    """
    code: LogCode
    """
    The stable code.
    """
    ask: NotRequired[AskId]
    """
    The ask it belongs to.
    """
    message: str
    """
    The text.
    """


class Markers(TypedDict):
    """
    A walk from a folder up to a marked one.
    """

    tiers: list[Tier]
    """
    Groups of markers, best first; within a group the nearest folder wins.
    """
    levels: NotRequired[int]
    """
    The number of folders to probe, including the starting folder.
    """
    otherwise: NotRequired[Unmarked]
    """
    The result if no folder is marked.
    """


class Memory(TypedDict):
    """
    The state that outlives a call.
    """

    pin: NotRequired[Pin]
    """
    Whether the connection's first project is pinned.
    """
    pinFrom: NotRequired[list[SourceKind]]
    """
    The sources that can pin; an empty list means every source of the connection.
    """
    keepLostRoot: NotRequired[bool]
    """
    Whether `remembered` keeps a root that a newer list no longer contains.
    """


class PathMap(PathMapBase):
    """
    One folder of the client and its place on the server's machine.
    """

    fromStyle: PathStyle
    """
    The client's spelling of paths.
    """
    to: str
    """
    The same folder as the server spells it.
    """


class ProbePath(TypedDict):
    """
    One path to probe.
    """

    path: str
    """
    The path.
    """
    markers: NotRequired[list[str]]
    """
    File names to look for in it.
    """
    nearest: NotRequired[FindNearest]
    """
    The nearest folder to look for, from its real path upwards.
    """
    files: NotRequired[ReadFiles]
    """
    Small files in it to read.
    """


class Probed(TypedDict):
    """
    The host probed the paths of a probe action.
    """

    type: Literal['probed']
    probe: ProbeId
    """
    The probe.
    """
    paths: list[ProbedPath]
    """
    The state of each path; an omitted path counts as unconfirmed.
    """


class RecoveryProblem(TypedDict):
    """
    A session whose time could not be used.
    """

    sessionId: str
    """
    The session's id.
    """
    code: TimeProblem
    """
    What is wrong with its time, as a stable code.
    """
    message: str
    """
    What is wrong, and what to write instead.
    """


class Repository(TypedDict):
    """
    The repository of a project's folder.
    """

    path: str
    """
    The top folder of this checkout, by its real path.
    """
    key: str
    """
    The identity: all worktrees of a repository have the same key.
    """
    id: str
    """
    A short hash of the key.
    """
    name: str
    """
    The name of the repository's folder, the same in all worktrees.
    """
    kind: RepositoryKind
    """
    The system that keeps it.
    """
    inside: str
    """
    The project's folder relative to the top, with `/` on every system; empty at the top.
    """
    worktree: NotRequired[Worktree]
    """
    The worktree, if this is not the main checkout.
    """
    broken: NotRequired[bool]
    """
    Whether its `.git` is a file that leads to no repository which confirms it: it was moved, is damaged, or leads out of
    `allowedDirs`. It then counts as a repository of its own.
    """
    remote: NotRequired[str]
    """
    The place of the remote `origin`, or of the only one, as `host/path`: without scheme, user, password and `.git`. Only if
    the policy asks for it.
    """


class RequestAnswered(TypedDict):
    """
    The client answered a request.
    """

    type: Literal['requestAnswered']
    request: RequestToken
    """
    The request.
    """
    result: Any
    """
    The raw result.
    """


class RequestRefused(TypedDict):
    """
    A request failed.
    """

    type: Literal['requestRefused']
    request: RequestToken
    """
    The request.
    """
    kind: RefusalKind
    """
    The kind of failure.
    """
    code: NotRequired[int | None]
    """
    The JSON-RPC error code of an `error`.
    """
    message: NotRequired[str | None]
    """
    The error message of an `error`.
    """


class RequestSeen(TypedDict):
    """
    A request arrived in a session whose requests are watched.
    """

    type: Literal['requestSeen']
    session: SessionId
    """
    The session.
    """
    id: Any
    """
    Its JSON-RPC id.
    """
    method: NotRequired[str | None]
    """
    Its method.
    """


class RootsReport(TypedDict):
    """
    The client's roots as far as they are known.
    """

    state: RootsState
    """
    The state of the list.
    """
    listChanged: NotRequired[bool]
    """
    Whether the client declared `listChanged`. A change counts even if it did not.
    """
    available: NotRequired[list[RootView]]
    """
    The roots, usable or not.
    """
    omitted: NotRequired[int]
    """
    The number of roots that are known and left out of `available`, because an answer carries only the first ones.
    """
    dropped: NotRequired[int]
    """
    The number of roots beyond the limit.
    """


SelectBy: TypeAlias = SelectByName | SelectByPath | SelectByUri | SelectByRoot | SelectByValue
"""
The ways a selection can name its project.
"""


class Selected(TypedDict):
    """
    A tool selects the connection's project; ends in exactly one answer unless withdrawn.
    """

    type: Literal['selected']
    ask: AskId
    """
    The host's id for this ask.
    """
    by: SelectBy
    """
    The selection.
    """
    askVia: NotRequired[AskVia | None]
    """
    As in [`Asked`].
    """
    facts: NotRequired[RequestFacts]
    """
    As in [`Asked`].
    """
    explain: NotRequired[bool]
    """
    As in [`Asked`].
    """


class Selection(TypedDict):
    """
    The rules for a tool's selection.
    """

    names: NotRequired[Names]
    """
    The meaning of a bare name.
    """
    nameRule: NotRequired[NameRule]
    """
    The form of a name.
    """
    traversal: NotRequired[Traversal]
    """
    Whether `..` is resolved or refused.
    """
    enforceRoots: NotRequired[EnforceRoots]
    """
    When the selection must be one of the client's roots, if the client has any.
    """
    rootMatch: NotRequired[RootMatch]
    """
    The test for being one of them.
    """


class SessionClosed(TypedDict):
    """
    A session ended: everything that waits for it is answered.
    """

    type: Literal['sessionClosed']
    session: SessionId
    """
    The session.
    """


class SessionOpened(TypedDict):
    """
    A client connected.
    """

    type: Literal['sessionOpened']
    session: SessionId
    """
    The host's id for the session.
    """
    transport: Transport
    """
    The transport.
    """
    local: NotRequired[bool | None]
    """
    Whether the client is on this machine; by default as the host facts say, and true over stdio.
    """
    push: NotRequired[bool | None]
    """
    Whether the host may send requests outside a call; by default true, and false over HTTP.
    """
    saved: NotRequired[str | None]
    """
    A session that another process saved; the client is asked for its roots again.
    """
    snapshotKey: NotRequired[str | None]
    """
    A secret of at least 32 bytes that seals the session's snapshots.
    """
    idPrefix: NotRequired[str | None]
    """
    Starts the ids of requests; distinct in every process that continues the same session.
    """
    allowedDirs: NotRequired[list[str] | None]
    """
    The folders to which the session's user is confined, within those of the host facts; its calls may have others.
    """


SourceBase = TypedDict(
    'SourceBase',
    {
        'from': SourceKind
    },
)


class Source(SourceBase):
    """
    One source: where a value is read, and how it is judged.
    """

    read: NotRequired[list[str]]
    """
    The inputs to read, in order: header or query names, JSON pointers into `_meta`, variables, or for `configured`
    command line options and, with a leading `$`, variables.
    """
    format: NotRequired[Format]
    """
    The form of the value.
    """
    verify: NotRequired[Verify]
    """
    The required state on disk.
    """
    relative: NotRequired[Relative]
    """
    The treatment of a relative path.
    """
    links: NotRequired[Links]
    """
    The treatment of links.
    """
    within: NotRequired[Within | None]
    """
    The folders that it may name; by default `knownFolders` for the words of a model (`argument`, `selected`) and
    `anywhere` for the others.
    """
    excludedDirs: NotRequired[ExcludedDirsRule | None]
    """
    The treatment of excluded folders; by default they are allowed for what an operator or a user chose on purpose
    (`server`, `header`, `query`, `configured`, and what is `within: anywhere` of `argument` and `selected`) and refused for
    the others.
    """
    onBad: NotRequired[OnBad]
    """
    The effect of a bad value; by default it ends the ask for `server`, `argument`, `header` and `query`, and yields to
    the next source for the others.
    """
    status: NotRequired[int | None]
    """
    The HTTP status of a bad value that ends the ask.
    """
    refine: NotRequired[Markers | None]
    """
    A walk from the value up to a marked folder.
    """
    when: NotRequired[When]
    """
    The conditions under which the source applies.
    """
    recheck: NotRequired[Recheck]
    """
    How often the disk is probed.
    """


class SourceReport(TypedDict):
    """
    The result of one source.
    """

    source: SourceKind
    """
    The source.
    """
    via: NotRequired[str]
    """
    The exact input it read.
    """
    reads: NotRequired[list[str]]
    """
    The inputs that it looked for, if it found none.
    """
    verdict: Verdict
    """
    The verdict.
    """
    value: NotRequired[str]
    """
    The value it named, made safe to show.
    """
    path: NotRequired[str]
    """
    The project's folder, made safe to show, if the value names another one: one below it, or a link to it.
    """
    reason: NotRequired[Reason]
    """
    The reason for which the value was rejected.
    """
    detail: NotRequired[str]
    """
    A finer code for that reason.
    """


class CallResult(TypedDict):
    """
    Return the result of a call.
    """

    type: Literal['callResult']
    call: CallId
    """
    The call.
    """
    inputRequests: NotRequired[dict[str, InputRequest]]
    """
    Questions for the client: the result is `input_required`, with the handler's own questions and these. Absent, the
    handler's result stays as it is.
    """
    requestState: NotRequired[str]
    """
    The `requestState` of that result, where the handler has none of its own.
    """


class EndpointSelected(TypedDict):
    """
    A call selects the session's project; answered like an ask.
    """

    type: Literal['selected']
    ask: AskId
    """
    The host's id for this ask.
    """
    by: SelectBy
    """
    The selection.
    """
    call: NotRequired[CallId | None]
    """
    As in [`CallAsked`].
    """
    session: NotRequired[SessionId | None]
    """
    As in [`CallAsked`].
    """
    explain: NotRequired[bool]
    """
    As in [`CallAsked`].
    """


class Explanation(TypedDict):
    """
    The result of every source.
    """

    policy: str
    """
    The name of the policy.
    """
    code: NotRequired[Reason]
    """
    The reason for which there is no project, as a stable code.
    """
    message: NotRequired[str]
    """
    What happened, if there is no project.
    """
    instruction: NotRequired[str]
    """
    The next step for the user, if there is no project.
    """
    tried: list[SourceReport]
    """
    The sources in the policy's order.
    """
    roots: RootsReport
    """
    The client's roots.
    """
    client: NotRequired[str]
    """
    The client's name for itself, made safe to show.
    """
    transport: Transport
    """
    The transport of the connection.
    """
    era: Era
    """
    The protocol era of the client.
    """
    staleAnswers: NotRequired[int]
    """
    The number of answers that arrived too late to count.
    """
    text: str
    """
    The whole explanation as a small table.
    """


class HostFacts(TypedDict):
    """
    The facts of the machine and the connection. A peer never changes them; the host replaces them as a whole.
    """

    style: PathStyle
    """
    The spelling of paths on the server's machine.
    """
    transport: NotRequired[Transport]
    """
    The transport of the connection.
    """
    local: NotRequired[bool | None]
    """
    Whether the client is on the server's machine, so that its paths are valid there; by default true over stdio and
    false otherwise. Without it and without `allowedDirs`, no path of the client is checked.
    """
    push: NotRequired[bool | None]
    """
    Whether the host may send requests outside a client's call; by default true over stdio and false otherwise.
    """
    dedicated: NotRequired[bool | None]
    """
    Whether this process serves this client alone, in the folder and with the variables that the client gave it; by
    default true over stdio with a local client. Only then do the working directory and variables say where it works.
    """
    env: NotRequired[dict[str, str]]
    """
    The server's environment, or the part of it that the policy reads.
    """
    cwd: NotRequired[str | None]
    """
    The server's working directory.
    """
    arguments: NotRequired[dict[str, str]]
    """
    The server's command line, by option name without dashes; a bare flag has an empty value.
    """
    toolArgument: NotRequired[str | None]
    """
    The parameter of the server's tools that takes a project path, if they have one. Advice names it.
    """
    selectTool: NotRequired[str | None]
    """
    The server's tool that selects a project, if there is one. Advice names it.
    """
    excludedDirs: NotRequired[ExcludedDirs]
    """
    Folders that are never projects by themselves.
    """
    allowedDirs: NotRequired[list[str] | None]
    """
    The folders to which the operator confines every project, together with their real paths. Without it there is no
    limit; an empty list allows nothing.
    """
    pathMap: NotRequired[list[PathMap]]
    """
    The client's folders on the server's machine (container, WSL); the first matching entry decides. Entries of the command
    line option `path-map` in `arguments`, and of the variable `ROOTWISE_PATH_MAP` in `env`, come before these.
    """
    probeShares: NotRequired[bool]
    """
    Whether network shares may be probed; a probe contacts their host.
    """
    replicas: NotRequired[bool]
    """
    Whether several processes serve the clients that call over HTTP, so that none of them knows what another one remembers.
    Then nothing is remembered between calls that have no session, and a selection is answered with a handle.
    """


class HostFactsChanged(TypedDict):
    """
    The host facts changed.
    """

    type: Literal['hostFactsChanged']
    facts: HostFacts
    """
    All facts; they replace the old ones as a whole.
    """


class Policy(PolicyBase):
    """
    The way a server finds its project, as an operator writes it.
    """

    name: NotRequired[str]
    """
    A name for logs and snapshots.
    """
    notes: NotRequired[list[str]]
    """
    Remarks for the reader, such as deliberate differences from the system it follows.
    """
    sources: NotRequired[list[Source]]
    """
    The sources, best first. Without them, a policy as JSON is the recommended one with the changes that it has.
    """
    roots: NotRequired[RootsRules]
    """
    The rules for requesting the client's roots and picking one.
    """
    timing: NotRequired[Timing]
    """
    Durations.
    """
    memory: NotRequired[Memory]
    """
    The state that outlives a call.
    """
    selection: NotRequired[Selection]
    """
    The rules for a tool's selection.
    """
    elicit: NotRequired[Elicit]
    """
    When the client's user is asked for the project, once for each connection.
    """
    nameFrom: NotRequired[NameFrom]
    """
    The origin of a project's name.
    """
    repository: NotRequired[FindRepository]
    """
    What the probe of a project's folder finds out about its repository.
    """
    identity: NotRequired[Identity]
    """
    What makes two folders the same project.
    """
    packages: NotRequired[list[str]]
    """
    File names that make a folder a package, for asks with a `target`.
    """
    requirePath: NotRequired[bool]
    """
    Whether a project must have a folder that this process can use; if not, a name or a folder on the client's machine
    is a project too.
    """
    reportDisagreement: NotRequired[bool]
    """
    Whether a log line reports that a source that lost names another project.
    """
    hints: NotRequired[list[Hint]]
    """
    Texts to show beside certain results.
    """
    advice: NotRequired[list[Advice]]
    """
    Advice for certain clients or transports if no project was found; the first match is `{advice}` in texts. Without a
    match, the advice names the ways that the sources, the host facts and the client leave open.
    """
    texts: NotRequired[dict[str, str]]
    """
    Message templates that replace the standard ones.
    """
    limits: NotRequired[Limits]
    """
    Bounds on everything a peer can grow.
    """


class Probe(TypedDict):
    """
    Probe paths and reply with a `probed` event.
    """

    type: Literal['probe']
    probe: ProbeId
    """
    The id of the probe; the reply repeats it.
    """
    paths: list[ProbePath]
    """
    The paths.
    """


class ProjectDict(TypedDict):
    """
    The project a client works in.
    """

    key: str
    """
    The identity: the same folder has the same key whatever its spelling, and with another
    [`identity`](crate::policy::Identity) the same folder of a repository has it in every worktree or clone.
    """
    id: str
    """
    A short hash of the key.
    """
    slug: str
    """
    A folder name for it, safe on every system: the readable part of its name and its `id`.
    """
    name: str
    """
    The folder's name, or the name it was selected by, as the peer wrote it.
    """
    displayName: str
    """
    The name made safe to show: one line, bounded, without control or invisible characters.
    """
    path: NotRequired[str]
    """
    The folder, if this process can use it: the client is on this machine, or the folder was verified inside
    `allowedDirs`. Always there if the policy says `requirePath`, which is the default.
    """
    clientPath: NotRequired[str]
    """
    The folder as the client spells it, if that is not `path`: on another machine, where it was not checked, or by the path map.
    """
    style: NotRequired[PathStyle]
    """
    The spelling of its paths and of its key, if it is a folder: a client on another machine may run another system.
    """
    uri: NotRequired[str]
    """
    The canonical URI, if there is one.
    """
    realPath: NotRequired[str]
    """
    The real path, if a probe reported it.
    """
    repository: NotRequired[Repository]
    """
    The repository that the folder belongs to, if the policy looks for it and there is one.
    """
    package: NotRequired[Package]
    """
    The nearest package between the `target` of an ask and the project's folder. Only in answers.
    """
    source: SourceKind
    """
    The source that won.
    """
    via: NotRequired[str]
    """
    The exact input that source read: a variable, a header, an option, or for `remembered` the original source.
    """
    root: NotRequired[RootRefDict]
    """
    The client root it came from.
    """
    otherRoots: NotRequired[list[RootRefDict]]
    """
    The first of the client's other roots, if this one was picked from several; of a project that is a mere name, all of them.
    """
    otherRootsOmitted: NotRequired[int]
    """
    The number of other roots that `otherRoots` leaves out because they are too many or too long; ask for the roots
    to get all of them.
    """
    handle: NotRequired[str]
    """
    The text that names it in each call. Only in the answer to a selection that is kept nowhere, because nothing connects the
    calls of this client.
    """
    stale: NotRequired[bool]
    """
    Whether the client or the disk did not confirm in time that this still holds: the list of roots or the report that
    it rests on is older than `maxAgeMs`, or out of date. Only in answers.
    """


class Recovery(TypedDict):
    """
    The result of a search.
    """

    outcome: RecoveryOutcome
    """
    How the session was found, or why not.
    """
    sessionId: NotRequired[str]
    """
    The session's id.
    """
    otherProject: bool
    """
    Whether the session was started in another project than the given one; worth a log line.
    """
    candidates: list[str]
    """
    The project's sessions, best first, for a person who wants to choose.
    """
    problems: list[RecoveryProblem]
    """
    The candidates whose time could not be used; each may be newer than the session that was found. Worth a log line.
    """


AnnounceBase = TypedDict(
    'AnnounceBase',
    {
        'from': ProjectDict | None
    },
)


class Announce(AnnounceBase):
    """
    Tell listeners that the connection's project changed.
    """

    type: Literal['announce']
    to: ProjectDict | None
    """
    The new project.
    """
    shared: NotRequired[SharedBy]
    """
    What both have in common.
    """


class AnswerCleared(TypedDict):
    """
    Answer an ask.
    """

    type: Literal['answer']
    asks: list[AskId]
    """
    The asks that it ends, in the order of their arrival.
    """
    revision: int
    """
    A counter that grows by one whenever the connection's project visibly changes.
    """
    hints: NotRequired[list[str]]
    """
    Texts to show beside the result.
    """
    explanation: NotRequired[Explanation]
    """
    The result of every source; present if no project was found, and on request.
    """
    outcome: Literal['cleared']
    project: NotRequired[ProjectDict]
    """
    The project that counts instead.
    """
    code: NotRequired[Reason]
    """
    The reason for which there is none.
    """
    message: NotRequired[str]
    """
    This reason as a sentence.
    """


class AnswerListed(TypedDict):
    """
    Answer an ask.
    """

    type: Literal['answer']
    asks: list[AskId]
    """
    The asks that it ends, in the order of their arrival.
    """
    revision: int
    """
    A counter that grows by one whenever the connection's project visibly changes.
    """
    hints: NotRequired[list[str]]
    """
    Texts to show beside the result.
    """
    explanation: NotRequired[Explanation]
    """
    The result of every source; present if no project was found, and on request.
    """
    outcome: Literal['listed']
    roots: list[RootView]
    """
    The roots, usable or not.
    """
    state: RootsState
    """
    The state of the list.
    """
    answered: bool
    """
    Whether the client has listed its roots at all.
    """
    current: bool
    """
    Whether this is its list as far as anybody knows: it was listed, and nothing has reported a change or is too old.
    """
    text: str
    """
    The list as a person or a model reads it.
    """
    unusable: NotRequired[str]
    """
    The reason for which none of the roots can be used on this machine, if that is so.
    """


class AnswerNeedsInput(TypedDict):
    """
    Answer an ask.
    """

    type: Literal['answer']
    asks: list[AskId]
    """
    The asks that it ends, in the order of their arrival.
    """
    revision: int
    """
    A counter that grows by one whenever the connection's project visibly changes.
    """
    hints: NotRequired[list[str]]
    """
    Texts to show beside the result.
    """
    explanation: NotRequired[Explanation]
    """
    The result of every source; present if no project was found, and on request.
    """
    outcome: Literal['needsInput']
    inputRequests: dict[str, InputRequest]
    """
    The input requests by key.
    """


class AnswerRefused(TypedDict):
    """
    Answer an ask.
    """

    type: Literal['answer']
    asks: list[AskId]
    """
    The asks that it ends, in the order of their arrival.
    """
    revision: int
    """
    A counter that grows by one whenever the connection's project visibly changes.
    """
    hints: NotRequired[list[str]]
    """
    Texts to show beside the result.
    """
    explanation: NotRequired[Explanation]
    """
    The result of every source; present if no project was found, and on request.
    """
    outcome: Literal['refused']
    code: Reason
    """
    The stable code.
    """
    source: SourceKind
    """
    The source of the value.
    """
    message: str
    """
    What happened, with the value in display form.
    """
    instruction: NotRequired[str]
    """
    The next step for the user.
    """
    status: NotRequired[int]
    """
    The HTTP status the policy gives it.
    """


class AnswerResolved(TypedDict):
    """
    Answer an ask.
    """

    type: Literal['answer']
    asks: list[AskId]
    """
    The asks that it ends, in the order of their arrival.
    """
    revision: int
    """
    A counter that grows by one whenever the connection's project visibly changes.
    """
    hints: NotRequired[list[str]]
    """
    Texts to show beside the result.
    """
    explanation: NotRequired[Explanation]
    """
    The result of every source; present if no project was found, and on request.
    """
    outcome: Literal['resolved']
    project: ProjectDict
    """
    The project.
    """


class AnswerSelected(TypedDict):
    """
    Answer an ask.
    """

    type: Literal['answer']
    asks: list[AskId]
    """
    The asks that it ends, in the order of their arrival.
    """
    revision: int
    """
    A counter that grows by one whenever the connection's project visibly changes.
    """
    hints: NotRequired[list[str]]
    """
    Texts to show beside the result.
    """
    explanation: NotRequired[Explanation]
    """
    The result of every source; present if no project was found, and on request.
    """
    outcome: Literal['selected']
    project: ProjectDict
    """
    The project.
    """
    message: str
    """
    The policy's confirmation.
    """


class AnswerUnresolved(TypedDict):
    """
    Answer an ask.
    """

    type: Literal['answer']
    asks: list[AskId]
    """
    The asks that it ends, in the order of their arrival.
    """
    revision: int
    """
    A counter that grows by one whenever the connection's project visibly changes.
    """
    hints: NotRequired[list[str]]
    """
    Texts to show beside the result.
    """
    explanation: NotRequired[Explanation]
    """
    The result of every source; present if no project was found, and on request.
    """
    outcome: Literal['unresolved']
    code: Reason
    """
    The stable code.
    """
    message: str
    """
    What happened.
    """
    instruction: NotRequired[str]
    """
    The next step for the user.
    """


EndpointAnnounceBase = TypedDict(
    'EndpointAnnounceBase',
    {
        'from': ProjectDict | None
    },
)


class EndpointAnnounce(EndpointAnnounceBase):
    """
    Tell listeners that the project of a session changed.
    """

    type: Literal['announce']
    session: SessionId
    """
    The session.
    """
    to: ProjectDict | None
    """
    The new project.
    """
    shared: NotRequired[SharedBy]
    """
    What both have in common.
    """
    ended: NotRequired[bool]
    """
    Whether the session ended.
    """


EndpointEvent: TypeAlias = SessionOpened | SessionClosed | EndpointClientInitialized | EndpointClientReady | EndpointRootsChanged | RequestSeen | InputClosed | EndpointMessage | ChannelOpened | ChannelClosed | CallStarted | CallReturned | CallEnded | EndpointAsked | EndpointSelected | EndpointSelectionCleared | AskWithdrawn | RequestAnswered | RequestRefused | Probed | DeadlineReached | HostFactsChanged | RootsWatched
"""
One event of an endpoint, in the past tense.

In JSON the variant's name stands in the field `type`, beside the fields of the variant.
"""


Event: TypeAlias = ClientInitialized | ClientReady | RootsListed | UserAnswered | RequestRefused | RootsChanged | HostFactsChanged | Asked | Selected | SelectionCleared | AskWithdrawn | Probed | DeadlineReached | Message | Closed
"""
One event, in the past tense.

In JSON the variant's name stands in the field `type`, beside the fields of the variant.
"""


Answer: TypeAlias = AnswerResolved | AnswerSelected | AnswerCleared | AnswerListed | AnswerNeedsInput | AnswerRefused | AnswerUnresolved
"""
The end of an ask, or of several that end alike.
"""


EndpointAction: TypeAlias = Answer | EndpointAnnounce | AnnounceRoots | CallResult | EndpointCancel | EndpointSendRequest | Probe | EndpointForward | WatchRequests | EndpointLog
"""
One thing to do. The actions of an event come in the order of these variants.
"""


Action: TypeAlias = Answer | Announce | Cancel | SendRequest | Probe | Forward | Log
"""
One thing to do.

The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward,
log.
"""


Model: TypeAlias = Action