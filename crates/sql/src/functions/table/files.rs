//! Files of stages, by their addresses.

use super::prelude::*;

/// In alphabetical order.
pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    scalar("BUILD_STAGE_FILE_URL", 2, 2, &[Stage, Text], Fixed(TEXT)).called("firn_stage_file_url"),
    scalar("FL_GET_CONTENT_TYPE", 1, 2, &[], Fixed(TEXT)).called("firn_file_content_type"),
    scalar("FL_GET_ETAG", 1, 2, &[], Fixed(TEXT)).called("firn_file_etag"),
    scalar("FL_GET_FILE_TYPE", 1, 2, &[], Fixed(TEXT)).called("firn_file_type"),
    scalar("FL_GET_LAST_MODIFIED", 1, 2, &[], Fixed(TIMESTAMP_LTZ)).called("firn_file_last_modified"),
    scalar("FL_GET_RELATIVE_PATH", 1, 2, &[], Fixed(TEXT)).called("firn_file_relative_path"),
    scalar("FL_GET_SCOPED_FILE_URL", 1, 2, &[], Fixed(TEXT)).called("firn_file_scoped_url"),
    scalar("FL_GET_SIZE", 1, 2, &[], Fixed(INTEGER)).called("firn_file_size"),
    scalar("FL_GET_STAGE", 1, 2, &[], Fixed(TEXT)).called("firn_file_stage"),
    scalar("FL_GET_STAGE_FILE_URL", 1, 2, &[], Fixed(TEXT)).called("firn_file_stage_url"),
    scalar("FL_IS_AUDIO", 1, 2, &[], Fixed(BOOLEAN)).called("firn_file_is_audio"),
    scalar("FL_IS_COMPRESSED", 1, 2, &[], Fixed(BOOLEAN)).called("firn_file_is_compressed"),
    scalar("FL_IS_DOCUMENT", 1, 2, &[], Fixed(BOOLEAN)).called("firn_file_is_document"),
    scalar("FL_IS_IMAGE", 1, 2, &[], Fixed(BOOLEAN)).called("firn_file_is_image"),
    scalar("FL_IS_VIDEO", 1, 2, &[], Fixed(BOOLEAN)).called("firn_file_is_video"),
    scalar("GET_ABSOLUTE_PATH", 2, 2, &[Stage, Text], Fixed(TEXT)).called("firn_absolute_path"),
    scalar("GET_RELATIVE_PATH", 2, 2, &[Stage, Text], Fixed(TEXT)).called("firn_relative_path"),
    scalar("GET_STAGE_LOCATION", 1, 1, &[Stage], Fixed(TEXT)).called("firn_stage_location"),
];
