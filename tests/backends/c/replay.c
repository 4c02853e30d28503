/* Plays conversations through the C library. It reads and writes frames instead of JSON, so that it needs no JSON library.
 *
 * In: `<letter> <now> <length>\n<bytes>`, with the letters of `main`; a length of -1 means a null pointer.
 * Out: `<length>\n<bytes>` for every text that the library returns. */
#include <stdio.h>
#include <stdlib.h>

#include "rootwise.h"

typedef struct {
    char letter;
    double now;
    char *text;
    size_t len;
} frame;

static int next(frame *into) {
    long len;
    if (scanf(" %c %lf %ld", &into->letter, &into->now, &len) != 3 || getchar() != '\n') return 0;
    into->text = len < 0 ? NULL : malloc((size_t)len + 1);
    into->len = len < 0 ? 0 : (size_t)len;
    return len < 0 || (into->text != NULL && fread(into->text, 1, into->len, stdin) == into->len);
}

static void say(rootwise_text text) {
    printf("%zu\n", text.len);
    fwrite(text.ptr, 1, text.len, stdout);
    rootwise_text_free(text);
}

/* Saves the connection and continues with the restored one. */
static rootwise_machine *moved(rootwise_machine *old, frame options, frame step) {
    rootwise_machine *restored;
    rootwise_text saved = rootwise_snapshot(old, 0);
    rootwise_close(old);
    say(rootwise_restore(saved.ptr, saved.len, options.text, options.len, step.now, step.text, step.len, &restored));
    rootwise_text_free(saved);
    return restored;
}

/* The session of an endpoint that is explained and saved at the end. */
static const uint32_t session = 1;

int main(void) {
    rootwise_machine *machine = NULL;
    frame options = {0}, in;
    while (next(&in)) {
        switch (in.letter) {
        case 'o': /* open a machine with these options */
            free(options.text);
            options = in;
            say(rootwise_open(in.text, in.len, &machine));
            continue; /* a later frame uses the options again */
        case 'h': /* handle this event */
            if (machine != NULL) say(rootwise_handle(machine, in.text, in.len, in.now));
            break;
        case 'm': /* move to a restored machine with this prefix */
            if (machine != NULL) machine = moved(machine, options, in);
            break;
        case 's': /* save this session of an endpoint */
            if (machine != NULL) say(rootwise_snapshot(machine, (uint32_t)in.now));
            break;
        case 'c': /* call a function */
            say(rootwise_call(in.text, in.len));
            break;
        case 'e': /* end the conversation; an empty text marks it */
            if (machine != NULL) {
                say(rootwise_explain(machine, session));
                say(rootwise_snapshot(machine, session));
                rootwise_close(machine);
                machine = NULL;
            }
            say((rootwise_text){0});
            break;
        default:
            return 1;
        }
        free(in.text);
    }
    free(options.text);
    return feof(stdin) ? 0 : 1;
}
