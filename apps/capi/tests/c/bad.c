/* A caller that does everything wrong, to be run under valgrind: bad KEY EPOCHS. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tng_msk.h"

#define CHECK(what)                                                                                                  \
    do {                                                                                                             \
        if (!(what)) {                                                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #what, msk_strerror());                           \
            exit(1);                                                                                                 \
        }                                                                                                            \
    } while (0)

#define REFUSED(call, why) CHECK((errno = 0, (call) == -1) && errno == (why))

/* The server's next event that asks for something. */
static struct msk_event asked(int server, int client) {
    struct msk_event event;
    for (int round = 0; round < 20000; round++) {
        CHECK(msk_poll(client, &event, 1, 1) >= 0);
        int count = msk_poll(server, &event, 1, 1);
        CHECK(count >= 0);
        if (count == 1 && event.asks_len > 0) {
            return event;
        }
    }
    fprintf(stderr, "nobody asks\n");
    exit(1);
}

int main(int argc, char **argv) {
    CHECK(argc == 3);
    struct msk_settings settings = {.size = sizeof settings, .address = "127.0.0.1:0"};
    REFUSED(msk_listen(NULL), EFAULT);
    REFUSED(msk_listen(&settings), EFAULT);
    settings.key = "/none";
    settings.epochs = argv[2];
    REFUSED(msk_listen(&settings), ENOENT);
    settings.key = argv[1];
    int server = msk_listen(&settings);
    CHECK(server >= 0);
    char ticket[1024];
    REFUSED(msk_ticket(server, ticket, 3), ERANGE);
    CHECK(msk_ticket(server, ticket, sizeof ticket) > 0);
    int client = msk_connect(ticket, NULL);
    CHECK(client >= 0);
    msk_object object = msk_request(client, "hello", 5, 0);
    CHECK(object != 0);

    struct msk_event event = asked(server, client);
    CHECK(event.kind == MSK_OPEN && event.asks[0].kind == MSK_PUT && memcmp(event.asks[0].data, "hello", 5) == 0);
    uint64_t start = event.asks[0].start;
    char *large = calloc(1, 1 << 20);
    CHECK(large != NULL);

    /* Nulls, what was never given, and too much. */
    REFUSED(msk_send(server, 0, large, 1), EBADF);
    REFUSED(msk_send(server, event.msk + (1 << 20), large, 1), EBADF);
    REFUSED(msk_send(server, event.msk, NULL, 1), EFAULT);
    REFUSED(msk_send(server, event.msk, large, 1 << 20), EMSGSIZE);
    REFUSED(msk_send(server, event.msk, large, SIZE_MAX), EINVAL);
    REFUSED(msk_send(client, event.msk, large, 1), EOPNOTSUPP);
    struct msk_ucont how = {.kind = MSK_OUTPUT, .object = event.asks[0].object, .start = start, .end = start + 9};
    REFUSED(msk_setucont(server, event.msk, &how, large, 513), EMSGSIZE);
    REFUSED(msk_setucont(server, event.msk, NULL, large, 1), EFAULT);
    struct msk_file_bytes piece = {.place = start, .file = 12345, .len = 5};
    REFUSED(msk_sendfilev(server, event.msk, &piece, 1), EBADF);
    size_t room = 1 << 20;
    REFUSED(msk_extract_events(server, &event.msk, 1, large, &room), EOPNOTSUPP);
    REFUSED(msk_install_events(server, large, 100), EBADMSG);

    /* Answered; then stale. */
    CHECK(msk_skip(server, event.msk, start + 5, event.asks[0].end) == 0);
    CHECK(msk_send(server, event.msk, "world", 5) == 5);
    REFUSED(msk_send(server, event.msk, "world", 5), EBADF);
    REFUSED(msk_drop(server, event.msk), EBADF);
    REFUSED(msk_detach(server, event.msk), EBADF);
    REFUSED(msk_extract_events(server, &event.msk, 1, large, &room), EBADF);

    char got[16];
    int64_t len = -1;
    for (int round = 0; len < 0 && round < 20000; round++) {
        struct msk_event news;
        CHECK(msk_poll(server, &news, 1, 1) >= 0);
        CHECK(msk_poll(client, &news, 1, 1) >= 0);
        len = msk_recv(client, object, got, sizeof got);
        CHECK(len >= 0 || errno == EAGAIN);
    }
    CHECK(len == 5 && memcmp(got, "world", 5) == 0);
    CHECK(msk_recv(client, object, got, sizeof got) == 0);
    REFUSED(msk_recv(client, object, got, sizeof got), EBADF);

    /* Left to the next poll; detached, and closed under it. */
    CHECK(msk_request(client, "again", 5, 0) != 0);
    struct msk_event left = asked(server, client), kept = asked(server, client);
    REFUSED(msk_drop(server, left.msk), EBADF);
    CHECK(msk_detach(server, kept.msk) == 0);
    CHECK(msk_close(server) == 0);
    REFUSED(msk_close(server), EBADF);
    REFUSED(msk_send(server, kept.msk, "x", 1), EBADF);
    CHECK(msk_close(client) == 0);
    REFUSED(msk_recv(client, object, got, sizeof got), EBADF);
    free(large);

    /* One that is left open is closed with its thread. */
    CHECK(msk_listen(&settings) >= 0);
    puts("all of it was refused");
    return 0;
}
