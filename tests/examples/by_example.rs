//! A statement with a bound value, all of its rows one by one, and a failure.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Response;
use uuid::Uuid;

type Failure = Box<dyn Error>;

struct Firn {
    agent: Agent,
    statements: String,
    token: String,
}

impl Firn {
    fn from_environment() -> Result<Self, Failure> {
        // A failed statement is answered with 422 and says why.
        let agent = Agent::config_builder().http_status_as_error(false).user_agent("by-example/1.0").build().into();
        let statements = format!("{}/api/v2/statements", std::env::var("FIRN_URL")?);
        Ok(Self { agent, statements, token: std::env::var("FIRN_TOKEN")? })
    }

    /// The handle of a statement that has succeeded.
    fn run(&self, statement: &str, bindings: &Value) -> Result<String, Failure> {
        let body = json!({"statement": statement, "bindings": bindings, "database": "DEMO", "schema": "PUBLIC"});
        // By its id, a request that is sent again runs once.
        let url = format!("{}?requestId={}&retry=true", self.statements, Uuid::new_v4());
        let submitted =
            self.agent.post(url).header("authorization", format!("Bearer {}", self.token)).send_json(body)?;
        let (mut status, mut answer) = read(submitted)?;
        while status == 202 {
            std::thread::sleep(Duration::from_millis(100));
            (status, answer) = read(self.get(text(&answer["statementHandle"]))?)?;
        }
        if status != 200 {
            return Err(format!("{} ({})", text(&answer["message"]), text(&answer["code"])).into());
        }
        Ok(text(&answer["statementHandle"]).to_owned())
    }

    /// The rows of a statement's result as objects, read while they arrive.
    fn rows(&self, handle: &str) -> Result<impl Iterator<Item = Result<Value, Failure>>, Failure> {
        let file = self.get(&format!("{handle}/download?format=jsonl"))?;
        let lines = BufReader::new(file.into_body().into_reader()).lines();
        Ok(lines.map(|line| Ok(serde_json::from_str(&line?)?)))
    }

    fn get(&self, path: &str) -> Result<Response<ureq::Body>, Failure> {
        let request = self.agent.get(format!("{}/{path}", self.statements));
        Ok(request.header("authorization", format!("Bearer {}", self.token)).call()?)
    }
}

fn read(mut response: Response<ureq::Body>) -> Result<(u16, Value), Failure> {
    Ok((response.status().as_u16(), response.body_mut().with_config().limit(64 << 20).read_json()?))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn main() -> Result<(), Failure> {
    let firn = Firn::from_environment()?;
    let bindings = json!({"1": {"type": "FIXED", "value": "2"}});
    let regions = "select region_id, region_name from regions where region_id <= ? order by region_id";
    for row in firn.rows(&firn.run(regions, &bindings)?)? {
        let row = row?;
        println!("{} {}", row["REGION_ID"], text(&row["REGION_NAME"]));
    }
    let many = firn.run("select seq4() as n from table(generator(rowcount => 100000))", &json!({}))?;
    println!("{} rows", firn.rows(&many)?.count());
    if let Err(error) = firn.run("select nothing_here", &json!({})) {
        println!("{error}");
    }
    Ok(())
}
