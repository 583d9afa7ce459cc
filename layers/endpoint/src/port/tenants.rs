//! The rows of a port's table: machines of types of their own, told apart by their place.

use core::convert::Infallible;

use tng_base::{Input, Instant, Machine, Output};

/// What a tenant says of a packet whose first byte several tenants read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Claim {
    /// It is under an id, or ends in a reset token, of the tenant's own. Everyone who knows it gets it, since only one
    /// of them can open it.
    Knows,
    /// It begins something that the tenant serves. If nobody knows it, the first who serves it gets it.
    Serves,
    /// The tenant does not know it, and would say so in at most so many bytes. If nobody knows or serves it, everyone
    /// gets it who would say so, in order, as long as all answers together are no longer than the packet.
    Disowns(usize),
    /// It is nothing to the tenant.
    Neither,
}

/// A machine that shares a port with others.
pub trait Tenant: Machine {
    /// Whether it reads packets with this first byte. The answer never changes.
    fn reads(&self, first: u8) -> bool;

    /// What it says of a packet with such a first byte. Changes nothing, and is asked only if others read it too.
    fn claim(&self, packet: &[u8]) -> Claim;

    /// Whether strangers are not to learn that it is there: then the port tells nobody what it does not serve.
    fn is_silent(&self) -> bool {
        false
    }
}

/// A place on a port that is taken or stays empty, as was settled when the port was made: an application that may serve
/// a second protocol on its port has one type for both.
impl<M: Tenant> Tenant for Option<M> {
    fn reads(&self, first: u8) -> bool {
        self.as_ref().is_some_and(|tenant| tenant.reads(first))
    }

    fn claim(&self, packet: &[u8]) -> Claim {
        self.as_ref().map_or(Claim::Neither, |tenant| tenant.claim(packet))
    }

    fn is_silent(&self) -> bool {
        self.as_ref().is_some_and(M::is_silent)
    }
}

/// The tenants of a port, in the order of its table: a tuple of one to three.
pub trait Tenants {
    /// What they tell their application.
    type Event;

    /// How many there are.
    const COUNT: usize;

    /// [`Tenant::reads`] of the tenant at this place.
    fn reads(&self, at: usize, first: u8) -> bool;

    /// [`Tenant::claim`] of the tenant at this place.
    fn claim(&self, at: usize, packet: &[u8]) -> Claim;

    /// Whether any is [silent](Tenant::is_silent).
    fn is_silent(&self) -> bool;

    /// [`Machine::handle_input`] of the tenant at this place.
    fn handle_input(&mut self, at: usize, now: Instant, input: Input<'_>);

    /// [`Machine::handle_timeout`] of all.
    fn handle_timeout(&mut self, now: Instant);

    /// [`Machine::poll_output`] of the tenant at this place.
    fn poll_output(&mut self, at: usize, now: Instant, buf: &mut [u8]) -> Output<Self::Event>;
}

/// An event of one of several tenants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OneOf<A, B, C = Infallible> {
    /// Of the first.
    First(A),
    /// Of the second.
    Second(B),
    /// Of the third.
    Third(C),
}

macro_rules! tenants {
    ($event:ty, $count:literal: $($at:tt $tenant:ident $tell:expr),+) => {
        impl<$($tenant: Tenant),+> Tenants for ($($tenant,)+) {
            type Event = $event;

            const COUNT: usize = $count;

            fn reads(&self, at: usize, first: u8) -> bool {
                match at {
                    $($at => self.$at.reads(first),)+
                    _ => false,
                }
            }

            fn claim(&self, at: usize, packet: &[u8]) -> Claim {
                match at {
                    $($at => self.$at.claim(packet),)+
                    _ => Claim::Neither,
                }
            }

            fn is_silent(&self) -> bool {
                $(self.$at.is_silent())||+
            }

            fn handle_input(&mut self, at: usize, now: Instant, input: Input<'_>) {
                match at {
                    $($at => self.$at.handle_input(now, input),)+
                    _ => {}
                }
            }

            fn handle_timeout(&mut self, now: Instant) {
                $(self.$at.handle_timeout(now);)+
            }

            fn poll_output(&mut self, at: usize, now: Instant, buf: &mut [u8]) -> Output<$event> {
                match at {
                    $($at => self.$at.poll_output(now, buf).map($tell),)+
                    _ => Output::Timeout(None),
                }
            }
        }
    };
}

impl<A: Tenant> Tenants for (A,) {
    type Event = A::Event;

    const COUNT: usize = 1;

    fn reads(&self, _: usize, first: u8) -> bool {
        self.0.reads(first)
    }

    fn claim(&self, _: usize, packet: &[u8]) -> Claim {
        self.0.claim(packet)
    }

    fn is_silent(&self) -> bool {
        self.0.is_silent()
    }

    #[inline]
    fn handle_input(&mut self, _: usize, now: Instant, input: Input<'_>) {
        self.0.handle_input(now, input);
    }

    fn handle_timeout(&mut self, now: Instant) {
        self.0.handle_timeout(now);
    }

    #[inline]
    fn poll_output(&mut self, _: usize, now: Instant, buf: &mut [u8]) -> Output<A::Event> {
        self.0.poll_output(now, buf)
    }
}

tenants!(OneOf<A::Event, B::Event>, 2: 0 A OneOf::First, 1 B OneOf::Second);
tenants!(OneOf<A::Event, B::Event, C::Event>, 3: 0 A OneOf::First, 1 B OneOf::Second, 2 C OneOf::Third);
