//! Who calls, what the record is and what the caller may do with it, found by one statement. With memory, those who
//! ask while others do are asked for together, as the service does it.

use std::sync::Arc;

use sha2::{Digest, Sha256};
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::Row;

use crate::database::{Database, Fault, Raw, Time};

const BATCH: usize = 100;

struct Question {
    id: String,
    hash: Vec<u8>,
    answer: oneshot::Sender<Result<Option<Row>, Fault>>,
}

/// Grants of one kind of record.
pub struct Grants {
    database: Arc<Database>,
    name: &'static str,
    together: Option<mpsc::UnboundedSender<Question>>,
}

impl Grants {
    pub fn new(database: Arc<Database>, name: &'static str, several: &'static str, is_together: bool) -> Grants {
        let together = is_together.then(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            tokio::spawn(ask_together(database.clone(), name, several, receiver));
            sender
        });
        Grants { database, name, together }
    }

    /// The record of the id, as a caller with this header may see and change it.
    pub async fn find(&self, authorization: &str, id: &str) -> Result<Row, Fault> {
        let token = authorization.strip_prefix("Bearer ").unwrap_or_default();
        let hash = Sha256::digest(token.as_bytes()).to_vec();
        let row = match &self.together {
            None => self.database.query(self.name, &[&id, &hash]).await?.pop(),
            Some(together) => {
                let (answer, told) = oneshot::channel();
                together.send(Question { id: id.to_owned(), hash, answer }).map_err(|_| "Nobody asks")?;
                told.await??
            }
        };
        let row = row.ok_or("The token is not known")?;
        let is_revoked = row.get::<_, Option<Time>>("revoked_at").is_some();
        let role = row.get::<_, Option<Raw>>("role").map(|role| role.0);
        if is_revoked || role.as_deref() != Some("ADMIN") {
            return Err("The caller may not do this".into());
        }
        Ok(row)
    }
}

async fn ask_together(
    database: Arc<Database>,
    name: &'static str,
    several: &'static str,
    mut questions: mpsc::UnboundedReceiver<Question>,
) {
    while let Some(first) = questions.recv().await {
        // Whoever is ready to ask does so before this goes on.
        tokio::task::yield_now().await;
        let mut asked = vec![first];
        while asked.len() < BATCH {
            match questions.try_recv() {
                Ok(question) => asked.push(question),
                Err(_) => break,
            }
        }
        let database = database.clone();
        tokio::spawn(async move {
            if let [only] = asked.as_slice() {
                let found = database.query(name, &[&only.id, &only.hash]).await;
                let question = asked.remove(0);
                let _ = question.answer.send(found.map(|mut rows| rows.pop()));
                return;
            }
            let ids: Vec<&str> = asked.iter().map(|question| question.id.as_str()).collect();
            let hashes: Vec<&[u8]> = asked.iter().map(|question| question.hash.as_slice()).collect();
            let found = database.query(several, &[&ids, &hashes]).await;
            let (mut rows, fault) = match found {
                Ok(rows) => (rows, None),
                Err(error) => (Vec::new(), Some(error.to_string())),
            };
            let mut by_place: Vec<Option<Row>> = asked.iter().map(|_| None).collect();
            for row in rows.drain(..) {
                let place = row.get::<_, i64>("place") as usize - 1;
                by_place[place] = Some(row);
            }
            for (question, row) in asked.into_iter().zip(by_place) {
                let answer = match &fault {
                    Some(message) => Err(message.as_str().into()),
                    None => Ok(row),
                };
                let _ = question.answer.send(answer);
            }
        });
    }
}
