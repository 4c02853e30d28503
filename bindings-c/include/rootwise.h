/* Rootwise: which project is this MCP client working in?
 *
 * JSON text in, JSON text out. Events, actions and all other shapes are in tests/vectors/README.md.
 *
 * Input texts are UTF-8, passed as an address and a number of bytes; they need no terminating zero byte, and the
 * library does not keep them after the call. Output texts belong to the caller, are never empty and have no
 * terminating zero byte; free them with rootwise_text_free.
 *
 * A failed call returns the text {"error": {"code", "message"}} and changes nothing. Codes are stable. Null pointers
 * and bytes that are not UTF-8 are such errors too, never a crash. A machine that panicked is dead: it answers every
 * call with the code "dead" until it is closed. Other machines are not affected.
 *
 * A machine may move between threads, but only one thread may use it at a time. Different machines are independent.
 */
#ifndef ROOTWISE_H
#define ROOTWISE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A resolver, the project of one client connection; or an endpoint, the projects of all clients of a server with everything
 * around them that has a rule (docs/endpoint.md). */
typedef struct rootwise_machine rootwise_machine;

typedef struct {
    char *ptr;
    size_t len;
} rootwise_text;

/* Opens a resolver from {"policy"?: {...}, "host": {...}, "snapshotKey"?: "..."}, or an endpoint from {"machine": "endpoint",
 * "policy"?: {...}, "host": {...}, "rootsWatched"?: false}; the default policy is the recommended one. Returns {"deadline", ...}
 * and the machine, or an error and a null pointer. */
rootwise_text rootwise_open(const char *options, size_t options_len, rootwise_machine **machine);

/* Restores a saved connection as a resolver; an endpoint restores a session by the event that opens it. If the prefix for request ids is a null pointer, the prefix does not change. Returns
 * the same as rootwise_open. */
rootwise_text rootwise_restore(const char *snapshot, size_t snapshot_len, const char *options, size_t options_len,
                               double now, const char *id_prefix, size_t id_prefix_len, rootwise_machine **machine);

/* Processes one event at a time in whole milliseconds of any clock that only goes forward. Returns {"actions",
 * "deadline", "project"?}; perform the actions in order, and pass {"type":"deadlineReached"} when the deadline comes
 * before the next event. "project" is present only if it changed. */
rootwise_text rootwise_handle(rootwise_machine *machine, const char *event, size_t event_len, double now);

/* Returns the explanation of the current project; the member "text" is a small table for people. The session is 0 for a
 * resolver. */
rootwise_text rootwise_explain(rootwise_machine *machine, uint32_t session);

/* Returns the state of the connection, for rootwise_restore, or of a session of an endpoint. The session is 0 for a resolver. */
rootwise_text rootwise_snapshot(rootwise_machine *machine, uint32_t session);

/* Frees the machine. As with free(), call it once; a null pointer is allowed. The other functions answer a null
 * pointer with the code "used_after_close". */
void rootwise_close(rootwise_machine *machine);

/* Calls a function that needs no machine, such as {"fileUriToPath": {"uri": "file:///a%20b", "style": "posix"}}.
 * Returns {"value"}. bindings-wasm/PLAIN.md lists the functions. */
rootwise_text rootwise_call(const char *call, size_t call_len);

/* Frees a text; call it once. A text whose ptr is null is allowed. */
void rootwise_text_free(rootwise_text text);

#ifdef __cplusplus
}
#endif

#endif
