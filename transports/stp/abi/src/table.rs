//! Every function of the border, once.

use alloc::string::String;
use core::fmt::Write;

/// Which side has a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The host: a guest calls it.
    Import,
    /// The guest: the host calls it.
    Export,
    /// The host, and guests cannot call it: what the paper gives them and we keep.
    Host,
}

/// A group of STP's Table 2.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// Protocol management.
    Protocol,
    /// Sockets layer.
    Sockets,
    /// Connection management.
    Connections,
    /// TCP-friendly network access.
    Network,
    /// Runtime support.
    Runtime,
}

impl Group {
    /// As the paper has it.
    pub const fn title(self) -> &'static str {
        match self {
            Group::Protocol => "Protocol management",
            Group::Sockets => "Sockets layer",
            Group::Connections => "Connection management",
            Group::Network => "TCP-friendly network access",
            Group::Runtime => "Runtime support",
        }
    }
}

/// What crosses the border.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// 32 bits: addresses, lengths and small numbers.
    U32,
    /// 64 bits.
    U64,
    /// 64 bits with a sign; below zero it is a [`Refused`](crate::Refused).
    I64,
}

/// One function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its group.
    pub group: Group,
    /// Who has it.
    pub side: Side,
    /// Its name: an import of module `tng`, or an export.
    pub name: &'static str,
    /// What it is handed.
    pub parameters: &'static [(&'static str, Type)],
    /// What it answers.
    pub result: Option<Type>,
    /// What STP's Table 2 calls it, if it is there.
    pub paper: Option<&'static str>,
    /// What it does.
    pub doc: &'static str,
}

use Group::{Connections, Network, Protocol, Runtime, Sockets};
use Side::{Export, Host, Import};
use Type::{I64, U32, U64};

/// All functions, by group.
pub const TABLE: &[Row] = &[
    Row {
        group: Protocol,
        side: Host,
        name: "load",
        parameters: &[],
        result: None,
        paper: Some("stp_load_proto"),
        doc: "A module is checked, compiled and given a name. The host does it; guests cannot.",
    },
    Row {
        group: Protocol,
        side: Host,
        name: "unload",
        parameters: &[],
        result: None,
        paper: Some("stp_unload_proto"),
        doc: "A module is taken down: by the host, within two seconds, at once after a violation of its CPU quota.",
    },
    Row {
        group: Protocol,
        side: Export,
        name: "abi",
        parameters: &[],
        result: Some(U64),
        paper: None,
        doc: "Version and kind, `version << 8 \\| kind`. A module of another version is refused.",
    },
    Row {
        group: Protocol,
        side: Export,
        name: "ring",
        parameters: &[],
        result: Some(U32),
        paper: None,
        doc: "Address of the ring, 64 entries of 128 bytes. 0 of a controller.",
    },
    Row {
        group: Protocol,
        side: Export,
        name: "area",
        parameters: &[],
        result: Some(U32),
        paper: None,
        doc: "Address of 4,096 bytes for calls of the protocol's own; of 192 bytes for samples in a controller.",
    },
    Row {
        group: Protocol,
        side: Import,
        name: "proto_info",
        parameters: &[("what", U32)],
        result: Some(U64),
        paper: None,
        doc: "A fact: 0 ABI version, 1 role, 2 kind of socket, 3 bytes of memory at most.",
    },
    Row {
        group: Protocol,
        side: Import,
        name: "proto_done",
        parameters: &[],
        result: None,
        paper: None,
        doc: "The guest has nothing to do any more.",
    },
    Row {
        group: Sockets,
        side: Host,
        name: "so_bind",
        parameters: &[],
        result: None,
        paper: Some("stp_sobind"),
        doc: "Ports and addresses are the host's.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_connected",
        parameters: &[],
        result: None,
        paper: None,
        doc: "Both guests are ready.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_sent",
        parameters: &[],
        result: Some(U64),
        paper: None,
        doc: "Where the send buffer ends.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_read",
        parameters: &[("from", U64), ("into", U32), ("len", U32)],
        result: Some(I64),
        paper: None,
        doc: "Reads the send buffer; answers how many bytes.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_drop",
        parameters: &[("until", U64)],
        result: Some(I64),
        paper: None,
        doc: "The send buffer up to here is not needed any more.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_room",
        parameters: &[],
        result: Some(U64),
        paper: None,
        doc: "Bytes that the receive buffer has room for.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_append",
        parameters: &[("segment", U32), ("from", U32), ("to", U32)],
        result: Some(I64),
        paper: Some("stp_sbappend"),
        doc: "Appends bytes of a segment to the receive buffer, unread.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_append_bytes",
        parameters: &[("bytes", U32), ("len", U32)],
        result: Some(I64),
        paper: None,
        doc: "Appends bytes of the guest's own.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_end",
        parameters: &[],
        result: None,
        paper: None,
        doc: "The peer's application writes nothing any more.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_wakeup",
        parameters: &[],
        result: None,
        paper: Some("stp_sowakeup"),
        doc: "The application looks at its socket.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_isdisconnecting",
        parameters: &[],
        result: Some(U32),
        paper: Some("stp_isdisconnecting"),
        doc: "Whether the application has disconnected.",
    },
    Row {
        group: Sockets,
        side: Import,
        name: "so_error",
        parameters: &[("code", U32)],
        result: None,
        paper: None,
        doc: "The connection has failed.",
    },
    Row {
        group: Sockets,
        side: Export,
        name: "usrreq",
        parameters: &[("request", U32), ("until", U64)],
        result: None,
        paper: None,
        doc: "The application has written (0), taken (1), disconnected (2).",
    },
    Row {
        group: Sockets,
        side: Export,
        name: "call",
        parameters: &[("number", U32), ("len", U32)],
        result: Some(I64),
        paper: None,
        doc: "A call of the protocol's own, with so many bytes in the area; answers how many there are then.",
    },
    Row {
        group: Connections,
        side: Export,
        name: "attach",
        parameters: &[],
        result: None,
        paper: Some("stp_attach"),
        doc: "A connection begins.",
    },
    Row {
        group: Connections,
        side: Export,
        name: "connect",
        parameters: &[],
        result: None,
        paper: Some("stp_connect"),
        doc: "The path is there, at the end that began.",
    },
    Row {
        group: Connections,
        side: Export,
        name: "accept",
        parameters: &[],
        result: None,
        paper: Some("stp_accept"),
        doc: "The path is there, at the end that accepted.",
    },
    Row {
        group: Connections,
        side: Export,
        name: "abort",
        parameters: &[],
        result: None,
        paper: Some("stp_abort"),
        doc: "The connection is over.",
    },
    Row {
        group: Connections,
        side: Export,
        name: "shutdown",
        parameters: &[("deadline_ms", U32)],
        result: None,
        paper: None,
        doc: "The guest is taken down then.",
    },
    Row {
        group: Connections,
        side: Export,
        name: "path_changed",
        parameters: &[],
        result: None,
        paper: None,
        doc: "The path is another one.",
    },
    Row {
        group: Network,
        side: Export,
        name: "input",
        parameters: &[("first", U32), ("count", U32)],
        result: None,
        paper: None,
        doc: "So many segments stand in the ring, from that entry on.",
    },
    Row {
        group: Network,
        side: Import,
        name: "net_send",
        parameters: &[("head", U32), ("len", U32), ("from", U64), ("to", U64)],
        result: Some(I64),
        paper: Some("stp_net_send"),
        doc: "Sends head and body; answers the segment's number.",
    },
    Row {
        group: Network,
        side: Import,
        name: "net_resend",
        parameters: &[("head", U32), ("len", U32), ("from", U64), ("to", U64), ("lost", U64)],
        result: Some(I64),
        paper: Some("stp_net_resend"),
        doc: "The same for what a lost segment had.",
    },
    Row {
        group: Network,
        side: Import,
        name: "ack_sum",
        parameters: &[("from", U64), ("to", U64), ("sum", U64), ("delay_us", U32)],
        result: Some(I64),
        paper: Some("stp_ack_sum"),
        doc: "The peer proves that these segments arrived.",
    },
    Row {
        group: Network,
        side: Import,
        name: "nack",
        parameters: &[("number", U64)],
        result: Some(I64),
        paper: Some("stp_nack"),
        doc: "A segment is lost.",
    },
    Row {
        group: Network,
        side: Import,
        name: "net_sendack",
        parameters: &[("bytes", U32), ("len", U32)],
        result: Some(I64),
        paper: Some("stp_net_sendack"),
        doc: "Sends a segment that nobody acknowledges.",
    },
    Row {
        group: Network,
        side: Import,
        name: "net_budget",
        parameters: &[],
        result: Some(U64),
        paper: None,
        doc: "Bytes that may leave now.",
    },
    Row {
        group: Network,
        side: Export,
        name: "sample",
        parameters: &[],
        result: None,
        paper: None,
        doc: "A sample for a controller stands in the area.",
    },
    Row {
        group: Network,
        side: Import,
        name: "net_window",
        parameters: &[("window", U64), ("rate", U64)],
        result: None,
        paper: None,
        doc: "A controller's window and rate.",
    },
    Row {
        group: Runtime,
        side: Import,
        name: "gettick",
        parameters: &[],
        result: Some(U64),
        paper: Some("stp_gettick"),
        doc: "Milliseconds since the connection began.",
    },
    Row {
        group: Runtime,
        side: Host,
        name: "seg_alloc",
        parameters: &[],
        result: None,
        paper: Some("stp_seg_alloc"),
        doc: "The host makes segments of what arrives, and of what is sent.",
    },
    Row {
        group: Runtime,
        side: Import,
        name: "seg_read",
        parameters: &[("segment", U32), ("from", U32), ("into", U32), ("len", U32)],
        result: Some(I64),
        paper: None,
        doc: "Reads a segment; answers how many bytes.",
    },
    Row {
        group: Runtime,
        side: Import,
        name: "seg_keep",
        parameters: &[("segment", U32)],
        result: Some(I64),
        paper: None,
        doc: "Keeps a segment behind the call of `input`.",
    },
    Row {
        group: Runtime,
        side: Import,
        name: "seg_free",
        parameters: &[("segment", U32)],
        result: Some(I64),
        paper: None,
        doc: "Gives a kept segment back.",
    },
    Row {
        group: Runtime,
        side: Import,
        name: "timer_reset",
        parameters: &[("id", U32), ("in_ms", U32)],
        result: Some(I64),
        paper: Some("stp_timer_reset"),
        doc: "Sets a timer.",
    },
    Row {
        group: Runtime,
        side: Import,
        name: "timer_stop",
        parameters: &[("id", U32)],
        result: Some(I64),
        paper: None,
        doc: "Stops a timer.",
    },
    Row {
        group: Runtime,
        side: Export,
        name: "timer",
        parameters: &[("id", U32)],
        result: None,
        paper: None,
        doc: "A timer went off.",
    },
    Row {
        group: Runtime,
        side: Import,
        name: "route",
        parameters: &[("what", U32)],
        result: Some(U64),
        paper: Some("stp_get_rentry"),
        doc: "A fact of the path: 0 bytes of a segment at most, 1 address family.",
    },
    Row {
        group: Runtime,
        side: Import,
        name: "log",
        parameters: &[("text", U32), ("len", U32)],
        result: Some(I64),
        paper: None,
        doc: "A line for people.",
    },
    Row {
        group: Runtime,
        side: Import,
        name: "random",
        parameters: &[],
        result: Some(U64),
        paper: None,
        doc: "64 random bits.",
    },
];

/// The table as docs/stp.md has it.
pub fn markdown() -> String {
    let mut text = String::from("| function | who has it | in the paper | what it does |\n|---|---|---|---|\n");
    let mut group = None;
    for row in TABLE {
        if group != Some(row.group) {
            group = Some(row.group);
            let _ = writeln!(text, "| **{}** | | | |", row.group.title());
        }
        let _ = write!(text, "| `{}(", row.name);
        for (at, (name, kind)) in row.parameters.iter().enumerate() {
            let _ = write!(text, "{}{name}: {}", if at > 0 { ", " } else { "" }, of(*kind));
        }
        let _ = match row.result {
            Some(kind) => write!(text, ") -> {}`", of(kind)),
            None => write!(text, ")`"),
        };
        let side = match row.side {
            Import => "host",
            Export => "guest",
            Host => "host alone",
        };
        let paper = row.paper.map_or(String::new(), |paper| alloc::format!("`{paper}`"));
        let _ = writeln!(text, " | {side} | {paper} | {} |", row.doc);
    }
    text
}

fn of(kind: Type) -> &'static str {
    match kind {
        U32 => "u32",
        U64 => "u64",
        I64 => "i64",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// STP, Table 2.
    const PAPER: &[(Group, &[&str])] = &[
        (Protocol, &["stp_load_proto", "stp_unload_proto"]),
        (Sockets, &["stp_sowakeup", "stp_sbappend", "stp_isdisconnecting", "stp_sobind"]),
        (Connections, &["stp_attach", "stp_connect", "stp_abort", "stp_accept"]),
        (Network, &["stp_net_send", "stp_net_resend", "stp_ack_sum", "stp_nack", "stp_net_sendack"]),
        (Runtime, &["stp_gettick", "stp_seg_alloc", "stp_timer_reset", "stp_get_rentry"]),
    ];

    #[test]
    fn every_function_of_the_papers_table_is_here_in_its_group_once() {
        for (group, names) in PAPER {
            for name in *names {
                let found: Vec<&Row> = TABLE.iter().filter(|row| row.paper == Some(name)).collect();
                assert!(matches!(found[..], [row] if row.group == *group), "{name}: {found:?}");
            }
        }
        let known = |paper| PAPER.iter().any(|(_, names)| names.contains(&paper));
        assert!(TABLE.iter().filter_map(|row| row.paper).all(known), "nothing is ascribed to the paper");
    }

    #[test]
    fn callbacks_of_the_paper_are_the_guests_and_the_rest_is_the_hosts() {
        for row in TABLE.iter().filter(|row| row.paper.is_some()) {
            let callback = row.side == Export;
            assert_eq!(callback, row.group == Connections, "{}", row.name);
        }
    }

    #[test]
    fn names_are_told_apart_and_the_table_goes_by_groups() {
        let mut names: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
        names.sort_unstable();
        assert!(names.is_sorted_by(|a, b| a < b));
        assert!(TABLE.is_sorted_by_key(|row| row.group));
        let lines = markdown().lines().count();
        assert_eq!(lines, 2 + PAPER.len() + TABLE.len());
    }
}
