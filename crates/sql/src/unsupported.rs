//! Services of the dialect that do not exist here. Creating their objects is refused by name, so listing them truthfully
//! returns the documented columns and no rows. Only such services may be in these tables.

use crate::names::quote_identifier;

/// A function of INFORMATION_SCHEMA about such a service.
pub struct UnsupportedFunction {
    pub name: &'static str,
    /// Names of the arguments in their order, with a space between them.
    pub arguments: &'static str,
    pub columns: &'static str,
}

const fn function(name: &'static str, arguments: &'static str, columns: &'static str) -> UnsupportedFunction {
    UnsupportedFunction { name, arguments, columns }
}

/// Columns are `NAME`, a text, or `NAME:kind` with `number`, `instant`, `date_time`, `boolean`, `object`, `array` or `variant`.
pub const FUNCTIONS: &[UnsupportedFunction] = &[
    function(
        "ALERT_HISTORY",
        "SCHEDULED_TIME_RANGE_START SCHEDULED_TIME_RANGE_END RESULT_LIMIT ALERT_NAME",
        "NAME DATABASE_NAME SCHEMA_NAME CONDITION CONDITION_QUERY_ID ACTION ACTION_QUERY_ID STATE \
         SQL_ERROR_CODE:number SQL_ERROR_MESSAGE SCHEDULED_TIME:instant COMPLETED_TIME:instant SCHEDULED_FROM RUNBOOK \
         WAS_AUTO_SUSPENDED:boolean CONFIG",
    ),
    function(
        "AUTOMATIC_CLUSTERING_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END TABLE_NAME",
        "START_TIME:instant END_TIME:instant TABLE_NAME CREDITS_USED:number NUM_BYTES_RECLUSTERED:number \
         NUM_ROWS_RECLUSTERED:number",
    ),
    function(
        "AUTO_REFRESH_REGISTRATION_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END OBJECT_TYPE OBJECT_NAME",
        "START_TIME:instant END_TIME:instant OBJECT_NAME OBJECT_TYPE CREDITS_USED FILES_REGISTERED:number",
    ),
    function(
        "COMPLETE_TASK_GRAPHS",
        "RESULT_LIMIT ROOT_TASK_NAME ERROR_ONLY",
        "ROOT_TASK_NAME DATABASE_NAME SCHEMA_NAME STATE SCHEDULED_FROM FIRST_ERROR_TASK_NAME FIRST_ERROR_CODE:number \
         FIRST_ERROR_MESSAGE SCHEDULED_TIME:instant QUERY_START_TIME:instant NEXT_SCHEDULED_TIME:instant \
         COMPLETED_TIME:instant ROOT_TASK_ID GRAPH_VERSION:number RUN_ID:number ATTEMPT_NUMBER:number CONFIG \
         GRAPH_RUN_GROUP_ID BACKFILL_INFO:object",
    ),
    function(
        "CURRENT_TASK_GRAPHS",
        "RESULT_LIMIT ROOT_TASK_NAME",
        "ROOT_TASK_NAME DATABASE_NAME SCHEMA_NAME STATE SCHEDULED_FROM FIRST_ERROR_TASK_NAME FIRST_ERROR_CODE:number \
         FIRST_ERROR_MESSAGE SCHEDULED_TIME:instant QUERY_START_TIME:instant NEXT_SCHEDULED_TIME:instant ROOT_TASK_ID \
         GRAPH_VERSION:number RUN_ID:number ATTEMPT_NUMBER:number CONFIG GRAPH_RUN_GROUP_ID BACKFILL_INFO:object",
    ),
    function(
        "DATABASE_REPLICATION_USAGE_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END DATABASE_NAME",
        "START_TIME:instant END_TIME:instant DATABASE_NAME CREDITS_USED BYTES_TRANSFERRED:number",
    ),
    function(
        "DATA_TRANSFER_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END",
        "START_TIME:instant END_TIME:instant SOURCE_CLOUD SOURCE_REGION TARGET_CLOUD TARGET_REGION \
         BYTES_TRANSFERRED:number TRANSFER_TYPE",
    ),
    function(
        "DYNAMIC_TABLES",
        "NAME REFRESH_DATA_TIMESTAMP_START RESULT_LIMIT INCLUDE_CONNECTED",
        "NAME SCHEMA_NAME DATABASE_NAME QUALIFIED_NAME TARGET_LAG_SEC:number TARGET_LAG_TYPE SCHEDULING_STATE:object \
         MEAN_LAG_SEC:number MAXIMUM_LAG_SEC:number TIME_ABOVE_TARGET_LAG_SEC:number \
         TIME_WITHIN_TARGET_LAG_RATIO:number LATEST_DATA_TIMESTAMP:instant LAST_COMPLETED_REFRESH_STATE \
         LAST_COMPLETED_REFRESH_STATE_CODE LAST_COMPLETED_REFRESH_STATE_MESSAGE EXECUTING_REFRESH_QUERY_ID \
         RECOMMENDATIONS:object",
    ),
    function(
        "DYNAMIC_TABLE_GRAPH_HISTORY",
        "AS_OF HISTORY_START HISTORY_END",
        "NAME SCHEMA_NAME DATABASE_NAME QUALIFIED_NAME INPUTS:array TARGET_LAG_TYPE TARGET_LAG_SEC:number QUERY_TEXT \
         VALID_FROM:instant VALID_TO:instant SCHEDULING_STATE:object ALTER_TRIGGER:array",
    ),
    function(
        "DYNAMIC_TABLE_REFRESH_HISTORY",
        "DATA_TIMESTAMP_START DATA_TIMESTAMP_END RESULT_LIMIT NAME NAME_PREFIX ERROR_ONLY",
        "NAME SCHEMA_NAME DATABASE_NAME STATE STATE_CODE STATE_MESSAGE QUERY_ID DATA_TIMESTAMP:instant \
         REFRESH_START_TIME:instant REFRESH_END_TIME:instant COMPLETION_TARGET:instant QUALIFIED_NAME \
         LAST_COMPLETED_DEPENDENCY:object STATISTICS:object REFRESH_ACTION REINIT_REASON REFRESH_TRIGGER \
         TARGET_LAG_SEC:number GRAPH_HISTORY_VALID_FROM:date_time INPUTS_WITH_CHANGED_DATA:array",
    ),
    function(
        "EXTERNAL_FUNCTIONS_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END FUNCTION_SIGNATURE",
        "START_TIME:instant END_TIME:instant NAME ARGUMENTS FUNCTION_ENDPOINT_URL SOURCE_CLOUD SOURCE_REGION \
         TARGET_CLOUD TARGET_REGION INVOCATIONS:number SENT_ROWS:number RECEIVED_ROWS:number SENT_BYTES:number \
         RECEIVED_BYTES:number",
    ),
    function(
        "MATERIALIZED_VIEW_REFRESH_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END MATERIALIZED_VIEW_NAME",
        "START_TIME:instant END_TIME:instant CREDITS_USED MATERIALIZED_VIEW_NAME",
    ),
    function(
        "NOTIFICATION_HISTORY",
        "START_TIME END_TIME INTEGRATION_NAME RESULT_LIMIT",
        "CREATED:instant PROCESSED:instant MESSAGE_SOURCE INTEGRATION_NAME STATUS ERROR_MESSAGE ID ATTEMPT:number \
         MESSAGE_SOURCE_INFO:object",
    ),
    function(
        "PIPE_USAGE_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END PIPE_NAME",
        "START_TIME:instant END_TIME:instant PIPE_NAME CREDITS_USED BYTES_INSERTED:number FILES_INSERTED:number \
         BYTES_BILLED:number",
    ),
    function(
        "QUERY_ACCELERATION_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END WAREHOUSE_NAME",
        "START_TIME:instant END_TIME:instant CREDITS_USED:number WAREHOUSE_NAME NUM_FILES_SCANNED:number \
         NUM_BYTES_SCANNED:number",
    ),
    function(
        "REPLICATION_GROUP_USAGE_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END REPLICATION_GROUP_NAME",
        "START_TIME:instant END_TIME:instant REPLICATION_GROUP_NAME CREDITS_USED BYTES_TRANSFERRED:number",
    ),
    function(
        "REPLICATION_USAGE_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END DATABASE_NAME",
        "START_TIME:instant END_TIME:instant DATABASE_NAME CREDITS_USED BYTES_TRANSFERRED:number",
    ),
    function(
        "REST_EVENT_HISTORY",
        "REST_SERVICE_TYPE TIME_RANGE_START TIME_RANGE_END RESULT_LIMIT",
        "EVENT_TIMESTAMP:instant EVENT_ID:number EVENT_TYPE ENDPOINT METHOD STATUS ERROR_CODE DETAILS CLIENT_IP \
         ACTOR_NAME ACTOR_DOMAIN RESOURCE_NAME RESOURCE_DOMAIN",
    ),
    function(
        "SEARCH_OPTIMIZATION_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END TABLE_NAME",
        "START_TIME:instant END_TIME:instant CREDITS_USED INDEX_ID:number INDEX_NAME INDEX_TYPE BASE_TABLE_ID:number \
         BASE_TABLE_NAME",
    ),
    function(
        "SERVERLESS_ALERT_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END ALERT_NAME",
        "START_TIME:instant END_TIME:instant ALERT_NAME CREDITS_USED",
    ),
    function(
        "SERVERLESS_TASK_HISTORY",
        "DATE_RANGE_START DATE_RANGE_END TASK_NAME",
        "START_TIME:instant END_TIME:instant TASK_NAME CREDITS_USED",
    ),
    function(
        "TASK_HISTORY",
        "SCHEDULED_TIME_RANGE_START SCHEDULED_TIME_RANGE_END RESULT_LIMIT TASK_NAME DATABASE_NAME SCHEMA_NAME \
         ERROR_ONLY ROOT_TASK_ID",
        "QUERY_ID NAME DATABASE_NAME SCHEMA_NAME QUERY_TEXT CONDITION_TEXT STATE ERROR_CODE:number ERROR_MESSAGE \
         SCHEDULED_TIME:instant QUERY_START_TIME:instant NEXT_SCHEDULED_TIME:instant COMPLETED_TIME:instant \
         ROOT_TASK_ID GRAPH_VERSION:number RUN_ID:number RETURN_VALUE SCHEDULED_FROM ATTEMPT_NUMBER:number CONFIG \
         QUERY_HASH QUERY_HASH_VERSION:number QUERY_PARAMETERIZED_HASH QUERY_PARAMETERIZED_HASH_VERSION:number \
         GRAPH_RUN_GROUP_ID BACKFILL_INFO:object SPCS_JOB_ID:number",
    ),
];

/// Functions about what is attached to one object, which has to exist.
pub const FUNCTIONS_OF_OBJECTS: &[UnsupportedFunction] = &[
    function(
        "DATA_METRIC_FUNCTION_REFERENCES",
        "REF_ENTITY_NAME REF_ENTITY_DOMAIN",
        "METRIC_DATABASE_NAME METRIC_SCHEMA_NAME METRIC_NAME METRIC_SIGNATURE METRIC_DATA_TYPE REF_ENTITY_DATABASE_NAME \
         REF_ENTITY_SCHEMA_NAME REF_ENTITY_NAME REF_ENTITY_DOMAIN REF_ARGUMENTS:array REF_ID SCHEDULE SCHEDULE_STATUS",
    ),
    function(
        "STORAGE_LIFECYCLE_POLICY_HISTORY",
        "REF_ENTITY_NAME REF_ENTITY_DOMAIN TIME_RANGE_START TIME_RANGE_END RESULT_LIMIT",
        "POLICY_DB POLICY_SCHEMA POLICY_NAME REF_ENTITY_DB REF_ENTITY_SCHEMA REF_ENTITY_NAME REF_ENTITY_DOMAIN STATE \
         START_TIME:instant END_TIME:instant EXECUTION_RESULT:variant POLICY_BODY",
    ),
];

/// Views of INFORMATION_SCHEMA.
pub const VIEWS: &[(&str, &str)] = &[
    (
        "EXTERNAL_TABLES",
        "TABLE_CATALOG TABLE_SCHEMA TABLE_NAME TABLE_OWNER CREATED:instant LAST_ALTERED:instant LAST_DDL:instant \
         LAST_DDL_BY AUTO_CLUSTERING_ON:boolean COMMENT LOCATION FILE_FORMAT_NAME FILE_FORMAT_TYPE",
    ),
    ("PACKAGES", "PACKAGE_NAME VERSION LANGUAGE"),
    (
        "PIPES",
        "PIPE_CATALOG PIPE_SCHEMA PIPE_NAME PIPE_OWNER DEFINITION IS_AUTOINGEST_ENABLED NOTIFICATION_CHANNEL_NAME \
         CREATED:instant LAST_ALTERED:instant COMMENT PATTERN",
    ),
];

/// Kinds of objects that nothing can be made of.
pub const OBJECTS: &[&str] = &[
    "AGENT",
    "AGGREGATION POLICY",
    "ALERT",
    "API INTEGRATION",
    "APPLICATION",
    "APPLICATION PACKAGE",
    "COMPUTE POOL",
    "CORTEX SEARCH SERVICE",
    "DYNAMIC TABLE",
    "EVENT TABLE",
    "EXTERNAL ACCESS INTEGRATION",
    "EXTERNAL TABLE",
    "EXTERNAL VOLUME",
    "FAILOVER GROUP",
    "GIT REPOSITORY",
    "ICEBERG TABLE",
    "IMAGE REPOSITORY",
    "MODEL",
    "NETWORK RULE",
    "NOTEBOOK",
    "NOTIFICATION INTEGRATION",
    "PIPE",
    "PROJECTION POLICY",
    "REPLICATION GROUP",
    "SECRET",
    "SERVICE",
    "SHARE",
    "STORAGE INTEGRATION",
    "STREAM",
    "STREAMLIT",
    "TASK",
];

/// What SHOW lists, with its columns.
pub const SHOWN: &[(&str, &str)] = &[
    (
        "ALERTS",
        "created_on:instant name database_name schema_name owner comment warehouse schedule state condition action \
         owner_role_type runbook config was_auto_suspended",
    ),
    (
        "DYNAMIC TABLES",
        "created_on:instant name database_name schema_name cluster_by rows:number bytes:number owner target_lag \
         scheduler refresh_mode refresh_mode_reason warehouse comment text automatic_clustering scheduling_state \
         last_suspended_on:instant is_clone is_replica is_iceberg data_timestamp:instant owner_role_type \
         immutable_where execute_as_user",
    ),
    (
        "EXTERNAL TABLES",
        "created_on:instant name database_name schema_name invalid invalid_reason owner comment stage location \
         file_format_name file_format_type cloud region notification_channel last_refreshed_on:instant table_format \
         last_refresh_details owner_role_type",
    ),
    (
        "ICEBERG TABLES",
        "created_on:instant name database_name schema_name owner external_volume_name catalog_name iceberg_table_type \
         catalog_table_name catalog_namespace base_location can_write_metadata comment name_mapping owner_role_type \
         catalog_sync_name auto_refresh_status partition_specs current_partition_spec_id:number",
    ),
    (
        "INDEXES",
        "created_on:instant name is_unique columns included_columns table database_name schema_name owner \
         owner_role_type",
    ),
    (
        "PIPES",
        "created_on:instant name database_name schema_name definition owner notification_channel comment integration \
         pattern error_integration owner_role_type invalid_reason kind",
    ),
    (
        "SECRETS",
        "created_on:instant name schema_name database_name owner comment secret_type oauth_scopes owner_role_type",
    ),
    (
        "SHARES",
        "created_on:instant kind owner_account name database_name to owner comment listing_global_name \
         secure_objects_only",
    ),
    (
        "STREAMLITS",
        "created_on:instant name database_name schema_name title owner comment query_warehouse url_id \
         owner_role_type",
    ),
    (
        "STREAMS",
        "created_on:instant name database_name schema_name owner comment table_name source_type base_tables type \
         stale mode stale_after:instant invalid_reason owner_role_type",
    ),
    (
        "TASKS",
        "created_on:instant name id database_name schema_name owner comment warehouse schedule scheduling_mode \
         target_completion_interval predecessors state definition condition allow_overlapping_execution \
         error_integration success_integration last_committed_on:instant last_suspended_on:instant owner_role_type \
         config last_suspended_reason task_relations execute_as_user",
    ),
];

/// The columns of an empty relation, each with its type: `CAST(NULL AS VARCHAR) AS "NAME", …`.
pub fn empty_columns(columns: &str, type_of: fn(&str) -> &'static str) -> String {
    let column = |column: &str| {
        let (name, kind) = column.split_once(':').unwrap_or((column, "text"));
        format!("CAST(NULL AS {}) AS {}", type_of(kind), quote_identifier(name))
    };
    columns.split_whitespace().map(column).collect::<Vec<_>>().join(", ")
}

/// A kind of column as a type of the dialect.
pub(crate) fn dialect_type(kind: &str) -> &'static str {
    match kind {
        "number" => "NUMBER(38,0)",
        "instant" => "TIMESTAMP_LTZ",
        "date_time" => "TIMESTAMP_NTZ",
        "boolean" => "BOOLEAN",
        "object" => "OBJECT",
        "array" => "ARRAY",
        "variant" => "VARIANT",
        _ => "VARCHAR",
    }
}
