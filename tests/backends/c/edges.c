/* Every mistake of a C host returns an error text, one line each. Needs a library in which a panic can be provoked. */
#include <stdio.h>
#include <string.h>

#include "rootwise.h"

static void say(const char *what, rootwise_text text) {
    printf("%s: %.*s\n", what, (int)text.len, text.ptr);
    rootwise_text_free(text);
}

#define TEXT(literal) literal, strlen(literal)

int main(void) {
    const char *options = "{\"host\":{\"style\":\"posix\"}}";
    const char *ready = "{\"type\":\"clientReady\"}";
    rootwise_machine *broken, *other, *none;

    say("open", rootwise_open(TEXT(options), &broken));
    say("open", rootwise_open(TEXT(options), &other));

    none = broken;
    say("options null", rootwise_open(NULL, 5, &none));
    printf("resolver null: %d\n", none == NULL);
    say("options empty", rootwise_open(NULL, 0, &none));
    say("options not UTF-8", rootwise_open("\xff\xfe", 2, &none));
    say("options longer than memory", rootwise_open(options, (size_t)-1, &none));
    say("no place", rootwise_open(TEXT(options), NULL));
    say("snapshot null", rootwise_restore(NULL, 5, TEXT(options), 0, NULL, 0, &none));
    say("snapshot bad", rootwise_restore(TEXT("{}"), TEXT(options), 0, NULL, 0, &none));
    say("prefix not UTF-8", rootwise_restore(TEXT("{}"), TEXT(options), 0, "\xff", 1, &none));
    say("event null", rootwise_handle(other, NULL, 5, 0));
    say("event not UTF-8", rootwise_handle(other, "\xff", 1, 0));
    say("time not a time", rootwise_handle(other, TEXT(ready), -1));
    say("call null", rootwise_call(NULL, 5));
    say("call", rootwise_call(TEXT("{\"fileUriToPath\":{\"uri\":\"file:///a%20b\",\"style\":\"posix\"}}")));

    say("resolver null", rootwise_handle(NULL, TEXT(ready), 0));
    say("resolver null", rootwise_explain(NULL, 0));
    say("resolver null", rootwise_snapshot(NULL, 0));
    rootwise_close(NULL);
    rootwise_text_free((rootwise_text){NULL, 0});

    say("provoked", rootwise_handle(broken, TEXT("{\"type\":\"testPanic\"}"), 0));
    say("afterwards", rootwise_handle(broken, TEXT(ready), 0));
    say("afterwards", rootwise_explain(broken, 0));
    say("afterwards", rootwise_snapshot(broken, 0));
    say("its neighbour", rootwise_handle(other, TEXT(ready), 0));
    rootwise_close(broken);
    rootwise_close(other);
    return 0;
}
