CREATE MACRO firn_stage_location(stage) AS stage;

CREATE MACRO firn_absolute_path(stage, path) AS stage || path;

CREATE MACRO firn_relative_path(stage, path) AS CASE WHEN starts_with(path, stage) THEN substr(path, length(stage) + 1)
    WHEN path IS NOT NULL THEN error('firn:100048:The path ''' || path || ''' is not on the stage') END;

CREATE MACRO firn_stage_file_url(stage, path) AS stage || replace(url_encode(path), '%2F', '/');
