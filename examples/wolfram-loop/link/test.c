/* Calls the LibraryLink functions as the kernel does: loads the library and passes arguments by address. */
#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "WolframLibrary.h"

typedef int function(WolframLibraryData, mint, MArgument *, MArgument);

static int disowned;

static void disown(char *text) {
    disowned++;
    free(text);
}

static struct st_WolframLibraryData data = {disown};

static function *named(void *library, const char *name) {
    function *found;
    *(void **)&found = dlsym(library, name);
    assert(found);
    return found;
}

/* Calls a function with a number, a text and a time, of which it takes the first `count` from `first` on. */
static const char *say(function *called, mint number, const char *text, mreal time, mint first, mint count) {
    char *given = strdup(text), *reply = NULL;
    MArgument arguments[3], result;
    arguments[0].integer = &number;
    arguments[1].utf8string = &given;
    arguments[2].real = &time;
    result.utf8string = &reply;
    int before = disowned;
    assert(called(&data, count, arguments + first, result) == LIBRARY_NO_ERROR);
    assert(disowned == before + 1);
    return reply;
}

static const char *read_until(function *called, mreal deadline) {
    char *reply = NULL;
    MArgument argument, result;
    argument.real = &deadline;
    result.utf8string = &reply;
    assert(called(&data, 1, &argument, result) == LIBRARY_NO_ERROR);
    return reply;
}

/* `close` is the name of a function of the library here. */
static void close_descriptor(int descriptor) {
    close(descriptor);
}

int main(int count, char **arguments) {
    assert(count == 2);
    void *library = dlopen(arguments[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    function *open = named(library, "rootwise_link_open"), *handle = named(library, "rootwise_link_handle");
    function *call = named(library, "rootwise_link_call"), *close = named(library, "rootwise_link_close");
    const char *options = "{\"host\":{\"style\":\"windows\"}}";
    assert(strstr(say(open, 1, options, 0, 0, 2), "\"deadline\":null"));
    assert(strstr(say(open, 2, "{}", 0, 0, 2), "bad_options"));
    const char *asked = "{\"type\":\"asked\",\"ask\":1,\"askVia\":\"none\",\"facts\":{\"server\":\"C:\\\\work\"}}";
    assert(strstr(say(handle, 1, asked, 1.0, 0, 3), "\"type\":\"probe\""));
    assert(strstr(say(handle, 2, asked, 1.0, 0, 3), "used_after_close"));
    assert(strstr(say(handle, 99, asked, 1.0, 0, 3), "used_after_close"));
    const char *uri = "{\"fileUriToPath\":{\"uri\":\"file:///C:/a%20b\",\"style\":\"windows\"}}";
    assert(strcmp(say(call, 0, uri, 0, 1, 1), "{\"value\":\"C:\\\\a b\"}") == 0);

    /* Two lines, one that is no text, and the end. */
    int ends[2];
    assert(pipe(ends) == 0 && dup2(ends[0], 0) == 0);
    const char sent[] = "first \303\274\n\0\n\nrest";
    assert(write(ends[1], sent, sizeof sent - 1) == sizeof sent - 1);
    function *next = named(library, "rootwise_link_read"), *clock = named(library, "rootwise_link_now");
    assert(strcmp(read_until(next, -1), "line:first \303\274") == 0);
    assert(strcmp(read_until(next, -1), "line:") == 0);
    assert(strcmp(read_until(next, 0), "timeout:") == 0);
    close_descriptor(ends[1]);
    assert(strcmp(read_until(next, -1), "end:") == 0);
    mreal before = 0, after = 0;
    MArgument time;
    time.real = &before;
    assert(clock(&data, 0, NULL, time) == LIBRARY_NO_ERROR && before > 0);
    time.real = &after;
    assert(clock(&data, 0, NULL, time) == LIBRARY_NO_ERROR && after >= before);
    function *put = named(library, "rootwise_link_write");
    mint stream = 2, wrote = 0;
    char *line = strdup("LibraryLink: a line \303\274");
    MArgument written[2], count_of;
    written[0].integer = &stream;
    written[1].utf8string = &line;
    count_of.integer = &wrote;
    assert(put(&data, 2, written, count_of) == LIBRARY_NO_ERROR && wrote == 2);

    mint number = 1, closed = 0;
    MArgument argument, result;
    argument.integer = &number;
    result.integer = &closed;
    assert(close(&data, 1, &argument, result) == LIBRARY_NO_ERROR && closed == 1);
    assert(strstr(say(handle, 1, asked, 2.0, 0, 3), "used_after_close"));
    number = 65;
    char *text = strdup("{}");
    MArgument bad[2];
    bad[0].integer = &number;
    bad[1].utf8string = &text;
    result.utf8string = &text;
    assert(open(&data, 2, bad, result) == LIBRARY_DIMENSION_ERROR);
    assert(open(&data, 1, bad, result) == LIBRARY_FUNCTION_ERROR);
    free(text);
    puts("LibraryLink: all calls answered");
    return 0;
}
