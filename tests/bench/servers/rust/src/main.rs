//! The floor in Rust: the statements of the service with as little around them as can be. hyper, tokio-postgres, ten
//! shared connections, prepared statements, documents as text, a log line per request. Nothing is validated. A chat is
//! not run: it writes and answers what the service wrote and answered for the same message.
//!
//! With MEMORY=yes it remembers drafts until they change and asks for grants together, as the service does.

mod chats;
mod database;
mod grants;

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, IF_NONE_MATCH};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio_postgres::Row;

use chats::Recorded;
use database::{new_id, Database, Fault, Raw, Text, Time};
use grants::Grants;

#[derive(Deserialize)]
struct Given {
    statements: HashMap<String, String>,
    start: Recorded,
    next: Recorded,
    logs: Recorded,
}

type Parts = Arc<[String; 6]>;

struct App {
    database: Arc<Database>,
    bots: Grants,
    workspaces: Grants,
    /// Drafts by their bots, with the change that wrote them; absent without memory.
    drafts: Option<Mutex<HashMap<String, (Option<Time>, Parts)>>>,
    start: Recorded,
    next: Recorded,
    logs: Recorded,
    log: Mutex<Vec<u8>>,
}

type Answer = Result<(StatusCode, String), Fault>;

#[tokio::main]
async fn main() -> Result<(), Fault> {
    let variable = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
    let mut given: Given = serde_json::from_str(&std::fs::read_to_string(variable("GIVEN")?)?)?;
    for recorded in [&mut given.start, &mut given.next, &mut given.logs] {
        recorded.name_in(&mut given.statements);
    }
    let database = Arc::new(Database::open(&variable("DATABASE_URL")?, &given.statements).await?);
    let has_memory = variable("MEMORY").is_ok();
    let app = Arc::new(App {
        bots: Grants::new(database.clone(), "grantBot", "grantBotSeveral", has_memory),
        workspaces: Grants::new(database.clone(), "grantWorkspace", "grantWorkspaceSeveral", has_memory),
        database,
        drafts: has_memory.then(Mutex::default),
        start: given.start,
        next: given.next,
        logs: given.logs,
        log: Mutex::default(),
    });
    let port: u16 = variable("PORT")?.parse()?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        let app = app.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| serve(app.clone(), request));
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

async fn serve(app: Arc<App>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let begun = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let (status, body) = app.answer(request).await.unwrap_or_else(|fault| {
        eprintln!("{method} {path}: {fault}");
        (StatusCode::INTERNAL_SERVER_ERROR, "{}".to_owned())
    });
    app.note(&method, &path, status, begun);
    let response = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/json; charset=utf-8")
        .header(CACHE_CONTROL, "no-store");
    Ok(response.body(Full::new(Bytes::from(body))).expect("The head is constant"))
}

impl App {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let (head, body) = request.into_parts();
        let header = |name| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let caller = header(AUTHORIZATION).to_owned();
        let path: Vec<&str> = head.uri.path().split('/').skip(1).collect();
        let query = head.uri.query().unwrap_or_default();
        match (&head.method, path.as_slice()) {
            (&Method::GET, ["usage"]) => Ok((StatusCode::OK, usage())),
            (&Method::GET, ["v1", "workspaces", id]) => self.get_workspace(&caller, id).await,
            (&Method::GET, ["v1", "bots", id]) => {
                let known = !header(IF_NONE_MATCH).is_empty();
                self.get_bot(&caller, id, known).await
            }
            (&Method::GET, ["v1", "bots", id, "results"]) => self.list_results(&caller, id, query).await,
            (&Method::GET, ["v1", "bots", id, "analytics", "stats"]) => self.get_stats(&caller, id, query).await,
            (&Method::POST, ["v1", "bots"]) => self.create_bot(&caller, &bytes(body).await?).await,
            (&Method::PATCH, ["v1", "bots", id]) => self.rename_bot(&caller, id, &bytes(body).await?).await,
            (&Method::POST, ["api", "v1", "bots", _, "startChat"]) => {
                serde_json::from_slice::<&RawValue>(&bytes(body).await?)?;
                self.start.start(&self.database).await
            }
            (&Method::POST, ["api", "v1", "sessions", id, "continueChat"]) => {
                serde_json::from_slice::<&RawValue>(&bytes(body).await?)?;
                self.next.go_on(&self.database, id).await
            }
            (&Method::POST, ["api", "v2", "sessions", id, "clientLogs"]) => {
                serde_json::from_slice::<&RawValue>(&bytes(body).await?)?;
                self.logs.write_to(&self.database, id).await
            }
            _ => Ok((StatusCode::NOT_FOUND, "{}".to_owned())),
        }
    }

    async fn get_workspace(&self, caller: &str, id: &str) -> Answer {
        let row = self.workspaces.find(caller, id).await?;
        let text = format!(
            concat!(
                r#"{{"workspace":{{"id":{},"createdAt":{},"updatedAt":{},"name":{},"icon":{},"plan":{},"billingId":{},"#,
                r#""settings":{},"isSuspended":{},"isPastDue":{},"isVerified":{},"chatsHardLimit":{},"lastActivityAt":{},"#,
                r#""inactiveFirstEmailSentAt":{},"inactiveSecondEmailSentAt":{},"customChatsLimit":{},"#,
                r#""customSeatsLimit":{},"resultsRetentionDays":{}}},"currentUserMode":"write"}}"#
            ),
            text(&row, "id"),
            time(&row, "created_at"),
            time(&row, "updated_at"),
            text(&row, "name"),
            text(&row, "icon"),
            text(&row, "plan"),
            text(&row, "billing_id"),
            document(&row, "settings"),
            row.get::<_, bool>("is_suspended"),
            row.get::<_, bool>("is_past_due"),
            row.get::<_, bool>("is_verified"),
            number(&row, "chats_hard_limit"),
            time(&row, "last_activity_at"),
            time(&row, "inactive_first_email_sent_at"),
            time(&row, "inactive_second_email_sent_at"),
            number(&row, "custom_chats_limit"),
            number(&row, "custom_seats_limit"),
            number(&row, "results_retention_days"),
        );
        Ok((StatusCode::OK, text))
    }

    async fn get_bot(&self, caller: &str, id: &str, is_known: bool) -> Answer {
        let row = self.bots.find(caller, id).await?;
        if is_known {
            return Ok((StatusCode::NOT_MODIFIED, String::new()));
        }
        let parts = self.draft_of(&row, id).await?;
        let updated = row.get("updated_at");
        let bot = bot_text(&row, row.get("name"), updated, &parts);
        Ok((StatusCode::OK, format!(r#"{{"bot":{bot},"currentUserMode":"write"}}"#)))
    }

    fn known_draft(&self, row: &Row, id: &str) -> Option<Parts> {
        let drafts = self.drafts.as_ref()?.lock().expect("Nobody panics with it");
        let (written, parts) = drafts.get(id)?;
        (*written == row.get::<_, Option<Time>>("draft_updated_at")).then(|| parts.clone())
    }

    async fn draft_of(&self, row: &Row, id: &str) -> Result<Parts, Fault> {
        if let Some(parts) = self.known_draft(row, id) {
            return Ok(parts);
        }
        let found = self.database.query("draft", &[&id]).await?;
        let parts = parts_of(found.first().ok_or("There is no draft")?);
        if let Some(drafts) = &self.drafts {
            let entry = (row.get("draft_updated_at"), parts.clone());
            drafts.lock().expect("Nobody panics with it").insert(id.to_owned(), entry);
        }
        Ok(parts)
    }

    async fn list_results(&self, caller: &str, id: &str, query: &str) -> Answer {
        const LIMIT: usize = 50;
        self.bots.find(caller, id).await?;
        let cursor = query.strip_prefix("cursor=").and_then(|cursor| cursor.split_once('.'));
        let (to, from, last) = match cursor {
            None => ("infinity".to_owned(), "9999-12-31T23:59:59.999Z".to_owned(), "~"),
            Some((time, last)) => {
                let time: i64 = time.parse()?;
                (Time(time + 1).text(), Time(time).text(), last)
            }
        };
        let least = Text(Some("-infinity"));
        let (to, from) = (Text(Some(&to)), Text(Some(&from)));
        let limit = (LIMIT + 1) as i64;
        let rows = self.database.query("resultPage", &[&id, &least, &least, &to, &from, &last, &limit]).await?;
        let mut out = String::from(r#"{"results":["#);
        for (at, row) in rows.iter().take(LIMIT).enumerate() {
            if at > 0 {
                out.push(',');
            }
            out.push_str(&format!(
                concat!(
                    r#"{{"id":{},"createdAt":{},"botId":"{}","variables":{},"isCompleted":{},"hasStarted":{},"#,
                    r#""isArchived":false,"lastChatSessionId":{},"answers":{}}}"#
                ),
                text(row, "id"),
                time(row, "created_at"),
                id,
                document(row, "variables"),
                row.get::<_, bool>("is_completed"),
                row.get::<_, bool>("has_started"),
                text(row, "last_chat_session_id"),
                document(row, "answers"),
            ));
        }
        match rows.get(LIMIT - 1) {
            Some(end) if rows.len() > LIMIT => {
                let position = (end.get::<_, Time>("created_at").0, end.get::<_, Raw>("id").0);
                out.push_str(&format!(r#"],"nextCursor":"{}.{}"}}"#, position.0, position.1));
            }
            _ => out.push_str(r#"],"nextCursor":null}"#),
        }
        Ok((StatusCode::OK, out))
    }

    async fn get_stats(&self, caller: &str, id: &str, query: &str) -> Answer {
        const DAY: i64 = 86_400_000;
        self.bots.find(caller, id).await?;
        let from = match query {
            "timeFilter=last7Days" => Time(Time::now().0.div_euclid(DAY) * DAY - 6 * DAY).text(),
            _ => "-infinity".to_owned(),
        };
        let from = Text(Some(&from));
        let rows = self.database.query("countResults", &[&id, &from, &from]).await?;
        let row = rows.first().ok_or("Nothing was counted")?;
        let count = |name| row.get::<_, f64>(name) as i64;
        let (views, starts, completed) = (count("views"), count("starts"), count("completed"));
        let stats = format!(r#"{{"totalViews":{views},"totalStarts":{starts},"totalCompleted":{completed}}}"#);
        Ok((StatusCode::OK, format!(r#"{{"stats":{stats}}}"#)))
    }

    async fn create_bot(&self, caller: &str, body: &[u8]) -> Answer {
        let Create { workspace_id, bot } = serde_json::from_slice(body)?;
        let granted = self.workspaces.find(caller, &workspace_id).await?;
        let now = Time::now();
        let (id, entry_id, at) = (new_id(now), new_id(now), now.text());
        let (name, raw) = (&bot.name, bot.parts());
        let parts = raw.map(|part| Text(Some(part)));
        let by = [granted.get::<_, Raw>("owner_user_id").0, granted.get::<_, Raw>("token_id").0];
        let at = Text(Some(&at));
        let [groups, events, edges, variables, theme, settings] = &parts;
        let written = self
            .database
            .query(
                "insertBot",
                &[
                    &id, &workspace_id, name, &at, groups, events, edges, variables, theme, settings, &entry_id,
                    &by[0], &by[1],
                ],
            )
            .await?;
        if written.is_empty() {
            return Err("Nothing was written".into());
        }
        let shown = Shown { version: "6.1", id: &id, name, workspace_id: &workspace_id, created: now, updated: now };
        let text = shown.text(&raw, ["null"; 6], "false", "null");
        Ok((StatusCode::CREATED, format!(r#"{{"bot":{text}}}"#)))
    }

    async fn rename_bot(&self, caller: &str, id: &str, body: &[u8]) -> Answer {
        let Rename { bot } = serde_json::from_slice(body)?;
        loop {
            let row = self.bots.find(caller, id).await?;
            let revision: i64 = row.get("revision");
            let updated = Time(Time::now().0.max(row.get::<_, Time>("updated_at").0 + 1));
            let at = updated.text();
            let (at, next) = (Text(Some(&at)), revision + 1);
            let known = self.known_draft(&row, id);
            let name = if known.is_some() { "renameKnown" } else { "renameBot" };
            let params: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
                [&bot.name, &bot.version, &next, &at, &id, &revision];
            let written = self.database.query(name, &params).await?;
            // Another request was faster.
            let Some(first) = written.first() else { continue };
            let parts = match known {
                Some(parts) => parts,
                None if self.drafts.is_some() => self.draft_of(&row, id).await?,
                None => parts_of(first),
            };
            let text = bot_text(&row, Raw(bot.name), updated, &parts);
            return Ok((StatusCode::OK, format!(r#"{{"bot":{text}}}"#)));
        }
    }

    /// Lines are written several at once, as the service does it.
    fn note(&self, method: &Method, path: &str, status: StatusCode, begun: Instant) {
        let (level, id) = (30, new_id(Time::now()));
        let (now, ms) = (Time::now().0, begun.elapsed().as_secs_f64() * 1000.0);
        let mut log = self.log.lock().expect("Nobody panics with it");
        let _ = writeln!(
            log,
            r#"{{"level":{level},"time":{now},"requestId":"{id}","method":"{method}","path":"{path}","status":{},"ms":{ms:.3},"msg":"request"}}"#,
            status.as_u16()
        );
        if log.len() > 8192 {
            let _ = std::io::stdout().write_all(&log);
            log.clear();
        }
    }
}

async fn bytes(body: Incoming) -> Result<Bytes, Fault> {
    Ok(body.collect().await?.to_bytes())
}

#[derive(Deserialize)]
struct Create<'a> {
    #[serde(rename = "workspaceId")]
    workspace_id: String,
    #[serde(borrow)]
    bot: NewBot<'a>,
}

#[derive(Deserialize)]
struct NewBot<'a> {
    name: String,
    #[serde(borrow)]
    groups: &'a RawValue,
    events: &'a RawValue,
    edges: &'a RawValue,
    variables: &'a RawValue,
    theme: &'a RawValue,
    settings: &'a RawValue,
}

impl<'a> NewBot<'a> {
    fn parts(&self) -> [&'a str; 6] {
        let NewBot { groups, events, edges, variables, theme, settings, .. } = self;
        [groups, events, edges, variables, theme, settings].map(|part| part.get())
    }
}

#[derive(Deserialize)]
struct Rename {
    bot: NewName,
}

#[derive(Deserialize)]
struct NewName {
    name: String,
    version: String,
}

fn parts_of(row: &Row) -> Parts {
    Arc::new(["groups", "events", "edges", "variables", "theme", "settings"].map(|name| document(row, name)))
}

struct Shown<'a> {
    version: &'a str,
    id: &'a str,
    name: &'a str,
    workspace_id: &'a str,
    created: Time,
    updated: Time,
}

impl Shown<'_> {
    /// The bot, with what most have not: templates, icon, folder, names, the table's preferences.
    fn text(&self, parts: &[&str; 6], rare: [&str; 6], is_closed: &str, credentials: &str) -> String {
        let [groups, events, edges, variables, theme, settings] = parts;
        let [template, icon, folder, public, domain, preferences] = rare;
        let Shown { version, id, workspace_id, .. } = self;
        format!(
            concat!(
                r#"{{"version":"{}","id":"{}","name":{},"groups":{},"events":{},"edges":{},"variables":{},"theme":{},"#,
                r#""settings":{},"selectedThemeTemplateId":{},"createdAt":"{}","updatedAt":"{}","icon":{},"folderId":{},"#,
                r#""publicId":{},"customDomain":{},"workspaceId":"{}","resultsTablePreferences":{},"isArchived":false,"#,
                r#""isClosed":{},"messagingCredentialsId":{},"riskLevel":null}}"#
            ),
            version,
            id,
            quoted(self.name),
            groups,
            events,
            edges,
            variables,
            theme,
            settings,
            template,
            self.created.text(),
            self.updated.text(),
            icon,
            folder,
            public,
            domain,
            workspace_id,
            preferences,
            is_closed,
            credentials
        )
    }
}

fn bot_text(row: &Row, Raw(name): Raw, updated: Time, parts: &[String; 6]) -> String {
    let own = |name| row.get::<_, Raw>(name).0;
    let (id, version, workspace_id) = (own("id"), own("version"), own("workspace_id"));
    let shown = Shown {
        version: &version,
        id: &id,
        name: &name,
        workspace_id: &workspace_id,
        created: row.get("created_at"),
        updated,
    };
    let rare = ["selected_theme_template_id", "icon", "folder_id", "public_id", "custom_domain"]
        .map(|name| text(row, name));
    let [template, icon, folder, public, domain] = &rare;
    let preferences = document(row, "results_table_preferences");
    let parts: [&str; 6] = std::array::from_fn(|at| parts[at].as_str());
    let is_closed = if row.get("is_closed") { "true" } else { "false" };
    let credentials = text(row, "messaging_credentials_id");
    shown.text(&parts, [template, icon, folder, public, domain, &preferences], is_closed, &credentials)
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("A text is JSON")
}

/// A column as JSON.
fn text(row: &Row, name: &str) -> String {
    row.get::<_, Option<Raw>>(name).map_or("null".to_owned(), |Raw(text)| quoted(&text))
}

fn document(row: &Row, name: &str) -> String {
    row.get::<_, Option<Raw>>(name).map_or("null".to_owned(), |Raw(text)| text)
}

fn time(row: &Row, name: &str) -> String {
    row.get::<_, Option<Time>>(name).map_or("null".to_owned(), |time| format!(r#""{}""#, time.text()))
}

fn number(row: &Row, name: &str) -> String {
    row.get::<_, Option<i32>>(name).map_or("null".to_owned(), |number| number.to_string())
}

/// What the process has used, as the harness asks for it: milliseconds and bytes.
fn usage() -> String {
    let mut used: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut used) };
    let millis = |time: libc::timeval| time.tv_sec as f64 * 1000.0 + time.tv_usec as f64 / 1000.0;
    let cpu = millis(used.ru_utime) + millis(used.ru_stime);
    format!(r#"{{"cpu":{cpu},"memory":{}}}"#, used.ru_maxrss * 1024)
}
