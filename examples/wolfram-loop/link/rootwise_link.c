/* Rootwise for the Wolfram Language: the C library behind LibraryLink.
 *
 * Every function takes and returns UTF-8 text. A machine, a resolver or an endpoint, is a number; 0 is none. LibraryLink calls
 * from one thread. Lines are read and written here, and the clock is here, so that nothing depends on the kernel's
 * encodings and times.
 */
#include <limits.h>
#include <stdio.h>
#include <time.h>

#include "WolframLibrary.h"
#include "lines.h"
#include "rootwise.h"

#define MOST 64

static rootwise_machine *machines[MOST]; /* number 1 is at index 0 */
static char *returned; /* belongs to the caller until the next call */
static struct lines input; /* what was read from standard input */

DLLEXPORT mint WolframLibrary_getVersion(void) {
    return WolframLibraryVersion;
}

DLLEXPORT int WolframLibrary_initialize(WolframLibraryData library) {
    (void)library;
    return LIBRARY_NO_ERROR;
}

DLLEXPORT void WolframLibrary_uninitialize(WolframLibraryData library) {
    (void)library;
    for (int i = 0; i < MOST; i++) {
        rootwise_close(machines[i]);
        machines[i] = NULL;
    }
    free(returned);
    returned = NULL;
    free(input.bytes);
    input = (struct lines){0};
}

/* Returns a copy of two texts in a row, with a terminating zero byte. */
static int give(const char *kind, const char *text, size_t len, MArgument result) {
    size_t before = strlen(kind);
    char *copy = malloc(before + len + 1);
    free(returned);
    returned = copy;
    if (!copy) return LIBRARY_MEMORY_ERROR;
    memcpy(copy, kind, before);
    memcpy(copy + before, text, len);
    copy[before + len] = '\0';
    MArgument_setUTF8String(result, copy);
    return LIBRARY_NO_ERROR;
}

static int give_back(rootwise_text text, MArgument result) {
    int status = give("", text.ptr, text.len, result);
    rootwise_text_free(text);
    return status;
}

static double milliseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1000 + (double)(time.tv_nsec / 1000000);
}

static rootwise_machine *numbered(mint number) {
    return number >= 1 && number <= MOST ? machines[number - 1] : NULL;
}

/* open[number, options]: opens a machine with this number, 1 to 64, and closes the one that had it. */
DLLEXPORT int rootwise_link_open(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    if (count != 2) return LIBRARY_FUNCTION_ERROR;
    mint number = MArgument_getInteger(arguments[0]);
    if (number < 1 || number > MOST) return LIBRARY_DIMENSION_ERROR;
    char *options = MArgument_getUTF8String(arguments[1]);
    rootwise_close(machines[number - 1]);
    machines[number - 1] = NULL;
    rootwise_text text = rootwise_open(options, strlen(options), &machines[number - 1]);
    library->UTF8String_disown(options);
    return give_back(text, result);
}

/* handle[number, event, milliseconds]: processes an event and returns the actions. */
DLLEXPORT int rootwise_link_handle(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    if (count != 3) return LIBRARY_FUNCTION_ERROR;
    rootwise_machine *machine = numbered(MArgument_getInteger(arguments[0]));
    char *event = MArgument_getUTF8String(arguments[1]);
    rootwise_text text = rootwise_handle(machine, event, strlen(event), MArgument_getReal(arguments[2]));
    library->UTF8String_disown(event);
    return give_back(text, result);
}

/* call[call]: calls a function that needs no machine. */
DLLEXPORT int rootwise_link_call(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    if (count != 1) return LIBRARY_FUNCTION_ERROR;
    char *call = MArgument_getUTF8String(arguments[0]);
    rootwise_text text = rootwise_call(call, strlen(call));
    library->UTF8String_disown(call);
    return give_back(text, result);
}

/* close[number]: frees a machine. */
DLLEXPORT int rootwise_link_close(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    (void)library;
    if (count != 1) return LIBRARY_FUNCTION_ERROR;
    mint number = MArgument_getInteger(arguments[0]);
    rootwise_close(numbered(number));
    if (number >= 1 && number <= MOST) machines[number - 1] = NULL;
    MArgument_setInteger(result, number);
    return LIBRARY_NO_ERROR;
}

/* now[]: whole milliseconds of a clock that only goes forward. */
DLLEXPORT int rootwise_link_now(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    (void)library, (void)arguments;
    if (count != 0) return LIBRARY_FUNCTION_ERROR;
    MArgument_setReal(result, milliseconds());
    return LIBRARY_NO_ERROR;
}

/* read[deadline]: waits for a line of standard input until a time of that clock, or without a limit if the time is negative.
 * Returns "line:" and the line, or "timeout:", "too_long:" or "end:". A line with a zero byte is no message and is skipped. */
DLLEXPORT int rootwise_link_read(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    (void)library;
    if (count != 1) return LIBRARY_FUNCTION_ERROR;
    double deadline = MArgument_getReal(arguments[0]);
    for (;;) {
        double left = deadline - milliseconds();
        int wait = deadline < 0 ? -1 : left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
        char *line;
        size_t len;
        switch (lines_next(&input, STDIN_FILENO, wait, &line, &len)) {
        case NEXT_LINE:
            if (memchr(line, '\0', len)) continue;
            return give("line:", line, len, result);
        case NEXT_TOO_LONG: return give("too_long:", "", 0, result);
        case NEXT_TIMEOUT: return give("timeout:", "", 0, result);
        default: return give("end:", "", 0, result);
        }
    }
}

/* write[stream, text]: writes a line to standard output (1) or standard error (2); returns the stream, or 0 if that failed. */
DLLEXPORT int rootwise_link_write(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    if (count != 2) return LIBRARY_FUNCTION_ERROR;
    mint stream = MArgument_getInteger(arguments[0]);
    char *text = MArgument_getUTF8String(arguments[1]);
    FILE *file = stream == 1 ? stdout : stderr;
    int failed = fputs(text, file) == EOF || fputc('\n', file) == EOF || fflush(file) == EOF;
    library->UTF8String_disown(text);
    MArgument_setInteger(result, failed ? 0 : stream);
    return LIBRARY_NO_ERROR;
}
