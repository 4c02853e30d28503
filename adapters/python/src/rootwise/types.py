"""Everything that crosses the wire.

Generated from the Rust types by `python3 adapters/python/generate.py`. Change those and run it again.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired

#: Any JSON value, as a peer sent it.
Json = Any

ClientInitialized = TypedDict(
    "ClientInitialized",
    {
        "type": "Literal['clientInitialized']",
        # `params.protocolVersion`.
        "protocolVersion": "NotRequired[Any]",
        # `params.capabilities`.
        "capabilities": "NotRequired[Any]",
        # `params.clientInfo`.
        "clientInfo": "NotRequired[Any]",
    },
)
"""The parameters of `initialize`: raw JSON from the peer, of any shape."""

ClientReady = TypedDict(
    "ClientReady",
    {
        "type": "Literal['clientReady']",
    },
)
"""One event, in the past tense.  In JSON the variant's name stands in the field `type`, beside the fields of the variant."""

RootsListed = TypedDict(
    "RootsListed",
    {
        "type": "Literal['rootsListed']",
        # The request it answers; absent for a list that the host obtained in another way.
        "request": "NotRequired[RequestToken | None]",
        # The raw result, `{"roots": [...]}`.
        "result": "Any",
    },
)
"""A raw list of roots."""

RootsRefused = TypedDict(
    "RootsRefused",
    {
        "type": "Literal['rootsRefused']",
        # The request.
        "request": "RequestToken",
        # The kind of failure.
        "kind": "RefusalKind",
        # The JSON-RPC error code of an `error`.
        "code": "NotRequired[int | None]",
        # The error message of an `error`.
        "message": "NotRequired[str | None]",
    },
)
"""The failure of a `roots/list` request."""

RootsChanged = TypedDict(
    "RootsChanged",
    {
        "type": "Literal['rootsChanged']",
    },
)
"""One event, in the past tense.  In JSON the variant's name stands in the field `type`, beside the fields of the variant."""

HostFactsChanged = TypedDict(
    "HostFactsChanged",
    {
        "type": "Literal['hostFactsChanged']",
        # All facts; they replace the old ones as a whole.
        "facts": "HostFacts",
    },
)
"""New host facts."""

Asked = TypedDict(
    "Asked",
    {
        "type": "Literal['asked']",
        # The host's id for this ask.
        "ask": "AskId",
        # The wanted result.
        "want": "NotRequired[Want]",
        # Whether and how this call can carry a question to the client; if absent, the facts decide.
        "askBy": "NotRequired[AskBy | None]",
        # The facts of the request.
        "facts": "NotRequired[RequestFacts]",
        # A path that the call touches, to tell several roots apart.
        "target": "NotRequired[str | None]",
        # Whether the answer carries the full explanation even when a project was found.
        "explain": "NotRequired[bool]",
    },
)
"""A call that asks for its project."""

Selected = TypedDict(
    "Selected",
    {
        "type": "Literal['selected']",
        # The host's id for this ask.
        "ask": "AskId",
        # The selection.
        "by": "SelectBy",
        # As in `Asked`.
        "askBy": "NotRequired[AskBy | None]",
        # As in `Asked`.
        "facts": "NotRequired[RequestFacts]",
        # As in `Asked`.
        "explain": "NotRequired[bool]",
    },
)
"""A tool that selects the connection's project."""

SelectionCleared = TypedDict(
    "SelectionCleared",
    {
        "type": "Literal['selectionCleared']",
        # The host's id for this ask.
        "ask": "AskId",
        # As in `Asked`.
        "askBy": "NotRequired[AskBy | None]",
        # As in `Asked`.
        "facts": "NotRequired[RequestFacts]",
        # As in `Asked`.
        "explain": "NotRequired[bool]",
    },
)
"""A tool that clears the selection."""

AskWithdrawn = TypedDict(
    "AskWithdrawn",
    {
        "type": "Literal['askWithdrawn']",
        # The ask.
        "ask": "AskId",
    },
)
"""An ask whose caller is gone."""

Probed = TypedDict(
    "Probed",
    {
        "type": "Literal['probed']",
        # The probe.
        "probe": "ProbeId",
        # The state of each path; an omitted path counts as unconfirmed.
        "paths": "list[ProbedPath]",
    },
)
"""The reply to a probe."""

DeadlineReached = TypedDict(
    "DeadlineReached",
    {
        "type": "Literal['deadlineReached']",
    },
)
"""One event, in the past tense.  In JSON the variant's name stands in the field `type`, beside the fields of the variant."""

Message = TypedDict(
    "Message",
    {
        "type": "Literal['message']",
        # The message or batch as it arrived, without its line end.
        "text": "str",
    },
)
"""One raw message."""

Closed = TypedDict(
    "Closed",
    {
        "type": "Literal['closed']",
    },
)
"""One event, in the past tense.  In JSON the variant's name stands in the field `type`, beside the fields of the variant."""

#: One event, in the past tense.  In JSON the variant's name stands in the field `type`, beside the fields of the variant.
Event = Union[ClientInitialized, ClientReady, RootsListed, RootsRefused, RootsChanged, HostFactsChanged, Asked, Selected, SelectionCleared, AskWithdrawn, Probed, DeadlineReached, Message, Closed]

#: The ways a `roots/list` request can fail.
RefusalKind = Literal['error', 'undeliverable', 'unreadable', 'abandoned']

#: The result an ask wants.
Want = Literal['project', 'roots']

#: Whether and how a call can carry a question to the client.
AskBy = Literal['none', 'request', 'inputRequired']

RequestFacts = TypedDict(
    "RequestFacts",
    {
        # The host's own knowledge of the caller: an authenticated workspace, or a handle the server issued.
        "host": "NotRequired[str]",
        # The call's project argument.
        "argument": "NotRequired[str]",
        # HTTP headers; names match in any case.
        "headers": "NotRequired[dict[str, str]]",
        # HTTP query parameters.
        "query": "NotRequired[dict[str, str]]",
        # The raw `_meta` of the request.
        "meta": "NotRequired[Any]",
        # The client's raw capabilities, where an SDK lifted them out of `_meta`.
        "capabilities": "NotRequired[Any]",
        # The client's raw self-description, where an SDK lifted it out of `_meta`.
        "clientInfo": "NotRequired[Any]",
        # The raw `inputResponses` of a retried call.
        "inputResponses": "NotRequired[Any]",
    },
)
"""The facts of one request."""

SelectByName = TypedDict(
    "SelectByName",
    {
        "name": "str",
    },
)
"""The ways a selection can name its project."""

SelectByPath = TypedDict(
    "SelectByPath",
    {
        "path": "str",
    },
)
"""The ways a selection can name its project."""

SelectByUri = TypedDict(
    "SelectByUri",
    {
        "uri": "str",
    },
)
"""The ways a selection can name its project."""

SelectByRoot = TypedDict(
    "SelectByRoot",
    {
        "root": "str",
    },
)
"""The ways a selection can name its project."""

SelectByValue = TypedDict(
    "SelectByValue",
    {
        "value": "str",
    },
)
"""The ways a selection can name its project."""

#: The ways a selection can name its project.
SelectBy = Union[SelectByName, SelectByPath, SelectByUri, SelectByRoot, SelectByValue]

ProbedPath = TypedDict(
    "ProbedPath",
    {
        # The path as the probe spelled it.
        "path": "str",
        # The kind of file system entry.
        "found": "Found",
        # The real path, with all links resolved.
        "realPath": "NotRequired[str | None]",
        # Those of the requested markers that exist, as file or folder.
        "markers": "NotRequired[list[str]]",
    },
)
"""The state of one path."""

#: The kinds of file system entries.
Found = Literal['directory', 'file', 'missing', 'unreadable']

AnswerResolved = TypedDict(
    "AnswerResolved",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "AskId",
        # A counter that grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts to show beside the result.
        "hints": "NotRequired[list[str]]",
        # The result of every source; present if no project was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['resolved']",
        # The project.
        "project": "ProjectDict",
    },
)
"""One thing to do.  The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward, log."""

AnswerSelected = TypedDict(
    "AnswerSelected",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "AskId",
        # A counter that grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts to show beside the result.
        "hints": "NotRequired[list[str]]",
        # The result of every source; present if no project was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['selected']",
        # The project.
        "project": "ProjectDict",
        # The policy's confirmation.
        "message": "str",
    },
)
"""One thing to do.  The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward, log."""

AnswerListed = TypedDict(
    "AnswerListed",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "AskId",
        # A counter that grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts to show beside the result.
        "hints": "NotRequired[list[str]]",
        # The result of every source; present if no project was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['listed']",
        # The roots, usable or not.
        "roots": "list[RootView]",
        # The state of the list.
        "state": "RootsState",
    },
)
"""One thing to do.  The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward, log."""

AnswerNeedsInput = TypedDict(
    "AnswerNeedsInput",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "AskId",
        # A counter that grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts to show beside the result.
        "hints": "NotRequired[list[str]]",
        # The result of every source; present if no project was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['needsInput']",
        # The input requests by key.
        "inputRequests": "dict[str, InputRequest]",
    },
)
"""One thing to do.  The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward, log."""

AnswerRefused = TypedDict(
    "AnswerRefused",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "AskId",
        # A counter that grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts to show beside the result.
        "hints": "NotRequired[list[str]]",
        # The result of every source; present if no project was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['refused']",
        # The stable code.
        "code": "Reason",
        # The source of the value.
        "source": "SourceKind",
        # What happened, with the value in display form.
        "message": "str",
        # The next step for the user.
        "instruction": "NotRequired[str]",
        # The HTTP status the policy gives it.
        "status": "NotRequired[int]",
    },
)
"""One thing to do.  The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward, log."""

AnswerUnresolved = TypedDict(
    "AnswerUnresolved",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "AskId",
        # A counter that grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts to show beside the result.
        "hints": "NotRequired[list[str]]",
        # The result of every source; present if no project was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['unresolved']",
        # The stable code.
        "code": "Reason",
        # What happened.
        "message": "str",
        # The next step for the user.
        "instruction": "NotRequired[str]",
    },
)
"""One thing to do.  The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward, log."""

Announce = TypedDict(
    "Announce",
    {
        "type": "Literal['announce']",
        # The previous project.
        "from": "ProjectDict | None",
        # The new project.
        "to": "ProjectDict | None",
    },
)
"""A change of the connection's project."""

Cancel = TypedDict(
    "Cancel",
    {
        "type": "Literal['cancel']",
        # The request; hosts with an SDK abort it.
        "request": "RequestToken",
        # The complete `notifications/cancelled` message for hosts without an SDK.
        "message": "str",
    },
)
"""A request to give up."""

SendRequest = TypedDict(
    "SendRequest",
    {
        "type": "Literal['sendRequest']",
        # The resolver's token; the event of the answer repeats it.
        "request": "RequestToken",
        # The method.
        "method": "RequestMethod",
        # The parameters, if the policy sends any.
        "params": "NotRequired[EmptyParams]",
        # The ask whose call should carry the request.
        "relatesTo": "NotRequired[AskId]",
        # The complete JSON-RPC request for hosts without an SDK.
        "message": "str",
    },
)
"""A request to send."""

Probe = TypedDict(
    "Probe",
    {
        "type": "Literal['probe']",
        # The id of the probe; the reply repeats it.
        "probe": "ProbeId",
        # The paths.
        "paths": "list[ProbePath]",
    },
)
"""Paths to probe."""

Forward = TypedDict(
    "Forward",
    {
        "type": "Literal['forward']",
        # The kind of message.
        "kind": "MessageKind",
        # The original text, or the rest of a batch.
        "text": "str",
    },
)
"""A message that is not for the resolver."""

Log = TypedDict(
    "Log",
    {
        "type": "Literal['log']",
        # The level.
        "level": "Level",
        # The stable code.
        "code": "LogCode",
        # The ask it belongs to.
        "ask": "NotRequired[AskId]",
        # The text.
        "message": "str",
    },
)
"""A log line."""

#: One thing to do.  The actions of an event have a fixed order: answers in the order of their asks, announce, cancel, send, probe, forward, log.
Action = Union[AnswerResolved, AnswerSelected, AnswerListed, AnswerNeedsInput, AnswerRefused, AnswerUnresolved, Announce, Cancel, SendRequest, Probe, Forward, Log]

InputRequest = TypedDict(
    "InputRequest",
    {
        # The method.
        "method": "RequestMethod",
    },
)
"""A request in the `input_required` result of a call."""

#: The methods a resolver sends to a client.
RequestMethod = Literal['roots/list']

#: The state of the list of roots.
RootsState = Literal['notAsked', 'notReady', 'undeclared', 'unsupported', 'pending', 'overdue', 'timedOut', 'failed', 'empty', 'allInvalid', 'ok', 'stale']

#: An empty `params` object.
EmptyParams = dict[str, Any]

ProbePath = TypedDict(
    "ProbePath",
    {
        # The path.
        "path": "str",
        # File names to look for in it.
        "markers": "NotRequired[list[str]]",
    },
)
"""One path to probe."""

#: The kinds of raw messages.
MessageKind = Literal['request', 'notification', 'response', 'batch', 'blank', 'broken']

#: The level of a log line.
Level = Literal['debug', 'info', 'warning']

#: The subject of a log line; the serialised form is the stable code.
LogCode = Literal['project_chosen', 'disagreement', 'value_rejected', 'roots_failed', 'roots_unsupported', 'roots_cut', 'root_repaired', 'answer_stale', 'answer_unexpected', 'selected_root_left', 'too_many_asks', 'logs_dropped']

ProjectDict = TypedDict(
    "ProjectDict",
    {
        # The identity: the same folder has the same key whatever its spelling. Lexical, never the real path.
        "key": "str",
        # A short hash of the key, suitable for file names.
        "id": "str",
        # The folder's name, or the name it was selected by, as the peer wrote it.
        "name": "str",
        # The name made safe to show: one line, bounded, without control or invisible characters.
        "displayName": "str",
        # The folder, if this process can use it: the client is on this machine, or the folder was verified inside `allowedDirs`. Always there if the policy says `requirePath`, which is the default.
        "path": "NotRequired[str]",
        # The folder on the client's machine, if that is another one. Nothing here was looked at for it.
        "clientPath": "NotRequired[str]",
        # The canonical URI, if there is one.
        "uri": "NotRequired[str]",
        # The real path, if a probe reported it.
        "realPath": "NotRequired[str]",
        # The source that won.
        "source": "SourceKind",
        # The exact input that source read: a variable, a header, an option, or for `remembered` the original source.
        "via": "NotRequired[str]",
        # The client root it came from.
        "root": "NotRequired[RootRefDict]",
        # The first of the client's other roots, if this one was picked from several.
        "otherRoots": "NotRequired[list[RootRefDict]]",
        # The number of other roots that `otherRoots` leaves out because they are too many or too long; ask for the roots to get all of them.
        "otherRootsOmitted": "NotRequired[int]",
    },
)
"""The project a client works in."""

RootRefDict = TypedDict(
    "RootRefDict",
    {
        # Position in the client's list.
        "index": "int",
        # The URI as the client sent it, made safe to show.
        "uri": "str",
        # The root's own name, made safe to show.
        "name": "NotRequired[str]",
        # The folder that the URI names on this machine. It is not verified.
        "path": "NotRequired[str]",
        # The folder that the URI names on the client's machine, if that is another one.
        "clientPath": "NotRequired[str]",
    },
)
"""A client root as a project refers to it."""

RootView = TypedDict(
    "RootView",
    {
        # The reason for which it names no folder here, as a stable code.
        "problem": "NotRequired[Reason]",
        # Position in the client's list.
        "index": "int",
        # The URI as the client sent it, made safe to show.
        "uri": "str",
        # The root's own name, made safe to show.
        "name": "NotRequired[str]",
        # The folder that the URI names on this machine. It is not verified.
        "path": "NotRequired[str]",
        # The folder that the URI names on the client's machine, if that is another one.
        "clientPath": "NotRequired[str]",
    },
)
"""A client root as the roots view shows it."""

Explanation = TypedDict(
    "Explanation",
    {
        # The name of the policy.
        "policy": "str",
        # The reason for which there is no project, as a stable code.
        "code": "NotRequired[Reason]",
        # What happened, if there is no project.
        "message": "NotRequired[str]",
        # The next step for the user, if there is no project.
        "instruction": "NotRequired[str]",
        # The sources in the policy's order.
        "tried": "list[Tried]",
        # The client's roots.
        "roots": "RootsReport",
        # The client's name for itself, made safe to show.
        "client": "NotRequired[str]",
        # The transport of the connection.
        "transport": "Transport",
        # The protocol era of the client.
        "era": "Era",
        # The number of answers that arrived too late to count.
        "staleAnswers": "NotRequired[int]",
        # The whole explanation as a small table.
        "text": "str",
    },
)
"""The result of every source."""

Tried = TypedDict(
    "Tried",
    {
        # The source.
        "source": "SourceKind",
        # The exact input it read.
        "via": "NotRequired[str]",
        # The verdict.
        "verdict": "Verdict",
        # The value it named, made safe to show.
        "value": "NotRequired[str]",
        # The reason for which the value was rejected.
        "reason": "NotRequired[Reason]",
        # A finer code for that reason.
        "detail": "NotRequired[str]",
    },
)
"""The result of one source."""

#: The verdict on a source.
Verdict = Literal['won', 'agrees', 'disagrees', 'absent', 'rejected', 'off', 'notAsked', 'pending']

RootsReport = TypedDict(
    "RootsReport",
    {
        # The state of the list.
        "state": "RootsState",
        # The roots, usable or not.
        "available": "NotRequired[list[RootView]]",
        # The number of roots that are known and left out of `available`, because an answer carries only the first ones.
        "omitted": "NotRequired[int]",
        # The number of roots beyond the limit.
        "dropped": "NotRequired[int]",
    },
)
"""The client's roots as far as they are known."""

#: The protocol era of a client.
Era = Literal['unknown', 'legacy', 'modern']

HostFacts = TypedDict(
    "HostFacts",
    {
        # The spelling of paths on the server's machine.
        "style": "PathStyle",
        # The transport of the connection.
        "transport": "NotRequired[Transport]",
        # Whether the client is on the server's machine, so that its paths are valid there; by default true over stdio and false otherwise. Without it and without `allowedDirs`, no path of the client is looked at.
        "local": "NotRequired[bool | None]",
        # Whether the host may send requests outside a client's call; by default true over stdio and false otherwise.
        "push": "NotRequired[bool | None]",
        # The server's environment, or the part of it that the policy reads.
        "env": "NotRequired[dict[str, str]]",
        # The server's working directory.
        "cwd": "NotRequired[str | None]",
        # The server's command line, by option name without dashes; a bare flag has an empty value.
        "arguments": "NotRequired[dict[str, str]]",
        # The parameter of the server's tools that takes a project path, if they have one. Advice names it.
        "toolArgument": "NotRequired[str | None]",
        # The server's tool that selects a project, if there is one. Advice names it.
        "selectTool": "NotRequired[str | None]",
        # Folders that are never projects by themselves.
        "excludedDirs": "NotRequired[ExcludedDirs]",
        # The folders to which the operator confines every project, together with their real paths. Without it there is no limit; an empty list allows nothing.
        "allowedDirs": "NotRequired[list[str] | None]",
        # The client's folders on the server's machine (container, WSL); the first matching entry decides.
        "pathMap": "NotRequired[list[PathMap]]",
        # Whether network shares may be probed; a probe contacts their host.
        "probeShares": "NotRequired[bool]",
    },
)
"""The facts of the machine and the connection. A peer never changes them; the host replaces them as a whole."""

#: The transport of a connection.
Transport = Literal['stdio', 'http', 'other']

ExcludedDirs = TypedDict(
    "ExcludedDirs",
    {
        # The user's home; excluded itself, not the folders below.
        "home": "NotRequired[str]",
        # Temporary folders; excluded themselves, not the folders below.
        "temporary": "NotRequired[list[str]]",
        # Install folders of programs and plugins; excluded with everything below.
        "install": "NotRequired[list[str]]",
    },
)
"""Folders that are never projects by themselves."""

PathMap = TypedDict(
    "PathMap",
    {
        # The folder as the client spells it.
        "from": "str",
        # The client's spelling of paths.
        "fromStyle": "PathStyle",
        # The same folder as the server spells it.
        "to": "str",
    },
)
"""One folder of the client and its place on the server's machine."""

#: The rules by which a path is read.
PathStyle = Literal['posix', 'windows']

PartialRequestForm = TypedDict(
    "PartialRequestForm",
    {
        # The text before the number in a request id; with an empty prefix the id is a number.
        "idPrefix": "NotRequired[str]",
        # Whether an empty `params` object is sent.
        "emptyParams": "NotRequired[bool]",
    },
)
"""The form of `roots/list` requests."""

PartialUnsupportedErrors = TypedDict(
    "PartialUnsupportedErrors",
    {
        # Error codes.
        "codes": "NotRequired[list[int]]",
        # Parts of error messages, in any ASCII case.
        "messages": "NotRequired[list[str]]",
    },
)
"""The errors by which a client says that it does not support `roots/list`."""

PartialRootsRules = TypedDict(
    "PartialRootsRules",
    {
        # When to request the roots.
        "ask": "NotRequired[Ask]",
        # Whether to ask only clients that declared roots.
        "requireCapability": "NotRequired[bool]",
        # Which root to pick.
        "pick": "NotRequired[Pick]",
        # The effect of an unusable root.
        "onUnusable": "NotRequired[OnUnusable]",
        # The effect of a root that is not a `file:` URI.
        "nonFile": "NotRequired[NonFile]",
        # The treatment of an absolute path instead of a URI.
        "barePaths": "NotRequired[BarePaths]",
        # The meaning of a root that is a file.
        "files": "NotRequired[Files]",
        # Whether several roots end the ask, if `pick` is `only`, or yield to the next source.
        "ambiguity": "NotRequired[BadOutcome]",
        # The effect of a change.
        "onChange": "NotRequired[OnChange]",
        # The effect of a change while a request is in flight.
        "whileAsking": "NotRequired[WhileAsking]",
        # The age after which a list is requested again.
        "maxAgeMs": "NotRequired[int | None]",
        # The age after which an empty list is requested again.
        "emptyMaxAgeMs": "NotRequired[int | None]",
        # The form of the requests.
        "request": "NotRequired[PartialRequestForm]",
        # The errors by which a client says that it does not support the method.
        "unsupported": "NotRequired[PartialUnsupportedErrors]",
    },
)
"""The rules for requesting the client's roots and picking one."""

PartialTiming = TypedDict(
    "PartialTiming",
    {
        # The wait of one caller, and the life of a probe.
        "waitMs": "NotRequired[int]",
        # The life of a request; then it is cancelled.
        "lifeMs": "NotRequired[int]",
        # The minimum interval between two requests that changes cause.
        "minIntervalMs": "NotRequired[int]",
        # The number of later asks that may retry after a failure, until the roots change.
        "retries": "NotRequired[int]",
    },
)
"""Durations in milliseconds."""

PartialMemory = TypedDict(
    "PartialMemory",
    {
        # Whether the connection's first project is pinned.
        "pin": "NotRequired[Pin]",
        # The sources that can pin; an empty list means every source of the connection.
        "pinFrom": "NotRequired[list[SourceKind]]",
        # Whether `remembered` keeps a root that a newer list no longer contains.
        "keepLostRoot": "NotRequired[bool]",
    },
)
"""The state that outlives a call."""

PartialSelection = TypedDict(
    "PartialSelection",
    {
        # The meaning of a bare name.
        "names": "NotRequired[Names]",
        # The form of a name.
        "nameRule": "NotRequired[NameRule]",
        # Whether `..` is resolved or refused.
        "traversal": "NotRequired[Traversal]",
        # When the selection must be one of the client's roots, if the client has any.
        "enforceRoots": "NotRequired[EnforceRoots]",
        # The test for being one of them.
        "rootMatch": "NotRequired[RootMatch]",
    },
)
"""The rules for a tool's selection."""

PartialLimits = TypedDict(
    "PartialLimits",
    {
        # Bytes of one event; a larger one is misuse, because the host should have refused it before copying it in.
        "eventBytes": "NotRequired[int]",
        # Roots kept from one list; the rest are counted.
        "roots": "NotRequired[int]",
        # Bytes of URIs and names kept from one list; the first root that does not fit and those after it are counted.
        "rootsBytes": "NotRequired[int]",
        # Bytes of one URI, path or other value; a longer value alone is rejected.
        "valueBytes": "NotRequired[int]",
        # Bytes of a root's own name; a longer name is ignored.
        "nameBytes": "NotRequired[int]",
        # Characters of a name shown to a person or a model.
        "nameChars": "NotRequired[int]",
        # Characters of a path or another value shown to a person or a model.
        "valueChars": "NotRequired[int]",
        # Asks that may wait at the same time; one more is answered at once from what is known.
        "waitingAsks": "NotRequired[int]",
        # Actions of one event besides answers; log lines are dropped first.
        "actions": "NotRequired[int]",
        # Disagreements and rejected values remembered per connection, so that each is reported once; more are not reported.
        "reported": "NotRequired[int]",
        # Folders of a marker walk, including the starting folder.
        "walkLevels": "NotRequired[int]",
        # Paths that the host probes at the same time; the others follow when it has replied.
        "probePaths": "NotRequired[int]",
    },
)
"""The bounds of a resolver; the explanation shows when one is reached."""

Policy = TypedDict(
    "Policy",
    {
        # A name for logs and snapshots.
        "name": "str",
        # Remarks for the reader, such as deliberate differences from the system it follows.
        "notes": "NotRequired[list[str]]",
        # The sources, best first.
        "sources": "list[Source]",
        # The rules for requesting the client's roots and picking one.
        "roots": "NotRequired[PartialRootsRules]",
        # Durations.
        "timing": "NotRequired[PartialTiming]",
        # The state that outlives a call.
        "memory": "NotRequired[PartialMemory]",
        # The rules for a tool's selection.
        "selection": "NotRequired[PartialSelection]",
        # The origin of a project's name.
        "nameFrom": "NotRequired[NameFrom]",
        # Whether a project must have a folder that this process can use; if not, a name or a folder on the client's machine is a project too.
        "requirePath": "NotRequired[bool]",
        # Whether a log line reports that a source that lost names another project.
        "reportDisagreement": "NotRequired[bool]",
        # Texts to show beside certain results.
        "hints": "NotRequired[list[Hint]]",
        # Advice for certain clients or transports if no project was found; the first match is `{advice}` in texts. Without a match, the advice names the ways that the sources, the host facts and the client leave open.
        "advice": "NotRequired[list[Advice]]",
        # Message templates that replace the standard ones.
        "texts": "NotRequired[dict[str, str]]",
        # Bounds on everything a peer can grow.
        "limits": "NotRequired[PartialLimits]",
    },
)
"""The way a server finds its project, as an operator writes it."""

Source = TypedDict(
    "Source",
    {
        # The kind of source.
        "from": "SourceKind",
        # The inputs to read, in order: header or query names, JSON pointers into `_meta`, variables, or for `configured` command line options and, with a leading `$`, variables.
        "read": "NotRequired[list[str]]",
        # The form of the value.
        "format": "NotRequired[Format]",
        # The required state on disk.
        "verify": "NotRequired[Verify]",
        # The treatment of a relative path.
        "relative": "NotRequired[Relative]",
        # The treatment of excluded folders; by default they are refused for sources that are not chosen on purpose (`meta`, `roots`, `remembered`, `env`, `cwd`) and allowed for the others.
        "excludedDirs": "NotRequired[ExcludedDirsRule | None]",
        # The effect of a bad value; by default it ends the ask for `host`, `argument`, `header` and `query`, and yields to the next source for the others.
        "onBad": "NotRequired[OnBad]",
        # The HTTP status of a bad value that ends the ask.
        "status": "NotRequired[int | None]",
        # A walk from the value up to a marked folder.
        "refine": "NotRequired[Markers | None]",
        # The conditions under which the source applies.
        "when": "NotRequired[When]",
        # How often the disk is probed.
        "recheck": "NotRequired[Recheck]",
    },
)
"""One source: where a value is read, and how it is judged."""

#: The kinds of sources.
SourceKind = Literal['host', 'argument', 'header', 'query', 'meta', 'selected', 'configured', 'roots', 'remembered', 'env', 'cwd']

#: The form of a value.
Format = Literal['pathOrUri', 'name', 'any', 'list']

#: The required state on disk.
Verify = Literal['none', 'exists', 'directory']

#: The treatment of a relative path.
Relative = Literal['refuse', 'cwd']

#: The treatment of excluded folders.
ExcludedDirsRule = Literal['allow', 'named', 'refuse']

OnBad = TypedDict(
    "OnBad",
    {
        # For every reason that is not listed.
        "otherwise": "NotRequired[BadOutcome]",
        "no_project": "NotRequired[Literal['next', 'error']]",
        "ambiguous": "NotRequired[Literal['next', 'error']]",
        "not_chosen": "NotRequired[Literal['next', 'error']]",
        "closed": "NotRequired[Literal['next', 'error']]",
        "placeholder": "NotRequired[Literal['next', 'error']]",
        "relative": "NotRequired[Literal['next', 'error']]",
        "invalid": "NotRequired[Literal['next', 'error']]",
        "not_file_uri": "NotRequired[Literal['next', 'error']]",
        "too_long": "NotRequired[Literal['next', 'error']]",
        "missing": "NotRequired[Literal['next', 'error']]",
        "not_directory": "NotRequired[Literal['next', 'error']]",
        "unreadable": "NotRequired[Literal['next', 'error']]",
        "unconfirmed": "NotRequired[Literal['next', 'error']]",
        "outside": "NotRequired[Literal['next', 'error']]",
        "other_machine": "NotRequired[Literal['next', 'error']]",
        "no_path": "NotRequired[Literal['next', 'error']]",
        "excluded_dir": "NotRequired[Literal['next', 'error']]",
        "nameless": "NotRequired[Literal['next', 'error']]",
        "no_marker": "NotRequired[Literal['next', 'error']]",
        "invalid_name": "NotRequired[Literal['next', 'error']]",
        "empty": "NotRequired[Literal['next', 'error']]",
        "traversal": "NotRequired[Literal['next', 'error']]",
        "not_in_roots": "NotRequired[Literal['next', 'error']]",
        "immutable": "NotRequired[Literal['next', 'error']]",
        "selection_off": "NotRequired[Literal['next', 'error']]",
        "pass_each_call": "NotRequired[Literal['next', 'error']]",
    },
)
"""The effect of a bad value."""

#: The two effects of a bad value.
BadOutcome = Literal['next', 'error']

Markers = TypedDict(
    "Markers",
    {
        # Groups of markers, best first; within a group the nearest folder wins.
        "tiers": "list[Tier]",
        # The number of folders to probe, including the starting folder.
        "levels": "NotRequired[int]",
        # The result if no folder is marked.
        "otherwise": "NotRequired[Unmarked]",
    },
)
"""A walk from a folder up to a marked one."""

Tier = TypedDict(
    "Tier",
    {
        # File or folder names.
        "names": "list[str]",
        # The number of them that must exist.
        "atLeast": "NotRequired[int]",
    },
)
"""A group of markers."""

#: The result of a walk that finds no marker.
Unmarked = Literal['reject', 'start']

When = TypedDict(
    "When",
    {
        # Only over these transports; an empty list means any.
        "transports": "NotRequired[list[Transport]]",
        # Only if the client's paths are valid on the server's machine.
        "local": "NotRequired[bool]",
        # Only if the command line has this option.
        "argument": "NotRequired[str]",
    },
)
"""The conditions under which a source applies."""

#: How often the disk is probed.
Recheck = Literal['onChange', 'eachAsk']

RootsRules = TypedDict(
    "RootsRules",
    {
        # When to request the roots.
        "ask": "Ask",
        # Whether to ask only clients that declared roots.
        "requireCapability": "bool",
        # Which root to pick.
        "pick": "Pick",
        # The effect of an unusable root.
        "onUnusable": "OnUnusable",
        # The effect of a root that is not a `file:` URI.
        "nonFile": "NonFile",
        # The treatment of an absolute path instead of a URI.
        "barePaths": "BarePaths",
        # The meaning of a root that is a file.
        "files": "Files",
        # Whether several roots end the ask, if `pick` is `only`, or yield to the next source.
        "ambiguity": "BadOutcome",
        # The effect of a change.
        "onChange": "OnChange",
        # The effect of a change while a request is in flight.
        "whileAsking": "WhileAsking",
        # The age after which a list is requested again.
        "maxAgeMs": "int | None",
        # The age after which an empty list is requested again.
        "emptyMaxAgeMs": "int | None",
        # The form of the requests.
        "request": "NotRequired[PartialRequestForm]",
        # The errors by which a client says that it does not support the method.
        "unsupported": "NotRequired[PartialUnsupportedErrors]",
    },
)
"""The rules for requesting the client's roots and picking one."""

#: When to request the roots.
Ask = Literal['eager', 'lazy', 'eachRequest', 'never']

#: Which root to pick.
Pick = Literal['first', 'only', 'chosen']

#: The effect of an unusable root.
OnUnusable = Literal['accept', 'nextRoot', 'nextSource', 'error']

#: The effect of a root that is not a `file:` URI.
NonFile = Literal['skip', 'nextSource', 'error', 'nameOnly']

#: The treatment of an absolute path instead of a URI.
BarePaths = Literal['repair', 'refuse']

#: The meaning of a root that is a file.
Files = Literal['parent', 'refuse']

#: The effect of `list_changed`.
OnChange = Literal['ignore', 'invalidate', 'refetch']

#: The effect of `list_changed` while a request is in flight.
WhileAsking = Literal['coalesce', 'drop']

RequestForm = TypedDict(
    "RequestForm",
    {
        # The text before the number in a request id; with an empty prefix the id is a number.
        "idPrefix": "str",
        # Whether an empty `params` object is sent.
        "emptyParams": "bool",
    },
)
"""The form of `roots/list` requests."""

UnsupportedErrors = TypedDict(
    "UnsupportedErrors",
    {
        # Error codes.
        "codes": "list[int]",
        # Parts of error messages, in any ASCII case.
        "messages": "list[str]",
    },
)
"""The errors by which a client says that it does not support `roots/list`."""

Timing = TypedDict(
    "Timing",
    {
        # The wait of one caller, and the life of a probe.
        "waitMs": "int",
        # The life of a request; then it is cancelled.
        "lifeMs": "int",
        # The minimum interval between two requests that changes cause.
        "minIntervalMs": "int",
        # The number of later asks that may retry after a failure, until the roots change.
        "retries": "int",
    },
)
"""Durations in milliseconds."""

Memory = TypedDict(
    "Memory",
    {
        # Whether the connection's first project is pinned.
        "pin": "Pin",
        # The sources that can pin; an empty list means every source of the connection.
        "pinFrom": "list[SourceKind]",
        # Whether `remembered` keeps a root that a newer list no longer contains.
        "keepLostRoot": "bool",
    },
)
"""The state that outlives a call."""

#: Whether the connection's first project is pinned.
Pin = Literal['no', 'sticky', 'immutable']

Selection = TypedDict(
    "Selection",
    {
        # The meaning of a bare name.
        "names": "Names",
        # The form of a name.
        "nameRule": "NameRule",
        # Whether `..` is resolved or refused.
        "traversal": "Traversal",
        # When the selection must be one of the client's roots, if the client has any.
        "enforceRoots": "EnforceRoots",
        # The test for being one of them.
        "rootMatch": "RootMatch",
    },
)
"""The rules for a tool's selection."""

#: The meaning of a bare name.
Names = Literal['roots', 'any']

#: The form of a name.
NameRule = Literal['any', 'word']

#: Whether `..` is resolved or refused.
Traversal = Literal['resolve', 'refuse']

#: When a selection must be one of the client's roots.
EnforceRoots = Literal['off', 'onSelect', 'always']

#: The test for being one of the roots.
RootMatch = Literal['key', 'exactUri', 'inside']

#: The origin of a project's name.
NameFrom = Literal['basename', 'rawBasename', 'rootName']

Hint = TypedDict(
    "Hint",
    {
        # The sources of the results.
        "sources": "list[SourceKind]",
        # Whether a connection receives it only once.
        "once": "NotRequired[bool]",
        # The text.
        "text": "str",
    },
)
"""A text to show beside certain results."""

Advice = TypedDict(
    "Advice",
    {
        # The client's name, with `*` at the end for every name that begins so; absent for any client.
        "client": "NotRequired[str | None]",
        # The transport; absent for any transport.
        "transport": "NotRequired[Transport | None]",
        # The text.
        "text": "str",
    },
)
"""Advice for a certain client or transport."""

Limits = TypedDict(
    "Limits",
    {
        # Bytes of one event; a larger one is misuse, because the host should have refused it before copying it in.
        "eventBytes": "int",
        # Roots kept from one list; the rest are counted.
        "roots": "int",
        # Bytes of URIs and names kept from one list; the first root that does not fit and those after it are counted.
        "rootsBytes": "int",
        # Bytes of one URI, path or other value; a longer value alone is rejected.
        "valueBytes": "int",
        # Bytes of a root's own name; a longer name is ignored.
        "nameBytes": "int",
        # Characters of a name shown to a person or a model.
        "nameChars": "int",
        # Characters of a path or another value shown to a person or a model.
        "valueChars": "int",
        # Asks that may wait at the same time; one more is answered at once from what is known.
        "waitingAsks": "int",
        # Actions of one event besides answers; log lines are dropped first.
        "actions": "int",
        # Disagreements and rejected values remembered per connection, so that each is reported once; more are not reported.
        "reported": "int",
        # Folders of a marker walk, including the starting folder.
        "walkLevels": "int",
        # Paths that the host probes at the same time; the others follow when it has replied.
        "probePaths": "int",
    },
)
"""The bounds of a resolver; the explanation shows when one is reached."""

RecoverRequest = TypedDict(
    "RecoverRequest",
    {
        # The spelling of paths in the URIs.
        "style": "PathStyle",
        # The id of the wanted session; it wins over everything else.
        "sessionId": "NotRequired[str | None]",
        # The project: its root URI, its path, or its key.
        "project": "NotRequired[str | None]",
        # The sessions the host knows, in any order.
        "sessions": "NotRequired[list[SessionRecord]]",
    },
)
"""The session to find, and the sessions to search."""

SessionRecord = TypedDict(
    "SessionRecord",
    {
        # The session's id.
        "id": "str",
        # The project it was started in: root URI, path or key; a session without one belongs to no project.
        "project": "NotRequired[str | None]",
        # The time of its last use, as a number of any unit; any other value counts as oldest.
        "updatedAt": "NotRequired[Any]",
        # Whether it is the project's primary session.
        "pinned": "NotRequired[bool]",
        # Whether it is found only by its id.
        "archived": "NotRequired[bool]",
    },
)
"""A session as the host stores it; further fields are ignored."""

Recovery = TypedDict(
    "Recovery",
    {
        # How the session was found, or why not.
        "outcome": "RecoveryOutcome",
        # The session's id.
        "sessionId": "NotRequired[str]",
        # Whether the session was started in another project than the given one; worth a log line.
        "otherProject": "bool",
        # The project's sessions, best first, for a person who wants to choose.
        "candidates": "list[str]",
    },
)
"""The result of a search."""

#: How a session was found, or why not.
RecoveryOutcome = Literal['explicit', 'pinned', 'newest', 'unknown_id', 'no_session', 'no_project']

#: The reason for which a value is rejected or an ask has no project; the serialised form is the stable code.
Reason = Literal['no_project', 'ambiguous', 'not_chosen', 'closed', 'placeholder', 'relative', 'invalid', 'not_file_uri', 'too_long', 'missing', 'not_directory', 'unreadable', 'unconfirmed', 'outside', 'other_machine', 'no_path', 'excluded_dir', 'nameless', 'no_marker', 'invalid_name', 'empty', 'traversal', 'not_in_roots', 'immutable', 'selection_off', 'pass_each_call']

#: The host's id for one ask; unique among the asks that wait.
AskId = int

#: The resolver's token for one request to the client; counts up from 1.
RequestToken = int

#: The resolver's id for one probe; counts up from 1.
ProbeId = int

#: Milliseconds on the host's clock. The origin is the host's choice; only differences count.
Millis = int

#: The reason for which a URI or a path is refused.  The message never repeats the refused text; `code`(Self::code) is stable across releases.
Refusal = Literal['not_file_uri', 'relative', 'empty_path', 'encoded_separator', 'nul', 'control', 'outer_blank', 'malformed_percent', 'invalid_utf8', 'remote_host', 'invalid_host', 'query_or_fragment', 'backslash', 'no_drive', 'drive_relative', 'drive_on_posix', 'drive_like_component', 'drive_not_first', 'device_namespace', 'bad_unc', 'unc_escape', 'leading_double_slash', 'ambiguous_dots', 'outside', 'alternate_stream']

#: The end of one ask.
Answer = Union[AnswerResolved, AnswerSelected, AnswerListed, AnswerNeedsInput, AnswerRefused, AnswerUnresolved]
