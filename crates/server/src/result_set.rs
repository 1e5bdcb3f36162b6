//! Writes a ResultSet around rows that are already JSON: nothing is parsed or encoded again.

use std::io::Write;

use firn_catalog::registry::StoredPartition;
use firn_statements::ResultView;
use uuid::Uuid;

/// Room for everything but the rows, their types and the lists.
const ENVELOPE_BYTES: usize = 640;

pub fn write(view: &ResultView, rows: &[u8], request_id: Uuid) -> Vec<u8> {
    let lists = 96 * view.partitions.len() + 40 * view.children.len();
    let mut out = Vec::with_capacity(ENVELOPE_BYTES + view.row_type.len() + rows.len() + lists);
    // Writing to a vector cannot fail.
    let _ = write_to(&mut out, view, rows, request_id);
    out
}

fn write_to(out: &mut Vec<u8>, view: &ResultView, rows: &[u8], request_id: Uuid) -> std::io::Result<()> {
    let handle = view.handle;
    write!(out, r#"{{"resultSetMetaData":{{"partition":{},"numRows":{},"#, view.partition, view.rows)?;
    out.extend_from_slice(br#""format":"jsonv2","partitionInfo":["#);
    write_partition_info(out, &view.partitions)?;
    out.extend_from_slice(br#"],"rowType":"#);
    out.extend_from_slice(view.row_type.as_bytes());
    out.extend_from_slice(br#"},"data":"#);
    out.extend_from_slice(rows);
    write!(
        out,
        r#","code":"{}","statementStatusUrl":"/api/v2/statements/{handle}?requestId={request_id}","#,
        view.code
    )?;
    write!(out, r#""requestId":"{request_id}","sqlState":"00000","statementHandle":"{handle}","message":"#)?;
    serde_json::to_writer(&mut *out, &view.message)?;
    write!(out, r#","createdOn":{}"#, view.created_on_ms)?;
    if let Some(stats) = &view.stats {
        write!(out, r#","stats":{stats}"#)?;
    }
    if !view.children.is_empty() {
        out.extend_from_slice(br#","statementHandles":["#);
        for (index, child) in view.children.iter().enumerate() {
            write!(out, r#"{}"{child}""#, separator(index))?;
        }
        out.push(b']');
    }
    out.push(b'}');
    Ok(())
}

fn write_partition_info(out: &mut Vec<u8>, partitions: &[StoredPartition]) -> std::io::Result<()> {
    let several = partitions.len() > 1;
    for (index, partition) in partitions.iter().enumerate() {
        let (rows, bytes) = (partition.rows, partition.uncompressed_bytes);
        write!(out, r#"{}{{"rowCount":{rows},"uncompressedSize":{bytes}"#, separator(index))?;
        if several && partition.compressed_bytes > 0 {
            write!(out, r#","compressedSize":{}"#, partition.compressed_bytes)?;
        }
        out.push(b'}');
    }
    Ok(())
}

fn separator(index: usize) -> &'static str {
    if index == 0 { "" } else { "," }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use bytes::Bytes;
    use firn_statements::{PartitionBody, StatementHandle};

    use super::*;
    use crate::bodies::ResultSet;

    fn view() -> ResultView {
        ResultView {
            handle: StatementHandle(Uuid::from_u128(1)),
            children: vec![],
            created_on_ms: 1_791_499_251_583,
            statement_type: firn_statements::StatementType::SELECT,
            role: "R".to_owned(),
            code: "090001".to_owned(),
            message: "Statement executed \"successfully\".".to_owned(),
            row_type: r#"[{"name":"N","database":"","schema":"","table":"","collation":null,"precision":38,"scale":0,"nullable":true,"byteLength":null,"length":null,"type":"fixed"}]"#.to_owned(),
            texts: Default::default(),
            rows: 2,
            format: Default::default(),
            partitions: vec![StoredPartition { rows: 2, uncompressed_bytes: 16, compressed_bytes: 9 }],
            stats: None,
            partition: 0,
            body: PartitionBody::Rows(Bytes::new()),
        }
    }

    /// What is written, read back as the documented shape, which must have a place for all of it.
    fn read_back(view: &ResultView) -> ResultSet {
        let written = write(view, br#"[["1"],[null]]"#, Uuid::from_u128(2));
        let result: ResultSet = serde_json::from_slice(&written).unwrap();
        let as_it_was: serde_json::Value = serde_json::from_slice(&written).unwrap();
        assert_eq!(serde_json::to_value(&result).unwrap(), as_it_was);
        result
    }

    #[test]
    fn writes_the_documented_shape() {
        let result = read_back(&view());
        assert_eq!(result.code, "090001");
        assert_eq!(result.sql_state, "00000");
        assert_eq!(result.message, "Statement executed \"successfully\".");
        assert_eq!(result.statement_handle, "00000000-0000-0000-0000-000000000001");
        assert_eq!(result.request_id, "00000000-0000-0000-0000-000000000002");
        assert_eq!(
            result.statement_status_url,
            "/api/v2/statements/00000000-0000-0000-0000-000000000001?requestId=00000000-0000-0000-0000-000000000002"
        );
        assert_eq!(result.created_on, 1_791_499_251_583);
        assert_eq!(result.data, vec![vec![Some("1".to_owned())], vec![None]]);
        assert_eq!(result.result_set_meta_data.num_rows, 2);
        assert_eq!(result.result_set_meta_data.row_type[0].type_name, "fixed");
        assert_eq!(result.result_set_meta_data.partition_info[0].compressed_size, None);
        assert!(result.stats.is_none() && result.statement_handles.is_none());
    }

    #[test]
    fn shows_stats_children_and_compressed_sizes_when_there_are_any() {
        let partition = view().partitions[0];
        let stats = r#"{"numRowsInserted":2,"numRowsDeleted":0,"numRowsUpdated":0,"numDuplicateRowsUpdated":0}"#;
        let result = read_back(&ResultView {
            children: vec![StatementHandle(Uuid::from_u128(3)), StatementHandle(Uuid::from_u128(4))],
            partitions: vec![partition, partition],
            stats: Some(stats.to_owned()),
            ..view()
        });
        assert_eq!(result.statement_handles.unwrap().len(), 2);
        assert_eq!(result.stats.unwrap().num_rows_inserted, 2);
        let sizes: Vec<_> =
            result.result_set_meta_data.partition_info.iter().map(|info| info.compressed_size).collect();
        assert_eq!(sizes, [Some(9), Some(9)]);
    }
}
