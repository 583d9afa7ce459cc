//! Tables of TOML files, read key by key. What is wrong is told with its line, and with what should stand there.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use core::ops::Range;
use core::str::FromStr;
use core::time::Duration;
use std::borrow::Cow;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Fault, FaultLocation, SettingsError};
use super::nearest::nearest;
use crate::units;

/// What is read, or what is wrong with it.
pub type Result<T> = core::result::Result<T, SettingsError>;

/// The whole text, to find lines in.
#[derive(Clone, Copy)]
pub struct Source<'i>(pub &'i str);

impl Source<'_> {
    /// A fault that stands there.
    pub fn error(&self, at: Range<usize>, fault: Fault) -> SettingsError {
        SettingsError { place: FaultLocation::Line(self.line(&at)), fault }
    }

    fn line(&self, at: &Range<usize>) -> usize {
        let before = &self.0.as_bytes()[..at.start.min(self.0.len())];
        1 + before.iter().filter(|byte| **byte == b'\n').count()
    }
}

/// A whole file.
pub struct Document<'i> {
    source: Source<'i>,
    root: Spanned<DeTable<'i>>,
}

impl<'i> Document<'i> {
    /// Reads TOML.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &'i str) -> Result<Document<'i>> {
        let root = DeTable::parse(text).map_err(|error| {
            let fault = Fault::Syntax(error.message().replace('\n', "; "));
            Source(text).error(error.span().unwrap_or(0..0), fault)
        })?;
        Ok(Document { source: Source(text), root })
    }

    /// The tables and keys of the file, which has these only.
    ///
    /// # Errors
    /// If it has others.
    pub fn section(&self, known: &'static [&'static str]) -> Result<Section<'_, 'i>> {
        Section::new(self.source, "the file", 0..0, self.root.get_ref(), known)
    }

    /// To put values in the place of others.
    pub fn root_mut(&mut self) -> &mut DeTable<'i> {
        self.root.get_mut()
    }
}

/// A table all of whose keys are known.
pub struct Section<'t, 'i> {
    source: Source<'i>,
    name: String,
    span: Range<usize>,
    table: &'t DeTable<'i>,
}

/// The value of a key.
pub struct Field<'t, 'i> {
    source: Source<'i>,
    /// The key.
    pub key: String,
    value: &'t Spanned<DeValue<'i>>,
}

impl<'t, 'i> Section<'t, 'i> {
    /// A table that has these keys only.
    ///
    /// # Errors
    /// If it has others.
    pub fn new(
        source: Source<'i>,
        name: impl Into<String>,
        span: Range<usize>,
        table: &'t DeTable<'i>,
        known: &'static [&'static str],
    ) -> Result<Section<'t, 'i>> {
        let section = name.into();
        for key in table.keys() {
            let word: &str = key.get_ref();
            if !known.contains(&word) {
                let nearest = nearest(word, known.iter().copied())
                    .and_then(|found| known.iter().find(|known| **known == found).copied());
                let fault = Fault::UnknownKey { section, key: word.to_owned(), nearest, known };
                return Err(source.error(key.span(), fault));
            }
        }
        Ok(Section { source, name: section, span, table })
    }

    /// The value of a key, if it is there.
    pub fn get(&self, key: &str) -> Option<Field<'t, 'i>> {
        let value = self.table.get(key)?;
        Some(Field { source: self.source, key: key.to_owned(), value })
    }

    /// The value of a key.
    ///
    /// # Errors
    /// If it is not there.
    pub fn need(&self, key: &'static str) -> Result<Field<'t, 'i>> {
        self.get(key).ok_or_else(|| self.missing(key))
    }

    /// The tables of an array of tables.
    ///
    /// # Errors
    /// If it is none.
    pub fn all(&self, key: &str) -> Result<Vec<Field<'t, 'i>>> {
        self.get(key).map_or(Ok(Vec::new()), |field| {
            field.list().map_err(|_| field.wrong(format!("write [[{key}]], with double brackets")))
        })
    }

    /// That a key is missing.
    pub fn missing(&self, key: &'static str) -> SettingsError {
        self.source.error(self.span.clone(), Fault::MissingKey { section: self.name.clone(), key })
    }

    /// That it cannot be together with something else.
    pub fn contradiction(&self, problem: String) -> SettingsError {
        self.source.error(self.span.clone(), Fault::Contradiction(problem))
    }
}

impl<'t, 'i> Field<'t, 'i> {
    /// That something is wrong with it.
    pub fn fault(&self, fault: Fault) -> SettingsError {
        self.source.error(self.value.span(), fault)
    }

    /// That it cannot be together with something else.
    pub fn contradiction(&self, problem: String) -> SettingsError {
        self.fault(Fault::Contradiction(problem))
    }

    /// That it cannot be this value.
    pub fn wrong(&self, problem: impl Into<String>) -> SettingsError {
        self.fault(Fault::Value { key: self.key.clone(), problem: problem.into() })
    }

    /// The value as it stands in the file.
    pub fn raw(&self) -> &'i str {
        self.source.0.get(self.value.span()).unwrap_or_default()
    }

    /// Where it stands, for people; a value given beside the file is in no line.
    pub fn place(&self) -> String {
        let span = self.value.span();
        if span.is_empty() { "--set".to_owned() } else { format!("line {}", self.source.line(&span)) }
    }

    fn not(&self, wanted: &str) -> SettingsError {
        let found = self.value.get_ref().type_str();
        self.wrong(format!("write {wanted}, not {} {found}", if found.starts_with(['a', 'i']) { "an" } else { "a" }))
    }

    /// One of `known`, by its place.
    ///
    /// # Errors
    /// If it is none.
    pub fn choice(&self, what: &'static str, known: &[&str]) -> Result<usize> {
        let word = self.text()?;
        known.iter().position(|known| *known == word).ok_or_else(|| self.unknown(what, word, known.iter().copied()))
    }

    /// That it names a thing that is not there.
    pub fn unknown<'n>(
        &self,
        what: &'static str,
        name: &str,
        known: impl Iterator<Item = &'n str> + Clone,
    ) -> SettingsError {
        let nearest = nearest(name, known.clone()).map(str::to_owned);
        let known = known.map(str::to_owned).collect();
        self.fault(Fault::UnknownName { what, name: name.to_owned(), nearest, known })
    }

    /// A text.
    ///
    /// # Errors
    /// If it is none.
    pub fn text(&self) -> Result<&'t str> {
        self.value.get_ref().as_str().ok_or_else(|| self.not("a text in quotes"))
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&'t str> {
        self.value.get_ref().as_str()
    }

    /// The value of a key, if this is a table that has it.
    pub fn entry(&self, key: &str) -> Option<Field<'t, 'i>> {
        let value = self.value.get_ref().as_table()?.get(key)?;
        Some(Field { source: self.source, key: key.to_owned(), value })
    }

    /// Whether it is a table.
    pub fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    /// The table that it is, which has these keys only.
    ///
    /// # Errors
    /// If it is none, or has others.
    pub fn table(&self, name: &str, known: &'static [&'static str]) -> Result<Section<'t, 'i>> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.not("a table in braces"))?;
        Section::new(self.source, name, self.value.span(), table, known)
    }

    /// The values of a table whose keys are names, in the order of the names.
    ///
    /// # Errors
    /// If it is none.
    pub fn entries(&self) -> Result<Vec<Field<'t, 'i>>> {
        let table = self.value.get_ref().as_table().ok_or_else(|| self.not("a table"))?;
        let entry = |(key, value): (&'t Spanned<_>, &'t Spanned<DeValue<'i>>)| {
            let key: &Cow<'_, str> = key.get_ref();
            Field { source: self.source, key: key.to_string(), value }
        };
        Ok(table.iter().map(entry).collect())
    }

    /// The values of a list.
    ///
    /// # Errors
    /// If it is none.
    pub fn list(&self) -> Result<Vec<Field<'t, 'i>>> {
        let list = self.value.get_ref().as_array().ok_or_else(|| self.not("a list in brackets"))?;
        Ok(list.iter().map(|value| Field { source: self.source, key: self.key.clone(), value }).collect())
    }

    /// True or false.
    ///
    /// # Errors
    /// If it is neither.
    pub fn flag(&self) -> Result<bool> {
        self.value.get_ref().as_bool().ok_or_else(|| self.not("true or false"))
    }

    /// A whole number in this range.
    ///
    /// # Errors
    /// If it is none.
    pub fn whole(&self, range: Range<u64>) -> Result<u64> {
        let number = self
            .value
            .get_ref()
            .as_integer()
            .and_then(|number| u64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok());
        match number {
            Some(number) if range.contains(&number) => Ok(number),
            _ => Err(self.wrong(format!("write a whole number from {} to {}", range.start, range.end - 1))),
        }
    }

    /// A number, not negative.
    ///
    /// # Errors
    /// If it is none.
    pub fn number(&self) -> Result<f64> {
        let value = self.value.get_ref();
        let text = value.as_float().map(|f| f.as_str()).or_else(|| value.as_integer().map(|i| i.as_str()));
        match text.and_then(|text| text.replace('_', "").parse::<f64>().ok()) {
            Some(number) if number >= 0.0 && number.is_finite() => Ok(number),
            _ => Err(self.wrong("write a number, not negative")),
        }
    }

    fn quantity<T>(&self, read: fn(&str) -> core::result::Result<T, String>) -> Result<T> {
        let value = self.value.get_ref();
        let number =
            value.as_integer().map(|number| number.as_str()).or(value.as_float().map(|number| number.as_str()));
        // A bare number lacks its unit: what reads the quantity says so.
        let text = number.map_or_else(|| self.text(), Ok)?;
        read(text).map_err(|problem| self.wrong(problem))
    }

    /// A time.
    ///
    /// # Errors
    /// If it is none.
    pub fn time(&self) -> Result<Duration> {
        self.quantity(units::time)
    }

    /// A time that is not zero.
    ///
    /// # Errors
    /// If it is none.
    pub fn some_time(&self) -> Result<Duration> {
        match self.time()? {
            Duration::ZERO => Err(self.wrong("write a time above zero")),
            time => Ok(time),
        }
    }

    /// A rate in bits per second.
    ///
    /// # Errors
    /// If it is none.
    pub fn rate(&self) -> Result<u64> {
        self.quantity(units::rate)
    }

    /// A size, also as a plain number of bytes.
    ///
    /// # Errors
    /// If it is none.
    pub fn size(&self) -> Result<u64> {
        match self.value.get_ref() {
            DeValue::Integer(_) => self.whole(0..1 << 53),
            _ => self.quantity(units::size),
        }
    }

    /// A size that is not zero.
    ///
    /// # Errors
    /// If it is none.
    pub fn some_size(&self) -> Result<u64> {
        match self.size()? {
            0 => Err(self.wrong("write a size above zero")),
            bytes => Ok(bytes),
        }
    }

    /// A whole number in this range, which may be negative.
    ///
    /// # Errors
    /// If it is none.
    pub fn signed(&self, range: core::ops::RangeInclusive<i64>) -> Result<i64> {
        let number = self.value.get_ref().as_integer().and_then(|number| number.as_str().replace('_', "").parse().ok());
        match number {
            Some(number) if range.contains(&number) => Ok(number),
            _ => Err(self.wrong(format!("write a whole number from {} to {}", range.start(), range.end()))),
        }
    }

    /// A share in percent, or a number from 0 to 1.
    ///
    /// # Errors
    /// If it is none.
    pub fn share(&self) -> Result<f64> {
        match self.value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => match self.number()? {
                share if share <= 1.0 => Ok(share),
                _ => Err(self.wrong("write percent, like \"0.1%\", or a number from 0 to 1")),
            },
            _ => self.quantity(units::share),
        }
    }

    /// An address.
    ///
    /// # Errors
    /// If it is none.
    pub fn ip(&self) -> Result<IpAddr> {
        self.parsed("an IPv4 or IPv6 address, like \"10.0.0.1\"")
    }

    /// An address that one node can have.
    ///
    /// # Errors
    /// If it is none.
    pub fn unicast(&self) -> Result<IpAddr> {
        let address = self.ip()?;
        let kind = match address {
            _ if address.is_multicast() => "a multicast",
            _ if address.is_unspecified() => "the unspecified",
            IpAddr::V4(Ipv4Addr::BROADCAST) => "the broadcast",
            _ => return Ok(address),
        };
        Err(self.wrong(format!("{address} is {kind} address, and no node's own; write a unicast address")))
    }

    /// An address and a port.
    ///
    /// # Errors
    /// If it is none.
    pub fn socket(&self) -> Result<SocketAddr> {
        self.parsed("an address and port, like \"10.0.0.1:4860\"")
    }

    fn parsed<T: FromStr>(&self, wanted: &str) -> Result<T> {
        let text = self.text()?;
        text.parse().map_err(|_| self.wrong(format!("{text:?} is not {wanted}")))
    }
}
