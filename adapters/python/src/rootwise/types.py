"""Everything that crosses the wire.

Generated from the Rust types by `python3 adapters/python/generate.py`. Change those and run it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if TYPE_CHECKING:
    # Only checkers read it, so Python 3.10 needs nothing installed for it.
    from typing_extensions import NotRequired

#: Any JSON value, as a peer sent it.
Json = Any

ClientInitialized = TypedDict(
    "ClientInitialized",
    {
        "type": "Literal['clientInitialized']",
        # `params.protocolVersion`.
        "protocolVersion": "NotRequired[Json]",
        # `params.capabilities`.
        "capabilities": "NotRequired[Json]",
        # `params.clientInfo`.
        "clientInfo": "NotRequired[Json]",
    },
)
"""What `initialize` said; every part is the peer's raw JSON and may be anything."""

ClientReady = TypedDict(
    "ClientReady",
    {
        "type": "Literal['clientReady']",
    },
)
"""One thing that happened, in the past tense."""

RootsListed = TypedDict(
    "RootsListed",
    {
        "type": "Literal['rootsListed']",
        # The request it answers; without one it is a list the host was given some other way.
        "request": "NotRequired[int | None]",
        # The raw result, `{"roots": [...]}`.
        "result": "Json",
    },
)
"""A list of roots, raw."""

RootsRefused = TypedDict(
    "RootsRefused",
    {
        "type": "Literal['rootsRefused']",
        # The request.
        "request": "int",
        # What happened.
        "kind": "RefusalKind",
        # The JSON-RPC error code of an `error`.
        "code": "NotRequired[int | None]",
        # The error message of an `error`.
        "message": "NotRequired[str | None]",
    },
)
"""Why a request for roots came to nothing."""

RootsChanged = TypedDict(
    "RootsChanged",
    {
        "type": "Literal['rootsChanged']",
    },
)
"""One thing that happened, in the past tense."""

HostFactsChanged = TypedDict(
    "HostFactsChanged",
    {
        "type": "Literal['hostFactsChanged']",
        # All of them: nothing of the old ones stays.
        "facts": "HostFacts",
    },
)
"""New host facts, whole."""

Asked = TypedDict(
    "Asked",
    {
        "type": "Literal['asked']",
        # The host's id for this ask.
        "ask": "int",
        # What is wanted.
        "want": "NotRequired[Want]",
        # Whether and how this call can carry a question to the client; absent, the facts decide.
        "askBy": "NotRequired[AskBy | None]",
        # What came with the request.
        "facts": "NotRequired[RequestFacts]",
        # A path the call touches, to tell several roots apart.
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
        "ask": "int",
        # What is selected.
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
        "ask": "int",
        # As in `Asked`.
        "askBy": "NotRequired[AskBy | None]",
        # As in `Asked`.
        "facts": "NotRequired[RequestFacts]",
        # As in `Asked`.
        "explain": "NotRequired[bool]",
    },
)
"""A tool that drops the selection."""

AskWithdrawn = TypedDict(
    "AskWithdrawn",
    {
        "type": "Literal['askWithdrawn']",
        # The ask.
        "ask": "int",
    },
)
"""An ask whose caller is gone."""

Probed = TypedDict(
    "Probed",
    {
        "type": "Literal['probed']",
        # The probe.
        "probe": "int",
        # What is at each path; a path left out counts as not confirmed.
        "paths": "list[ProbedPath]",
    },
)
"""What the host found."""

DeadlineReached = TypedDict(
    "DeadlineReached",
    {
        "type": "Literal['deadlineReached']",
    },
)
"""One thing that happened, in the past tense."""

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
"""One thing that happened, in the past tense."""

#: One thing that happened, in the past tense.
Event = Union['ClientInitialized', 'ClientReady', 'RootsListed', 'RootsRefused', 'RootsChanged', 'HostFactsChanged', 'Asked', 'Selected', 'SelectionCleared', 'AskWithdrawn', 'Probed', 'DeadlineReached', 'Message', 'Closed']

#: The ways a request for roots comes to nothing.
RefusalKind = Literal['error', 'undeliverable', 'unreadable', 'abandoned']

#: What an ask wants.
Want = Literal['project', 'roots']

#: Whether and how a call can carry a question to the client.
AskBy = Literal['none', 'request', 'inputRequired']

RequestFacts = TypedDict(
    "RequestFacts",
    {
        # What the host itself knows of the caller: an authenticated workspace, or a handle the server issued.
        "host": "NotRequired[str]",
        # The call's project argument.
        "argument": "NotRequired[str]",
        # HTTP headers; names match in any case.
        "headers": "NotRequired[dict[str, str]]",
        # HTTP query parameters.
        "query": "NotRequired[dict[str, str]]",
        # The request's raw `_meta`.
        "meta": "NotRequired[Json]",
        # The client's raw capabilities, where an SDK lifted them out of `_meta`.
        "capabilities": "NotRequired[Json]",
        # The client's raw self-description, where an SDK lifted it out of `_meta`.
        "clientInfo": "NotRequired[Json]",
        # The raw `inputResponses` of a call made again.
        "inputResponses": "NotRequired[Json]",
    },
)
"""What came with one request."""

SelectByName = TypedDict(
    "SelectByName",
    {
        "name": "str",
    },
)
"""How a selection names its project."""

SelectByPath = TypedDict(
    "SelectByPath",
    {
        "path": "str",
    },
)
"""How a selection names its project."""

SelectByUri = TypedDict(
    "SelectByUri",
    {
        "uri": "str",
    },
)
"""How a selection names its project."""

SelectByRoot = TypedDict(
    "SelectByRoot",
    {
        "root": "str",
    },
)
"""How a selection names its project."""

SelectByValue = TypedDict(
    "SelectByValue",
    {
        "value": "str",
    },
)
"""How a selection names its project."""

#: How a selection names its project.
SelectBy = Union['SelectByName', 'SelectByPath', 'SelectByUri', 'SelectByRoot', 'SelectByValue']

ProbedPath = TypedDict(
    "ProbedPath",
    {
        # The path as the probe spelled it.
        "path": "str",
        # What is there.
        "found": "Found",
        # The real path, links followed.
        "realPath": "NotRequired[str | None]",
        # Which of the markers asked for are there, as file or folder.
        "markers": "NotRequired[list[str]]",
    },
)
"""What is at one path."""

#: What can be at a path.
Found = Literal['directory', 'file', 'missing', 'unreadable']

AnswerResolved = TypedDict(
    "AnswerResolved",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "int",
        # Grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts worth showing beside the result.
        "hints": "NotRequired[list[str]]",
        # What every source said; there when nothing was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['resolved']",
        # The project.
        "project": "ProjectDict",
    },
)
"""One thing to do. The actions of an event come in a fixed order: answers as the asks came, announce, cancel, send, probe, hand back, notices."""

AnswerSelected = TypedDict(
    "AnswerSelected",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "int",
        # Grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts worth showing beside the result.
        "hints": "NotRequired[list[str]]",
        # What every source said; there when nothing was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['selected']",
        # The project.
        "project": "ProjectDict",
        # The policy's confirmation.
        "message": "str",
    },
)
"""One thing to do. The actions of an event come in a fixed order: answers as the asks came, announce, cancel, send, probe, hand back, notices."""

AnswerListed = TypedDict(
    "AnswerListed",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "int",
        # Grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts worth showing beside the result.
        "hints": "NotRequired[list[str]]",
        # What every source said; there when nothing was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['listed']",
        # The roots, good and bad.
        "roots": "list[RootView]",
        # How current they are.
        "state": "RootsState",
    },
)
"""One thing to do. The actions of an event come in a fixed order: answers as the asks came, announce, cancel, send, probe, hand back, notices."""

AnswerNeedsInput = TypedDict(
    "AnswerNeedsInput",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "int",
        # Grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts worth showing beside the result.
        "hints": "NotRequired[list[str]]",
        # What every source said; there when nothing was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['needsInput']",
        # Ready-made input requests by key.
        "inputRequests": "dict[str, Json]",
    },
)
"""One thing to do. The actions of an event come in a fixed order: answers as the asks came, announce, cancel, send, probe, hand back, notices."""

AnswerRefused = TypedDict(
    "AnswerRefused",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "int",
        # Grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts worth showing beside the result.
        "hints": "NotRequired[list[str]]",
        # What every source said; there when nothing was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['refused']",
        # The stable code.
        "code": "Reason",
        # The source of the value.
        "source": "SourceKind",
        # What happened, with the value in display form.
        "message": "str",
        # What to do next.
        "instruction": "NotRequired[str]",
        # The HTTP status the policy wants for it.
        "status": "NotRequired[int]",
    },
)
"""One thing to do. The actions of an event come in a fixed order: answers as the asks came, announce, cancel, send, probe, hand back, notices."""

AnswerUnresolved = TypedDict(
    "AnswerUnresolved",
    {
        "type": "Literal['answer']",
        # The ask.
        "ask": "int",
        # Grows by one whenever the connection's project visibly changes.
        "revision": "int",
        # Texts worth showing beside the result.
        "hints": "NotRequired[list[str]]",
        # What every source said; there when nothing was found, and on request.
        "explanation": "NotRequired[Explanation]",
        "outcome": "Literal['unresolved']",
        # The stable code.
        "code": "Reason",
        # What happened.
        "message": "str",
        # What to do next.
        "instruction": "NotRequired[str]",
    },
)
"""One thing to do. The actions of an event come in a fixed order: answers as the asks came, announce, cancel, send, probe, hand back, notices."""

Announce = TypedDict(
    "Announce",
    {
        "type": "Literal['announce']",
        # What it was.
        "from": "ProjectDict | None",
        # What it is.
        "to": "ProjectDict | None",
    },
)
"""A change of the connection's project."""

Cancel = TypedDict(
    "Cancel",
    {
        "type": "Literal['cancel']",
        # The request; SDK hosts abort it.
        "request": "int",
        # The ready-made `notifications/cancelled` for hosts without an SDK.
        "message": "str",
    },
)
"""A request to give up."""

SendRequest = TypedDict(
    "SendRequest",
    {
        "type": "Literal['sendRequest']",
        # The resolver's token; the answer's event repeats it.
        "request": "int",
        # Always `roots/list`.
        "method": "str",
        # The params, where the policy sends any.
        "params": "NotRequired[Json]",
        # The ask whose call the request should travel with.
        "relatesTo": "NotRequired[int]",
        # The ready-made JSON-RPC request for hosts without an SDK.
        "message": "str",
    },
)
"""A request to send."""

Probe = TypedDict(
    "Probe",
    {
        "type": "Literal['probe']",
        # The probe's id; the reply repeats it.
        "probe": "int",
        # The paths.
        "paths": "list[ProbePath]",
    },
)
"""Paths to look at."""

Forward = TypedDict(
    "Forward",
    {
        "type": "Literal['forward']",
        # What it is.
        "kind": "MessageKind",
        # The original text, or the rest of a batch.
        "text": "str",
    },
)
"""A message that is not the resolver's."""

Log = TypedDict(
    "Log",
    {
        "type": "Literal['log']",
        # How much it matters.
        "level": "Level",
        # The stable code.
        "code": "LogCode",
        # The ask it belongs to.
        "ask": "NotRequired[int]",
        # The line.
        "message": "str",
    },
)
"""A line for the log."""

#: One thing to do. The actions of an event come in a fixed order: answers as the asks came, announce, cancel, send, probe, hand back, notices.
Action = Union['AnswerResolved', 'AnswerSelected', 'AnswerListed', 'AnswerNeedsInput', 'AnswerRefused', 'AnswerUnresolved', 'Announce', 'Cancel', 'SendRequest', 'Probe', 'Forward', 'Log']

#: How current the list of roots is.
RootsState = Literal['notAsked', 'notReady', 'undeclared', 'unsupported', 'pending', 'overdue', 'timedOut', 'failed', 'empty', 'allInvalid', 'ok', 'stale']

ProbePath = TypedDict(
    "ProbePath",
    {
        # The path.
        "path": "str",
        # Names to look for in it.
        "markers": "NotRequired[list[str]]",
    },
)
"""One path to look at."""

#: What a raw message is.
MessageKind = Literal['request', 'notification', 'response', 'batch', 'blank', 'broken']

#: How much a log line matters.
Level = Literal['debug', 'info', 'warning']

#: What a log line is about; the serialised form is the stable code.
LogCode = Literal['project_chosen', 'disagreement', 'value_rejected', 'roots_failed', 'roots_unsupported', 'roots_cut', 'root_repaired', 'answer_stale', 'answer_unexpected', 'selected_root_left', 'too_many_asks', 'logs_dropped']

ProjectDict = TypedDict(
    "ProjectDict",
    {
        # Identity: the same folder has the same key whatever its spelling; lexical, never the real path.
        "key": "str",
        # Short hash of the key, fit for file names.
        "id": "str",
        # The folder's name, or the name it was selected by; as the peer wrote it.
        "name": "str",
        # The name made safe to show: one line, bounded, without control or invisible characters.
        "displayName": "str",
        # The folder on the server's machine, where there is one.
        "path": "NotRequired[str]",
        # The canonical URI, where there is one.
        "uri": "NotRequired[str]",
        # The real path, where a probe told it.
        "realPath": "NotRequired[str]",
        # The source that won.
        "source": "SourceKind",
        # What exactly that source read: a variable, a header, an option, or for `remembered` the first source.
        "via": "NotRequired[str]",
        # The client root it came from.
        "root": "NotRequired[RootRefDict]",
        # The client's other roots, where this one was picked from several.
        "otherRoots": "NotRequired[list[RootRefDict]]",
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
        # The folder on the server's machine, where the URI names one.
        "path": "NotRequired[str]",
    },
)
"""A client root as a project refers to it."""

RootView = TypedDict(
    "RootView",
    {
        # Why it names no folder here, as a stable code.
        "problem": "NotRequired[Reason]",
        # Position in the client's list.
        "index": "int",
        # The URI as the client sent it, made safe to show.
        "uri": "str",
        # The root's own name, made safe to show.
        "name": "NotRequired[str]",
        # The folder on the server's machine, where the URI names one.
        "path": "NotRequired[str]",
    },
)
"""A client root as the roots view shows it."""

Explanation = TypedDict(
    "Explanation",
    {
        # The policy.
        "policy": "str",
        # Why there is no project, as a stable code.
        "code": "NotRequired[Reason]",
        # What happened, where there is no project.
        "message": "NotRequired[str]",
        # What to do next, where there is no project.
        "instruction": "NotRequired[str]",
        # The sources in the policy's order.
        "tried": "list[Tried]",
        # The client's roots.
        "roots": "RootsReport",
        # The client's name for itself, made safe to show.
        "client": "NotRequired[str]",
        # How the client is connected.
        "transport": "Transport",
        # How the client speaks.
        "era": "Era",
        # Answers that came too late to count.
        "staleAnswers": "NotRequired[int]",
        # All of this as a small table.
        "text": "str",
    },
)
"""What every source said."""

Tried = TypedDict(
    "Tried",
    {
        # The source.
        "source": "SourceKind",
        # What exactly it read.
        "via": "NotRequired[str]",
        # What came of it.
        "verdict": "Verdict",
        # What it named, made safe to show.
        "value": "NotRequired[str]",
        # Why it is rejected.
        "reason": "NotRequired[Reason]",
        # More about that reason, as a stable code.
        "detail": "NotRequired[str]",
    },
)
"""What one source said."""

#: What came of a source.
Verdict = Literal['won', 'agrees', 'disagrees', 'absent', 'rejected', 'off', 'notAsked', 'pending']

RootsReport = TypedDict(
    "RootsReport",
    {
        # How current they are.
        "state": "RootsState",
        # The roots, good and bad.
        "available": "NotRequired[list[RootView]]",
        # How many more the client sent than are kept.
        "dropped": "NotRequired[int]",
    },
)
"""The client's roots as far as they are known."""

#: How a client speaks.
Era = Literal['unknown', 'legacy', 'modern']

HostFacts = TypedDict(
    "HostFacts",
    {
        # How paths are spelled on the server's machine.
        "style": "PathStyle",
        # How the client is connected.
        "transport": "NotRequired[Transport]",
        # Whether the client's paths mean the same here; by default true over stdio and false otherwise.
        "local": "NotRequired[bool | None]",
        # Whether a request may be sent outside a client's call; by default true over stdio and false otherwise.
        "push": "NotRequired[bool | None]",
        # The server's environment, or the part of it the policy reads.
        "env": "NotRequired[dict[str, str]]",
        # The server's working directory.
        "cwd": "NotRequired[str | None]",
        # The server's command line, by option name without dashes; a bare flag has an empty value.
        "arguments": "NotRequired[dict[str, str]]",
        # Folders that are nobody's project.
        "excludedDirs": "NotRequired[ExcludedDirs]",
        # Folders the operator confines every project to, with their real paths; none means no such ceiling.
        "allowedDirs": "NotRequired[list[str]]",
        # Where the client's folders are found here (container, WSL); the first entry that matches decides.
        "pathMap": "NotRequired[list[PathMap]]",
        # Whether network shares may be looked at; looking contacts that host.
        "probeShares": "NotRequired[bool]",
    },
)
"""Facts given at construction and replaced whole by an event; never changed by a peer."""

#: How the client is connected.
Transport = Literal['stdio', 'http', 'other']

ExcludedDirs = TypedDict(
    "ExcludedDirs",
    {
        # The user's home; refused itself, not what is below.
        "home": "NotRequired[str]",
        # Temporary folders; refused themselves, not what is below.
        "temporary": "NotRequired[list[str]]",
        # Install folders of programs and plugins; refused with everything below.
        "install": "NotRequired[list[str]]",
    },
)
"""Folders that are nobody's project."""

PathMap = TypedDict(
    "PathMap",
    {
        # The folder as the client spells it.
        "from": "str",
        # How the client spells paths.
        "fromStyle": "PathStyle",
        # The same folder as the server spells it.
        "to": "str",
    },
)
"""One folder of the client and where it is found on the server's machine."""

#: Names the rules a path is read by.
PathStyle = Literal['posix', 'windows']

PartialRequestForm = TypedDict(
    "PartialRequestForm",
    {
        # What precedes the number in a request id; an empty prefix makes the id a number.
        "idPrefix": "NotRequired[str]",
        # Whether an empty `params` object is sent.
        "emptyParams": "NotRequired[bool]",
    },
)
"""How requests for roots look."""

PartialUnsupportedErrors = TypedDict(
    "PartialUnsupportedErrors",
    {
        # These codes do.
        "codes": "NotRequired[list[int]]",
        # So do messages that contain one of these, in any ASCII case.
        "messages": "NotRequired[list[str]]",
    },
)
"""Which errors mean that the client has no roots method."""

PartialRootsRules = TypedDict(
    "PartialRootsRules",
    {
        # When to ask.
        "ask": "NotRequired[Ask]",
        # Whether only a client that declared roots is asked.
        "requireCapability": "NotRequired[bool]",
        # Which root counts.
        "pick": "NotRequired[Pick]",
        # What an unusable root does.
        "onUnusable": "NotRequired[OnUnusable]",
        # What a root that is no `file:` URI does.
        "nonFile": "NotRequired[NonFile]",
        # What an absolute path in place of a URI is.
        "barePaths": "NotRequired[BarePaths]",
        # What a root that is a file stands for.
        "files": "NotRequired[Files]",
        # Whether several roots end the ask, where `pick` is `only`, or give way to the next source.
        "ambiguity": "NotRequired[BadOutcome]",
        # What a change does.
        "onChange": "NotRequired[OnChange]",
        # What a change does while a request is in flight.
        "whileAsking": "NotRequired[WhileAsking]",
        # After how long a list is asked for again.
        "maxAgeMs": "NotRequired[int | None]",
        # After how long an empty list is asked for again.
        "emptyMaxAgeMs": "NotRequired[int | None]",
        # How the requests look.
        "request": "NotRequired[PartialRequestForm]",
        # Which errors mean that the client has no roots method.
        "unsupported": "NotRequired[PartialUnsupportedErrors]",
    },
)
"""How the client's roots are asked for and picked from."""

PartialTiming = TypedDict(
    "PartialTiming",
    {
        # How long one caller waits, and how long a probe stays open.
        "waitMs": "NotRequired[int]",
        # How long a request lives before it is cancelled.
        "lifeMs": "NotRequired[int]",
        # The least time between two requests that changes cause.
        "minIntervalMs": "NotRequired[int]",
        # How many more asks may try after a failure, until the roots change.
        "retries": "NotRequired[int]",
    },
)
"""How long things take, in milliseconds."""

PartialMemory = TypedDict(
    "PartialMemory",
    {
        # Whether the connection's first project stays.
        "pin": "NotRequired[Pin]",
        # Which sources can pin; none means every source of the connection.
        "pinFrom": "NotRequired[list[SourceKind]]",
        # Whether `remembered` keeps a root that a newer list no longer has.
        "keepLostRoot": "NotRequired[bool]",
    },
)
"""What outlives an ask."""

PartialSelection = TypedDict(
    "PartialSelection",
    {
        # What a bare name may be.
        "names": "NotRequired[Names]",
        # How a name must look.
        "nameRule": "NotRequired[NameRule]",
        # Whether a `..` is resolved or refused.
        "traversal": "NotRequired[Traversal]",
        # When the selection must be one of the client's roots, if the client has any.
        "enforceRoots": "NotRequired[EnforceRoots]",
        # What makes it one of them.
        "rootMatch": "NotRequired[RootMatch]",
    },
)
"""What a tool may select."""

PartialLimits = TypedDict(
    "PartialLimits",
    {
        # Bytes of one event; a larger one is misuse, because the host should have cut it off before copying it in.
        "eventBytes": "NotRequired[int]",
        # Roots kept from one list; the rest are counted.
        "roots": "NotRequired[int]",
        # Bytes of one URI, path or other value; a longer one is rejected alone.
        "valueBytes": "NotRequired[int]",
        # Bytes of a root's own name; a longer one is ignored.
        "nameBytes": "NotRequired[int]",
        # Characters of a name shown to a person or a model.
        "nameChars": "NotRequired[int]",
        # Characters of a path or any other value shown to a person or a model.
        "valueChars": "NotRequired[int]",
        # Asks that may wait at the same time; one more is answered at once from what is known.
        "waitingAsks": "NotRequired[int]",
        # Actions one event may cause besides answers; notices give way first.
        "actions": "NotRequired[int]",
        # Disagreements and rejected values remembered per connection, so that each is reported once; more are not reported.
        "reported": "NotRequired[int]",
        # Folders a marker walk looks at, the starting one included.
        "walkLevels": "NotRequired[int]",
    },
)
"""How much of each thing a resolver takes; reaching a bound is visible in the explanation."""

Policy = TypedDict(
    "Policy",
    {
        # A name for logs and snapshots.
        "name": "str",
        # What a reader should know: where the policy departs from the system it follows, and why.
        "notes": "NotRequired[list[str]]",
        # The sources, best first.
        "sources": "list[Source]",
        # How the client's roots are asked for and picked from.
        "roots": "NotRequired[PartialRootsRules]",
        # How long things take.
        "timing": "NotRequired[PartialTiming]",
        # What outlives an ask.
        "memory": "NotRequired[PartialMemory]",
        # What a tool may select.
        "selection": "NotRequired[PartialSelection]",
        # Where a project's name comes from.
        "nameFrom": "NotRequired[NameFrom]",
        # Whether a notice tells when a source that lost names another project.
        "reportDisagreement": "NotRequired[bool]",
        # Texts to show beside certain results.
        "hints": "NotRequired[list[Hint]]",
        # What to do for a certain client or transport when nothing was found; the first match is `{advice}` in texts.
        "advice": "NotRequired[list[Advice]]",
        # Message templates that replace the standard ones.
        "texts": "NotRequired[dict[str, str]]",
        # Bounds on what a peer can grow.
        "limits": "NotRequired[PartialLimits]",
    },
)
"""How a server finds its project."""

Source = TypedDict(
    "Source",
    {
        # The kind of source.
        "from": "SourceKind",
        # What to read, in order: header or query names, JSON pointers into `_meta`, variables, or for `configured` command line options and, with a leading `$`, variables.
        "read": "NotRequired[list[str]]",
        # What the value looks like.
        "format": "NotRequired[Format]",
        # What must be on disk.
        "verify": "NotRequired[Verify]",
        # What happens to a relative path.
        "relative": "NotRequired[Relative]",
        # Which places are refused; by default all for sources nobody chose on purpose (`meta`, `roots`, `remembered`, `env`, `cwd`), none for the others.
        "excludedDirs": "NotRequired[ExcludedDirsRule | None]",
        # What a bad value does; by default it ends the ask for `host`, `argument`, `header` and `query`, and gives way to the next source for the others.
        "onBad": "NotRequired[OnBad]",
        # The HTTP status of a bad value that ends the ask.
        "status": "NotRequired[int | None]",
        # A walk from the value up to a marked folder.
        "refine": "NotRequired[Markers | None]",
        # When the source counts at all.
        "when": "NotRequired[When]",
        # How often the disk is looked at.
        "recheck": "NotRequired[Recheck]",
    },
)
"""One source: where a value is read and how it is judged."""

#: The kinds of sources.
SourceKind = Literal['host', 'argument', 'header', 'query', 'meta', 'selected', 'configured', 'roots', 'remembered', 'env', 'cwd']

#: What a value looks like.
Format = Literal['pathOrUri', 'name', 'any', 'list']

#: What must be on disk.
Verify = Literal['none', 'exists', 'directory']

#: What happens to a relative path.
Relative = Literal['refuse', 'cwd']

#: Which places are refused.
ExcludedDirsRule = Literal['allow', 'named', 'refuse']

OnBad = TypedDict(
    "OnBad",
    {
        # For every reason not named.
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
        "excluded_dir": "NotRequired[Literal['next', 'error']]",
        "nameless": "NotRequired[Literal['next', 'error']]",
        "no_marker": "NotRequired[Literal['next', 'error']]",
        "invalid_name": "NotRequired[Literal['next', 'error']]",
        "empty": "NotRequired[Literal['next', 'error']]",
        "traversal": "NotRequired[Literal['next', 'error']]",
        "not_in_roots": "NotRequired[Literal['next', 'error']]",
        "no_roots": "NotRequired[Literal['next', 'error']]",
        "immutable": "NotRequired[Literal['next', 'error']]",
        "pass_each_call": "NotRequired[Literal['next', 'error']]",
    },
)
"""What a bad value does."""

#: The two things a bad value can do.
BadOutcome = Literal['next', 'error']

Markers = TypedDict(
    "Markers",
    {
        # Groups of markers, best first; within a group the nearest folder wins.
        "tiers": "list[Tier]",
        # How many folders are looked at, the starting one included.
        "levels": "NotRequired[int]",
        # What happens when no folder is marked.
        "otherwise": "NotRequired[Unmarked]",
    },
)
"""A walk from a folder up to a marked one."""

Tier = TypedDict(
    "Tier",
    {
        # File or folder names.
        "names": "list[str]",
        # How many of them must be there.
        "atLeast": "NotRequired[int]",
    },
)
"""A group of markers."""

#: What happens when no folder is marked.
Unmarked = Literal['reject', 'start']

When = TypedDict(
    "When",
    {
        # Only over these transports; none means any.
        "transports": "NotRequired[list[Transport]]",
        # Only when the client's paths mean the same here.
        "local": "NotRequired[bool]",
        # Only when the command line has this option.
        "argument": "NotRequired[str]",
    },
)
"""When a source counts."""

#: How often the disk is looked at.
Recheck = Literal['onChange', 'eachAsk']

RootsRules = TypedDict(
    "RootsRules",
    {
        # When to ask.
        "ask": "Ask",
        # Whether only a client that declared roots is asked.
        "requireCapability": "bool",
        # Which root counts.
        "pick": "Pick",
        # What an unusable root does.
        "onUnusable": "OnUnusable",
        # What a root that is no `file:` URI does.
        "nonFile": "NonFile",
        # What an absolute path in place of a URI is.
        "barePaths": "BarePaths",
        # What a root that is a file stands for.
        "files": "Files",
        # Whether several roots end the ask, where `pick` is `only`, or give way to the next source.
        "ambiguity": "BadOutcome",
        # What a change does.
        "onChange": "OnChange",
        # What a change does while a request is in flight.
        "whileAsking": "WhileAsking",
        # After how long a list is asked for again.
        "maxAgeMs": "int | None",
        # After how long an empty list is asked for again.
        "emptyMaxAgeMs": "int | None",
        # How the requests look.
        "request": "NotRequired[PartialRequestForm]",
        # Which errors mean that the client has no roots method.
        "unsupported": "NotRequired[PartialUnsupportedErrors]",
    },
)
"""How the client's roots are asked for and picked from."""

#: When roots are asked for.
Ask = Literal['eager', 'lazy', 'eachRequest', 'never']

#: Which root counts.
Pick = Literal['first', 'only', 'chosen']

#: What an unusable root does.
OnUnusable = Literal['accept', 'nextRoot', 'nextSource', 'error']

#: What a root that is no `file:` URI does.
NonFile = Literal['skip', 'nextSource', 'error', 'nameOnly']

#: What an absolute path in place of a URI is.
BarePaths = Literal['repair', 'refuse']

#: What a root that is a file stands for.
Files = Literal['parent', 'refuse']

#: What `list_changed` does.
OnChange = Literal['ignore', 'invalidate', 'refetch']

#: What `list_changed` does while a request is in flight.
WhileAsking = Literal['coalesce', 'drop']

RequestForm = TypedDict(
    "RequestForm",
    {
        # What precedes the number in a request id; an empty prefix makes the id a number.
        "idPrefix": "str",
        # Whether an empty `params` object is sent.
        "emptyParams": "bool",
    },
)
"""How requests for roots look."""

UnsupportedErrors = TypedDict(
    "UnsupportedErrors",
    {
        # These codes do.
        "codes": "list[int]",
        # So do messages that contain one of these, in any ASCII case.
        "messages": "list[str]",
    },
)
"""Which errors mean that the client has no roots method."""

Timing = TypedDict(
    "Timing",
    {
        # How long one caller waits, and how long a probe stays open.
        "waitMs": "int",
        # How long a request lives before it is cancelled.
        "lifeMs": "int",
        # The least time between two requests that changes cause.
        "minIntervalMs": "int",
        # How many more asks may try after a failure, until the roots change.
        "retries": "int",
    },
)
"""How long things take, in milliseconds."""

Memory = TypedDict(
    "Memory",
    {
        # Whether the connection's first project stays.
        "pin": "Pin",
        # Which sources can pin; none means every source of the connection.
        "pinFrom": "list[SourceKind]",
        # Whether `remembered` keeps a root that a newer list no longer has.
        "keepLostRoot": "bool",
    },
)
"""What outlives an ask."""

#: Whether the connection's first project stays.
Pin = Literal['no', 'sticky', 'immutable']

Selection = TypedDict(
    "Selection",
    {
        # What a bare name may be.
        "names": "Names",
        # How a name must look.
        "nameRule": "NameRule",
        # Whether a `..` is resolved or refused.
        "traversal": "Traversal",
        # When the selection must be one of the client's roots, if the client has any.
        "enforceRoots": "EnforceRoots",
        # What makes it one of them.
        "rootMatch": "RootMatch",
    },
)
"""What a tool may select."""

#: What a bare name may be.
Names = Literal['roots', 'any']

#: How a name must look.
NameRule = Literal['any', 'word']

#: Whether a `..` is resolved or refused.
Traversal = Literal['resolve', 'refuse']

#: When a selection must be one of the client's roots.
EnforceRoots = Literal['off', 'onSelect', 'always']

#: What makes a selection one of the roots.
RootMatch = Literal['key', 'exactUri', 'inside']

#: Where a project's name comes from.
NameFrom = Literal['basename', 'rawBasename', 'rootName']

Hint = TypedDict(
    "Hint",
    {
        # When one of these sources won.
        "sources": "list[SourceKind]",
        # Whether a connection gets it only once.
        "once": "NotRequired[bool]",
        # The text.
        "text": "str",
    },
)
"""A text to show beside certain results."""

Advice = TypedDict(
    "Advice",
    {
        # The client's name, with `*` at the end for any that begins so; none means any client.
        "client": "NotRequired[str | None]",
        # The transport; none means any.
        "transport": "NotRequired[Transport | None]",
        # The text.
        "text": "str",
    },
)
"""What to do for a certain client or transport."""

Limits = TypedDict(
    "Limits",
    {
        # Bytes of one event; a larger one is misuse, because the host should have cut it off before copying it in.
        "eventBytes": "int",
        # Roots kept from one list; the rest are counted.
        "roots": "int",
        # Bytes of one URI, path or other value; a longer one is rejected alone.
        "valueBytes": "int",
        # Bytes of a root's own name; a longer one is ignored.
        "nameBytes": "int",
        # Characters of a name shown to a person or a model.
        "nameChars": "int",
        # Characters of a path or any other value shown to a person or a model.
        "valueChars": "int",
        # Asks that may wait at the same time; one more is answered at once from what is known.
        "waitingAsks": "int",
        # Actions one event may cause besides answers; notices give way first.
        "actions": "int",
        # Disagreements and rejected values remembered per connection, so that each is reported once; more are not reported.
        "reported": "int",
        # Folders a marker walk looks at, the starting one included.
        "walkLevels": "int",
    },
)
"""How much of each thing a resolver takes; reaching a bound is visible in the explanation."""

RecoverRequest = TypedDict(
    "RecoverRequest",
    {
        # How paths are spelled in the URIs.
        "style": "PathStyle",
        # The session asked for by name; it wins over everything else.
        "sessionId": "NotRequired[str | None]",
        # The project: its root URI, its path, or its key.
        "project": "NotRequired[str | None]",
        # The sessions the host knows, in any order.
        "sessions": "NotRequired[list[SessionRecord]]",
    },
)
"""What is looked for, and where."""

SessionRecord = TypedDict(
    "SessionRecord",
    {
        # The session's id.
        "id": "str",
        # The project it was started in: root URI, path or key; a session without one belongs to no project.
        "project": "NotRequired[str | None]",
        # When it was last used, as a number of any unit; anything else counts as oldest.
        "updatedAt": "NotRequired[Json | None]",
        # Whether it is the project's primary session.
        "pinned": "NotRequired[bool]",
        # Whether it is found only by its id.
        "archived": "NotRequired[bool]",
    },
)
"""A session as the host stores it."""

Recovery = TypedDict(
    "Recovery",
    {
        # How it was found, or why not.
        "outcome": "RecoveryOutcome",
        # The session's id.
        "sessionId": "NotRequired[str]",
        # Whether the session was started in another project than the one given; worth a line in the log.
        "otherProject": "bool",
        # The project's sessions, best first, for somebody who wants to choose.
        "candidates": "list[str]",
    },
)
"""What was found."""

#: How a session was found, or why not.
RecoveryOutcome = Literal['explicit', 'pinned', 'newest', 'unknown_id', 'no_session', 'no_project']

#: Why a value is not taken or an ask has no project; the serialised form is the stable code.
Reason = Literal['no_project', 'ambiguous', 'not_chosen', 'closed', 'placeholder', 'relative', 'invalid', 'not_file_uri', 'too_long', 'missing', 'not_directory', 'unreadable', 'unconfirmed', 'outside', 'excluded_dir', 'nameless', 'no_marker', 'invalid_name', 'empty', 'traversal', 'not_in_roots', 'no_roots', 'immutable', 'pass_each_call']

#: Names the reason a URI or a path is refused.  The message never repeats the refused text; `code`(Self::code) is stable across releases.
Refusal = Literal['not_file_uri', 'relative', 'empty_path', 'encoded_separator', 'nul', 'control', 'outer_blank', 'malformed_percent', 'invalid_utf8', 'remote_host', 'invalid_host', 'query_or_fragment', 'backslash', 'no_drive', 'drive_relative', 'drive_on_posix', 'drive_like_component', 'drive_not_first', 'device_namespace', 'bad_unc', 'unc_escape', 'leading_double_slash', 'ambiguous_dots', 'outside', 'alternate_stream']

#: The end of one ask.
Answer = Union['AnswerResolved', 'AnswerSelected', 'AnswerListed', 'AnswerNeedsInput', 'AnswerRefused', 'AnswerUnresolved']
