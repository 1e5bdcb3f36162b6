//! Before and after, by kind.

use super::testing::{check, check_query, check_refused};

#[test]
fn names_and_literals() {
    check("t.id", "`T`.`ID`");
    check("\"NAME\"", "`NAME`");
    check("1", "1L");
    check("1.50", "1.50");
    check("'it''s \\\\ a'", "'it\\'s \\\\ a'");
    check("TRUE", "TRUE");
    check("NULL", "NULL");
    check("12345678901234567890", "CAST(12345678901234567890 AS DECIMAL(38,0))");
}

#[test]
fn numbers_have_the_digits_of_the_dialect() {
    check("id + 1", "`ID` + 1L");
    check("amount * 2", "CAST(`AMOUNT` * 2L AS DECIMAL(13,2))");
    check("amount * amount", "CAST(`AMOUNT` * `AMOUNT` AS DECIMAL(24,4))");
    check("id / 3", "CAST(CAST(`ID` AS DECIMAL(25,6)) / 3L AS DECIMAL(38,6))");
    check("amount / id", "CAST(CAST(`AMOUNT` AS DECIMAL(18,8)) / `ID` AS DECIMAL(18,8))");
    check("AVG(amount)", "CAST(avg(CAST(`AMOUNT` AS DECIMAL(34,4))) AS DECIMAL(38,8))");
    check("SUM(f)", "CAST(sum(`F`) AS DOUBLE)");
    check("CAST(f AS INT)", "CAST(CAST(`F` AS DECIMAL(38,0)) AS BIGINT)");
}

#[test]
fn nulls_have_their_place() {
    check_query(
        "SELECT id FROM t ORDER BY id, name DESC",
        "SELECT `ID` FROM `lake`.`sales`.`t` AS `T` ORDER BY `ID` ASC NULLS LAST, `NAME` DESC NULLS FIRST",
    );
    check(
        "RANK() OVER (PARTITION BY name ORDER BY d DESC)",
        "rank() OVER (PARTITION BY `NAME` ORDER BY `D` DESC NULLS FIRST)",
    );
    check("GREATEST(id, 2)", "CASE WHEN (`ID`) IS NULL OR (2L) IS NULL THEN NULL ELSE greatest(`ID`, 2L) END");
}

#[test]
fn dates_count_boundaries_and_stay_dates() {
    check("d + 1", "date_add(`D`, 1)");
    check("d - d", "datediff(`D`, `D`)");
    check("DATEADD(month, 2, d)", "add_months(`D`, 2)");
    check("DATE_TRUNC('month', d)", "trunc(`D`, 'MONTH')");
    check("DATE_TRUNC('month', ts)", "date_trunc('MONTH', `TS`)");
    check("DATEDIFF(year, d, ts)", "(year(`TS`) - year(`D`))");
    check("DATEDIFF(hour, ts, ts)", "timestampdiff(HOUR, date_trunc('HOUR', `TS`), date_trunc('HOUR', `TS`))");
    check("YEAR(d)", "year(`D`)");
}

#[test]
fn texts_and_patterns() {
    check("name LIKE 'a\\\\%'", "(`NAME` LIKE 'a\\\\\\\\%')");
    check("name RLIKE 'a|b'", "(`NAME` RLIKE '^(?:a|b)$')");
    check("name || id", "`NAME` || CAST(`ID` AS STRING)");
    check("SUBSTR(name, 2, id)", "substring(`NAME`, 2, CAST(round(`ID`, 0) AS INT))");
    check("ts::VARCHAR", "date_format(`TS`, 'yyyy-MM-dd HH:mm:ss.SSS')");
}

#[test]
fn choices_and_conditions() {
    check("IFF(id = 1, name, 'x')", "CASE WHEN `ID` = 1L THEN `NAME` ELSE 'x' END");
    check("NVL(amount, 0)", "CAST(coalesce(`AMOUNT`, CAST(0L AS DECIMAL(12,2))) AS DECIMAL(12,2))");
    check("DECODE(id, 1, 'a', 'b')", "CASE WHEN (`ID`) <=> (1L) THEN 'a' ELSE 'b' END");
    check("id IS DISTINCT FROM 1", "(NOT (`ID` <=> 1L))");
    check("name = 5", "CAST(`NAME` AS DECIMAL(38,10)) = 5L");
}

#[test]
fn aliases_stand_for_their_expressions() {
    check_query(
        "SELECT id + 1 AS a, a * 2 AS b FROM t WHERE a > 3 ORDER BY b",
        "SELECT `ID` + 1L AS `A`, (`ID` + 1L) * 2L AS `B` FROM `lake`.`sales`.`t` AS `T` WHERE (`ID` + 1L) > 3L \
         ORDER BY `B` ASC NULLS LAST",
    );
}

#[test]
fn semi_structured_values_leave_as_json() {
    check_query(
        "SELECT v:a.b[0]::INT AS x FROM t",
        "SELECT CAST(CAST(variant_get(`V`, '$[\\'a\\'][\\'b\\'][0]', 'variant') AS DECIMAL(38,0)) AS BIGINT) AS `X` \
         FROM `lake`.`sales`.`t` AS `T`",
    );
    check_query(
        "SELECT id, v FROM t",
        "SELECT `_0`, to_json(`_1`) AS `_1` FROM (SELECT `ID`, `V` FROM `lake`.`sales`.`t` AS `T`) AS `_` (`_0`, `_1`)",
    );
}

#[test]
fn columns_of_other_types_are_read_as_what_the_dialect_has() {
    check_query(
        "SELECT COUNT(l) AS x, MAX(i) AS y FROM u",
        "SELECT count(`L`) AS `X`, max(`I`) AS `Y` FROM (SELECT `id` AS `ID`, parse_json(to_json(`l`)) AS `L`, \
         CAST(`i` AS STRING) AS `I` FROM `lake`.`sales`.`u`) AS `U`",
    );
}

#[test]
fn what_has_no_rendering_is_refused_by_name() {
    check_refused("SELECT HASH(id) FROM t", "function HASH");
    check_refused("SELECT v FROM t ORDER BY v", "ORDER BY of VARIANT");
    check_refused("SELECT v, COUNT(*) FROM t GROUP BY v", "GROUP BY of VARIANT");
    check_refused("SELECT f::VARCHAR FROM t", "cast of FLOAT to VARCHAR");
    check_refused("SELECT ST_MAKEPOINT(1, 2) FROM t", "function ST_MAKEPOINT");
    check_refused("SELECT TO_DATE(name, 'DD.MM.YYYY') FROM t", "TO_DATE with a format");
}
