/* Reads lines from a descriptor, with a limit on the wait and on the length. */
#ifndef LINES_H
#define LINES_H

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of a line; a longer one is dropped up to its end. */
#define MAX_LINE (16 << 20)

struct lines {
    char *bytes;
    size_t size, filled;
    size_t taken; /* bytes of lines that were returned */
    size_t searched; /* bytes that have no further end of a line */
    bool dropping; /* whether the line is too long */
};

enum next { NEXT_LINE, NEXT_TOO_LONG, NEXT_TIMEOUT, NEXT_END };

/* Makes room for more bytes. Returns false if the line is too long, and drops it. */
static bool lines_make_room(struct lines *in) {
    if (in->taken > 0) {
        in->filled -= in->taken;
        memmove(in->bytes, in->bytes + in->taken, in->filled);
        in->taken = 0;
    }
    if (in->filled == in->size && in->size < MAX_LINE) {
        size_t size = in->size ? in->size * 2 : 1 << 16;
        char *grown = realloc(in->bytes, size);
        if (grown) {
            in->bytes = grown;
            in->size = size;
        }
    }
    bool fits = in->filled < in->size;
    if (!fits) in->filled = 0;
    in->searched = in->filled;
    return fits;
}

/* Returns the next line, without its end and valid until the next call; or why there is none. A wait of -1 has no limit. */
static enum next lines_next(struct lines *in, int descriptor, int wait, char **line, size_t *len) {
    struct pollfd input = {.fd = descriptor, .events = POLLIN};
    for (;;) {
        char *start = in->bytes + in->taken;
        char *end = in->bytes ? memchr(in->bytes + in->searched, '\n', in->filled - in->searched) : NULL;
        if (end) {
            bool dropped = in->dropping;
            *line = start;
            *len = (size_t)(end - start);
            in->taken = in->searched = (size_t)(end + 1 - in->bytes);
            in->dropping = false;
            if (!dropped) return NEXT_LINE;
            continue;
        }
        if (!lines_make_room(in) && !in->dropping) {
            in->dropping = true;
            return NEXT_TOO_LONG;
        }
        int ready = poll(&input, 1, wait);
        if (ready == 0) return NEXT_TIMEOUT;
        if (ready < 0 && errno == EINTR) continue;
        ssize_t got = ready < 0 ? -1 : read(descriptor, in->bytes + in->filled, in->size - in->filled);
        if (got <= 0) return NEXT_END;
        in->filled += (size_t)got;
    }
}

#endif
