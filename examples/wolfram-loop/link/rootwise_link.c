/* Rootwise for the Wolfram Language: the C library behind LibraryLink.
 *
 * Every function takes and returns UTF-8 text. A resolver is a number; 0 is none. LibraryLink calls from one thread.
 */
#include <stdlib.h>
#include <string.h>

#include "WolframLibrary.h"
#include "rootwise.h"

#define MOST 64

static rootwise_machine *resolvers[MOST]; /* number 1 is at index 0 */
static char *returned; /* belongs to the caller until the next call */

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
        rootwise_close(resolvers[i]);
        resolvers[i] = NULL;
    }
    free(returned);
    returned = NULL;
}

/* A copy with a terminating zero byte; the text itself is freed. */
static int give_back(rootwise_text text, MArgument result) {
    char *copy = malloc(text.len + 1);
    if (copy) {
        memcpy(copy, text.ptr, text.len);
        copy[text.len] = '\0';
    }
    rootwise_text_free(text);
    free(returned);
    returned = copy;
    if (!copy) return LIBRARY_MEMORY_ERROR;
    MArgument_setUTF8String(result, copy);
    return LIBRARY_NO_ERROR;
}

static rootwise_machine *numbered(mint number) {
    return number >= 1 && number <= MOST ? resolvers[number - 1] : NULL;
}

/* open[number, options]: opens a resolver with this number, 1 to 64, and closes the one that had it. */
DLLEXPORT int rootwise_link_open(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    if (count != 2) return LIBRARY_FUNCTION_ERROR;
    mint number = MArgument_getInteger(arguments[0]);
    if (number < 1 || number > MOST) return LIBRARY_DIMENSION_ERROR;
    char *options = MArgument_getUTF8String(arguments[1]);
    rootwise_close(resolvers[number - 1]);
    resolvers[number - 1] = NULL;
    rootwise_text text = rootwise_open(options, strlen(options), &resolvers[number - 1]);
    library->UTF8String_disown(options);
    return give_back(text, result);
}

/* handle[number, event, milliseconds]: processes an event and returns the actions. */
DLLEXPORT int rootwise_link_handle(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    if (count != 3) return LIBRARY_FUNCTION_ERROR;
    rootwise_machine *resolver = numbered(MArgument_getInteger(arguments[0]));
    char *event = MArgument_getUTF8String(arguments[1]);
    rootwise_text text = rootwise_handle(resolver, event, strlen(event), MArgument_getReal(arguments[2]));
    library->UTF8String_disown(event);
    return give_back(text, result);
}

/* call[call]: calls a function that needs no resolver. */
DLLEXPORT int rootwise_link_call(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    if (count != 1) return LIBRARY_FUNCTION_ERROR;
    char *call = MArgument_getUTF8String(arguments[0]);
    rootwise_text text = rootwise_call(call, strlen(call));
    library->UTF8String_disown(call);
    return give_back(text, result);
}

/* close[number]: frees a resolver. */
DLLEXPORT int rootwise_link_close(WolframLibraryData library, mint count, MArgument *arguments, MArgument result) {
    (void)library;
    if (count != 1) return LIBRARY_FUNCTION_ERROR;
    mint number = MArgument_getInteger(arguments[0]);
    rootwise_close(numbered(number));
    if (number >= 1 && number <= MOST) resolvers[number - 1] = NULL;
    MArgument_setInteger(result, number);
    return LIBRARY_NO_ERROR;
}
