(* Rootwise in the Wolfram Language. Put the library that the Makefile builds where FindLibrary finds it, then:

     client = RootwiseOpen[ Import[ "wolfram.json", "RawJSON" ] ];
     RootwiseHandle[ client, <| "type" -> "message", "text" -> line |> ]

   RootwiseHandle returns the actions, as associations. *)
BeginPackage[ "Rootwise`" ];

RootwiseOpen::usage = "RootwiseOpen[policy] opens a resolver for one client.";
RootwiseHandle::usage = "RootwiseHandle[client, event] passes an event to a resolver and returns the actions and the next deadline.";
RootwiseClose::usage = "RootwiseClose[client] frees a resolver.";
RootwiseCall::usage = "RootwiseCall[name, arguments] calls a function that needs no resolver, such as \"fileUriToPath\".";
RootwiseDirectory::usage = "RootwiseDirectory[actions] applies the project of an announcement with SetDirectory; otherwise the directory stays.";

Begin[ "`Private`" ];

$library = "rootwise_link";

link[ name_, arguments_, result_ ] := link[ name, arguments, result ] =
    LibraryFunctionLoad[ $library, "rootwise_link_" <> name, arguments, result ];

toJSON[ value_ ] := ExportString[ value, "RawJSON", "Compact" -> True ];
fromJSON[ text_ ] := ImportString[ text, "RawJSON" ];

(* An error of the library is a Failure with its stable code. *)
checked[ reply: KeyValuePattern[ "error" -> error_ ] ] := Failure[ error[ "code" ], <| "MessageTemplate" -> error[ "message" ] |>];
checked[ reply_ ] := reply;

$style := If[ $OperatingSystem === "Windows", "windows", "posix" ];
$last = 0;

RootwiseOpen[ policy_Association, host_Association: <| |> ] :=
    Module[ { number, reply },
        number = Mod[ $last++, 64 ] + 1;
        reply = checked @ fromJSON @ link[ "open", { Integer, "UTF8String" }, "UTF8String" ][
            number,
            toJSON @ <| "policy" -> policy, "host" -> <| "style" -> $style, "transport" -> "stdio", host |> |>
        ];
        If[ FailureQ @ reply, reply, number ]
    ];

RootwiseHandle[ client_Integer, event_Association ] :=
    checked @ fromJSON @ link[ "handle", { Integer, "UTF8String", Real }, "UTF8String" ][
        client, toJSON @ event, Floor[ 1000. * AbsoluteTime[ ] ] * 1.
    ];

RootwiseClose[ client_Integer ] := (link[ "close", { Integer }, Integer ][ client ];);

RootwiseCall[ name_String, arguments_Association ] :=
    checked @ fromJSON @ link[ "call", { "UTF8String" }, "UTF8String" ][ toJSON @ <| name -> arguments |> ];

RootwiseDirectory[ KeyValuePattern[ "actions" -> actions_List ] ] :=
    Scan[
        Replace[ #, KeyValuePattern @ { "type" -> "announce", "to" -> KeyValuePattern[ "path" -> path_String ] } :> SetDirectory @ path ] &,
        actions
    ];

End[ ];
EndPackage[ ];
