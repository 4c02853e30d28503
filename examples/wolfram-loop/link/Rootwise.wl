(* Rootwise in the Wolfram Language: the library behind LibraryLink, and an MCP server over standard input and output. Put the
   library that the Makefile builds where FindLibrary finds it, then:

     policy = Import[ "wolfram.json", "RawJSON" ];
     RootwiseServe[ <| "directory" -> <| "description" -> "The directory of evaluations", "run" -> (Directory[ ] &) |> |>, policy ]

   A tool is a function of its arguments. It runs in the folder of the client's project, if there is one. It must not print,
   because standard output belongs to the protocol.

   The file uses only a part of the language, so that Mathics3 can run it too. *)
BeginPackage[ "Rootwise`" ];

RootwiseServe::usage = "RootwiseServe[tools, policy] serves MCP on standard input and output until the input ends.";
RootwiseOpen::usage = "RootwiseOpen[options] opens a resolver or an endpoint.";
RootwiseHandle::usage = "RootwiseHandle[machine, event] passes an event to a machine and returns the actions and the next deadline.";
RootwiseClose::usage = "RootwiseClose[machine] frees a machine.";
RootwiseCall::usage = "RootwiseCall[name, arguments] calls a function that needs no machine, such as \"fileUriToPath\".";

Begin[ "`Private`" ];

(* The library. Texts are Unicode on this side, and UTF-8 on the other side and in JSON. *)

$library = "rootwise_link";

link[ name_, arguments_, result_ ] := link[ name, arguments, result ] =
    LibraryFunctionLoad[ $library, "rootwise_link_" <> name, arguments, result ];

toJSON[ value_ ] := ByteArrayToString @ ExportByteArray[ value, "RawJSON", "Compact" -> True ];
fromJSON[ text_ ] := ImportByteArray[ StringToByteArray @ text, "RawJSON" ];

(* An error of the library is a Failure with its stable code. *)
checked[ reply_ ] := With[ { error = get[ reply, "error" ] },
    If[ AssociationQ @ error, Failure[ error[ "code" ], <| "MessageTemplate" -> error[ "message" ] |> ], reply ]
];

get[ value_Association, key_, default_ ] := If[ MemberQ[ Keys @ value, key ], value[ key ], default ];
get[ _, _, default_ ] := default;
get[ value_, key_ ] := get[ value, key, Null ];

$style := If[ $OperatingSystem === "Windows", "windows", "posix" ];
$last = 0;

RootwiseOpen[ options_Association ] := Module[ { number, host, reply },
    number = Mod[ $last, 64 ] + 1;
    $last = $last + 1;
    host = Join[ <| "style" -> $style, "transport" -> "stdio" |>, get[ options, "host", <| |> ] ];
    reply = checked @ fromJSON @ link[ "open", { Integer, "UTF8String" }, "UTF8String" ][
        number, toJSON @ Join[ options, <| "host" -> host |> ]
    ];
    If[ Head @ reply === Failure, reply, number ]
];

RootwiseHandle[ machine_Integer, event_Association ] := checked @ fromJSON @
    link[ "handle", { Integer, "UTF8String", Real }, "UTF8String" ][ machine, toJSON @ event, link[ "now", { }, Real ][ ] ];

RootwiseClose[ machine_Integer ] := (link[ "close", { Integer }, Integer ][ machine ];);

RootwiseCall[ name_String, arguments_Association ] := With[
    { reply = checked @ fromJSON @ link[ "call", { "UTF8String" }, "UTF8String" ][ toJSON @ <| name -> arguments |> ] },
    If[ Head @ reply === Failure, reply, reply[ "value" ] ]
];

(* The loop. One line or deadline at a time becomes an event. Actions may cause further events, which are queued, so that no
   function is entered twice. *)

RootwiseServe[ tools_Association, policy_Association ] := Module[ { opened },
    opened = RootwiseOpen @ <| "machine" -> "endpoint", "policy" -> policy |>;
    If[ Head @ opened === Failure,
        opened,
        $machine = opened; $tools = tools; $deadline = Null; $events = { }; $calls = 0;
        Clear[ waiting ];
        tell @ <| "type" -> "sessionOpened", "session" -> 1, "transport" -> "stdio" |>;
        While[ turn @ link[ "read", { Real }, "UTF8String" ][ If[ NumberQ @ $deadline, 1. * $deadline, -1. ] ] ];
        tell @ <| "type" -> "sessionClosed", "session" -> 1 |>;
        RootwiseClose @ $machine;
    ]
];

turn[ input_ ] := Which[
    input === "end:", False,
    input === "timeout:", tell @ <| "type" -> "deadlineReached" |>; True,
    input === "too_long:", fail[ <| |>, -32600, "The message is too large" ]; True,
    True, tell @ <| "type" -> "message", "session" -> 1, "text" -> StringDrop[ input, StringLength @ "line:" ] |>; True
];

tell[ event_ ] := (
    happened @ event;
    While[ $events =!= { },
        With[ { reply = RootwiseHandle[ $machine, First @ $events ] },
            $events = Rest @ $events;
            If[ Head @ reply === Failure,
                note[ reply[[ 1 ]], get[ reply[[ 2 ]], "MessageTemplate" ] ],
                $deadline = get[ reply, "deadline" ];
                Scan[ perform[ get[ #, "type" ], # ] &, get[ reply, "actions", { } ] ]
            ]
        ]
    ]
);

happened[ event_ ] := ($events = Append[ $events, event ];);

say[ text_ ] := (link[ "write", { Integer, "UTF8String" }, Integer ][ 1, text ];);
note[ code_, text_ ] := (link[ "write", { Integer, "UTF8String" }, Integer ][ 2, code <> ": " <> text ];);

(* Actions. *)

perform[ "forward", action_ ] := If[ MemberQ[ { "request", "batch" }, get[ action, "kind" ] ], receive @ fromJSON @ get[ action, "text" ] ];
perform[ "sendRequest", action_ ] := say @ get[ action, "message" ];
perform[ "cancel", action_ ] := If[ StringQ @ get[ action, "message" ], say @ get[ action, "message" ] ];
perform[ "probe", action_ ] := happened @ <|
    "type" -> "probed", "probe" -> get[ action, "probe" ],
    "paths" -> (<| "path" -> get[ #, "path" ], "found" -> look @ get[ #, "path" ] |> & /@ get[ action, "paths" ])
|>;
perform[ "announce", action_ ] := With[ { path = get[ get[ action, "to" ], "path" ] }, If[ StringQ @ path, enter @ path ] ];
perform[ "answer", action_ ] := Scan[ answer[ #, action ] &, get[ action, "asks" ] ];
perform[ "callResult", action_ ] := With[ { call = get[ action, "call" ], questions = get[ action, "inputRequests" ] },
    If[ AssociationQ @ questions,
        reply[ waiting[ call ], "result", dropNulls @ <|
            "resultType" -> "input_required", "inputRequests" -> questions, "requestState" -> get[ action, "requestState" ]
        |> ]
    ];
    end @ call
];
perform[ "log", action_ ] := note[ get[ action, "code" ], get[ action, "message" ] ];
perform[ _, _ ] := Null;

look[ path_ ] := Switch[ FileType @ path, Directory, "directory", None, "missing", _, "file" ];

enter[ path_ ] := If[ ! StringQ @ Quiet @ SetDirectory @ path, note[ "ApplyRootsFailed", path ] ];

(* Messages. The requests of a batch are answered in one line, when all replies are known. *)

requestQ[ message_ ] := StringQ @ get[ message, "method" ] && get[ message, "id" ] =!= Null;

receive[ message_Association ] := If[ requestQ @ message, serve @ <| "message" -> message |> ];
receive[ batch_List ] := With[ { requests = Select[ batch, requestQ ] }, Module[ { replies },
    replies[ "size" ] = Length @ requests;
    replies[ "all" ] = { };
    Scan[ serve @ <| "message" -> #, "batch" -> replies |> &, requests ]
] ];
receive[ _ ] := Null;

reply[ request_, member_, body_ ] := With[
    { line = <| "jsonrpc" -> "2.0", "id" -> get[ get[ request, "message" ], "id" ], member -> body |>, batch = get[ request, "batch" ] },
    If[ batch === Null,
        say @ toJSON @ line,
        batch[ "all" ] = Append[ batch[ "all" ], line ];
        If[ Length @ batch[ "all" ] === batch[ "size" ], say @ toJSON @ batch[ "all" ] ]
    ]
];

fail[ request_, code_, text_ ] := reply[ request, "error", <| "code" -> code, "message" -> text |> ];

params[ request_ ] := get[ get[ request, "message" ], "params" ];
meta[ request_ ] := get[ params @ request, "_meta" ];
modernQ[ request_ ] := StringQ @ get[ meta @ request, "io.modelcontextprotocol/protocolVersion" ];

(* A client of 2026-07-28 wants to know that a result is complete, and how long it may keep a list. *)
succeed[ request_, result_, lasts_ ] := reply[ request, "result", If[ modernQ @ request,
    Join[ result, <| "resultType" -> "complete" |>, If[ lasts, <| "ttlMs" -> 3600000, "cacheScope" -> "public" |>, <| |> ] ],
    result
] ];

dropNulls[ value_Association ] := Join @@ (If[ value[ # ] === Null, <| |>, <| # -> value[ # ] |> ] & /@ Keys @ value);

$revisions = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };
$server = <| "name" -> "wolfram-rootwise", "version" -> "1.0.0" |>;
$capabilities = <| "tools" -> <| |> |>;

serve[ request_ ] := serve[ get[ get[ request, "message" ], "method" ], request ];
serve[ "initialize", request_ ] := With[ { asked = get[ params @ request, "protocolVersion" ] },
    succeed[ request, <|
        "protocolVersion" -> If[ MemberQ[ $revisions, asked ], asked, First @ $revisions ],
        "capabilities" -> $capabilities, "serverInfo" -> $server
    |>, False ]
];
serve[ "server/discover", request_ ] := succeed[ request, <|
    "supportedVersions" -> { "2026-07-28" }, "capabilities" -> $capabilities,
    "_meta" -> <| "io.modelcontextprotocol/serverInfo" -> $server |>
|>, True ];
serve[ "ping", request_ ] := succeed[ request, <| |>, False ];
serve[ "tools/list", request_ ] := succeed[ request, <| "tools" -> (tool /@ Keys @ $tools) |>, True ];
serve[ "tools/call", request_ ] := If[ AssociationQ @ get[ $tools, get[ params @ request, "name" ] ],
    $calls = $calls + 1;
    waiting[ $calls ] = request;
    happened @ dropNulls @ <|
        "type" -> "callStarted", "call" -> $calls, "session" -> 1, "method" -> "tools/call", "meta" -> meta @ request,
        "inputResponses" -> get[ params @ request, "inputResponses" ], "requestState" -> get[ params @ request, "requestState" ]
    |>;
    happened @ <| "type" -> "asked", "ask" -> $calls, "call" -> $calls |>,
    fail[ request, -32602, "Unknown tool" ]
];
serve[ _, request_ ] := fail[ request, -32601, "Method not found" ];

tool[ name_ ] := With[ { described = $tools[ name ] }, <|
    "name" -> name, "description" -> get[ described, "description", name ],
    "inputSchema" -> get[ described, "inputSchema", <| "type" -> "object" |> ]
|> ];

(* Calls. The ask has the number of its call. *)

answer[ call_, action_ ] := If[ get[ action, "outcome" ] === "needsInput",
    happened @ <| "type" -> "callReturned", "call" -> call, "inputRequired" -> False |>,
    run[ waiting[ call ], get[ get[ action, "project" ], "path" ] ];
    end @ call
];

(* Runs a tool in the folder of its call, and returns to the directory of the server. *)
run[ request_, path_ ] := Module[ { before = Directory[ ], result },
    If[ StringQ @ path, enter @ path ];
    result = Quiet[ get[ $tools[ get[ params @ request, "name" ] ], "run" ][ get[ params @ request, "arguments", <| |> ] ] ];
    If[ StringQ @ path, SetDirectory @ before ];
    succeed[ request, <|
        "content" -> { <| "type" -> "text", "text" -> If[ StringQ @ result, result, ToString @ result ] |> },
        "isError" -> (result === $Failed || Head @ result === Failure)
    |>, False ]
];

end[ call_ ] := (waiting[ call ] =.; happened @ <| "type" -> "callEnded", "call" -> call |>;);

End[ ];
EndPackage[ ];
