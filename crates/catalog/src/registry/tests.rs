//! The registry against a real file: claims, restarts, expiry, the disk limit.
#![expect(clippy::unwrap_used, reason = "a failing step is a failing test")]

use std::ops::ControlFlow;
use std::path::Path;

use tempfile::TempDir;
use uuid::Uuid;

use super::{EndState, Ended, HistorySearch, PastStatement, Sender, StatementRecord, StoredPartition, StoredResult};
use crate::Catalog;
use crate::clock::now_ms;

const USER: i64 = 7;

fn open() -> (TempDir, Catalog) {
    let folder = TempDir::new().unwrap();
    let catalog = reopen(folder.path());
    (folder, catalog)
}

fn reopen(folder: &Path) -> Catalog {
    Catalog::open(folder).unwrap()
}

fn running(request_id: Option<Uuid>) -> StatementRecord {
    StatementRecord {
        handle: Uuid::new_v4(),
        user_id: USER,
        request_id,
        parent: None,
        children: Vec::new(),
        created_on_ms: now_ms(),
        text: "SELECT 1".to_owned(),
        query_tag: Some("tag".to_owned()),
        sender: Sender::Client,
        session: Some(7),
        role: "PUBLIC".to_owned(),
        warehouse: Some("COMPUTE_WH".to_owned()),
        database: None,
        schema: None,
        ended: None,
    }
}

fn succeeded(stored_under: Uuid, compressed_bytes: u64, expires_on_ms: i64) -> Ended {
    let partition = StoredPartition { rows: 1, uncompressed_bytes: 6, compressed_bytes };
    Ended {
        finished_on_ms: now_ms(),
        expires_on_ms,
        state: EndState::Succeeded,
        code: "090001".to_owned(),
        sql_state: "00000".to_owned(),
        message: "Statement executed successfully.".to_owned(),
        result: Some(StoredResult {
            row_type: "[]".to_owned(),
            rows: 2,
            partitions: vec![partition, partition],
            stats: None,
            cells: super::Cells { formatted: true, null_words: false, texts: 5, ..super::Cells::default() },
            inline_rows: Some(b"[[\"1\"]]".to_vec()),
            stored_under,
        }),
        reads: Some("{}".to_owned()),
        profile: Some("{\"operators\":[]}".to_owned()),
        queued_ms: 7,
    }
}

fn history(catalog: &Catalog, search: HistorySearch) -> Vec<PastStatement> {
    let mut found = Vec::new();
    let take = |statement| {
        found.push(statement);
        ControlFlow::Continue(())
    };
    catalog.registry().search(&search, take).unwrap();
    found
}

fn of_user(user_id: i64) -> HistorySearch {
    HistorySearch { user_id: Some(user_id), ..HistorySearch::default() }
}

fn in_a_day() -> i64 {
    now_ms() + 86_400_000
}

/// Records a statement whose second partition takes `disk_bytes` in its own or another's folder.
fn insert_ended(catalog: &Catalog, folder: Option<Uuid>, disk_bytes: u64, expires_on_ms: i64) -> StatementRecord {
    let mut record = running(Some(Uuid::new_v4()));
    record.ended = Some(succeeded(folder.unwrap_or(record.handle), disk_bytes, expires_on_ms));
    catalog.registry().insert(&record).unwrap();
    record
}

#[test]
fn an_outcome_survives_a_restart() {
    let (folder, catalog) = open();
    let mut record = running(None);
    record.children = vec![Uuid::new_v4(), Uuid::new_v4()];
    catalog.registry().insert(&record).unwrap();
    assert!(catalog.registry().find(USER, record.handle).unwrap().unwrap().ended.is_none());
    catalog.registry().end(record.handle, &succeeded(record.handle, 10, in_a_day())).unwrap();
    drop(catalog);

    let found = reopen(folder.path()).registry().find(USER, record.handle).unwrap().unwrap();
    assert_eq!(found.children, record.children);
    assert_eq!(found.query_tag.as_deref(), Some("tag"));
    let ended = found.ended.unwrap();
    assert_eq!(ended.state, EndState::Succeeded);
    assert_eq!(ended.reads.as_deref(), Some("{}"));
    assert_eq!(ended.profile.as_deref(), Some("{\"operators\":[]}"));
    assert_eq!(found.sender, Sender::Client);
    let result = ended.result.unwrap();
    assert_eq!(result.inline_rows.as_deref(), Some(&b"[[\"1\"]]"[..]));
    assert_eq!(result.partitions.len(), 2);
    assert_eq!(result.partitions[1].compressed_bytes, 10);
    assert_eq!(result.disk_bytes(), 10);
}

#[test]
fn a_past_statement_has_the_counts_of_its_result() {
    let (_folder, catalog) = open();
    let mut record = running(None);
    let mut ended = succeeded(record.handle, 10, in_a_day());
    if let Some(result) = &mut ended.result {
        result.stats = Some("{\"numRowsInserted\":0}".to_owned());
    }
    record.ended = Some(ended);
    catalog.registry().insert(&record).unwrap();
    catalog.registry().insert(&running(None)).unwrap();
    let past = history(&catalog, HistorySearch::default());
    let counts: Vec<_> = past.iter().map(|past| (past.rows, past.stats.as_deref(), past.bytes)).collect();
    assert_eq!(counts, [(None, None, None), (Some(2), Some("{\"numRowsInserted\":0}"), Some(12))]);
}

#[test]
fn a_text_takes_the_place_of_another() {
    let (_folder, catalog) = open();
    let (record, other) = (running(None), running(None));
    catalog.registry().insert(&record).unwrap();
    catalog.registry().insert(&other).unwrap();
    catalog.registry().set_text(record.handle, "call p('****')").unwrap();
    let text = |handle: Uuid| catalog.registry().find(USER, handle).unwrap().unwrap().text;
    assert_eq!(text(record.handle), "call p('****')");
    assert_eq!(text(other.handle), other.text);
}

#[test]
fn a_foreign_or_expired_statement_looks_like_none() {
    let (_folder, catalog) = open();
    let unexpired = insert_ended(&catalog, None, 0, in_a_day());
    let expired = insert_ended(&catalog, None, 0, now_ms() - 1);
    assert!(catalog.registry().find(USER, unexpired.handle).unwrap().is_some());
    assert!(catalog.registry().find(USER + 1, unexpired.handle).unwrap().is_none());
    assert!(catalog.registry().find(USER, expired.handle).unwrap().is_none());
    assert!(catalog.registry().find(USER, Uuid::new_v4()).unwrap().is_none());
}

#[test]
fn a_request_id_is_claimed_once_per_user_across_restarts() {
    let (folder, catalog) = open();
    let request_id = Uuid::new_v4();
    let first = running(Some(request_id));
    assert_eq!(catalog.registry().insert_claim(&first).unwrap(), None);
    let again = running(Some(request_id));
    assert_eq!(catalog.registry().insert_claim(&again).unwrap(), Some(first.handle));
    assert!(catalog.registry().find(USER, again.handle).unwrap().is_none());
    drop(catalog);

    let catalog = reopen(folder.path());
    assert_eq!(catalog.registry().insert_claim(&again).unwrap(), Some(first.handle));
    assert_eq!(catalog.registry().find_request(USER, request_id).unwrap(), Some(first.handle));
    assert_eq!(catalog.registry().find_request(USER + 1, request_id).unwrap(), None);
    let other_user = StatementRecord { user_id: USER + 1, ..running(Some(request_id)) };
    assert_eq!(catalog.registry().insert_claim(&other_user).unwrap(), None);
}

#[test]
fn a_claim_is_won_by_one_of_many_threads() {
    let (_folder, catalog) = open();
    let request_id = Uuid::new_v4();
    let claim = || catalog.registry().insert_claim(&running(Some(request_id))).unwrap();
    let outcomes: Vec<Option<Uuid>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(claim)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_none()).count(), 1);
    let winner = catalog.registry().find_request(USER, request_id).unwrap();
    assert!(outcomes.iter().flatten().all(|handle| Some(*handle) == winner));
}

#[test]
fn what_a_crash_left_running_is_listed_and_an_end_is_final() {
    let (folder, catalog) = open();
    let lost = running(None);
    catalog.registry().insert(&lost).unwrap();
    let done = insert_ended(&catalog, None, 0, in_a_day());
    drop(catalog);

    let catalog = reopen(folder.path());
    let left = catalog.registry().left_running().unwrap();
    assert_eq!(left.iter().map(|record| record.handle).collect::<Vec<_>>(), [lost.handle]);
    let failed = Ended { state: EndState::Failed, ..succeeded(lost.handle, 0, in_a_day()) };
    catalog.registry().end(lost.handle, &failed).unwrap();
    catalog.registry().end(lost.handle, &succeeded(lost.handle, 0, in_a_day())).unwrap();
    let ended = catalog.registry().find(USER, lost.handle).unwrap().unwrap().ended.unwrap();
    assert_eq!(ended.state, EndState::Failed, "an end is final");
    let ended = catalog.registry().find(USER, done.handle).unwrap().unwrap().ended.unwrap();
    assert_eq!(ended.state, EndState::Succeeded);
}

#[test]
fn a_shared_folder_goes_with_its_last_statement() {
    let (_folder, catalog) = open();
    let registry = catalog.registry();
    let first = insert_ended(&catalog, None, 100, now_ms() - 1);
    let reuse = insert_ended(&catalog, Some(first.handle), 100, now_ms() + 1_000);
    let alone = insert_ended(&catalog, None, 50, now_ms() - 1);
    assert_eq!(registry.disk_bytes().unwrap(), 150);
    assert_eq!(registry.take_expired(now_ms(), 0).unwrap(), vec![alone.handle]);
    assert_eq!(registry.stored_folders().unwrap(), [first.handle].into());
    assert!(registry.find(USER, reuse.handle).unwrap().is_some());
    assert_eq!(registry.take_expired(now_ms() + 2_000, 0).unwrap(), vec![first.handle]);
    assert_eq!(registry.disk_bytes().unwrap(), 0);
    assert!(history(&catalog, HistorySearch::default()).is_empty());
}

#[test]
fn an_expired_statement_stays_in_the_history_without_its_result_and_request_id() {
    let (_folder, catalog) = open();
    let registry = catalog.registry();
    let record = insert_ended(&catalog, None, 100, now_ms() - 1);
    let request_id = record.request_id.unwrap();
    assert_eq!(registry.find_request(USER, request_id).unwrap(), Some(record.handle));
    assert_eq!(registry.take_expired(now_ms(), 60_000).unwrap(), vec![record.handle]);
    assert!(registry.find(USER, record.handle).unwrap().is_none());
    assert_eq!(registry.find_request(USER, request_id).unwrap(), None, "the id is valid as long as the result");
    let past = history(&catalog, of_user(USER));
    let shown: Vec<_> = past.iter().map(|past| (past.handle, past.state, past.rows, past.bytes, past.sender)).collect();
    assert_eq!(shown, [(record.handle, Some(EndState::Succeeded), Some(2), Some(12), Sender::Client)]);
    assert!(registry.take_expired(now_ms(), 60_000).unwrap().is_empty());
    assert_eq!(history(&catalog, HistorySearch::default()).len(), 1);
    assert!(registry.take_expired(now_ms() + 120_000, 60_000).unwrap().is_empty());
    assert!(history(&catalog, HistorySearch::default()).is_empty());
}

#[test]
fn many_expired_statements_go_in_several_steps() {
    let (_folder, catalog) = open();
    for _ in 0..1_001 {
        insert_ended(&catalog, None, 0, now_ms() - 1);
    }
    assert!(catalog.registry().take_expired(now_ms(), 0).unwrap().is_empty());
    assert!(history(&catalog, HistorySearch::default()).is_empty());
}

#[test]
fn the_disk_limit_takes_the_oldest_results_and_keeps_their_request_ids() {
    let (_folder, catalog) = open();
    let registry = catalog.registry();
    let [oldest, middle, newest] = [100, 100, 100].map(|bytes| insert_ended(&catalog, None, bytes, in_a_day()));
    assert_eq!(registry.take_oldest_until(150).unwrap(), vec![oldest.handle, middle.handle]);
    assert_eq!(registry.disk_bytes().unwrap(), 100);
    let ended = registry.find(USER, oldest.handle).unwrap().unwrap().ended.unwrap();
    assert_eq!((ended.state, ended.code.as_str(), ended.result.is_none()), (EndState::Failed, "000709", true));
    assert_eq!(registry.find_request(USER, oldest.request_id.unwrap()).unwrap(), Some(oldest.handle));
    assert!(registry.find(USER, newest.handle).unwrap().unwrap().ended.unwrap().result.is_some());
}

#[test]
fn history_is_newest_first_and_each_users_own() {
    let (_folder, catalog) = open();
    let records: Vec<_> = (0..3).map(|_| insert_ended(&catalog, None, 0, in_a_day())).collect();
    catalog.registry().insert(&StatementRecord { user_id: USER + 1, ..running(None) }).unwrap();
    let own = history(&catalog, of_user(USER));
    let newest_first: Vec<_> = records.iter().rev().map(|record| record.handle).collect();
    assert_eq!(own.iter().map(|record| record.handle).collect::<Vec<_>>(), newest_first);
    assert_eq!(own[0].state, Some(EndState::Succeeded));
    assert_eq!(history(&catalog, HistorySearch::default()).len(), 4);
}

const HOUR_MS: i64 = 3_600_000;

/// Records a statement that began and, unless it runs, ended at these hours.
fn insert_at(catalog: &Catalog, text: &str, began: i64, ended: Option<i64>) -> StatementRecord {
    let record = StatementRecord {
        text: text.to_owned(),
        created_on_ms: began * HOUR_MS,
        session: None,
        ended: ended.map(|hour| Ended { finished_on_ms: hour * HOUR_MS, ..succeeded(Uuid::new_v4(), 0, in_a_day()) }),
        ..running(None)
    };
    catalog.registry().insert(&record).unwrap();
    record
}

#[test]
fn a_search_has_what_ended_in_its_time_however_long_it_took() {
    let (_folder, catalog) = open();
    for (text, began, ended) in [
        ("longer", 1, Some(90)),
        ("still running", 2, None),
        ("long", 10, Some(60)),
        ("too long", 10, Some(80)),
        ("before", 48, Some(49)),
        ("at the start", 50, Some(50)),
        ("within", 55, Some(55)),
        ("at the end", 69, Some(70)),
        ("after", 71, Some(71)),
        ("clock set back", 71, Some(70)),
    ] {
        insert_at(&catalog, text, began, ended);
    }
    let texts = |from: Option<i64>, until: Option<i64>| {
        let at = |hour: Option<i64>| hour.map(|hour| hour * HOUR_MS);
        let search = HistorySearch { ended_from_ms: at(from), ended_until_ms: at(until), ..HistorySearch::default() };
        let found = history(&catalog, search.clone());
        assert!(found.iter().all(|statement| search.has(statement, 1)));
        found.into_iter().map(|statement| statement.text).collect::<Vec<_>>()
    };
    let within = ["clock set back", "at the end", "within", "at the start", "long"];
    assert_eq!(texts(Some(50), Some(70)), within);
    assert_eq!(texts(None, Some(49)), ["before"]);
    assert_eq!(texts(Some(71), None), ["after", "too long", "still running", "longer"]);
    assert_eq!(texts(Some(1_000), None), ["still running"]);
    assert_eq!(texts(None, None).len(), 10);
}

#[test]
fn a_search_has_what_ran_in_its_session_warehouse_and_for_its_sender() {
    let (_folder, catalog) = open();
    let request = insert_at(&catalog, "block", 1, Some(2));
    let inside = StatementRecord { parent: Some(request.handle), ..insert_at(&catalog, "unrelated", 1, Some(2)) };
    let inside = StatementRecord { handle: Uuid::new_v4(), text: "inside".to_owned(), ..inside };
    let kept = StatementRecord { session: Some(99), text: "kept".to_owned(), ..running(None) };
    let of_user = StatementRecord { sender: Sender::User, warehouse: None, text: "plain".to_owned(), ..running(None) };
    for record in [&inside, &kept, &of_user] {
        catalog.registry().insert(record).unwrap();
    }
    let texts =
        |search: HistorySearch| history(&catalog, search).into_iter().map(|found| found.text).collect::<Vec<_>>();
    let of_session = |number: u64| HistorySearch { session: Some(number), ..HistorySearch::default() };
    let number_of_request = request.handle.as_u128() as u64 & ((1 << 62) - 1);
    assert_eq!(texts(of_session(number_of_request)), ["inside", "block"]);
    assert_eq!(texts(of_session(99)), ["kept"]);
    assert!(texts(of_session(98)).is_empty());
    assert_eq!(texts(HistorySearch { sender: Some(Sender::User), ..HistorySearch::default() }), ["plain"]);
    let on = |name: &str| HistorySearch { warehouse: Some(name.to_owned()), ..HistorySearch::default() };
    assert_eq!(texts(on("COMPUTE_WH")).len(), 4);
    assert!(texts(on("OTHER_WH")).is_empty());
}

#[test]
fn a_search_ends_with_what_is_enough() {
    let (_folder, catalog) = open();
    for number in 0..100 {
        insert_at(&catalog, &number.to_string(), number, Some(number));
    }
    let mut taken = Vec::new();
    let search = HistorySearch { ended_from_ms: Some(0), ..HistorySearch::default() };
    let take = |statement: PastStatement| {
        taken.push(statement.text);
        if taken.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    catalog.registry().search(&search, take).unwrap();
    assert_eq!(taken, ["99", "98", "97"]);
}

#[test]
fn a_long_history_loses_its_oldest_statements() {
    let (_folder, catalog) = open();
    let registry = catalog.registry();
    let still_running = running(None);
    registry.insert(&still_running).unwrap();
    let insert = |user_id: i64, stored_bytes: u64| {
        let record = StatementRecord { user_id, text: "x".repeat(10_000), ..running(Some(Uuid::new_v4())) };
        let ended = succeeded(record.handle, stored_bytes, in_a_day());
        registry.insert(&StatementRecord { ended: Some(ended), ..record.clone() }).unwrap();
        record
    };
    let own: Vec<_> = (0..4).map(|number| insert(USER, if number == 0 { 100 } else { 0 })).collect();
    let other = insert(USER + 1, 0);
    let over = registry.users_with_history_past(25_000).unwrap();
    assert_eq!(over.iter().map(|(user_id, _)| *user_id).collect::<Vec<_>>(), vec![USER]);
    assert_eq!(registry.forget_oldest(Some(USER), over[0].1).unwrap(), vec![own[0].handle], "its files can go");
    let is_known = |record: &StatementRecord| registry.find(record.user_id, record.handle).unwrap().is_some();
    assert_eq!(own.iter().map(is_known).collect::<Vec<_>>(), vec![false, false, true, true]);
    assert_eq!(registry.find_request(USER, own[0].request_id.unwrap()).unwrap(), None);
    assert!(registry.history_bytes().unwrap() > 30_000);
    registry.forget_oldest(None, u64::MAX).unwrap();
    assert_eq!(registry.history_bytes().unwrap(), 0);
    assert!(!is_known(&other) && is_known(&still_running), "what runs stays");
}
