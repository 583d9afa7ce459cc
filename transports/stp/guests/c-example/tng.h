/* The border between a guest and its host. Written by stp-guest-tool from the table in transports/stp/abi.
 * Addresses are of this module's memory. What is below zero is one of the TNG_ numbers. */
#ifndef TNG_H
#define TNG_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define TNG_ABI_VERSION 1u
#define TNG_CONTROLLER 257u
#define TNG_TRANSPORT 258u
#define TNG_HEAD_MAX 96u
#define TNG_RING_ENTRIES 64u
#define TNG_CALL_MAX 4096u
#define TNG_TIMERS_MAX 8u
#define TNG_TIMER_SEND 4294967295u
#define TNG_WOULD_BLOCK (-1)
#define TNG_LENGTH (-2)
#define TNG_FULL (-3)
#define TNG_CLOSED (-4)
#define TNG_NOT_THERE (-5)
#define TNG_UNPROVEN (-6)
#define TNG_UNASKED (-7)

/* An entry of the ring: 128 bytes. */
struct tng_arrived {
    u32 segment;
    u32 len;
    u64 number;
    u64 nonce;
    u32 numbered;
    u32 zero;
    u8 head[TNG_HEAD_MAX];
};

/* The host's. */
/* A fact: 0 ABI version, 1 role, 2 kind of socket, 3 bytes of memory at most. */
__attribute__((import_module("tng"), import_name("proto_info")))
u64 tng_proto_info(u32 what);
/* The guest has nothing to do any more. */
__attribute__((import_module("tng"), import_name("proto_done")))
void tng_proto_done(void);
/* Both guests are ready. */
__attribute__((import_module("tng"), import_name("so_connected")))
void tng_so_connected(void);
/* Where the send buffer ends. */
__attribute__((import_module("tng"), import_name("so_sent")))
u64 tng_so_sent(void);
/* Reads the send buffer; answers how many bytes. */
__attribute__((import_module("tng"), import_name("so_read")))
i64 tng_so_read(u64 from, u32 into, u32 len);
/* The send buffer up to here is not needed any more. */
__attribute__((import_module("tng"), import_name("so_drop")))
i64 tng_so_drop(u64 until);
/* Bytes that the receive buffer has room for. */
__attribute__((import_module("tng"), import_name("so_room")))
u64 tng_so_room(void);
/* Appends bytes of a segment to the receive buffer, unread. */
__attribute__((import_module("tng"), import_name("so_append")))
i64 tng_so_append(u32 segment, u32 from, u32 to);
/* Appends bytes of the guest's own. */
__attribute__((import_module("tng"), import_name("so_append_bytes")))
i64 tng_so_append_bytes(u32 bytes, u32 len);
/* The peer's application writes nothing any more. */
__attribute__((import_module("tng"), import_name("so_end")))
void tng_so_end(void);
/* The application looks at its socket. */
__attribute__((import_module("tng"), import_name("so_wakeup")))
void tng_so_wakeup(void);
/* Whether the application has disconnected. */
__attribute__((import_module("tng"), import_name("so_isdisconnecting")))
u32 tng_so_isdisconnecting(void);
/* The connection has failed. */
__attribute__((import_module("tng"), import_name("so_error")))
void tng_so_error(u32 code);
/* Sends head and body; answers the segment's number. */
__attribute__((import_module("tng"), import_name("net_send")))
i64 tng_net_send(u32 head, u32 len, u64 from, u64 to);
/* The same for what a lost segment had. */
__attribute__((import_module("tng"), import_name("net_resend")))
i64 tng_net_resend(u32 head, u32 len, u64 from, u64 to, u64 lost);
/* The peer proves that these segments arrived. */
__attribute__((import_module("tng"), import_name("ack_sum")))
i64 tng_ack_sum(u64 from, u64 to, u64 sum, u32 delay_us);
/* A segment is lost. */
__attribute__((import_module("tng"), import_name("nack")))
i64 tng_nack(u64 number);
/* Sends a segment that nobody acknowledges. */
__attribute__((import_module("tng"), import_name("net_sendack")))
i64 tng_net_sendack(u32 bytes, u32 len);
/* Bytes that may leave now. */
__attribute__((import_module("tng"), import_name("net_budget")))
u64 tng_net_budget(void);
/* A controller's window and rate. */
__attribute__((import_module("tng"), import_name("net_window")))
void tng_net_window(u64 window, u64 rate);
/* Milliseconds since the connection began. */
__attribute__((import_module("tng"), import_name("gettick")))
u64 tng_gettick(void);
/* Reads a segment; answers how many bytes. */
__attribute__((import_module("tng"), import_name("seg_read")))
i64 tng_seg_read(u32 segment, u32 from, u32 into, u32 len);
/* Keeps a segment behind the call of `input`. */
__attribute__((import_module("tng"), import_name("seg_keep")))
i64 tng_seg_keep(u32 segment);
/* Gives a kept segment back. */
__attribute__((import_module("tng"), import_name("seg_free")))
i64 tng_seg_free(u32 segment);
/* Sets a timer. */
__attribute__((import_module("tng"), import_name("timer_reset")))
i64 tng_timer_reset(u32 id, u32 in_ms);
/* Stops a timer. */
__attribute__((import_module("tng"), import_name("timer_stop")))
i64 tng_timer_stop(u32 id);
/* A fact of the path: 0 bytes of a segment at most, 1 address family. */
__attribute__((import_module("tng"), import_name("route")))
u64 tng_route(u32 what);
/* A line for people. */
__attribute__((import_module("tng"), import_name("log")))
i64 tng_log(u32 text, u32 len);
/* 64 random bits. */
__attribute__((import_module("tng"), import_name("random")))
u64 tng_random(void);

/* The guest's. */
/* Version and kind, `version << 8 | kind`. A module of another version is refused. */
__attribute__((export_name("abi")))
u64 guest_abi(void);
/* Address of the ring, 64 entries of 128 bytes. 0 of a controller. */
__attribute__((export_name("ring")))
u32 guest_ring(void);
/* Address of 4,096 bytes for calls of the protocol's own; of 192 bytes for samples in a controller. */
__attribute__((export_name("area")))
u32 guest_area(void);
/* The application has written (0), taken (1), disconnected (2). */
__attribute__((export_name("usrreq")))
void guest_usrreq(u32 request, u64 until);
/* A call of the protocol's own, with so many bytes in the area; answers how many there are then. */
__attribute__((export_name("call")))
i64 guest_call(u32 number, u32 len);
/* A connection begins. */
__attribute__((export_name("attach")))
void guest_attach(void);
/* The path is there, at the end that began. */
__attribute__((export_name("connect")))
void guest_connect(void);
/* The path is there, at the end that accepted. */
__attribute__((export_name("accept")))
void guest_accept(void);
/* The connection is over. */
__attribute__((export_name("abort")))
void guest_abort(void);
/* The guest is taken down then. */
__attribute__((export_name("shutdown")))
void guest_shutdown(u32 deadline_ms);
/* The path is another one. */
__attribute__((export_name("path_changed")))
void guest_path_changed(void);
/* So many segments stand in the ring, from that entry on. */
__attribute__((export_name("input")))
void guest_input(u32 first, u32 count);
/* A sample for a controller stands in the area. */
__attribute__((export_name("sample")))
void guest_sample(void);
/* A timer went off. */
__attribute__((export_name("timer")))
void guest_timer(u32 id);

#endif
