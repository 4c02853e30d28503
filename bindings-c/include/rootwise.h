/* Rootwise: which project is this MCP client working in?
 *
 * JSON text in, JSON text out. Events, actions and all other shapes are in tests/vectors/README.md.
 *
 * Texts in are UTF-8, given as address and number of bytes; nothing of them is kept after the call, and no zero byte
 * is needed at their end. Texts out belong to the caller, are never empty, have no zero byte at their end, and go
 * back through rootwise_text_free.
 *
 * What goes wrong is the text {"error": {"code", "message"}}, and then nothing changed. Codes are stable. Null
 * pointers and bytes that are no UTF-8 are such errors too, never a crash. A resolver that breaks down is dead: it
 * answers every call with the code "dead" until it is closed, and harms nobody else.
 *
 * A resolver may move between threads, but only one may use it at a time. Different resolvers are independent.
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

/* Takes {"policy"?: {...}, "host": {...}}; without a policy it is the recommended one. Gives {"deadline", "project"}
 * and the resolver, or an error and a null pointer. */
rootwise_text rootwise_open(const char *options, size_t options_len, rootwise_resolver **resolver);

/* Goes on with a saved connection. The prefix for request ids may be a null pointer: then it stays as it was. Gives
 * the same as rootwise_open. */
rootwise_text rootwise_restore(const char *snapshot, size_t snapshot_len, const char *options, size_t options_len,
                               double now, const char *id_prefix, size_t id_prefix_len, rootwise_resolver **resolver);

/* Takes one event and the time: whole milliseconds of any clock that only goes forward. Gives {"actions",
 * "deadline", "project"?}; do the actions in order, and pass {"type":"deadlineReached"} when the deadline comes
 * before the next event. The project is there only where it changed. */
rootwise_text rootwise_handle(rootwise_resolver *resolver, const char *event, size_t event_len, double now);

/* Gives why it is this project; the member "text" is a small table for people. */
rootwise_text rootwise_explain(rootwise_resolver *resolver);

/* Gives the state of the connection, for rootwise_restore. */
rootwise_text rootwise_snapshot(rootwise_resolver *resolver);

/* Frees the resolver. Like free(): once, and a null pointer is no harm. The other functions answer a null pointer
 * with the code "used_after_close". */
void rootwise_close(rootwise_resolver *resolver);

/* Calls a function that needs no resolver, such as {"fileUriToPath": {"uri": "file:///a%20b", "style": "posix"}}. Gives
 * {"value"}. The functions are in bindings-wasm/PLAIN.md. */
rootwise_text rootwise_call(const char *call, size_t call_len);

/* Frees a text, once. A text whose ptr is null is no harm. */
void rootwise_text_free(rootwise_text text);

#ifdef __cplusplus
}
#endif

#endif
