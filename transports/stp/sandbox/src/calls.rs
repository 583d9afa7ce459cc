//! What the host does when a guest calls it: numbers and guest memory in, a number out. Which engine runs the guest
//! shows nowhere here.

use core::ops::Range;

use tng_stp_abi::{Host, Info, Refused, Route};
use tng_stp_host::Fault;

use crate::store::{Side, State};

/// Bytes of a line that are looked at. The host keeps fewer.
const LINE_LOOKED_AT_MAX: usize = 1 << 10;

/// One call.
pub(crate) struct Call<'a> {
    pub(crate) memory: &'a mut [u8],
    pub(crate) state: &'a mut State,
    /// Bytes that the host may have to copy for it.
    pub(crate) copied: u64,
}

impl Call<'_> {
    fn shim(&mut self) -> Result<&mut dyn Host, Fault> {
        match &mut self.state.side {
            Side::Transport(shim) => Ok(&mut **shim),
            Side::Apart(beside) => Ok(&mut **beside),
            Side::Asked | Side::Controller(_) => Err(no_host()),
        }
    }

    /// Both, and what the guest points at.
    fn at(&mut self, address: u32, len: u32) -> Result<(&mut dyn Host, &mut [u8]), Fault> {
        self.copied += u64::from(len);
        let range = range(address, len).ok_or(Fault::Pointer)?;
        let bytes = self.memory.get_mut(range).ok_or(Fault::Pointer)?;
        match &mut self.state.side {
            Side::Transport(shim) => Ok((&mut **shim, bytes)),
            Side::Apart(beside) => Ok((&mut **beside, bytes)),
            Side::Asked | Side::Controller(_) => Err(no_host()),
        }
    }
}

fn no_host() -> Fault {
    Fault::Trapped("it called the host when it was asked what it is".to_owned())
}

pub(crate) fn range(address: u32, len: u32) -> Option<Range<usize>> {
    let start = address as usize;
    Some(start..start.checked_add(len as usize)?)
}

fn answer(result: Result<u64, Refused>) -> i64 {
    match result {
        Ok(number) => i64::try_from(number).unwrap_or(i64::MAX),
        Err(refused) => refused.number(),
    }
}

fn done(result: Result<(), Refused>) -> i64 {
    answer(result.map(|()| 0))
}

/// Every import, as it is declared on the border.
macro_rules! every_import {
    ($each:ident) => {
        $each! {
            proto_info(what: u32) -> u64;
            proto_done() -> ();
            so_connected() -> ();
            so_sent() -> u64;
            so_read(from: u64, into: u32, len: u32) -> i64;
            so_drop(until: u64) -> i64;
            so_room() -> u64;
            so_append(segment: u32, from: u32, to: u32) -> i64;
            so_append_bytes(bytes: u32, len: u32) -> i64;
            so_end() -> ();
            so_wakeup() -> ();
            so_isdisconnecting() -> u32;
            so_error(code: u32) -> ();
            net_send(head: u32, len: u32, from: u64, to: u64) -> i64;
            net_resend(head: u32, len: u32, from: u64, to: u64, lost: u64) -> i64;
            ack_sum(from: u64, to: u64, sum: u64, delay_us: u32) -> i64;
            nack(number: u64) -> i64;
            net_sendack(bytes: u32, len: u32) -> i64;
            net_budget() -> u64;
            net_window(window: u64, rate: u64) -> ();
            gettick() -> u64;
            seg_read(segment: u32, from: u32, into: u32, len: u32) -> i64;
            seg_keep(segment: u32) -> i64;
            seg_free(segment: u32) -> i64;
            timer_reset(id: u32, in_ms: u32) -> i64;
            timer_stop(id: u32) -> i64;
            route(what: u32) -> u64;
            log(text: u32, len: u32) -> i64;
            random() -> u64;
        }
    };
}
pub(crate) use every_import;

pub(crate) fn proto_info(call: &mut Call<'_>, what: u32) -> Result<u64, Fault> {
    let shim = call.shim()?;
    Ok(Info::of(what).map_or(0, |what| shim.proto_info(what)))
}

pub(crate) fn proto_done(call: &mut Call<'_>) -> Result<(), Fault> {
    call.shim()?.proto_done();
    Ok(())
}

pub(crate) fn so_connected(call: &mut Call<'_>) -> Result<(), Fault> {
    call.shim()?.so_connected();
    Ok(())
}

pub(crate) fn so_sent(call: &mut Call<'_>) -> Result<u64, Fault> {
    Ok(call.shim()?.so_sent())
}

pub(crate) fn so_read(call: &mut Call<'_>, from: u64, into: u32, len: u32) -> Result<i64, Fault> {
    let (shim, into) = call.at(into, len)?;
    Ok(answer(shim.so_read(from, into).map(|len| len as u64)))
}

pub(crate) fn so_drop(call: &mut Call<'_>, until: u64) -> Result<i64, Fault> {
    Ok(done(call.shim()?.so_drop(until)))
}

pub(crate) fn so_room(call: &mut Call<'_>) -> Result<u64, Fault> {
    Ok(call.shim()?.so_room())
}

pub(crate) fn so_append(call: &mut Call<'_>, segment: u32, from: u32, to: u32) -> Result<i64, Fault> {
    call.copied += u64::from(to.saturating_sub(from));
    Ok(done(call.shim()?.so_append(segment, from..to)))
}

pub(crate) fn so_append_bytes(call: &mut Call<'_>, bytes: u32, len: u32) -> Result<i64, Fault> {
    let (shim, bytes) = call.at(bytes, len)?;
    Ok(done(shim.so_append_bytes(bytes)))
}

pub(crate) fn so_end(call: &mut Call<'_>) -> Result<(), Fault> {
    call.shim()?.so_end();
    Ok(())
}

pub(crate) fn so_wakeup(call: &mut Call<'_>) -> Result<(), Fault> {
    call.shim()?.so_wakeup();
    Ok(())
}

pub(crate) fn so_isdisconnecting(call: &mut Call<'_>) -> Result<u32, Fault> {
    Ok(u32::from(call.shim()?.so_isdisconnecting()))
}

pub(crate) fn so_error(call: &mut Call<'_>, code: u32) -> Result<(), Fault> {
    call.shim()?.so_error(code);
    Ok(())
}

pub(crate) fn net_send(call: &mut Call<'_>, head: u32, len: u32, from: u64, to: u64) -> Result<i64, Fault> {
    call.copied += to.saturating_sub(from).min(u64::from(u32::MAX));
    let (shim, head) = call.at(head, len)?;
    Ok(answer(shim.net_send(head, from..to)))
}

pub(crate) fn net_resend(
    call: &mut Call<'_>,
    head: u32,
    len: u32,
    from: u64,
    to: u64,
    lost: u64,
) -> Result<i64, Fault> {
    call.copied += to.saturating_sub(from).min(u64::from(u32::MAX));
    let (shim, head) = call.at(head, len)?;
    Ok(answer(shim.net_resend(head, from..to, lost)))
}

pub(crate) fn ack_sum(call: &mut Call<'_>, from: u64, to: u64, sum: u64, delay_us: u32) -> Result<i64, Fault> {
    Ok(done(call.shim()?.ack_sum(from..to, sum, delay_us)))
}

pub(crate) fn nack(call: &mut Call<'_>, number: u64) -> Result<i64, Fault> {
    Ok(done(call.shim()?.nack(number)))
}

pub(crate) fn net_sendack(call: &mut Call<'_>, bytes: u32, len: u32) -> Result<i64, Fault> {
    let (shim, bytes) = call.at(bytes, len)?;
    Ok(done(shim.net_sendack(bytes)))
}

pub(crate) fn net_budget(call: &mut Call<'_>) -> Result<u64, Fault> {
    Ok(call.shim()?.net_budget())
}

pub(crate) fn net_window(call: &mut Call<'_>, window: u64, rate: u64) -> Result<(), Fault> {
    match &mut call.state.side {
        Side::Controller(answered) => *answered = Some((window, rate)),
        Side::Asked | Side::Transport(_) | Side::Apart(_) => return Err(no_host()),
    }
    Ok(())
}

pub(crate) fn gettick(call: &mut Call<'_>) -> Result<u64, Fault> {
    Ok(call.shim()?.gettick())
}

pub(crate) fn seg_read(call: &mut Call<'_>, segment: u32, from: u32, into: u32, len: u32) -> Result<i64, Fault> {
    let (shim, into) = call.at(into, len)?;
    Ok(answer(shim.seg_read(segment, from, into).map(|len| len as u64)))
}

pub(crate) fn seg_keep(call: &mut Call<'_>, segment: u32) -> Result<i64, Fault> {
    Ok(done(call.shim()?.seg_keep(segment)))
}

pub(crate) fn seg_free(call: &mut Call<'_>, segment: u32) -> Result<i64, Fault> {
    Ok(done(call.shim()?.seg_free(segment)))
}

pub(crate) fn timer_reset(call: &mut Call<'_>, id: u32, in_ms: u32) -> Result<i64, Fault> {
    Ok(done(call.shim()?.timer_reset(id, in_ms)))
}

pub(crate) fn timer_stop(call: &mut Call<'_>, id: u32) -> Result<i64, Fault> {
    Ok(done(call.shim()?.timer_stop(id)))
}

pub(crate) fn route(call: &mut Call<'_>, what: u32) -> Result<u64, Fault> {
    let shim = call.shim()?;
    Ok(Route::of(what).map_or(0, |what| shim.route(what)))
}

pub(crate) fn log(call: &mut Call<'_>, text: u32, len: u32) -> Result<i64, Fault> {
    let (shim, text) = call.at(text, len)?;
    let text = String::from_utf8_lossy(&text[..text.len().min(LINE_LOOKED_AT_MAX)]);
    Ok(done(shim.log(&text)))
}

pub(crate) fn random(call: &mut Call<'_>) -> Result<u64, Fault> {
    Ok(call.shim()?.random())
}
