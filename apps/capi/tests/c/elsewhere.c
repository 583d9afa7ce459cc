/* Two processes of a fleet: one takes what clients ask for and hands it to the other, which answers.
 *
 *   elsewhere KEY EPOCHS
 *
 * prints the tickets of both, the one that takes first. What opens a connection is answered where it comes. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tng_msk.h"

enum { EVENTS = 16, ROOM = 1 << 16 };

static int fail(const char *what) {
    fprintf(stderr, "elsewhere: %s: %s\n", what, msk_strerror());
    exit(1);
}

static int listen_at(char **argv) {
    struct msk_settings settings = {
        .size = sizeof settings, .address = "127.0.0.1:0", .key = argv[1], .epochs = argv[2], .fleet = 1};
    int fd = msk_listen(&settings);
    char ticket[1024];
    if (fd < 0 || msk_ticket(fd, ticket, sizeof ticket) < 0) {
        fail("listens");
    }
    printf("%s\n", ticket);
    fflush(stdout);
    return fd;
}

/* Answers each object with what was asked for it, and by whom. */
static void answer(int fd, const struct msk_event *event, const char *place) {
    char text[256];
    struct msk_bytes told = {.base = text};
    for (size_t i = 0; i < event->asks_len && told.len == 0; i++) {
        const struct msk_ask *ask = &event->asks[i];
        if (ask->kind == MSK_PUT) {
            int len = snprintf(text, sizeof text, "%.*s %s %d", (int)ask->data_len, (const char *)ask->data, place,
                               (int)getpid());
            told.place = ask->start;
            told.len = (size_t)len;
            msk_skip(fd, event->msk, ask->start + told.len, ask->end);
        }
    }
    if (msk_sendv(fd, event->msk, &told, told.len > 0) < 0) {
        fail("answers");
    }
}

/* Hands over all that comes on a connection. */
static void take(int fd, int to) {
    static char room[ROOM];
    for (;;) {
        struct msk_event events[EVENTS];
        int count = msk_poll(fd, events, EVENTS, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].kind == MSK_OPEN) {
                answer(fd, &events[i], "here");
                continue;
            }
            size_t len = sizeof room;
            if (msk_extract_events(fd, &events[i].msk, 1, room, &len) != 1) {
                fail("extracts");
            }
            uint32_t told = (uint32_t)len;
            if (write(to, &told, sizeof told) != sizeof told || write(to, room, len) != (ssize_t)len) {
                fail("writes");
            }
        }
    }
}

static int all(int from, void *to, size_t len) {
    for (size_t got = 0; got < len;) {
        ssize_t more = read(from, (char *)to + got, len - got);
        if (more <= 0) {
            return 0;
        }
        got += (size_t)more;
    }
    return 1;
}

/* Answers what is handed over. */
static void give(int fd, int from) {
    static char room[ROOM];
    for (;;) {
        struct pollfd news[2] = {{.fd = fd, .events = POLLIN}, {.fd = from, .events = POLLIN}};
        if (poll(news, 2, 1000) < 0) {
            fail("waits");
        }
        if (news[1].revents) {
            uint32_t len;
            if (!all(from, &len, sizeof len) || len > sizeof room || !all(from, room, len)) {
                exit(0);
            }
            /* What a client has asked for twice is there already. */
            if (msk_install_events(fd, room, len) != 1 && errno != EALREADY) {
                fail("installs");
            }
        }
        struct msk_event events[EVENTS];
        int count = msk_poll(fd, events, EVENTS, 0);
        for (int i = 0; i < count; i++) {
            answer(fd, &events[i], "elsewhere");
        }
    }
}

int main(int argc, char **argv) {
    int ends[2];
    if (argc != 3 || pipe(ends) != 0) {
        fprintf(stderr, "elsewhere KEY EPOCHS\n");
        return 2;
    }
    signal(SIGPIPE, SIG_DFL);
    /* The one that takes is there first, so that its ticket is the first. */
    int ready[2];
    if (pipe(ready) != 0) {
        return 2;
    }
    pid_t child = fork();
    if (child < 0) {
        return 2;
    }
    char byte = 0;
    if (child == 0) {
        close(ends[1]);
        close(ready[1]);
        (void)!read(ready[0], &byte, 1);
        give(listen_at(argv), ends[0]);
    }
    close(ends[0]);
    int fd = listen_at(argv);
    (void)!write(ready[1], &byte, 1);
    take(fd, ends[1]);
}
