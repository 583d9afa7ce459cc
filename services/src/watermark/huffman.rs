//! Huffman tables (ITU-T T.81, annex C).

use super::ImageError;
use super::bit_reader::BitReader;

/// A table, to read with and to write with.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// By the next eight bits: the length of the code, and its symbol; length 0 for a longer one.
    short: Vec<(u8, u8)>,
    /// For each length: the number behind its last code, and what leads from a code to the place of its symbol.
    ends: [(u32, i32); 17],
    symbols: Vec<u8>,
    /// By symbol: its code, and how long that is; 0 if it has none.
    codes: Vec<(u16, u8)>,
}

impl Table {
    /// The table with so many codes of each length, for these symbols.
    pub(super) fn new(counts: &[u8; 16], symbols: &[u8]) -> Result<Table, ImageError> {
        let total: usize = counts.iter().map(|count| usize::from(*count)).sum();
        if total > 256 || symbols.len() != total {
            return Err(ImageError::Damaged("a Huffman table has too many codes"));
        }
        let mut table =
            Table { short: vec![(0, 0); 256], ends: [(0, 0); 17], symbols: symbols.to_vec(), codes: vec![(0, 0); 256] };
        let (mut code, mut place) = (0_u32, 0);
        for (len, count) in (1_u8..).zip(counts) {
            let first = code;
            for _ in 0..*count {
                if code >= 1 << len {
                    return Err(ImageError::Damaged("a Huffman table has more codes than there are"));
                }
                let symbol = symbols[place];
                table.codes[usize::from(symbol)] = (code as u16, len);
                if len <= 8 {
                    let from = (code << (8 - len)) as usize;
                    table.short[from..from + (1 << (8 - len))].fill((len, symbol));
                }
                (code, place) = (code + 1, place + 1);
            }
            let leads = place as i32 - i32::from(*count) - first as i32;
            table.ends[usize::from(len)] = (if *count == 0 { 0 } else { code }, leads);
            code <<= 1;
        }
        Ok(table)
    }

    /// Reads a symbol.
    pub(super) fn read(&self, reader: &mut BitReader<'_>) -> Result<u8, ImageError> {
        let next = reader.peek();
        let (len, symbol) = self.short[usize::from(next >> 8)];
        if len > 0 {
            reader.pass(len)?;
            return Ok(symbol);
        }
        for len in 9..=16_u8 {
            let code = u32::from(next) >> (16 - len);
            let (end, leads) = self.ends[usize::from(len)];
            if code < end {
                reader.pass(len)?;
                // A shorter code would have been found.
                let place = code as i32 + leads;
                let symbol = usize::try_from(place).ok().and_then(|place| self.symbols.get(place));
                return symbol.copied().ok_or(ImageError::Damaged("there is a code that no table has"));
            }
        }
        Err(ImageError::Damaged("there is a code that no table has"))
    }

    /// The code of a symbol, and its length: 0 if it has none.
    pub(super) fn code(&self, symbol: u8) -> (u16, u8) {
        self.codes[usize::from(symbol)]
    }

    /// Whether every coefficient of a baseline image has a code.
    pub(super) fn has_all_coefficients(&self) -> bool {
        let symbols = (0..16_u8).flat_map(|run| (1..=10_u8).map(move |size| run << 4 | size));
        symbols.chain([0x00, 0xf0]).all(|symbol| self.code(symbol).1 > 0)
    }
}

/// The table for coefficients of brightness that the standard gives as an example (table K.5): it has codes for all.
pub(super) const COEFFICIENTS: ([u8; 16], [u8; 162]) = (
    [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
    [
        0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
        0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
        0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
        0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
        0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
        0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
        0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
        0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
        0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
    ],
);
