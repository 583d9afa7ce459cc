//! Images for tests, made of drawn coefficients: of many sizes, samplings, intervals and tables.

use tng_base::Rng;

use super::bit_writer::BitWriter;
use super::huffman::{COEFFICIENTS, Table};

/// Sampling factors of brightness and of colours, across and down.
pub type Sampling = ((u8, u8), (u8, u8));

/// An image that can be drawn.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Pixels side by side.
    pub width: u16,
    /// Pixels one below the other.
    pub height: u16,
    /// Sampling factors of brightness, and of two colours; none: grey.
    pub sampling: Option<Sampling>,
    /// MCUs in a restart interval; 0: no restart markers.
    pub interval: u16,
    /// Whether its tables have codes for what it holds, and for nothing else.
    pub is_optimised: bool,
    /// Share of blocks with nothing in them but their mean, in hundredths.
    pub plain_percent: u64,
}

impl Default for Sample {
    fn default() -> Sample {
        let sampling = Some(((2, 2), (1, 1)));
        Sample { width: 200, height: 150, sampling, interval: 0, is_optimised: false, plain_percent: 10 }
    }
}

/// The example table for means (K.3): it has codes for all.
const MEANS: ([u8; 16], [u8; 12]) =
    ([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);

/// A symbol, the bits behind it, and whether it is one of means.
type Symbol = (bool, u8, u16, u8);

impl Sample {
    /// Samplings of all kinds: grey, 4:4:4, 4:2:2, 4:2:0, 4:4:0, 4:1:1.
    pub const SAMPLINGS: [Option<Sampling>; 6] = [
        None,
        Some(((1, 1), (1, 1))),
        Some(((2, 1), (1, 1))),
        Some(((2, 2), (1, 1))),
        Some(((1, 2), (1, 1))),
        Some(((4, 1), (1, 1))),
    ];

    /// Draws one of any kind.
    pub fn drawn(rng: &mut Rng) -> Sample {
        let sampling = Sample::SAMPLINGS[rng.below(6) as usize];
        Sample {
            width: 200 + rng.below(100) as u16,
            height: 200 + rng.below(100) as u16,
            sampling,
            interval: [0, 0, 1, 3, 16, 20, 77][rng.below(7) as usize],
            is_optimised: rng.chance(0.5),
            plain_percent: rng.below(40),
        }
    }

    fn components(&self) -> Vec<(u8, u8)> {
        self.sampling.map_or_else(|| vec![(1, 1)], |(first, others)| vec![first, others, others])
    }

    /// How many MCUs it has.
    pub fn mcus(&self) -> u32 {
        let most = |of: fn(&(u8, u8)) -> u8| 8 * u32::from(self.components().iter().map(of).max().unwrap_or(1));
        u32::from(self.width).div_ceil(most(|c| c.0)) * u32::from(self.height).div_ceil(most(|c| c.1))
    }

    /// The file.
    pub fn draw(&self, seed: u64) -> Vec<u8> {
        let mut rng = Rng::from_u64(seed);
        let blocks: u8 = self.components().iter().map(|(wide, high)| wide * high).sum();
        let mcus: Vec<Vec<Symbol>> =
            (0..self.mcus()).map(|_| (0..blocks).flat_map(|_| self.block(&mut rng)).collect()).collect();
        let (means, coefficients) = if self.is_optimised {
            let all = || mcus.iter().flatten();
            (optimal(all().filter(|symbol| symbol.0)), optimal(all().filter(|symbol| !symbol.0)))
        } else {
            ((MEANS.0, MEANS.1.to_vec()), (COEFFICIENTS.0, COEFFICIENTS.1.to_vec()))
        };
        let mut out = vec![0xff, 0xd8];
        let mut segment = |marker: u8, body: &[u8]| {
            out.extend([0xff, marker]);
            out.extend((body.len() as u16 + 2).to_be_bytes());
            out.extend(body);
        };
        segment(0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
        segment(0xdb, &[&[0][..], &[12; 64]].concat());
        let components = self.components();
        let (height, width) = (self.height.to_be_bytes(), self.width.to_be_bytes());
        let mut frame = vec![8, height[0], height[1], width[0], width[1], components.len() as u8];
        let mut scan = vec![components.len() as u8];
        for (id, (wide, high)) in (1..).zip(&components) {
            frame.extend([id, wide << 4 | high, 0]);
            scan.extend([id, 0]);
        }
        scan.extend([0, 63, 0]);
        segment(0xc0, &frame);
        for (name, (counts, symbols)) in [(0, &means), (0x10, &coefficients)] {
            segment(0xc4, &[&[name][..], counts, symbols].concat());
        }
        if self.interval > 0 {
            segment(0xdd, &self.interval.to_be_bytes());
        }
        segment(0xda, &scan);
        let table = |(counts, symbols): &([u8; 16], Vec<u8>)| Table::new(counts, symbols).expect("a table");
        let (means, coefficients) = (table(&means), table(&coefficients));
        let mut writer = BitWriter::stuffed(1);
        for (number, mcu) in (0_u32..).zip(&mcus) {
            let interval = u32::from(self.interval);
            if interval > 0 && number > 0 && number.is_multiple_of(interval) {
                writer.fill();
                writer.bytes.extend([0xff, 0xd0 + ((number / interval + 7) % 8) as u8]);
            }
            for (is_mean, symbol, value, size) in mcu {
                let (code, len) = if *is_mean { means.code(*symbol) } else { coefficients.code(*symbol) };
                writer.write(code, len);
                writer.write(*value, *size);
            }
        }
        writer.fill();
        out.extend(&writer.bytes);
        out.extend([0xff, 0xd9]);
        out
    }

    fn block(&self, rng: &mut Rng) -> Vec<Symbol> {
        let sized = |rng: &mut Rng, size: u8| ((rng.below(1 << size)) as u16, size);
        let size = rng.below(5) as u8;
        let (value, _) = sized(rng, size);
        let mut block = vec![(true, size, value, size)];
        if rng.below(100) < self.plain_percent {
            block.push((false, 0, 0, 0));
            return block;
        }
        let mut at = 1;
        loop {
            // The first come close to each other.
            at += if at < 10 { rng.below(2) } else { rng.below(40) };
            if at > 63 {
                block.push((false, 0, 0, 0));
                return block;
            }
            let run = at - block_end(&block);
            (0..run / 16).for_each(|_| block.push((false, 0xf0, 0, 0)));
            let most = if at < 6 { 10 } else { 2 };
            let (value, size) = {
                let size = 1 + (rng.below(most) * rng.below(most) / most) as u8;
                sized(rng, size)
            };
            block.push((false, ((run % 16) as u8) << 4 | size, value, size));
            at += 1;
            if at > 63 {
                return block;
            }
        }
    }
}

/// Where the next coefficient of a block stands if none is left out.
fn block_end(block: &[Symbol]) -> u64 {
    let coefficients = block.iter().filter(|symbol| !symbol.0);
    1 + coefficients.map(|symbol| u64::from(symbol.1 >> 4) + 1).sum::<u64>()
}

/// A table whose lengths follow from how often its symbols stand there (T.81, K.2).
fn optimal<'a>(symbols: impl Iterator<Item = &'a Symbol>) -> ([u8; 16], Vec<u8>) {
    let mut counts = [0_u64; 257];
    symbols.for_each(|symbol| counts[usize::from(symbol.1)] += 1);
    // No code is all ones.
    counts[256] = 1;
    let mut groups: Vec<(u64, Vec<usize>)> =
        counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(at, count)| (*count, vec![at])).collect();
    let mut lengths = [0_usize; 257];
    while groups.len() > 1 {
        groups.sort_by_key(|group| core::cmp::Reverse(group.0));
        let ((a, mut one), (b, other)) = (groups.pop().expect("two"), groups.pop().expect("two"));
        one.extend(other);
        one.iter().for_each(|at| lengths[*at] += 1);
        groups.push((a + b, one));
    }
    let mut of_length = [0_u32; 64];
    lengths.iter().filter(|len| **len > 0).for_each(|len| of_length[*len] += 1);
    for len in (17..64).rev() {
        while of_length[len] > 0 {
            let shorter = (1..len - 1).rev().find(|shorter| of_length[*shorter] > 0).expect("there is one");
            of_length[len] -= 2;
            of_length[len - 1] += 1;
            of_length[shorter + 1] += 2;
            of_length[shorter] -= 1;
        }
    }
    let longest = (1..=16).rev().find(|len| of_length[*len] > 0).expect("there is one");
    of_length[longest] -= 1;
    let mut order: Vec<usize> = (0..256).filter(|at| lengths[*at] > 0).collect();
    order.sort_by_key(|at| lengths[*at]);
    let counts = core::array::from_fn(|at| of_length[at + 1] as u8);
    (counts, order.into_iter().map(|at| at as u8).collect())
}

/// The first rows of MCUs of an image from one on: what is left of it if it is cut there, without loss.
///
/// # Panics
/// If it is no image, or one with restart markers.
pub fn cut(file: &[u8], first: u32, rows: u32) -> Vec<u8> {
    use super::coder::{Coder, Sink, Spot};

    struct Copy(BitWriter);
    impl Sink for Copy {
        fn bits(&mut self, bits: u16, count: u8) {
            self.0.write(bits, count);
        }
        fn carrier(&mut self, _: Spot, bit: u8, _: [u8; 2]) -> u8 {
            bit
        }
    }

    let image = super::Image::parse(file).expect("an image");
    assert_eq!(image.restart_interval(), 0, "without restart markers");
    let (mut coder, mut out) = (Coder::new(&image, 0, 0), Copy(BitWriter::stuffed(1)));
    while coder.mcu() < first * image.columns() {
        coder.code(&mut out).expect("whole");
    }
    // The means of the first blocks are differences from blocks that are gone: all is darker or brighter, no more.
    out = Copy(BitWriter::stuffed(1));
    while coder.mcu() < (first + rows) * image.columns() {
        coder.code(&mut out).expect("whole");
    }
    out.0.fill();
    let mut head = image.head().to_vec();
    let frame = head.windows(2).position(|pair| pair == [0xff, 0xc0]).expect("a frame");
    let height = (rows * image.row_height()) as u16;
    head[frame + 5..frame + 7].copy_from_slice(&height.to_be_bytes());
    [&head, &out.0.bytes, image.tail()].concat()
}
