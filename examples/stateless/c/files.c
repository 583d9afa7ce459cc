/* A server of files that keeps nothing of its clients: `tng trickles get` fetches from it.
 *
 *   files FOLDER ADDRESS KEY EPOCHS
 *
 * prints a ticket. `tng id new --key KEY` makes the one file, `tng trickles keys new EPOCHS` the other. Kill it in the
 * middle of a download and start it again: the download goes on.
 *
 * What it would have kept of a download (which file, and where in it) it seals, and the client comes back with it. The
 * bytes between the two are those of docs/wire.md, section 6.1. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tng_msk.h"

enum { FILE_ = 1, LISTING = 2, HASH = 3, ABOUT = 4 };              /* what may be asked for */
enum { NOT_FOUND = 65, NOT_ALLOWED = 68, CHANGED = 70, BAD = 71 }; /* why something does not come */
enum { PART = 1, GIVEN = 2 };                                      /* what is sealed */
enum { TEXT_MAX = 457, EVENTS = 64, PIECES = 16, FILE_BODY = 4 * 8 + 1, TOLD_ROOM = 72 };

/* What is sealed: the part of an asking that has come, or a file and all that tells whether it is still the same.
 * Servers of a fleet are of one kind of machine, so its bytes are these. */
struct state {
    uint64_t kind;
    uint64_t at; /* the byte of the file that stands at the first place for which the state is good */
    uint64_t inode, size;
    int64_t s;
    uint32_t ns, len;
    char text[TEXT_MAX + 1];
};

/* An answer in the making. */
struct answer {
    int fd;
    minisock msk;
    struct msk_file_bytes pieces[PIECES];
    int count;
    unsigned char told[PIECES][TOLD_ROOM];
};

static volatile sig_atomic_t is_over;

static void stop(int number) {
    (void)number;
    is_over = 1;
}

static size_t sealed_len(const struct state *state) { return offsetof(struct state, text) + state->len; }

/* Takes what was sealed; 0 if it was nothing. */
static int unseal(const struct msk_ask *ask, struct state *state) {
    memset(state, 0, sizeof *state);
    if (ask->state_len < offsetof(struct state, text) || ask->state_len >= sizeof *state) {
        return 0;
    }
    memcpy(state, ask->state, ask->state_len);
    return state->len == ask->state_len - offsetof(struct state, text);
}

/* Opens what lies below the folder, and nothing that a link leads to. */
static int open_below(int folder, const char *path) {
    for (int at = folder;;) {
        char name[256];
        size_t len = strcspn(path, "/");
        int is_last = path[len] == 0, next = -1;
        errno = EPERM;
        if (len > 0 && len < sizeof name && strncmp(path, "..", 2) != 0) {
            memcpy(name, path, len);
            name[len] = 0;
            next = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (is_last ? O_NONBLOCK : O_DIRECTORY));
        }
        if (at != folder) {
            close(at);
        }
        if (next < 0 || is_last) {
            return next;
        }
        at = next;
        path += len + 1;
    }
}

/* A hash that is computed beside, by a thread: a large file takes a while, in which others are answered. It may be
 * forgotten at any moment; then it is computed again. */
enum { HASHED_AT_ONCE_MAX = 1 << 20 };
static struct {
    pthread_mutex_t lock;
    pthread_cond_t is_asked;
    int file; /* what to hash, -1 if nothing */
    int is_done, is_over;
    uint64_t len;
    struct state of;
    unsigned char hash[32];
} beside = {.lock = PTHREAD_MUTEX_INITIALIZER, .is_asked = PTHREAD_COND_INITIALIZER, .file = -1};

static void *hash_beside(void *unused) {
    pthread_mutex_lock(&beside.lock);
    for (;;) {
        while (beside.file < 0 && !beside.is_over) {
            pthread_cond_wait(&beside.is_asked, &beside.lock);
        }
        if (beside.is_over) {
            break;
        }
        int file = beside.file;
        uint64_t len = beside.len;
        unsigned char hash[32];
        pthread_mutex_unlock(&beside.lock);
        int is_read = msk_hash(file, len, hash) == 0;
        close(file);
        pthread_mutex_lock(&beside.lock);
        memcpy(beside.hash, hash, sizeof hash);
        beside.is_done = is_read;
        beside.file = -1;
    }
    if (beside.file >= 0) {
        close(beside.file);
    }
    pthread_mutex_unlock(&beside.lock);
    return unused;
}

static void refuse(struct answer *answer, uint64_t object, uint64_t code, const char *why) {
    msk_fault(answer->fd, answer->msk, object, code, why);
}

/* The hash of the first bytes of a file, all for 0. Answers whether it is there; if not, the client is told why. */
static int find_hash(struct answer *answer, uint64_t object, int file, uint64_t len, const struct state *given,
                     unsigned char *hash) {
    int is_small = (len == 0 ? given->size : len) <= HASHED_AT_ONCE_MAX;
    pthread_mutex_lock(&beside.lock);
    int is_it = beside.len == len && memcmp(&beside.of, given, sealed_len(given)) == 0;
    int is_idle = beside.file < 0, is_there = is_idle && beside.is_done && is_it;
    if (is_there) {
        memcpy(hash, beside.hash, sizeof beside.hash);
    }
    pthread_mutex_unlock(&beside.lock);
    if (is_there) {
        return 1;
    }
    if (!is_small && !is_idle) {
        refuse(answer, object, MSK_NOT_YET, "a hash is being computed: ask again");
        return 0;
    }
    if (msk_may_compute(answer->fd, answer->msk, object, given->text, given->len, 2) != 1) {
        return 0; /* too often: the client is told */
    }
    if (is_small) {
        if (msk_hash(file, len, hash) < 0) {
            refuse(answer, object, CHANGED, "it cannot be read");
            return 0;
        }
        return 1;
    }
    pthread_mutex_lock(&beside.lock);
    beside.file = dup(file);
    beside.is_done = 0;
    beside.len = len;
    beside.of = *given;
    pthread_cond_signal(&beside.is_asked);
    pthread_mutex_unlock(&beside.lock);
    refuse(answer, object, MSK_NOT_YET, "the hash is being computed: ask again");
    return 0;
}

/* Opens a file, and says what it is now. -1 if there is none, which the client is told. */
static int open_file(struct answer *answer, uint64_t object, int folder, struct state *given) {
    struct stat stat;
    int file = open_below(folder, given->text);
    if (file < 0 && errno != ENOENT && errno != ENOTDIR) {
        refuse(answer, object, NOT_ALLOWED, "it cannot be opened");
    } else if (file < 0 || fstat(file, &stat) < 0 || !S_ISREG(stat.st_mode)) {
        refuse(answer, object, NOT_FOUND, "there is no such file");
    } else {
        given->kind = GIVEN;
        given->inode = (uint64_t)stat.st_ino;
        given->size = (uint64_t)stat.st_size;
        given->s = stat.st_mtim.tv_sec;
        given->ns = (uint32_t)stat.st_mtim.tv_nsec;
        return file;
    }
    if (file >= 0) {
        close(file);
    }
    return -1;
}

/* Has bytes of a file sent; its descriptor is closed when the answer has left. */
static void add_file(struct answer *answer, int file, uint64_t place, uint64_t len, uint64_t offset) {
    if (len == 0 || answer->count == PIECES) {
        close(file); /* the client asks again */
        return;
    }
    answer->pieces[answer->count++] =
        (struct msk_file_bytes){.place = place, .file = file, .offset = offset, .len = len};
}

/* The numbers of the protocol: the first two bits say how many bytes one has. Answers how many; 0 if it is none. */
static size_t read_number(const unsigned char *from, size_t len, uint64_t *number) {
    size_t bytes = len == 0 ? 0 : (size_t)1 << (from[0] >> 6);
    if (bytes == 0 || bytes > len) {
        return 0;
    }
    *number = from[0] & 63;
    for (size_t i = 1; i < bytes; i++) {
        *number = *number << 8 | from[i];
    }
    return bytes;
}

static size_t write_number(unsigned char *to, uint64_t number) {
    for (int i = 0; i < 8; i++) {
        to[i] = (unsigned char)(number >> (56 - 8 * i));
    }
    to[0] |= 0xc0;
    return 8;
}

/* Says how to ask for the bytes of a file that belong to the reserved places, and sends those from byte `from` on. */
static void begin(struct answer *answer, const struct msk_ask *ask, int file, const struct state *given,
                  uint64_t from) {
    uint64_t left = given->size > given->at ? given->size - given->at : 0, room = ask->end - ask->start;
    uint64_t end = ask->start + (left < room ? left : room);
    struct msk_ucont how = {.kind = MSK_OUTPUT, .object = ask->object, .start = ask->start, .end = end};
    if (end > ask->start && msk_setucont(answer->fd, answer->msk, &how, given, sealed_len(given)) < 0) {
        close(file); /* there is no room: the client asks again */
        return;
    }
    if (left < room) {
        msk_skip(answer->fd, answer->msk, end, ask->end); /* here it ends */
    } else {
        struct state further = *given; /* it goes on in further places, for which the client comes back */
        further.at += room;
        how = (struct msk_ucont){.kind = MSK_INPUT, .object = ask->object, .taken = ask->offset + ask->data_len};
        msk_setucont(answer->fd, answer->msk, &how, &further, sealed_len(&further));
    }
    uint64_t place = ask->start + (from > given->at ? from - given->at : 0);
    int64_t granted = place < end ? msk_grant(answer->fd, answer->msk, place) : 0;
    uint64_t len = granted <= 0 ? 0 : (uint64_t)granted < end - place ? (uint64_t)granted : end - place;
    add_file(answer, file, place, len, given->at + (place - ask->start));
}

/* Tells size and time of a file and, if it is asked for, the hash of its first bytes, in one piece. */
static void tell(struct answer *answer, const struct msk_ask *ask, int file, const struct state *given, int is_hash,
                 uint64_t hashed) {
    unsigned char *told = answer->told[answer->count];
    size_t len = 2 + FILE_BODY;
    told[0] = 0x10; /* FILE */
    told[1] = FILE_BODY;
    write_number(told + 2, given->size);
    write_number(told + 10, 0);
    told[18] = 2; /* what is known beside that: the time, whose seconds are 0, -1, 1, -2, ... as 0, 1, 2, 3, ... */
    write_number(told + 19, (uint64_t)given->s << 1 ^ (uint64_t)(given->s >> 63));
    write_number(told + 27, given->ns);
    if (is_hash) {
        told[len++] = 0x12; /* END */
        told[len++] = 32;
        if (!find_hash(answer, ask->object, file, hashed < given->size ? hashed : 0, given, told + len)) {
            return;
        }
        len += 32;
    }
    if (ask->end - ask->start > len && msk_skip(answer->fd, answer->msk, ask->start + len, ask->end) == 0) {
        answer->pieces[answer->count++] =
            (struct msk_file_bytes){.place = ask->start, .file = MSK_MEMORY, .len = len, .base = told};
    }
}

/* Part of what asks for something has come. */
static void put(struct answer *answer, int folder, const struct msk_ask *ask) {
    struct state state;
    int is_known = unseal(ask, &state), file;
    if (answer->count == PIECES) {
        return; /* the client asks again */
    }
    if (is_known && state.kind == GIVEN) { /* the further places of a file */
        file = open_file(answer, ask->object, folder, &state);
        if (file >= 0) {
            begin(answer, ask, file, &state, state.at);
        }
        return;
    }
    if (state.len + ask->data_len > TEXT_MAX) {
        refuse(answer, ask->object, BAD, "it is too long");
        return;
    }
    memcpy(state.text + state.len, ask->data, ask->data_len);
    state.len += (uint32_t)ask->data_len;
    state.kind = PART;
    if (!ask->is_end) {
        struct msk_ucont how = {
            .kind = MSK_INPUT, .object = ask->object, .taken = ask->offset + ask->data_len};
        msk_setucont(answer->fd, answer->msk, &how, &state, sealed_len(&state));
        return;
    }
    /* What, from where on, and the path. */
    const unsigned char *asking = (const unsigned char *)state.text;
    uint64_t start = 0;
    unsigned what = asking[0];
    size_t number = state.len > 1 ? read_number(asking + 1, state.len - 1, &start) : 0;
    if (number == 0 || what < FILE_ || what > ABOUT || memchr(asking + 1 + number, 0, state.len - 1 - number)) {
        refuse(answer, ask->object, BAD, "it asks for nothing that is known here");
        return;
    }
    state.len -= (uint32_t)(1 + number);
    memmove(state.text, state.text + 1 + number, state.len);
    state.text[state.len] = 0;
    if (what == LISTING) {
        refuse(answer, ask->object, NOT_ALLOWED, "this server lists nothing: name a file");
        return;
    }
    file = open_file(answer, ask->object, folder, &state);
    if (file < 0) {
        return;
    }
    if (what == FILE_) {
        state.at = 0;
        begin(answer, ask, file, &state, start);
    } else {
        tell(answer, ask, file, &state, what == HASH, start);
        close(file);
    }
}

/* Bytes of a file are wanted. */
static void want(struct answer *answer, int folder, const struct msk_ask *ask) {
    struct state state, now;
    if (ask->start == ask->end || !unseal(ask, &state) || state.kind != GIVEN) {
        return;
    }
    now = state;
    int file = open_file(answer, ask->object, folder, &now);
    if (file < 0) {
        return;
    }
    if (memcmp(&now, &state, sealed_len(&state)) != 0) {
        close(file);
        refuse(answer, ask->object, CHANGED, "it was changed meanwhile");
        return;
    }
    add_file(answer, file, ask->start, ask->end - ask->start, state.at + (ask->start - ask->valid_start));
}

static void serve(int fd, int folder, const struct msk_event *event) {
    struct answer answer = {.fd = fd, .msk = event->msk};
    for (size_t i = 0; i < event->asks_len; i++) {
        if (event->asks[i].kind == MSK_PUT) {
            put(&answer, folder, &event->asks[i]);
        } else {
            want(&answer, folder, &event->asks[i]);
        }
    }
    int count = answer.count;
    while (msk_sendfilev(fd, event->msk, answer.pieces, count) < 0 && errno == EMSGSIZE && count > 0) {
        count--; /* what does not fit is asked for again */
    }
    for (int i = 0; i < answer.count; i++) {
        if (answer.pieces[i].file >= 0) {
            close(answer.pieces[i].file);
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "files FOLDER ADDRESS KEY EPOCHS\n");
        return 2;
    }
    int folder = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) {
        perror(argv[1]);
        return 1;
    }
    struct msk_settings settings = {
        .size = sizeof settings, .address = argv[2], .key = argv[3], .epochs = argv[4], .version = 1};
    int fd = msk_listen(&settings);
    char ticket[1024];
    if (fd < 0 || msk_ticket(fd, ticket, sizeof ticket) < 0) {
        fprintf(stderr, "files: %s\n", msk_strerror());
        return 1;
    }
    printf("%s\n", ticket);
    fflush(stdout);
    pthread_t thread;
    if (pthread_create(&thread, NULL, hash_beside, NULL) != 0) {
        fprintf(stderr, "files: no thread that hashes\n");
        return 1;
    }
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    while (!is_over) {
        struct msk_event events[EVENTS];
        int count = msk_poll(fd, events, EVENTS, 1000); /* a signal may have come just before */
        if (count < 0 && errno != EINTR) {
            fprintf(stderr, "files: %s\n", msk_strerror());
            return 1;
        }
        for (int i = 0; i < count; i++) {
            serve(fd, folder, &events[i]);
        }
    }
    struct msk_stats stats;
    msk_stats(fd, &stats);
    fprintf(stderr, "files: %llu requests answered with %llu packets\n", (unsigned long long)stats.answered,
            (unsigned long long)stats.packets);
    msk_close(fd);
    close(folder);
    pthread_mutex_lock(&beside.lock);
    beside.is_over = 1;
    pthread_cond_signal(&beside.is_asked);
    pthread_mutex_unlock(&beside.lock);
    pthread_join(thread, NULL); /* a hash that is under way is finished before */
    return 0;
}
