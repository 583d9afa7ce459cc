/* A cart that its client keeps: a server adds what is asked for, and remembers nobody.
 *
 *   cart serve ADDRESS KEY EPOCHS           prints a ticket
 *   cart add TICKET FILE [ITEM=COUNT]...    adds to the cart in FILE, and prints it
 *
 * A client asks with its cart and what to add to it, a line for each: "mug 2". The server takes four lines of each
 * part; the cart so far is what it seals in the input continuation, with which the client comes back for the rest. In
 * the end the whole cart is the object. To add is a function of cart and item: asked for twice, or at another server,
 * it makes the same cart, so that nothing is added twice. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tng_msk.h"

enum { CART_MAX = 500, LINES = 4, NAME_MAX_ = 32, COUNT_MAX = 9999, EVENTS = 64, ASKING_MAX = 8192 };
enum { BAD = 64, FULL = 65 };

/* Lines of an item and its count, each item once. */
struct cart {
    char text[CART_MAX + 1];
    size_t len;
};

static volatile sig_atomic_t is_over;

static void stop(int number) {
    (void)number;
    is_over = 1;
}

static int failed(void) {
    fprintf(stderr, "cart: %s\n", msk_strerror());
    return 1;
}

/* Adds a line, without its end. Answers why not, or NULL. */
static const char *add(struct cart *cart, const char *line, size_t len) {
    char name[NAME_MAX_ + 1], copy[64];
    int count, read = -1;
    if (len >= sizeof copy) {
        return "a line is too long";
    }
    memcpy(copy, line, len);
    copy[len] = 0;
    if (sscanf(copy, "%32[a-z0-9-] %4d%n", name, &count, &read) != 2 || (size_t)read != len || count < 1) {
        return "a line is not of the kind \"mug 2\"";
    }
    struct cart sum = {.len = 0};
    for (const char *at = cart->text; *at;) {
        char other[NAME_MAX_ + 1];
        int of_other, bytes;
        if (sscanf(at, "%32s %d%n", other, &of_other, &bytes) != 2) {
            return "the cart is none";
        }
        if (strcmp(other, name) == 0) {
            count += of_other;
        } else {
            memcpy(sum.text + sum.len, at, (size_t)bytes + 1);
            sum.len += (size_t)bytes + 1;
        }
        at += bytes + 1;
    }
    size_t room = sizeof sum.text - sum.len;
    int written = snprintf(sum.text + sum.len, room, "%s %d\n", name, count);
    if (count > COUNT_MAX || written < 0 || (size_t)written >= room) {
        return "the cart is full";
    }
    sum.len += (size_t)written;
    *cart = sum;
    return NULL;
}

/* Answers a part of an asking. */
static void put(int fd, minisock msk, const struct msk_ask *ask, struct msk_bytes *whole, struct cart *cart) {
    const char *data = (const char *)ask->data;
    size_t taken = 0;
    memset(cart, 0, sizeof *cart);
    if (ask->state_len <= CART_MAX) {
        cart->len = ask->state_len;
        memcpy(cart->text, ask->state_len > 0 ? (const char *)ask->state : "", ask->state_len);
    }
    for (int line = 0; line < LINES && taken < ask->data_len; line++) {
        const char *end = memchr(data + taken, '\n', ask->data_len - taken);
        if (end == NULL) {
            break; /* the rest of the line comes with the next part */
        }
        const char *why = add(cart, data + taken, (size_t)(end - data) - taken);
        if (why != NULL) {
            msk_fault(fd, msk, ask->object, BAD, why);
            return;
        }
        taken = (size_t)(end - data) + 1;
    }
    if (!ask->is_end || taken < ask->data_len) {
        if (ask->is_end && taken == 0) {
            msk_fault(fd, msk, ask->object, BAD, "a line does not end");
            return;
        }
        struct msk_ucont how = {.kind = MSK_INPUT, .object = ask->object, .taken = ask->offset + taken};
        msk_setucont(fd, msk, &how, cart->text, cart->len);
        return;
    }
    if (ask->end - ask->start > cart->len && msk_skip(fd, msk, ask->start + cart->len, ask->end) == 0) {
        *whole = (struct msk_bytes){.place = ask->start, .base = cart->text, .len = cart->len};
    }
}

static int serve(char **argv) {
    struct msk_settings settings = {
        .size = sizeof settings, .address = argv[0], .key = argv[1], .epochs = argv[2], .version = 1};
    int fd = msk_listen(&settings);
    char ticket[1024];
    if (fd < 0 || msk_ticket(fd, ticket, sizeof ticket) < 0) {
        return failed();
    }
    printf("%s\n", ticket);
    fflush(stdout);
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    while (!is_over) {
        struct msk_event events[EVENTS];
        int count = msk_poll(fd, events, EVENTS, 1000); /* a signal may have come just before */
        if (count < 0 && errno != EINTR) {
            return failed();
        }
        for (int i = 0; i < count; i++) {
            struct msk_bytes whole = {.len = 0};
            struct cart cart;
            /* One asking a request; those beside it the client puts again. */
            if (events[i].asks_len > 0 && events[i].asks[0].kind == MSK_PUT) {
                put(fd, events[i].msk, &events[i].asks[0], &whole, &cart);
            }
            if (msk_sendv(fd, events[i].msk, &whole, whole.len > 0) < 0) {
                msk_send(fd, events[i].msk, NULL, 0);
            }
        }
    }
    msk_close(fd);
    return 0;
}

/* Reads all of an object, at most `room` bytes. */
static int64_t receive(int fd, msk_object object, char *to, size_t room) {
    size_t len = 0;
    for (;;) {
        int64_t got = msk_recv(fd, object, to + len, room - len);
        if (got == 0) {
            return (int64_t)len;
        }
        if (got > 0) {
            len += (size_t)got;
        } else if (errno == EAGAIN) {
            struct msk_event event;
            if (msk_poll(fd, &event, 1, -1) < 0 && errno != EINTR) {
                return -1;
            }
        } else {
            return -1;
        }
    }
}

static int ask(const char *ticket, const char *path, char **items) {
    char asking[ASKING_MAX], cart[CART_MAX + 2];
    size_t len = 0;
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        len = fread(asking, 1, CART_MAX, file);
        fclose(file);
    }
    for (; *items; items++) {
        const char *sign = strchr(*items, '=');
        int name = (int)(sign ? (size_t)(sign - *items) : strlen(*items)), room = (int)(sizeof asking - len);
        int written = snprintf(asking + len, (size_t)room, "%.*s %s\n", name, *items, sign ? sign + 1 : "1");
        if (written < 0 || written >= room) {
            fprintf(stderr, "cart: these are too many\n");
            return 2;
        }
        len += (size_t)written;
    }
    int fd = msk_connect(ticket, NULL);
    if (fd < 0) {
        return failed();
    }
    msk_object object = msk_request(fd, asking, len, 1024);
    int64_t got = object ? receive(fd, object, cart, sizeof cart) : -1;
    if (got < 0) {
        int code = failed();
        msk_close(fd);
        return code;
    }
    msk_close(fd);
    file = fopen(path, "w");
    if (file == NULL || fwrite(cart, 1, (size_t)got, file) != (size_t)got || fclose(file) != 0) {
        perror(path);
        return 1;
    }
    fwrite(cart, 1, (size_t)got, stdout);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 5 && strcmp(argv[1], "serve") == 0) {
        return serve(argv + 2);
    }
    if (argc >= 4 && strcmp(argv[1], "add") == 0) {
        return ask(argv[2], argv[3], argv + 4);
    }
    fprintf(stderr, "cart serve ADDRESS KEY EPOCHS\ncart add TICKET FILE [ITEM=COUNT]...\n");
    return 2;
}
