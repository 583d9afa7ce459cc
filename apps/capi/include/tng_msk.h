/* Minisockets: servers that keep nothing of their clients, and clients of them (docs/guides/stateless.md, lesson 6).
 *
 * Every call that fails sets errno, and msk_strerror() says what to do. EBADF: a handle or a descriptor that is closed,
 * used up, of somebody else, or 0. EMSGSIZE: more bytes than a client may be sent, or a state of more than 512.
 *
 * This file is generated: TNG_WRITE=1 cargo test -p tng-capi --test header */

#ifndef TNG_MSK_H
#define TNG_MSK_H

#include <stddef.h>
#include <stdint.h>

/**
 * A client has set up a connection. What it asks for at once stands in the event; it is answered like a request,
 * also if it asks for nothing: the answer is what lets it in.
 */
#define MSK_OPEN 1

/**
 * A client asks for something.
 */
#define MSK_REQUEST 2

/**
 * A client will not ask for more. A hint: many go without one. What stands in the event may be answered or not.
 */
#define MSK_CLOSE 3

/**
 * Of a client: it has a connection; again, if servers have not answered for long.
 */
#define MSK_CONNECTED 4

/**
 * Of a client: msk_recv has bytes of an object.
 */
#define MSK_READABLE 5

/**
 * Of a client: all of an object has come.
 */
#define MSK_FINISHED 6

/**
 * Of a client: an object does not come; msk_recv says why.
 */
#define MSK_FAILED 7

/**
 * Of a client: it has ended, and nothing comes any more; msk_recv says why.
 */
#define MSK_ENDED 8

/**
 * Part of what asks for an object has come.
 */
#define MSK_PUT 1

/**
 * Bytes of an object are wanted.
 */
#define MSK_WANT 2

/**
 * Minisockets that a program may have detached, at most: beyond it msk_detach fails.
 */
#define MSK_DETACHED_MAX 1024

/**
 * For msk_fault: the server has no room for it now, and the client asks again later.
 */
#define MSK_OVERLOADED 5

/**
 * For msk_fault: the object is being made, and the client asks again soon.
 */
#define MSK_NOT_YET 6

/**
 * For msk_setucont: how to ask for bytes of an object.
 */
#define MSK_OUTPUT 1

/**
 * For msk_setucont: how to go on with what asks for an object.
 */
#define MSK_INPUT 2

/**
 * In the place of a file's descriptor: the bytes are in memory.
 */
#define MSK_MEMORY -2

/**
 * What msk_listen is told. Set it to zero, then `size`, `key` and `epochs`; the rest has defaults.
 */
struct msk_settings {
  /**
   * sizeof(struct msk_settings).
   */
  size_t size;
  /**
   * IP address and port; NULL: `[::]:4860`. With port 0 the system chooses one, and msk_ticket says which.
   */
  const char *address;
  /**
   * File of the server's identity, from `tng id new --key FILE`.
   */
  const char *key;
  /**
   * File of the secrets that its fleet shares, from `tng trickles keys new FILE`.
   */
  const char *epochs;
  /**
   * What opens its door, at most 64 bytes, which msk_ticket puts into the ticket; NULL: everybody comes in.
   */
  const char *capability;
  /**
   * Whether other servers have the same file of epochs: what clients have spent is known by packet then, whichever
   * server gave it out, and a fresh packet is taken for a spent one in 2 of 10,000 cases.
   */
  int fleet;
  /**
   * Version of what the program seals. What another version has sealed, clients ask for anew.
   */
  uint16_t version;
};

/**
 * One thing that a client asks for. What it points at is good until its minisocket is answered, dropped or extracted,
 * and no longer than until the next msk_poll unless that is detached.
 */
struct msk_ask {
  /**
   * MSK_PUT or MSK_WANT.
   */
  uint32_t kind;
  /**
   * Of MSK_PUT: nothing more follows of what asks for the object.
   */
  uint32_t is_end;
  /**
   * The object, as the client calls it.
   */
  uint64_t object;
  /**
   * MSK_WANT: the place in the client's row where the wanted bytes begin. MSK_PUT: where what is reserved for the
   * object begins.
   */
  uint64_t start;
  /**
   * Where they end. Wanted bytes are cut to those that may be sent, if nothing else is told.
   */
  uint64_t end;
  /**
   * MSK_WANT: the place from which on the state is good.
   */
  uint64_t valid_start;
  /**
   * MSK_WANT: and up to where.
   */
  uint64_t valid_end;
  /**
   * MSK_PUT: how much of what asks for the object has been taken before.
   */
  uint64_t offset;
  /**
   * What the program has sealed; NULL if it was nothing yet.
   */
  const uint8_t *state;
  /**
   * Its length in bytes.
   */
  size_t state_len;
  /**
   * MSK_PUT: the part.
   */
  const uint8_t *data;
  /**
   * Its length in bytes.
   */
  size_t data_len;
};

/**
 * Something that has happened.
 */
struct msk_event {
  /**
   * MSK_OPEN to MSK_ENDED.
   */
  uint32_t kind;
  /**
   * The client's port.
   */
  uint16_t port;
  /**
   * Of a server: who asks, to be answered; 0 in events of a client.
   */
  uint64_t msk;
  /**
   * Of a client: which of its objects, 0 if none.
   */
  uint64_t object;
  /**
   * The connection's id.
   */
  uint8_t connection[16];
  /**
   * MSK_OPEN: the client's key, proven.
   */
  uint8_t peer[32];
  /**
   * The client's IPv6 address, or its IPv4 address mapped into one.
   */
  uint8_t address[16];
  /**
   * The smoothed round-trip time, in us.
   */
  uint64_t rtt_us;
  /**
   * Bytes that may be told in the answer: of objects, and what is told about them.
   */
  size_t room;
  /**
   * What is asked for.
   */
  const struct msk_ask *asks;
  /**
   * How many things that are.
   */
  size_t asks_len;
};

/**
 * A client for as long as one of its requests is answered; 0 is none. A handle is never given twice: one that is kept
 * for too long is refused with EBADF.
 */
typedef uint64_t minisock;

/**
 * Bytes in memory, and where they belong in the client's row.
 */
struct msk_bytes {
  /**
   * The place of the first.
   */
  uint64_t place;
  /**
   * The bytes.
   */
  const void *base;
  /**
   * How many.
   */
  size_t len;
};

/**
 * Bytes in a file or in memory, and where they belong in the client's row.
 */
struct msk_file_bytes {
  /**
   * The place of the first.
   */
  uint64_t place;
  /**
   * Descriptor of the file, whose position is neither used nor changed; or MSK_MEMORY.
   */
  int file;
  /**
   * Where they begin in the file.
   */
  uint64_t offset;
  /**
   * How many.
   */
  uint64_t len;
  /**
   * With MSK_MEMORY: the bytes. It must stay as it is until the call returns.
   */
  const void *base;
};

/**
 * What a state is for.
 */
struct msk_ucont {
  /**
   * MSK_OUTPUT or MSK_INPUT.
   */
  uint32_t kind;
  /**
   * The object, as the client calls it.
   */
  uint64_t object;
  /**
   * MSK_OUTPUT: the places that the state is good for.
   */
  uint64_t start;
  /**
   * Where they end.
   */
  uint64_t end;
  /**
   * MSK_INPUT: how much of what asks for the object has been taken.
   */
  uint64_t taken;
  /**
   * MSK_INPUT: where the next part should end; 0: anywhere.
   */
  uint64_t until;
};

/**
 * One answer of several.
 */
struct msk_desc {
  /**
   * Who is answered.
   */
  minisock msk;
  /**
   * With these bytes, as msk_send does.
   */
  const void *base;
  /**
   * How many.
   */
  size_t len;
  /**
   * 0 if they were sent; else what errno would be.
   */
  int error;
};

/**
 * What a server has done.
 */
struct msk_stats {
  /**
   * Connections that it has granted.
   */
  uint64_t opened;
  /**
   * Requests that it has answered.
   */
  uint64_t answered;
  /**
   * Packets that it has sent in answer.
   */
  uint64_t packets;
  /**
   * Requests that were spent before.
   */
  uint64_t spent;
  /**
   * Requests that were refused.
   */
  uint64_t refused;
  /**
   * Requests that were dropped because the program was behind.
   */
  uint64_t dropped;
};

/**
 * An object that a client has asked for; 0 is none. As a minisock, it is never given twice.
 */
typedef uint64_t msk_object;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Opens a server, and answers its descriptor, which msk_close closes. It is readable when msk_poll has something to
 * do, so it may stand in poll, select or epoll. A server belongs to the thread that opens it; the library has none.
 *
 * `settings` is NULL or points to settings whose texts end with a zero.
 */
int msk_listen(const struct msk_settings *settings);

/**
 * Opens a client of the servers that a ticket names, and answers its descriptor, as msk_listen does. `key` is the file
 * of its identity; with NULL it has a new one.
 *
 * Both are NULL or texts that end with a zero.
 */
int msk_connect(const char *ticket,
                const char *key);

/**
 * Closes a server or a client: its minisockets and objects are gone, and so is the descriptor.
 */
int msk_close(int fd);

/**
 * Writes the ticket of a server, with a zero behind it, and answers its length. ERANGE if it does not fit: 1,024 bytes
 * are enough.
 *
 * `out` is NULL or has room for `size` bytes.
 */
int msk_ticket(int fd,
               char *out,
               size_t size);

/**
 * Reads the file of epochs again, which may have been rotated. What is bad changes nothing.
 */
int msk_rekey(int fd);

/**
 * Sends what was answered, and waits for something to happen: for `timeout_ms` at most, not at all if that is 0, as
 * long as it takes if it is negative. Writes up to `max` events, and answers how many. EINTR if a signal came.
 *
 * Of a server: minisockets of earlier events that were neither answered nor detached are dropped first.
 *
 * `events` is NULL or has room for `max` of them.
 */
int msk_poll(int fd,
             struct msk_event *events,
             int max,
             int timeout_ms);

/**
 * How many bytes may be sent from this place on, beside what was told before; -1 if that fails.
 */
int64_t msk_grant(int fd, minisock msk, uint64_t place);

/**
 * Answers with these bytes, which are those that are asked for first, and with what was told before. The minisocket is
 * gone then. Answers how many bytes; EMSGSIZE, and nothing is sent, if they are more than may be.
 *
 * `buf` is NULL or points to `len` bytes.
 */
int64_t msk_send(int fd,
                 minisock msk,
                 const void *buf,
                 size_t len);

/**
 * Answers with bytes of several places, as msk_send does with those of one.
 *
 * `pieces` is NULL or points to `count` of them, and each of those to its bytes.
 */
int64_t msk_sendv(int fd, minisock msk, const struct msk_bytes *pieces, int count);

/**
 * Answers with bytes of files, which are read into the packets, and of memory.
 *
 * `pieces` is NULL or points to `count` of them, whose files stay open meanwhile, and which point to their bytes.
 */
int64_t msk_sendfilev(int fd,
                      minisock msk,
                      const struct msk_file_bytes *pieces,
                      int count);

/**
 * Seals a state of the program's, at most 512 bytes, for the client to come back with. It leaves with the answer.
 *
 * `how` and `state` are NULL or point to what they are named for, `state` to `len` bytes.
 */
int msk_setucont(int fd,
                 minisock msk,
                 const struct msk_ucont *how,
                 const void *state,
                 size_t len);

/**
 * Tells the client that nothing comes for these places: the object has ended before them. It leaves with the answer.
 */
int msk_skip(int fd,
             minisock msk,
             uint64_t start,
             uint64_t end);

/**
 * Tells the client that an object does not come, and why: by a code of the program's, from 64 on, or MSK_OVERLOADED or
 * MSK_NOT_YET; and by a text for people. It leaves with the answer.
 *
 * `text` is NULL or ends with a zero.
 */
int msk_fault(int fd,
              minisock msk,
              uint64_t object,
              uint64_t code,
              const char *text);

/**
 * Whether something expensive may be computed for a client: bytes of what `name` stands for. A connection has it
 * computed once and `retries` times more in 15 s, and under load solves a puzzle before. 1 if so; 0 if not, and the
 * client is told with the answer.
 *
 * `name` is NULL or points to `len` bytes.
 */
int msk_may_compute(int fd,
                    minisock msk,
                    uint64_t object,
                    const void *name,
                    size_t len,
                    unsigned char retries);

/**
 * Answers several, each with its bytes. Answers how many were sent; each of the others says why not.
 *
 * `answers` is NULL or points to `count` of them, and each of those to its bytes.
 */
int msk_sendbulk(int fd,
                 struct msk_desc *answers,
                 int count);

/**
 * Lets a minisocket go unanswered: its client sees packets lost.
 */
int msk_drop(int fd, minisock msk);

/**
 * Keeps a minisocket, and what its event points at, beyond the next msk_poll, until it is answered, dropped or
 * extracted. 1,024 at most are kept. Its client asks anew after a while.
 */
int msk_detach(int fd,
               minisock msk);

/**
 * Seals minisockets for another server of the fleet, which can install them within 10 s, and writes them into `out`,
 * which has room for `*outlen` bytes; `*outlen` says then how many were written. Answers how many minisockets were
 * extracted, and are gone; if that is not all of them, errno is of the one behind the last. Those of MSK_OPEN stay.
 *
 * `in` is NULL or points to `inlen` handles, `outlen` to a size, `out` to so much room.
 */
int msk_extract_events(int fd,
                       const minisock *in,
                       int inlen,
                       void *out,
                       size_t *outlen);

/**
 * Puts minisockets that another server of the fleet has extracted into the queue of this one: events bring them.
 * Answers how many; if that is not all of them, errno is of the one behind the last. Clients take
 * answers from the servers that their tickets name.
 *
 * `collection` is NULL or points to `len` bytes.
 */
int msk_install_events(int fd,
                       const void *collection,
                       size_t len);

/**
 * What a server has done.
 *
 * `out` is NULL or has room for it.
 */
int msk_stats(int fd, struct msk_stats *out);

/**
 * Asks for an object: `request` is for the server's application, which may be asked twice. So many bytes of the row
 * are reserved for it at first; 0 for as many as usual. 256 objects at most are asked for at a time. 0 if it fails.
 *
 * `request` is NULL or points to `len` bytes.
 */
msk_object msk_request(int fd,
                       const void *request,
                       size_t len,
                       uint64_t reserve);

/**
 * Reads bytes of an object, in order. Answers how many, 0 at its end. EAGAIN if none have come: msk_poll says when.
 * After the end, and after another error, the handle is gone.
 *
 * `buf` is NULL or has room for `len` bytes.
 */
int64_t msk_recv(int fd,
                 msk_object object,
                 void *buf,
                 size_t len);

/**
 * Gives an object up.
 */
int msk_cancel(int fd, msk_object object);

/**
 * The BLAKE3 hash of the first `len` bytes of a file, 0 for all: 32 bytes. It takes a second a gigabyte or so, in
 * which nobody is answered.
 *
 * `hash` is NULL or has room for 32 bytes; `file` stays open meanwhile.
 */
int msk_hash(int file,
             uint64_t len,
             unsigned char *hash);

/**
 * Why this thread's last call that failed did so, and what to do, as a text. It is good until the next call fails.
 */
const char *msk_strerror(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TNG_MSK_H */
