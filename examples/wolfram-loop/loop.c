/* An MCP server as one loop over stdin: one thread, no SDK, and no code about roots.
 *
 * The resolver receives every line unchanged. It forwards the requests to answer; its other actions are effects.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lines.h"
#include "rootwise.h"

#define MODERN "2026-07-28"
#ifdef _WIN32
#define PATH_STYLE "windows"
#else
#define PATH_STYLE "posix"
#endif
static const char *const legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

static rootwise_machine *resolver;
static double deadline = -1; /* none */
static json_t *events; /* events that the resolver has not received yet */
static json_t *calls; /* tool calls that wait for an answer, by ask */
static json_t *capabilities; /* declared by the client, shown by a tool */
static bool applied = true; /* whether the last chdir succeeded */
static bool waiting; /* whether the client has yet to answer a request */
static bool forwarded; /* whether the last message was not the answer */
static bool asked; /* whether the last message caused a request */
static int drained; /* messages since that request */
static double skipped; /* time that counts as passed */

/* After so many other messages the answer is not awaited any longer, as if its time were up. */
#define MAX_MESSAGES 1000

/* Bytes of a message in the log. */
#define MAX_LOGGED 4096

/* Marks a request of a batch: the batch's replies so far, and the number of those to come. */
#define BATCH "wolfram-loop/batch"

static const char *text(const json_t *object, const char *key) {
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static void record(const char *name, const char *message) {
    fprintf(stderr, "%s: %s\n", name, message);
}

static void write_json(json_t *message) {
    char *line = json_dumps(message, JSON_COMPACT);
    puts(line);
    fflush(stdout);
    free(line);
}

static void write_line(const char *line) {
    puts(line);
    fflush(stdout);
}

static void happened(json_t *event) {
    json_array_append_new(events, event);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return skipped + (double)time.tv_sec * 1000 + (double)(time.tv_nsec / 1000000);
}

/* Answering requests. */

static json_t *meta(json_t *request) {
    return json_object_get(json_object_get(request, "params"), "_meta");
}

/* The revision that a modern client sends with every request; empty for a legacy client. */
static const char *version(json_t *request) {
    return text(meta(request), "io.modelcontextprotocol/protocolVersion");
}

static void reply(json_t *request, const char *member, json_t *body) {
    json_t *id = json_object_get(request, "id"), *batch = json_object_get(request, BATCH);
    json_t *message = json_pack("{s:s, s:O?, s:o}", "jsonrpc", "2.0", "id", id, member, body);
    if (waiting && forwarded) {
        char *line = json_dumps(message, JSON_COMPACT);
        record("InterstitialResponse", line);
        free(line);
    }
    if (batch) {
        json_t *replies = json_object_get(batch, "replies");
        json_array_append(replies, message);
        if (json_array_size(replies) == (size_t)json_integer_value(json_object_get(batch, "size"))) write_json(replies);
    } else {
        write_json(message);
    }
    json_decref(message);
}

static void fail(json_t *request, int code, const char *message, json_t *data) {
    reply(request, "error", json_pack("{s:i, s:s, s:o*}", "code", code, "message", message, "data", data));
}

/* Sends a result; for modern clients it is marked complete and, if it lasts, cacheable. */
static void succeed(json_t *request, json_t *result, bool lasting) {
    if (*version(request)) {
        json_object_set_new(result, "resultType", json_string("complete"));
        if (lasting) json_object_update_new(result, json_pack("{s:i, s:s}", "ttlMs", 3600000, "cacheScope", "public"));
    }
    reply(request, "result", result);
}

static json_t *directory(json_t *answer) {
    char here[PATH_MAX];
    (void)answer;
    return json_string(getcwd(here, sizeof here) ? here : strerror(errno));
}

static json_t *roots(json_t *answer) {
    json_t *known = json_pack("{s:O, s:O, s:O}", "capabilities", capabilities,
                              "state", json_object_get(answer, "state"), "roots", json_object_get(answer, "roots"));
    char *listing = json_dumps(known, JSON_COMPACT);
    json_t *said = json_string(listing);
    free(listing);
    json_decref(known);
    return said;
}

static const struct tool {
    const char *name, *description, *want;
    json_t *(*run)(json_t *answer);
} tools[] = {
    {"directory", "The directory that evaluations run in", "project", directory},
    {"roots", "The roots and capabilities of the client", "roots", roots},
    {NULL, NULL, NULL, NULL},
};

static const struct tool *called(json_t *request) {
    const struct tool *tool = tools;
    while (tool->name && strcmp(tool->name, text(json_object_get(request, "params"), "name")) != 0) tool++;
    return tool->name ? tool : NULL;
}

static void initialize(json_t *request) {
    json_t *params = json_object_get(request, "params");
    const char *chosen = legacy[0];
    for (size_t i = 0; i < sizeof legacy / sizeof *legacy; i++)
        if (strcmp(legacy[i], text(params, "protocolVersion")) == 0) chosen = legacy[i];
    json_decref(capabilities);
    json_t *declared = json_object_get(params, "capabilities");
    capabilities = json_is_object(declared) ? json_incref(declared) : json_object();
    succeed(request, json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}}", "protocolVersion", chosen, "capabilities", "tools",
                               "serverInfo", "name", "wolfram-loop", "version", "1.0.0"), false);
}

static void discover(json_t *request) {
    succeed(request, json_pack("{s:[s], s:{s:{}}, s:{s:{s:s, s:s}}}", "supportedVersions", MODERN,
                               "capabilities", "tools", "_meta", "io.modelcontextprotocol/serverInfo",
                               "name", "wolfram-loop", "version", "1.0.0"), true);
}

static void ping(json_t *request) {
    succeed(request, json_object(), false);
}

static void list_tools(json_t *request) {
    json_t *list = json_array();
    for (const struct tool *tool = tools; tool->name; tool++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:{s:s}}", "name", tool->name,
                                              "description", tool->description, "inputSchema", "type", "object"));
    succeed(request, json_pack("{s:o}", "tools", list), true);
}

/* A call waits for its answer; the loop does not. */
static void call_tool(json_t *request) {
    static json_int_t last;
    char ask[32];
    const struct tool *tool = called(request);
    json_t *params = json_object_get(request, "params");
    if (!tool) {
        fail(request, -32602, "Unknown tool", NULL);
        return;
    }
    snprintf(ask, sizeof ask, "%" JSON_INTEGER_FORMAT, ++last);
    json_object_set(calls, ask, request);
    happened(json_pack("{s:s, s:I, s:s, s:{s:O*, s:O*}}", "type", "asked", "ask", last, "want", tool->want, "facts",
                       "meta", meta(request), "inputResponses", json_object_get(params, "inputResponses")));
}

static const struct method {
    const char *name;
    void (*serve)(json_t *request);
} methods[] = {
    {"initialize", initialize}, {"server/discover", discover}, {"ping", ping},
    {"tools/list", list_tools}, {"tools/call", call_tool},     {NULL, NULL},
};

static void serve(json_t *request) {
    const struct method *method = methods;
    if (*version(request) && strcmp(version(request), MODERN) != 0) {
        fail(request, -32022, "Unsupported protocol version",
             json_pack("{s:[s], s:s}", "supported", MODERN, "requested", version(request)));
        return;
    }
    if (*version(request) && !json_object_get(meta(request), "io.modelcontextprotocol/clientCapabilities")) {
        fail(request, -32602, "Missing client capabilities", NULL);
        return;
    }
    while (method->name && strcmp(method->name, text(request, "method")) != 0) method++;
    if (method->name) method->serve(request);
    else fail(request, -32601, "Method not found", NULL);
}

/* Performing actions. */

static void enter(const char *path) {
    applied = chdir(path) == 0;
    if (!applied) record("ApplyRootsFailed", strerror(errno));
}

/* Runs a tool in the directory of its call and returns to the previous one, since a modern call leaves no state. */
static json_t *run_in(json_t *project, const struct tool *tool, json_t *answer) {
    char before[PATH_MAX];
    bool back = project && getcwd(before, sizeof before);
    if (project) enter(text(project, "path"));
    json_t *said = tool->run(answer);
    if (back && chdir(before) != 0) record("DirectoryLost", strerror(errno));
    return said;
}

static void answer_call(json_t *id, json_t *action) {
    char ask[32];
    snprintf(ask, sizeof ask, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    json_t *request = json_incref(json_object_get(calls, ask));
    json_t *inputs = json_object_get(action, "inputRequests");
    json_object_del(calls, ask);
    if (inputs) {
        reply(request, "result", json_pack("{s:s, s:O}", "resultType", "input_required", "inputRequests", inputs));
    } else {
        json_t *said = run_in(json_object_get(action, "project"), called(request), action);
        succeed(request, json_pack("{s:[{s:s, s:o}]}", "content", "type", "text", "text", said), false);
    }
    json_decref(request);
}

static void answer(json_t *action) {
    size_t index;
    json_t *id;
    json_array_foreach(json_object_get(action, "asks"), index, id) answer_call(id, action);
}

static void announce(json_t *action) {
    json_t *project = json_object_get(action, "to");
    if (json_is_object(project)) enter(text(project, "path"));
}

static void ask_client(json_t *action) {
    record("ServerRequest", text(action, "message"));
    write_line(text(action, "message"));
    waiting = asked = true;
    drained = 0;
}

static void cancel(json_t *action) {
    waiting = false;
    write_line(text(action, "message"));
}

static const char *look(const char *path) {
    struct stat seen;
    if (stat(path, &seen) != 0) return errno == ENOENT || errno == ENOTDIR ? "missing" : "unreadable";
    return S_ISDIR(seen.st_mode) ? "directory" : "file";
}

static void probe(json_t *action) {
    json_t *seen = json_array(), *wanted;
    size_t i;
    json_array_foreach(json_object_get(action, "paths"), i, wanted) {
        const char *path = text(wanted, "path");
        json_array_append_new(seen, json_pack("{s:s, s:s}", "path", path, "found", look(path)));
    }
    happened(json_pack("{s:s, s:O, s:o}", "type", "probed", "probe", json_object_get(action, "probe"), "paths", seen));
}

static bool is_request(const json_t *message) {
    return json_object_get(message, "id") && json_is_string(json_object_get(message, "method"));
}

/* Passes the requests of a line on. Those of a batch are answered in one line, when all replies are known. */
static void each_request(const char *line, size_t len, void (*serve_one)(json_t *request)) {
    json_t *message = json_loadb(line, len, JSON_ALLOW_NUL, NULL), *part;
    size_t i;
    json_int_t size = 0;
    if (is_request(message)) {
        json_object_del(message, BATCH);
        serve_one(message);
    }
    json_array_foreach(message, i, part) size += is_request(part);
    json_t *batch = json_pack("{s:I, s:[]}", "size", size, "replies");
    json_array_foreach(message, i, part) {
        if (!is_request(part)) continue;
        json_object_set(part, BATCH, batch);
        serve_one(part);
    }
    json_decref(batch);
    json_decref(message);
}

static void serve_forwarded(json_t *action) {
    const char *kind = text(action, "kind");
    json_t *line = json_object_get(action, "text");
    forwarded = true;
    if (strcmp(kind, "response") == 0) record("UnexpectedResponse", json_string_value(line));
    each_request(json_string_value(line), json_string_length(line), serve);
}

static void log_line(json_t *action) {
    const char *code = text(action, "code");
    if (strcmp(code, "project_chosen") == 0 && !applied) return;
    if (strcmp(code, "roots_failed") == 0 || strcmp(code, "roots_unsupported") == 0) code = "RootsQueryFailed";
    record(code, text(action, "message"));
}

static void perform(json_t *action) {
    static const struct {
        const char *type;
        void (*perform)(json_t *action);
    } ways[] = {
        {"answer", answer}, {"announce", announce},  {"cancel", cancel}, {"sendRequest", ask_client},
        {"probe", probe},   {"forward", serve_forwarded}, {"log", log_line},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].type, text(action, "type")) == 0) ways[i].perform(action);
}

/* The loop. Events caused by actions are queued, so no function is reentered. */

/* A line that the resolver refused was read by nobody; its requests still get an answer. */
static void refuse(json_t *request) {
    fail(request, -32600, "The message is too large", NULL);
}

static void settle(void) {
    while (json_array_size(events) > 0) {
        json_t *what = json_incref(json_array_get(events, 0)), *line = json_object_get(what, "text");
        char *event = json_dumps(what, JSON_COMPACT);
        json_array_remove(events, 0);
        rootwise_text out = rootwise_handle(resolver, event, strlen(event), now());
        json_t *said = json_loadb(out.ptr, out.len, JSON_ALLOW_NUL, NULL), *action;
        json_t *error = json_object_get(said, "error"), *until = json_object_get(said, "deadline");
        size_t i;
        if (error) record(text(error, "code"), text(error, "message"));
        if (error && line) each_request(json_string_value(line), json_string_length(line), refuse);
        if (!error) deadline = json_is_null(until) ? -1 : json_number_value(until);
        json_array_foreach(json_object_get(said, "actions"), i, action) perform(action);
        json_decref(said);
        json_decref(what);
        rootwise_text_free(out);
        free(event);
    }
}

static void take_line(const char *start, size_t len) {
    json_t *event = json_pack("{s:s, s:s%}", "type", "message", "text", start, len);
    bool awaited = waiting;
    if (!event) return; /* it is not UTF-8 and not a message */
    if (awaited) fprintf(stderr, "DrainRead: %.*s\n", len < MAX_LOGGED ? (int)len : MAX_LOGGED, start);
    forwarded = asked = false;
    happened(event);
    settle();
    /* What the resolver keeps is the answer; what it forwards is not. */
    waiting = asked || (waiting && forwarded);
    if (awaited && waiting && ++drained >= MAX_MESSAGES && deadline >= 0) {
        skipped += deadline - now();
        happened(json_pack("{s:s}", "type", "deadlineReached"));
        settle();
    }
}

static int patience(void) {
    double left = deadline - now();
    return deadline < 0 ? -1 : left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* Processes the next line, or the deadline if it comes first; returns false at the end of input. */
static bool turn(struct lines *input) {
    char *line;
    size_t len;
    switch (lines_next(input, STDIN_FILENO, patience(), &line, &len)) {
    case NEXT_LINE:
        take_line(line, len);
        return true;
    case NEXT_TOO_LONG: {
        json_t *unknown = json_object();
        refuse(unknown); /* JSON-RPC: the id is null if it is not known */
        json_decref(unknown);
        return true;
    }
    case NEXT_TIMEOUT:
        happened(json_pack("{s:s}", "type", "deadlineReached"));
        settle();
        return true;
    default:
        return false;
    }
}

static bool open_resolver(const char *preset, const char *style) {
    json_error_t problem;
    json_t *policy = json_load_file(preset, 0, &problem);
    if (!policy) {
        record(preset, problem.text);
        return false;
    }
    json_t *options = json_pack("{s:o, s:{s:s, s:s}}", "policy", policy, "host",
                                "style", style, "transport", "stdio");
    char *given = json_dumps(options, JSON_COMPACT);
    rootwise_text said = rootwise_open(given, strlen(given), &resolver);
    if (!resolver) fprintf(stderr, "%s: %.*s\n", preset, (int)said.len, said.ptr);
    rootwise_text_free(said);
    free(given);
    json_decref(options);
    return resolver != NULL;
}

int main(int count, char **arguments) {
    bool styled = count == 5 && strcmp(arguments[3], "--style") == 0;
    if ((count != 3 && !styled) || strcmp(arguments[1], "--preset") != 0) {
        fprintf(stderr, "usage: %s --preset <file> [--style posix|windows]\n", arguments[0]);
        return 2;
    }
    if (!open_resolver(arguments[2], styled ? arguments[4] : PATH_STYLE)) return 2;
    events = json_array();
    calls = json_object();
    capabilities = json_object();
    struct lines input = {0};
    while (turn(&input)) continue;
    free(input.bytes);
    happened(json_pack("{s:s}", "type", "closed"));
    settle();
    rootwise_close(resolver);
    json_decref(events);
    json_decref(calls);
    json_decref(capabilities);
    return 0;
}
