//! Dates, times and timestamps.

use super::prelude::*;

/// In alphabetical order.
pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    scalar("ADD_MONTHS", 2, 2, &[Instant, Numeric], By(Rule::AddMonths)).total().called("firn_add_calendar_months"),
    scalar("CONVERT_TIMEZONE", 2, 3, &[], By(Rule::ConvertedZone)).rewritten(),
    scalar("CURRENT_DATE", 0, 0, &[], Fixed(DATE)).total().stable(),
    scalar("CURRENT_TIME", 0, 1, &[], Fixed(TIME)).total().stable().rewritten(),
    scalar("CURRENT_TIMESTAMP", 0, 1, &[], Fixed(TIMESTAMP_LTZ)).total().stable().rewritten(),
    scalar("DATEADD", 3, 3, &[DatePart, Numeric, Instant], By(Rule::DateAdd)).total().rewritten(),
    scalar("DATEDIFF", 3, 3, &[DatePart, Instant, Instant], By(Rule::DateDifference)).total(),
    scalar("DATEFROMPARTS", 3, 3, &[Integer], Fixed(DATE)).total().called("firn_date_from_parts"),
    scalar("DATE_FROM_PARTS", 3, 3, &[Integer], Fixed(DATE)).total().called("firn_date_from_parts"),
    scalar("DATE_PART", 2, 2, &[DatePart, Instant], By(Rule::DatePart)).total(),
    scalar("DATE_TRUNC", 2, 2, &[DatePart, Instant], By(Rule::TruncatedInstant)).total(),
    scalar("DAY", 1, 1, &[Instant], Fixed(number(2, 0))).total(),
    scalar("DAYNAME", 1, 1, &[Instant], Fixed(TEXT)).total(),
    scalar("DAYOFMONTH", 1, 1, &[Instant], Fixed(number(2, 0))).total(),
    scalar("DAYOFWEEK", 1, 1, &[Instant], Fixed(number(2, 0))).total(),
    scalar("DAYOFWEEKISO", 1, 1, &[Instant], Fixed(number(2, 0))).total().called("isodow"),
    scalar("DAYOFYEAR", 1, 1, &[Instant], Fixed(number(3, 0))).total(),
    scalar("GETDATE", 0, 0, &[], Fixed(TIMESTAMP_LTZ)).total().stable().rewritten(),
    scalar("HOUR", 1, 1, &[Clock], Fixed(number(2, 0))).total(),
    scalar("LAST_DAY", 1, 2, &[Instant, DatePart], Fixed(DATE)).total(),
    scalar("LOCALTIME", 0, 1, &[], Fixed(TIME)).total().stable().rewritten(),
    scalar("LOCALTIMESTAMP", 0, 1, &[], Fixed(TIMESTAMP_LTZ)).total().stable().rewritten(),
    scalar("MINUTE", 1, 1, &[Clock], Fixed(number(2, 0))).total(),
    scalar("MONTH", 1, 1, &[Instant], Fixed(number(2, 0))).total(),
    scalar("MONTHNAME", 1, 1, &[Instant], Fixed(TEXT)).total(),
    scalar("MONTHS_BETWEEN", 2, 2, &[Instant, Instant], Fixed(number(38, 6))).total().called("firn_months_apart"),
    scalar("NEXT_DAY", 2, 2, &[Instant, Text], Fixed(DATE)).total().called("firn_next_day"),
    scalar("PREVIOUS_DAY", 2, 2, &[Instant, Text], Fixed(DATE)).total().called("firn_previous_day"),
    scalar("QUARTER", 1, 1, &[Instant], Fixed(number(2, 0))).total(),
    scalar("SECOND", 1, 1, &[Clock], Fixed(number(2, 0))).total(),
    scalar("SYSDATE", 0, 0, &[], Fixed(TIMESTAMP_NTZ)).total().stable().rewritten(),
    scalar("SYSTIMESTAMP", 0, 0, &[], Fixed(TIMESTAMP_LTZ)).total().stable().rewritten(),
    scalar("TIMEADD", 3, 3, &[DatePart, Numeric, Instant], By(Rule::DateAdd)).total().rewritten(),
    scalar("TIMEDIFF", 3, 3, &[DatePart, Instant, Instant], By(Rule::DateDifference)).total().rewritten(),
    scalar("TIMEFROMPARTS", 3, 4, &[Integer], Fixed(TIME)).called("firn_time_from_parts"),
    scalar("TIMESTAMPADD", 3, 3, &[DatePart, Numeric, Instant], By(Rule::DateAdd)).total().rewritten(),
    scalar("TIMESTAMPDIFF", 3, 3, &[DatePart, Instant, Instant], By(Rule::DateDifference)).total().rewritten(),
    scalar("TIMESTAMPFROMPARTS", 2, 8, &[], Fixed(TIMESTAMP_NTZ)).called("firn_timestamp_from_parts"),
    scalar("TIMESTAMP_FROM_PARTS", 2, 8, &[], Fixed(TIMESTAMP_NTZ)).called("firn_timestamp_from_parts"),
    scalar("TIMESTAMP_LTZ_FROM_PARTS", 6, 7, &[], Fixed(TIMESTAMP_LTZ))
        .called("firn_timestamp_ltz_from_parts")
        .also(&["TIMESTAMPLTZFROMPARTS"]),
    scalar("TIMESTAMP_NTZ_FROM_PARTS", 2, 7, &[], Fixed(TIMESTAMP_NTZ))
        .called("firn_timestamp_from_parts")
        .also(&["TIMESTAMPNTZFROMPARTS"]),
    scalar("TIMESTAMP_TZ_FROM_PARTS", 6, 8, &[], Fixed(TIMESTAMP_TZ))
        .called("firn_timestamp_tz_from_parts")
        .also(&["TIMESTAMPTZFROMPARTS"]),
    scalar("TIME_FROM_PARTS", 3, 4, &[Integer], Fixed(TIME)).called("firn_time_from_parts"),
    scalar("TIME_SLICE", 3, 4, &[], By(Rule::TruncatedInstant)).rewritten(),
    scalar("WEEK", 1, 1, &[Instant], Fixed(number(2, 0))).total().called("weekofyear"),
    scalar("WEEKISO", 1, 1, &[Instant], Fixed(number(2, 0))).total().called("weekofyear"),
    scalar("WEEKOFYEAR", 1, 1, &[Instant], Fixed(number(2, 0))).total().called("weekofyear"),
    scalar("YEAR", 1, 1, &[Instant], Fixed(number(4, 0))).total(),
    scalar("YEAROFWEEK", 1, 1, &[Instant], Fixed(number(4, 0))).total().called("isoyear"),
    scalar("YEAROFWEEKISO", 1, 1, &[Instant], Fixed(number(4, 0))).total().called("isoyear"),
];
