//! A cart that its client keeps: a server adds what is asked for, and remembers nobody. The same in C is
//! `examples/stateless/c/cart.c`, and either's client is served by the other.
//!
//! `cargo run -p tng --example stateless_cart` does both ends; `-- serve ADDRESS` prints a ticket, `-- add TICKET FILE
//! ITEM=COUNT...` adds to the cart in FILE and prints it.
//!
//! A client asks with its cart and what to add to it, a line for each: `mug 2`. The server takes four lines of each
//! part; the cart so far is what it seals in the input continuation, with which the client comes back for the rest. In
//! the end the whole cart is the object. To add is a function of cart and item: asked for twice, or at another server,
//! it makes the same cart, so that nothing is added twice.
use std::error::Error;
use std::fs;

use tng::trickles::{Answer, Application, Asked, ClientConfig, EpochSecret, Fault, ObjectOptions, Policy, Wall};
use tng::{Access, Endpoint, StatelessService, Ticket};

type Failure = Box<dyn Error + Send + Sync>;

/// Bytes of a cart, so that it can be sealed.
const CART_MAX: usize = 500;
/// Lines that are taken of a part.
const LINES: usize = 4;
const COUNT_MAX: u32 = 9_999;
const BAD: u64 = 64;

/// Adds a line. Each item stands in a cart once.
fn add(cart: &str, line: &str) -> Result<String, &'static str> {
    let parse = |line: &str| -> Option<(String, u32)> {
        let (name, count) = line.split_once(' ')?;
        let is_name =
            (1..=32).contains(&name.len()) && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        Some((name.to_owned(), count.parse().ok()?)).filter(|(_, count)| is_name && (1..=COUNT_MAX).contains(count))
    };
    let (name, mut count) = parse(line).ok_or("a line is not of the kind \"mug 2\"")?;
    let mut sum = String::new();
    for line in cart.lines() {
        match parse(line).ok_or("the cart is none")? {
            (other, of_other) if other == name => count += of_other,
            _ => sum.extend([line, "\n"]),
        }
    }
    sum.push_str(&format!("{name} {count}\n"));
    if count > COUNT_MAX || sum.len() > CART_MAX { Err("the cart is full") } else { Ok(sum) }
}

struct Carts;

impl Application for Carts {
    fn version(&self) -> u16 {
        1
    }

    fn handle(&mut self, asked: Asked<'_>, answer: &mut Answer<'_>) {
        let Asked::Put { object, state, offset, is_end, reserved, data } = asked else { return };
        let mut cart = String::from_utf8_lossy(state.unwrap_or_default()).into_owned();
        let mut taken = 0;
        for line in String::from_utf8_lossy(data).split_inclusive('\n').take(LINES) {
            // The rest of a line comes with the next part.
            let Some(whole) = line.strip_suffix('\n') else { break };
            cart = match add(&cart, whole) {
                Ok(cart) => cart,
                Err(why) => {
                    answer.fault(object, Fault::Application(BAD), why);
                    return;
                }
            };
            taken += line.len();
        }
        if is_end && taken == data.len() {
            let end = reserved.start + cart.len() as u64;
            if answer.skip(end..reserved.end) {
                answer.send(reserved.start, cart.as_bytes());
            }
        } else if is_end && taken == 0 {
            answer.fault(object, Fault::Application(BAD), "a line does not end");
        } else {
            answer.input(object, offset + taken as u64, None, cart.as_bytes());
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "a program goes by its host's clock")]
async fn serve(address: &str) -> Result<Endpoint, Failure> {
    let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    let number = EpochSecret::number_at(Wall::from_millis(since_1970.as_millis() as u64));
    // One that is started again has another: clients ask it anew, and their carts lie with them.
    let service = StatelessService::new(EpochSecret::new(number, tng::random_seed()?), || Carts);
    Ok(Endpoint::builder().bind(address.parse()?).access(Access::Public).serve_stateless(service).build().await?)
}

/// Asks for a cart with these lines.
async fn ask(ticket: &Ticket, lines: &str) -> Result<String, Failure> {
    let client = Endpoint::builder().stateless(ticket.into(), Policy::Stay, ClientConfig::default())?;
    let options = ObjectOptions { reserve: 1_024, ..ObjectOptions::default() };
    let cart = client.ask(lines, options)?.read_to_end(CART_MAX).await?;
    Ok(String::from_utf8(cart)?)
}

/// Both ends in one process.
pub async fn run() -> Result<String, Failure> {
    let endpoint = serve("127.0.0.1:0").await?;
    let ticket = endpoint.ticket()?;
    let cart = ask(&ticket, "mug 2\nsong-1 1\n").await?;
    // Nine lines, taken four at a time.
    let more: String = (0..9).map(|n| format!("cup-{} 1\n", n % 3)).collect();
    let cart = ask(&ticket, &(cart + &more)).await?;
    endpoint.close().await;
    Ok(cart)
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *words.as_slice() {
        [] => print!("{}", run().await?),
        ["serve", address] => {
            let endpoint = serve(address).await?;
            println!("{}", endpoint.ticket()?);
            tokio::signal::ctrl_c().await?;
            endpoint.close().await;
        }
        ["add", ticket, file, ref items @ ..] => {
            let mut lines = fs::read_to_string(file).unwrap_or_default();
            for item in items {
                let (name, count) = item.split_once('=').unwrap_or((item, "1"));
                lines.push_str(&format!("{name} {count}\n"));
            }
            let cart = ask(&ticket.parse()?, &lines).await?;
            fs::write(file, &cart)?;
            print!("{cart}");
        }
        _ => return Err("serve ADDRESS | add TICKET FILE ITEM=COUNT...".into()),
    }
    Ok(())
}
