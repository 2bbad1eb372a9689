//! Ten shared connections on which statements are prepared once and sent without waiting for the ones before.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, Statement};

pub type Fault = Box<dyn std::error::Error + Send + Sync>;

const CONNECTIONS: usize = 10;

pub struct Database {
    connections: Vec<(Client, HashMap<String, Statement>)>,
    next: AtomicUsize,
}

impl Database {
    /// Connects and prepares the statements, by their names, on every connection.
    pub async fn open(url: &str, statements: &HashMap<String, String>) -> Result<Database, Fault> {
        let mut connections = Vec::new();
        for _ in 0..CONNECTIONS {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(connection);
            let mut prepared = HashMap::new();
            for (name, text) in statements {
                prepared.insert(name.clone(), client.prepare(text).await?);
            }
            connections.push((client, prepared));
        }
        Ok(Database { connections, next: AtomicUsize::new(0) })
    }

    pub async fn query(&self, name: &str, params: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Fault> {
        let at = self.next.fetch_add(1, Ordering::Relaxed) % CONNECTIONS;
        let (client, prepared) = &self.connections[at];
        let statement = prepared.get(name).ok_or("No such statement")?;
        Ok(client.query(statement, params).await?)
    }
}

/// A parameter as text, of whatever type it is.
#[derive(Debug)]
pub struct Text<'a>(pub Option<&'a str>);

impl ToSql for Text<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
        match self.0 {
            None => Ok(IsNull::Yes),
            Some(text) => {
                out.extend_from_slice(text.as_bytes());
                Ok(IsNull::No)
            }
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    fn to_sql_checked(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Fault> {
        self.to_sql(kind, out)
    }
}

/// A document, or a text, as it comes.
pub struct Raw(pub String);

impl<'a> FromSql<'a> for Raw {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Raw, Fault> {
        Ok(Raw(std::str::from_utf8(raw)?.to_owned()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A moment in milliseconds since 1970.
#[derive(Clone, Copy, PartialEq)]
pub struct Time(pub i64);

const YEAR_2000: i64 = 946_684_800_000;

impl<'a> FromSql<'a> for Time {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Time, Fault> {
        let micros = i64::from_be_bytes(raw.try_into()?);
        Ok(Time(YEAR_2000 + micros.div_euclid(1000)))
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::TIMESTAMPTZ
    }
}

impl Time {
    pub fn now() -> Time {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Time(since.map_or(0, |passed| passed.as_millis() as i64))
    }

    /// As JSON and PostgreSQL have it: 2026-11-20T19:29:27.811Z
    pub fn text(self) -> String {
        let (days, rest) = (self.0.div_euclid(86_400_000), self.0.rem_euclid(86_400_000));
        // Days are counted from the first of March of the year 0, so that leap days come last.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let part = (5 * of_year + 2) / 153;
        let day = of_year - (153 * part + 2) / 5 + 1;
        let month = if part < 10 { part + 3 } else { part - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        let (hours, minutes) = (rest / 3_600_000, rest / 60_000 % 60);
        let (seconds, millis) = (rest / 1000 % 60, rest % 1000);
        format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
    }
}

const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// A record's id: its time, and what nobody else has.
pub fn new_id(now: Time) -> String {
    let letter = |number: u64| LETTERS[(number & 31) as usize] as char;
    let time = (0..10).rev().map(|at| letter(now.0 as u64 >> (5 * at)));
    let (high, low) = (fastrand::u64(..), fastrand::u64(..));
    let rest = (0..8).map(|at| letter(high >> (5 * at))).chain((0..8).map(|at| letter(low >> (5 * at))));
    time.chain(rest).collect()
}
