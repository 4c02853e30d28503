/* The part of LibraryLink's documented interface that rootwise_link.c uses, for tests without a Wolfram installation.
 * A real build takes the header of the installation instead. */
#ifndef WOLFRAM_LIBRARY_STUB_H
#define WOLFRAM_LIBRARY_STUB_H

#include <stdint.h>

typedef int64_t mint;
typedef double mreal;
typedef union {
    mint *integer;
    mreal *real;
    char **utf8string;
} MArgument;

typedef struct st_WolframLibraryData {
    void (*UTF8String_disown)(char *);
} *WolframLibraryData;

#define DLLEXPORT __attribute__((visibility("default")))
#define WolframLibraryVersion 7

enum { LIBRARY_NO_ERROR = 0, LIBRARY_DIMENSION_ERROR = 3, LIBRARY_MEMORY_ERROR = 5, LIBRARY_FUNCTION_ERROR = 6 };

#define MArgument_getInteger(argument) (*((argument).integer))
#define MArgument_getReal(argument) (*((argument).real))
#define MArgument_getUTF8String(argument) (*((argument).utf8string))
#define MArgument_setReal(argument, value) ((*((argument).real)) = (value))
#define MArgument_setInteger(argument, value) ((*((argument).integer)) = (value))
#define MArgument_setUTF8String(argument, value) ((*((argument).utf8string)) = (value))

#endif
