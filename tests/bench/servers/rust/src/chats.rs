//! Chats as the service wrote and answered them: its statements again, with ids and times of their own.

use std::collections::HashMap;

use hyper::StatusCode;
use serde::Deserialize;

use crate::database::{new_id, Database, Fault, Raw, Text, Time};

/// What the service sent to the database and answered, with marks where a chat differs from another.
#[derive(Deserialize)]
pub struct Recorded {
    statements: Vec<Sent>,
    answer: String,
    /// What comes before a new id in that of a session.
    prefix: String,
}

#[derive(Deserialize)]
struct Sent {
    /// Its text; later the name under which it is prepared.
    text: String,
    values: Vec<Option<String>>,
}

const LIFETIME: i64 = 48 * 60 * 60 * 1000;

impl Recorded {
    /// Gives the statements names in the list of those that are prepared.
    pub fn name_in(&mut self, statements: &mut HashMap<String, String>) {
        for sent in &mut self.statements {
            let name = format!("recorded {}", statements.len());
            statements.insert(name.clone(), std::mem::replace(&mut sent.text, name));
        }
    }

    /// Starts a chat.
    pub async fn start(&self, database: &Database) -> Result<(StatusCode, String), Fault> {
        let now = Time::now();
        let session = format!("{}{}", self.prefix, new_id(now));
        let marks = Marks::new(now, session, new_id(now));
        for sent in &self.statements {
            sent.run(database, &marks).await?;
        }
        Ok((StatusCode::OK, marks.fill(&self.answer)))
    }

    /// Goes on with a chat that the first statement finds.
    pub async fn go_on(&self, database: &Database, session: &str) -> Result<(StatusCode, String), Fault> {
        let now = Time::now();
        let mut marks = Marks::new(now, session.to_owned(), String::new());
        let (find, rest) = self.statements.split_first().ok_or("Nothing was recorded")?;
        let rows = find.run(database, &marks).await?;
        let row = rows.first().ok_or("There is no such chat")?;
        marks.set("{result}", row.get::<_, Option<Raw>>("resultId").map_or(String::new(), |Raw(id)| id));
        let revision: i32 = row.get("revision");
        marks.set("{revision}", revision.to_string());
        marks.set("{next}", (revision + 1).to_string());
        for sent in rest {
            sent.run(database, &marks).await?;
        }
        Ok((StatusCode::OK, marks.fill(&self.answer)))
    }

    /// Writes to a chat that the first statement finds.
    pub async fn write_to(&self, database: &Database, session: &str) -> Result<(StatusCode, String), Fault> {
        let marks = Marks::new(Time::now(), session.to_owned(), String::new());
        let [find, write] = self.statements.as_slice() else { return Err("Two statements were to be recorded".into()) };
        let rows = find.run(database, &marks).await?;
        rows.first().ok_or("There is no such chat")?;
        write.run(database, &marks).await?;
        Ok((StatusCode::OK, marks.fill(&self.answer)))
    }
}

impl Sent {
    async fn run(&self, database: &Database, marks: &Marks) -> Result<Vec<tokio_postgres::Row>, Fault> {
        let values: Vec<Option<String>> =
            self.values.iter().map(|value| value.as_deref().map(|value| marks.fill(value))).collect();
        let texts: Vec<Text> = values.iter().map(|value| Text(value.as_deref())).collect();
        let params: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> = texts.iter().map(|text| text as _).collect();
        database.query(&self.text, &params).await
    }
}

struct Marks(Vec<(&'static str, String)>);

impl Marks {
    fn new(now: Time, session: String, result: String) -> Marks {
        Marks(vec![
            ("{session}", session),
            ("{result}", result),
            ("{now}", now.text()),
            ("{until}", Time(now.0 + LIFETIME).text()),
            ("{new}", new_id(now)),
        ])
    }

    fn set(&mut self, mark: &'static str, value: String) {
        self.0.retain(|(known, _)| *known != mark);
        self.0.push((mark, value));
    }

    fn fill(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 64);
        let mut rest = text;
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            match self.0.iter().find(|(mark, _)| rest.starts_with(mark)) {
                Some((mark, value)) => {
                    out.push_str(value);
                    rest = &rest[mark.len()..];
                }
                None => {
                    out.push('{');
                    rest = &rest[1..];
                }
            }
        }
        out.push_str(rest);
        out
    }
}
