CREATE MACRO firn_parse_json(value) AS CASE
    WHEN trim(CAST(value AS VARCHAR)) = '' THEN NULL ELSE json(CAST(value AS VARCHAR)) END;

CREATE MACRO firn_try_parse_json(value) AS CASE
    WHEN json_valid(CAST(value AS VARCHAR)) THEN json(CAST(value AS VARCHAR)) END;

CREATE MACRO firn_element(value, key) AS json_extract(value, CASE
    WHEN typeof(key) IN ('VARCHAR', 'JSON')
        THEN '$."' || replace(replace(firn_text(key), '\', '\\'), '"', '\"') || '"'
    WHEN CAST(key AS VARCHAR) LIKE '-%' THEN '$[4294967295]'
    ELSE '$[' || CAST(key AS VARCHAR) || ']' END);

CREATE MACRO firn_array_size(value) AS CASE WHEN json_type(value) = 'ARRAY' THEN json_array_length(value) END;

CREATE MACRO firn_object_keys(value) AS
    CASE WHEN json_type(value) = 'OBJECT' THEN to_json(list_sort(json_keys(value))) END;

CREATE MACRO firn_typeof(value) AS CASE json_type(to_json(value))
    WHEN 'UBIGINT' THEN 'INTEGER'
    WHEN 'BIGINT' THEN 'INTEGER'
    WHEN 'HUGEINT' THEN 'INTEGER'
    WHEN 'DOUBLE' THEN 'DECIMAL'
    WHEN 'NULL' THEN 'NULL_VALUE'
    ELSE json_type(to_json(value)) END;
