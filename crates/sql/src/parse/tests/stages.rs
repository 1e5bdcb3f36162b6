//! Stages, file formats and COPY.

use super::{check, refused};

#[test]
fn stages_and_formats() {
    check(
        "create or replace stage s file_format = (type = csv skip_header = 1) copy_options = (on_error = continue) comment = 'c'",
        &["CreateStage", "mode: OrReplace", "SKIP_HEADER", "ON_ERROR", "comment: Some(c)"],
    );
    check("create temporary stage s file_format = (format_name = 'a.b')", &["Temporary", "Named(ObjectName"]);
    check(
        "create stage s directory = (enable = true) encryption = (type = 'SNOWFLAKE_SSE')",
        &["directory: Some(true)"],
    );
    check("alter stage if exists s rename to t", &["AlterStage", "Skip", "Rename({ T })"]);
    check("drop stage if exists s", &["DropStage", "Skip"]);
    check(
        "create file format f type = 'JSON' strip_outer_array = true comment = 'x'",
        &["CreateFormat", "comment: Some(x)"],
    );
    check("alter file format f set skip_header = 2", &["AlterFormat", "SKIP_HEADER"]);
    check("list @s/a/b pattern = '.*'", &["List", "path: a/b", "pattern: Some(.*)"]);
    check("ls @%t", &["List", "Table("]);
    check("rm @~/x.csv.gz", &["Remove", "User", "path: x.csv.gz"]);
    check("ls @db.sch.\"my stage\"/2024-01-01/a=1/x_2.csv", &["name: my stage", "path: 2024-01-01/a=1/x_2.csv"]);
}

#[test]
fn copies() {
    check(
        "copy into t (a, b) from @s/p files = ('x', 'y') pattern = 'z' file_format = f on_error = 'skip_file_10%' force = true",
        &["Load", "columns: [A, B]", "files: [x, y]", "SkipFilePercent { percent: 10 }", "force: Some(true)"],
    );
    check("copy into t from (select t.$1, $2::int from @s t) purge = true", &["query: Some(", "purge: Some(true)"]);
    check("copy into t from '@s/a b.csv' validation_mode = return_5_rows", &["path: a b.csv", "Rows(5)"]);
    check(
        "copy into @s/x from t partition by ('a' || b) file_format = (type = parquet) max_file_size = 10 header = true",
        &["Unload", "partition_by: Some(", "bytes_max: 10", "header: true"],
    );
    check(
        "create stage s url = 's3compat://b/a/' endpoint = 'H:9000' credentials = (aws_key_id = 'k' aws_secret_key = 's')",
        &["bucket: b", "prefix: a/", "endpoint: Some(h:9000)", "credentials: Some(Credentials)"],
    );
    check("copy into t from 's3://b/a.csv' force = true", &["Outside", "bucket: b", "path: a.csv"]);
    check("copy into 's3://b/a' from t encryption = (type = 'AWS_SSE_S3')", &["Outside", "Aes256"]);
    check("copy into @s from (select 1) single = true overwrite = true", &["Single", "overwrite: true"]);
}

#[test]
fn what_is_not_offered_is_refused_by_name() {
    refused("create stage s url = 'gcs://b'", "000002", "gcs://");
    refused("create stage s url = 's3://b' storage_integration = i", "000002", "STORAGE_INTEGRATION");
    refused("create stage s url = 's3://b' credentials = (aws_role = 'r')", "000002", "AWS_ROLE");
    refused("create stage s url = 's3://b' credentials = (aws_key_id = 'k')", "001007", "AWS_SECRET_KEY");
    refused("create stage s url = 's3://b' encryption = (type = 'aws_sse_kms')", "000002", "AWS_SSE_KMS");
    refused("create stage s url = 's3://b' encryption = (master_key = 'k')", "000002", "MASTER_KEY");
    refused("create stage s url = 's3://b' credentials = (aws_key_id 'k')", "001007", "[****] for CREDENTIALS");
    refused("copy into t from 's3compat://b/x'", "000002", "s3compat");
    refused("copy into t from '/etc/passwd'", "001007", "URL");
    refused("copy into t from @s credentials = (aws_key_id = 'k' aws_secret_key = 's')", "001007", "CREDENTIALS");
    refused("copy into t from (select $1 from @s limit 1)", "000002", "COPY INTO from a query");
    refused("copy into t from @s on_error = never", "001007", "ON_ERROR");
    refused("copy into t from @s no_such = 1", "001007", "NO_SUCH");
    refused("copy into t from @s file_format = (format_name = f skip_header = 1)", "001007", "FORMAT_NAME");
    refused("copy into t from @s validation_mode = return_all", "001007", "VALIDATION_MODE");
    refused("copy into @s from t partition by (a) single = true", "001007", "SINGLE");
    refused("copy into @s from t max_file_size = 0", "001007", "MAX_FILE_SIZE");
    refused("list @s/../x", "001007", "path on a stage");
    refused("list s", "001003", "unexpected 's'");
}
