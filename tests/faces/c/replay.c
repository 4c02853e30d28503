/* Plays conversations through the C library: the same lines in and out as bindings-shared/examples/replay.rs. */
#define _POSIX_C_SOURCE 200809L

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rootwise.h"

static void note(json_t *said, rootwise_text text) {
    json_array_append_new(said, json_stringn(text.ptr, text.len));
    rootwise_text_free(text);
}

/* Saves the connection and continues with the restored one. */
static rootwise_resolver *moved(rootwise_resolver *old, json_t *options, double now, json_t *prefix, json_t *said) {
    rootwise_resolver *restored;
    rootwise_text saved = rootwise_snapshot(old);
    rootwise_close(old);
    note(said, rootwise_restore(saved.ptr, saved.len, json_string_value(options), json_string_length(options), now,
                                json_string_value(prefix), json_string_length(prefix), &restored));
    rootwise_text_free(saved);
    return restored;
}

static void play(json_t *options, json_t *steps, json_t *said) {
    rootwise_resolver *resolver;
    size_t index;
    json_t *step;
    note(said, rootwise_open(json_string_value(options), json_string_length(options), &resolver));
    json_array_foreach(steps, index, step) {
        json_t *event = json_array_get(step, 0);
        double now = json_number_value(json_array_get(step, 1));
        if (resolver == NULL) return;
        if (json_is_null(event)) resolver = moved(resolver, options, now, json_array_get(step, 2), said);
        else note(said, rootwise_handle(resolver, json_string_value(event), json_string_length(event), now));
    }
    if (resolver == NULL) return;
    note(said, rootwise_explain(resolver));
    note(said, rootwise_snapshot(resolver));
    rootwise_close(resolver);
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while ((len = getline(&line, &room, stdin)) > 0) {
        json_t *conversation = json_loadb(line, (size_t)len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
        json_t *steps = json_object_get(conversation, "steps");
        json_t *said = json_array();
        if (steps != NULL) play(json_object_get(conversation, "options"), steps, said);
        else note(said, rootwise_call(line, strcspn(line, "\n")));
        json_dumpf(said, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(said);
        json_decref(conversation);
    }
    free(line);
    return 0;
}
