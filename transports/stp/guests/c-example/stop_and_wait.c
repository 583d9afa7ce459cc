/* The smallest transport that works, in C: the same as ../template, and it speaks the same. Read that one first.
 *
 *   byte 0              byte 1                  then
 *   1: a message        low byte of its count   the message
 *   2: an acknowledgment the same               number of the segment that came, and its nonce, 8 bytes each
 */
#include "tng.h"

enum { MESSAGE = 1, ACKNOWLEDGMENT = 2, HEAD = 2, ACKNOWLEDGMENT_LEN = HEAD + 16 };
enum { TIMER_AGAIN = 0, AGAIN_MS = 400, WAITING_MAX = 256 };

#define ADDRESS(x) ((u32)(unsigned long)(x))
#define NONE (~0ull)

static struct tng_arrived ring[TNG_RING_ENTRIES];
static u8 area[TNG_CALL_MAX];

/* Where the messages end that have not arrived, in a circle; where the first of them begins. */
static u64 waiting[WAITING_MAX];
static u32 first, count;
static u64 from;
static u8 sent, received;
/* Number of the segment that has the first of them, and the one that it had before, if that was lost. */
static u64 flying = NONE, lost = NONE;

static void put(u8 *bytes, u64 number)
{
    for (int at = 0; at < 8; at++)
        bytes[at] = (u8)(number >> (8 * at));
}

static u64 get(const u8 *bytes)
{
    u64 number = 0;
    for (int at = 0; at < 8; at++)
        number |= (u64)bytes[at] << (8 * at);
    return number;
}

static void done_with_first(void)
{
    from = waiting[first];
    first = (first + 1) % WAITING_MAX;
    count--;
    flying = lost = NONE;
    tng_so_drop(from);
}

static void output(void)
{
    static const char too_large[] = "a message is larger than a segment, and is dropped";
    while (flying == NONE && count > 0) {
        u64 until = waiting[first];
        if (until - from + HEAD > tng_route(0)) {
            tng_log(ADDRESS(too_large), sizeof too_large - 1);
            done_with_first();
            continue;
        }
        u8 head[HEAD] = {MESSAGE, sent};
        i64 number = lost == NONE ? tng_net_send(ADDRESS(head), HEAD, from, until)
                                  : tng_net_resend(ADDRESS(head), HEAD, from, until, lost);
        if (number == TNG_WOULD_BLOCK)
            return;
        if (number >= 0)
            flying = (u64)number;
        tng_timer_reset(TIMER_AGAIN, AGAIN_MS);
        return;
    }
    if (count == 0 && tng_so_isdisconnecting())
        tng_proto_done();
}

static void receive(const struct tng_arrived *segment)
{
    if (!segment->numbered)
        return;
    u8 told = segment->head[1];
    if (told == received) {
        if (tng_so_append(segment->segment, HEAD, segment->len) < 0)
            return;
        tng_so_wakeup();
        received++;
    }
    u8 bytes[ACKNOWLEDGMENT_LEN] = {ACKNOWLEDGMENT, told};
    put(bytes + 2, segment->number);
    put(bytes + 10, segment->nonce);
    tng_net_sendack(ADDRESS(bytes), sizeof bytes);
}

static void acknowledge(const struct tng_arrived *segment)
{
    if (segment->len < ACKNOWLEDGMENT_LEN || flying == NONE)
        return;
    u64 number = get(segment->head + 2);
    if (number <= flying)
        tng_ack_sum(number, number + 1, get(segment->head + 10), 0);
    if (segment->head[1] == sent) {
        sent++;
        done_with_first();
    }
}

static void give_up_waiting(void)
{
    if (flying != NONE) {
        lost = flying;
        flying = NONE;
    }
}

u64 guest_abi(void) { return TNG_TRANSPORT; }
u32 guest_ring(void) { return ADDRESS(ring); }
u32 guest_area(void) { return ADDRESS(area); }
void guest_attach(void) {}

void guest_connect(void)
{
    tng_so_connected();
    output();
}

void guest_accept(void) { guest_connect(); }
void guest_abort(void) { count = 0; }

void guest_input(u32 begin, u32 arrived)
{
    for (u32 at = 0; at < arrived; at++) {
        const struct tng_arrived *segment = &ring[(begin + at) % TNG_RING_ENTRIES];
        if (segment->len >= HEAD && segment->head[0] == MESSAGE)
            receive(segment);
        else if (segment->len >= HEAD && segment->head[0] == ACKNOWLEDGMENT)
            acknowledge(segment);
    }
    output();
}

void guest_timer(u32 id)
{
    if (id == TIMER_AGAIN)
        give_up_waiting();
    output();
}

void guest_usrreq(u32 request, u64 until)
{
    if (request == 0 && count < WAITING_MAX)
        waiting[(first + count++) % WAITING_MAX] = until;
    else if (request == 0)
        waiting[(first + count - 1) % WAITING_MAX] = until;
    output();
}

void guest_shutdown(u32 deadline_ms)
{
    (void)deadline_ms;
    tng_proto_done();
}

void guest_path_changed(void)
{
    give_up_waiting();
    output();
}

i64 guest_call(u32 number, u32 len)
{
    (void)number;
    (void)len;
    return TNG_NOT_THERE;
}
