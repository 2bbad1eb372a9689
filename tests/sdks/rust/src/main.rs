use std::{env, fs};

use serde_json::Value;
use service::apis::bots_api::{create_bot, delete_bot, get_bot, update_bot, GetBotError, UpdateBotError};
use service::apis::configuration::Configuration;
use service::apis::folders_api::{create_folder, delete_folder};
use service::apis::publishing_api::{get_published_bot, publish_bot, PublishBotError};
use service::apis::results_api::list_results;
use service::apis::workspaces_api::{create_workspace, delete_workspace, CreateWorkspaceError};
use service::apis::Error;
use service::models::{
    bad_request_error_body, bot_update_v61, conflict_error_body, forbidden_error_body, not_found_error_body,
    workspace, Block, Bot, BotCreate, BotUpdate, BotUpdateV5, BotUpdateV61,
    CreateBotBody, CreateFolderBody, FolderCreate, PublishedBot, UpdateBotBody, WorkspaceCreate,
};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let service = connect("TOKEN");
    let guest = connect("GUEST_TOKEN");
    let current_document = read("CURRENT_DOCUMENT");
    let legacy_document = read("LEGACY_DOCUMENT");

    let acme = WorkspaceCreate { name: "Acme".into(), ..Default::default() };
    let workspace = create_workspace(&service, acme, None).await.unwrap().workspace;
    let name: &String = &workspace.name;
    assert_eq!(name, "Acme");
    assert_eq!(workspace.plan, workspace::Plan::Free);
    println!("create a workspace");

    let folder = Box::new(FolderCreate { name: "Quotes".into(), ..Default::default() });
    let new_folder = CreateFolderBody { workspace_id: workspace.id.clone(), folder };
    let folder_id: String = create_folder(&service, new_folder, None).await.unwrap().folder.id;
    println!("create a folder");

    let mut current: BotCreate = serde_json::from_value(current_document.clone()).unwrap();
    current.folder_id = Some(Some(folder_id.clone()));
    let new_bot = CreateBotBody { workspace_id: workspace.id.clone(), bot: Box::new(current) };
    let Bot::BotV61(bot) = *create_bot(&service, new_bot, None, None).await.unwrap().bot else { panic!("another version") };
    assert_eq!(bot.folder_id.as_ref(), Some(&folder_id));
    assert_eq!(flow_of(&bot), flow_of(&current_document));
    let Block::ChoiceInput(choice) = &bot.groups[0].blocks[2] else { panic!("another block") };
    assert_eq!(choice.items[0].content.as_deref(), Some("Beagle"));
    println!("create a bot from a document");

    let rename = BotUpdateV61 {
        version: bot_update_v61::Version::Variant61,
        name: Some("Quote".into()),
        updated_at: Some(bot.updated_at.clone()),
        ..Default::default()
    };
    let rename = update_with(BotUpdate::BotUpdateV61(rename.into()));
    let Bot::BotV61(renamed) = *update_bot(&service, &bot.id, rename.clone(), None, None, None).await.unwrap().bot else {
        panic!("another version")
    };
    assert_eq!(renamed.name, "Quote");
    assert_eq!(flow_of(&renamed), flow_of(&current_document));
    println!("update in current shape");

    let (status, late) = refusal(update_bot(&service, &bot.id, rename, None, None, None).await);
    let UpdateBotError::Status409(late) = late else { panic!("{late:?}") };
    assert_eq!((status, late.code), (409, conflict_error_body::Code::Conflict));
    println!("meet a 409");

    let legacy: BotUpdateV5 = serde_json::from_value(legacy_document.clone()).unwrap();
    let legacy = update_with(BotUpdate::BotUpdateV5(legacy.into()));
    let Bot::BotV5(converted) = *update_bot(&service, &bot.id, legacy, None, None, None).await.unwrap().bot else {
        panic!("another version")
    };
    assert_eq!(flow_of(&converted), flow_of(&legacy_document));
    println!("update in legacy shape");

    publish_bot(&service, &bot.id, None, None).await.unwrap();
    println!("publish");

    let live = get_published_bot(&service, &bot.id, None, None).await.unwrap().published_bot;
    let PublishedBot::PublishedBotV5(live) = *live else { panic!("another version") };
    assert_eq!(live.bot_id, bot.id);
    assert_eq!(flow_of(&live), flow_of(&legacy_document));
    println!("read the published bot");

    let (status, nameless) = refusal(create_workspace(&service, WorkspaceCreate::default(), None).await);
    let CreateWorkspaceError::Status400(nameless) = nameless else { panic!("{nameless:?}") };
    assert_eq!((status, nameless.code), (400, bad_request_error_body::Code::BadRequest));
    assert_eq!(nameless.issues[0].path, ["body", "name"]);
    println!("meet a 400");

    let (status, refused) = refusal(publish_bot(&guest, &bot.id, None, None).await);
    let PublishBotError::Status403(refused) = refused else { panic!("{refused:?}") };
    assert_eq!((status, refused.code), (403, forbidden_error_body::Code::Forbidden));
    println!("meet a 403");

    let (status, missing) = refusal(get_bot(&service, "unknown", None, None).await);
    let GetBotError::Status404(missing) = missing else { panic!("{missing:?}") };
    assert_eq!((status, missing.code), (404, not_found_error_body::Code::NotFound));
    println!("meet a 404");

    let answered = env::var("ANSWERED_BOT_ID").unwrap();
    let mut found = vec![];
    let mut cursor: Option<String> = None;
    loop {
        let after = cursor.as_deref();
        let page = list_results(&service, &answered, Some(2), after, None, None, None, None, None, None, None)
            .await
            .unwrap();
        found.extend(page.results.into_iter().map(|result| result.id));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(found.join(","), env::var("RESULT_IDS").unwrap());
    println!("page through results");

    delete_bot(&service, &bot.id, None).await.unwrap();
    assert_eq!(refusal(get_bot(&service, &bot.id, None, None).await).0, 404);
    delete_folder(&service, &folder_id, None, None).await.unwrap();
    delete_workspace(&service, &workspace.id, None).await.unwrap();
    println!("delete");
}

fn connect(token: &str) -> Configuration {
    Configuration {
        base_path: env::var("BASE_URL").unwrap(),
        bearer_access_token: Some(env::var(token).unwrap()),
        ..Default::default()
    }
}

fn update_with(change: BotUpdate) -> UpdateBotBody {
    UpdateBotBody { bot: Box::new(change), ..Default::default() }
}

/// The status and the typed body of an answer that was expected to be an error.
fn refusal<T: std::fmt::Debug, E>(answer: Result<T, Error<E>>) -> (u16, E) {
    let Error::ResponseError(response) = answer.err().expect("an error") else { panic!("no answer") };
    (response.status.as_u16(), response.entity.expect("a known body"))
}

fn read(variable: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(env::var(variable).unwrap()).unwrap()).unwrap()
}

/// What a document has in common with every answer that holds it; 0 and 0.0 are the same number.
fn flow_of(document: &impl serde::Serialize) -> Vec<Value> {
    let mut all = serde_json::to_value(document).unwrap();
    let parts = ["groups", "events", "edges", "variables", "theme", "settings"];
    parts.map(|part| with_one_kind_of_number(all[part].take())).to_vec()
}

fn with_one_kind_of_number(value: Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.into_iter().map(with_one_kind_of_number).collect(),
        Value::Object(entries) => {
            entries.into_iter().map(|(key, inner)| (key, with_one_kind_of_number(inner))).collect()
        }
        other => other,
    }
}
