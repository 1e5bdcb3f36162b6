CREATE MACRO firn_stage_location(stage) AS stage;

CREATE MACRO firn_absolute_path(stage, path) AS stage || path;

CREATE MACRO firn_relative_path(stage, path) AS CASE WHEN starts_with(path, stage) THEN substr(path, length(stage) + 1)
    WHEN path IS NOT NULL THEN error('firn:100048:The path ''' || path || ''' is not on the stage') END;

CREATE MACRO firn_stage_file_url(stage, path) AS stage || replace(url_encode(path), '%2F', '/');

CREATE MACRO firn_file_content_type(file) AS coalesce(json_extract_string(CAST(file AS JSON), '$.CONTENT_TYPE'), json_extract_string(CAST(file AS JSON), '$.FILE_TYPE'));

CREATE MACRO firn_file_modality(content_type) AS CASE
    WHEN content_type IS NULL THEN NULL
    WHEN content_type LIKE 'image/%' THEN 'image'
    WHEN content_type LIKE 'audio/%' THEN 'audio'
    WHEN content_type LIKE 'video/%' THEN 'video'
    WHEN content_type IN ('application/zip', 'application/gzip', 'application/x-gzip', 'application/x-bzip2', 'application/x-xz',
        'application/zstd', 'application/x-7z-compressed', 'application/vnd.rar', 'application/x-tar') THEN 'compressed'
    WHEN content_type LIKE 'text/%' OR content_type LIKE 'application/vnd.openxmlformats-officedocument.%'
        OR content_type LIKE 'application/vnd.oasis.opendocument.%' OR content_type LIKE 'application/vnd.ms-%'
        OR content_type IN ('application/pdf', 'application/msword', 'application/rtf', 'application/json', 'application/xml',
        'application/epub+zip') THEN 'document'
    ELSE 'unknown' END;

CREATE MACRO firn_file_type(file) AS firn_file_modality(firn_file_content_type(file));

CREATE MACRO firn_file_is_audio(file) AS firn_file_type(file) = 'audio';

CREATE MACRO firn_file_is_compressed(file) AS firn_file_type(file) = 'compressed';

CREATE MACRO firn_file_is_document(file) AS firn_file_type(file) = 'document';

CREATE MACRO firn_file_is_image(file) AS firn_file_type(file) = 'image';

CREATE MACRO firn_file_is_video(file) AS firn_file_type(file) = 'video';

CREATE MACRO firn_file_etag(file) AS json_extract_string(CAST(file AS JSON), '$.ETAG');

CREATE MACRO firn_file_relative_path(file) AS json_extract_string(CAST(file AS JSON), '$.RELATIVE_PATH');

CREATE MACRO firn_file_scoped_url(file) AS json_extract_string(CAST(file AS JSON), '$.SCOPED_FILE_URL');

CREATE MACRO firn_file_size(file) AS CAST(json_extract_string(CAST(file AS JSON), '$.SIZE') AS BIGINT);

CREATE MACRO firn_file_stage(file) AS json_extract_string(CAST(file AS JSON), '$.STAGE');

CREATE MACRO firn_file_stage_url(file) AS json_extract_string(CAST(file AS JSON), '$.STAGE_FILE_URL');

CREATE MACRO firn_file_last_modified(file) AS strptime(json_extract_string(CAST(file AS JSON), '$.LAST_MODIFIED'), '%a, %d %b %Y %H:%M:%S GMT');
