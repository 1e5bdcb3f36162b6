// Names and texts as they stand in SQL.

/** A name as it stands in SQL: bare if it can be, else quoted. */
export function sqlName(name: string): string {
  return /^[A-Z_][A-Z0-9_$]*$/.test(name) && !RESERVED.has(name)
    ? name
    : `"${name.replaceAll('"', '""')}"`;
}

export function sqlPath(...parts: string[]): string {
  return parts.map(sqlName).join('.');
}

export function sqlText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

const RESERVED = new Set(
  (
    'ALL ALTER AND ANY AS ASOF BETWEEN BY CASE CAST CHECK COLUMN CONNECT CONSTRAINT CREATE CROSS CURRENT ' +
    'CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DEFAULT DELETE DISTINCT DROP ELSE EXISTS FALSE ' +
    'FETCH FOLLOWING FOR FROM FULL GRANT GROUP HAVING ILIKE IN INNER INSERT INTERSECT INTERVAL INTO IS JOIN ' +
    'LATERAL LEFT LIKE LIMIT LOCALTIME LOCALTIMESTAMP MATCH_RECOGNIZE MINUS NATURAL NOT NULL OF ON OR ORDER ' +
    'PIVOT QUALIFY REGEXP REVOKE RIGHT RLIKE ROW ROWS SAMPLE SELECT SET SOME START TABLE TABLESAMPLE THEN TO ' +
    'TRIGGER TRUE TRY_CAST UNION UNIQUE UNPIVOT UPDATE USING VALUES WHEN WHENEVER WHERE WINDOW WITH'
  ).split(' '),
);
