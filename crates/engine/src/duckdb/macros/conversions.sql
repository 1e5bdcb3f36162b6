CREATE MACRO firn_float_text(number) AS
    CASE
        WHEN isnan(number) THEN 'NaN'
        WHEN isinf(number) THEN CASE WHEN number > 0 THEN 'inf' ELSE '-inf' END
        WHEN number = trunc(number) AND abs(number) < 1e15 THEN CAST(CAST(number AS BIGINT) AS VARCHAR)
        ELSE CAST(number AS VARCHAR)
    END;

CREATE MACRO firn_offset_text(minutes) AS
    CASE WHEN minutes = 0 THEN 'Z'
         ELSE printf('%s%02d%02d', CASE WHEN minutes < 0 THEN '-' ELSE '+' END, abs(minutes) // 60, abs(minutes) % 60) END;

CREATE MACRO firn_text(value) AS
    CASE typeof(value)
        WHEN 'VARCHAR' THEN CAST(value AS VARCHAR)
        WHEN 'JSON' THEN CAST(value AS JSON) ->> '$'
        WHEN 'DOUBLE' THEN firn_float_text(CAST(CAST(value AS VARCHAR) AS DOUBLE))
        WHEN 'FLOAT' THEN firn_float_text(CAST(CAST(value AS VARCHAR) AS DOUBLE))
        WHEN 'BLOB' THEN hex(CAST(CAST(value AS VARCHAR) AS BLOB))
        WHEN 'TIMESTAMP' THEN strftime(CAST(CAST(value AS VARCHAR) AS TIMESTAMP), '%Y-%m-%d %H:%M:%S.%g')
        ELSE CAST(value AS VARCHAR)
    END;

CREATE MACRO firn_text_within(value, length_max) AS
    CASE WHEN length(firn_text(value)) > length_max
         THEN error('firn:100078:String ''' || firn_text(value) || ''' is too long and would be truncated')
         ELSE firn_text(value) END;

CREATE MACRO firn_try_text_within(value, length_max) AS
    CASE WHEN length(firn_text(value)) > length_max THEN NULL ELSE firn_text(value) END;

CREATE MACRO firn_integer(value) AS
    CASE WHEN typeof(value) IN ('DOUBLE', 'FLOAT', 'JSON') THEN CAST(CAST(value AS DECIMAL(38,0)) AS BIGINT)
         ELSE CAST(value AS BIGINT) END;

CREATE MACRO firn_binary(value) AS
    CASE WHEN typeof(value) = 'BLOB' THEN CAST(CAST(value AS VARCHAR) AS BLOB) ELSE unhex(CAST(value AS VARCHAR)) END;

CREATE MACRO firn_try_binary(value) AS
    TRY(CASE WHEN typeof(value) = 'BLOB' THEN CAST(CAST(value AS VARCHAR) AS BLOB) ELSE unhex(CAST(value AS VARCHAR)) END);
