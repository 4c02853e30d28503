/* Rootwise: which project is this MCP client working in?
 *
 * JSON text in, JSON text out. Events, actions and all other shapes are in tests/vectors/README.md.
 *
 * Input texts are UTF-8, passed as an address and a number of bytes; they need no terminating zero byte, and the
 * library does not keep them after the call. Output texts belong to the caller, are never empty and have no
 * terminating zero byte; free them with rootwise_text_free.
 *
 * A failed call returns the text {"error": {"code", "message"}} and changes nothing. Codes are stable. Null pointers
 * and bytes that are not UTF-8 are such errors too, never a crash. A resolver that panicked is dead: it answers every
 * call with the code "dead" until it is closed. Other resolvers are not affected.
 *
 * A resolver may move between threads, but only one thread may use it at a time. Different resolvers are independent.
 */
#ifndef ROOTWISE_H
#define ROOTWISE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One client connection. */
typedef struct rootwise_resolver rootwise_resolver;

typedef struct {
    char *ptr;
    size_t len;
} rootwise_text;

/* Opens a resolver from {"policy"?: {...}, "host": {...}, "snapshotKey"?: "..."}; the default policy is the recommended one. Returns
 * {"deadline", "project", "eventBytes"} and the resolver, or an error and a null pointer. */
rootwise_text rootwise_open(const char *options, size_t options_len, rootwise_resolver **resolver);

/* Restores a saved connection. If the prefix for request ids is a null pointer, the prefix does not change. Returns
 * the same as rootwise_open. */
rootwise_text rootwise_restore(const char *snapshot, size_t snapshot_len, const char *options, size_t options_len,
                               double now, const char *id_prefix, size_t id_prefix_len, rootwise_resolver **resolver);

/* Processes one event at a time in whole milliseconds of any clock that only goes forward. Returns {"actions",
 * "deadline", "project"?}; perform the actions in order, and pass {"type":"deadlineReached"} when the deadline comes
 * before the next event. "project" is present only if it changed. */
rootwise_text rootwise_handle(rootwise_resolver *resolver, const char *event, size_t event_len, double now);

/* Returns the explanation of the current project; the member "text" is a small table for people. */
rootwise_text rootwise_explain(rootwise_resolver *resolver);

/* Returns the state of the connection, for rootwise_restore. */
rootwise_text rootwise_snapshot(rootwise_resolver *resolver);

/* Frees the resolver. As with free(), call it once; a null pointer is allowed. The other functions answer a null
 * pointer with the code "used_after_close". */
void rootwise_close(rootwise_resolver *resolver);

/* Calls a function that needs no resolver, such as {"fileUriToPath": {"uri": "file:///a%20b", "style": "posix"}}.
 * Returns {"value"}. bindings-wasm/PLAIN.md lists the functions. */
rootwise_text rootwise_call(const char *call, size_t call_len);

/* Frees a text; call it once. A text whose ptr is null is allowed. */
void rootwise_text_free(rootwise_text text);

#ifdef __cplusplus
}
#endif

#endif
