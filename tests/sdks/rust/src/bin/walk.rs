//! Gets every error of the document from a sandbox, each in the variant of its status.

use std::{env, fs};

use reqwest::header::{HeaderMap, HeaderValue};
use serde::Deserialize;
use serde_json::Value;
use service::apis::{self, configuration::Configuration, Error};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Call {
    operation_id: String,
    parameters: Vec<Parameter>,
    content_type: Option<String>,
    #[serde(default)]
    body: Value,
    is_body_required: bool,
    errors: Vec<Expected>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Parameter {
    is_required: bool,
    #[serde(default)]
    value: Value,
}

#[derive(Deserialize)]
struct Expected {
    status: u16,
    example: String,
    prefer: String,
    body: Value,
}

/// Makes a function of all operations. It answers the variant of an operation's error, the status and the body.
macro_rules! operations {
    ($($id:literal => $api:ident::$function:ident($($position:literal),*), $error:ident { $($variant:ident)* };)*) => {
        async fn send(service: &Configuration, id: &str, given: &[Value]) -> (&'static str, u16, Value) {
            match id {
                $($id => match apis::$api::$function(service, $(read(&given[$position])),*).await {
                    Err(Error::ResponseError(refused)) => match refused.entity {
                        $(Some(apis::$api::$error::$variant(body)) => {
                            (stringify!($variant), refused.status.as_u16(), serde_json::to_value(body).unwrap())
                        })*
                        _ => panic!("{id} has no variant for {} {}", refused.status, refused.content),
                    },
                    Err(other) => panic!("{id}: {other}"),
                    Ok(_) => panic!("{id} succeeded"),
                },)*
                _ => panic!("There is no {id}"),
            }
        }
    };
}
include!("../../generated/operations.rs");

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let calls: Vec<Call> = serde_json::from_str(&fs::read_to_string(env::var("CALLS").unwrap()).unwrap()).unwrap();
    let mut entered = 0;
    for call in &calls {
        let given = given_to(call);
        for error in &call.errors {
            let met = send(&connect(&error.prefer), &call.operation_id, &given).await;
            let variant = format!("Status{}", error.status);
            let expected = (variant.as_str(), error.status, error.body.clone());
            assert_eq!(met, expected, "{} {}", call.operation_id, error.example);
            entered += 1;
        }
    }
    println!("entered {entered} outcomes");
}

/// Required values come first, the body behind parameters. A file is a path.
fn given_to(call: &Call) -> Vec<Value> {
    let mut values: Vec<(bool, Value)> =
        call.parameters.iter().map(|one| (one.is_required, one.value.clone())).collect();
    match call.content_type.as_deref() {
        Some("application/octet-stream") => {
            let path = env::temp_dir().join("outcome.txt");
            fs::write(&path, call.body.as_str().unwrap()).unwrap();
            values.push((call.is_body_required, path.to_str().into()));
        }
        Some(_) => values.push((call.is_body_required, call.body.clone())),
        None => {}
    }
    values.sort_by_key(|(is_required, _)| !is_required);
    values.into_iter().map(|(_, value)| value).collect()
}

/// A client that asks for an outcome.
fn connect(prefer: &str) -> Configuration {
    let headers = HeaderMap::from_iter([("prefer".parse().unwrap(), HeaderValue::from_str(prefer).unwrap())]);
    Configuration {
        base_path: env::var("BASE_URL").unwrap(),
        client: reqwest::Client::builder().default_headers(headers).build().unwrap(),
        ..Default::default()
    }
}

/// A value of the type that the operation takes. Null is absent.
fn read<'a, T: Deserialize<'a>>(value: &'a Value) -> T {
    T::deserialize(value).unwrap()
}
