// Arguments of the functions that people write most. Square brackets: may be left out.
const ARGUMENTS = `
ABS number
ADD_MONTHS date months
ANY_VALUE value
APPROX_COUNT_DISTINCT value…
APPROX_PERCENTILE value fraction
APPROX_TOP_K value [count]
ARRAYS_OVERLAP array array
ARRAY_AGG value
ARRAY_APPEND array value
ARRAY_CAT array array
ARRAY_COMPACT array
ARRAY_CONSTRUCT value…
ARRAY_CONTAINS variant array
ARRAY_DISTINCT array
ARRAY_EXCEPT array array
ARRAY_FLATTEN array
ARRAY_GENERATE_RANGE start stop [step]
ARRAY_INSERT array position value
ARRAY_INTERSECTION array array
ARRAY_MAX array
ARRAY_MIN array
ARRAY_POSITION variant array
ARRAY_PREPEND array value
ARRAY_SIZE array
ARRAY_SLICE array from to
ARRAY_SORT array [ascending] [nulls_first]
ARRAY_TO_STRING array separator
AVG number
BITAND number number
BOOLAND_AGG condition
BOOLOR_AGG condition
CEIL number [scale]
CHARINDEX part text [start]
CHR code
COALESCE value value…
CONCAT text…
CONCAT_WS separator text…
CONTAINS text part
CONVERT_TIMEZONE [source_zone] target_zone timestamp
CORR y x
COUNT value
COUNT_IF condition
COVAR_POP y x
COVAR_SAMP y x
CUME_DIST
CURRENT_DATABASE
CURRENT_DATE
CURRENT_ROLE
CURRENT_SCHEMA
CURRENT_TIMESTAMP
CURRENT_USER
CURRENT_WAREHOUSE
DATEADD part number date
DATEDIFF part from to
DATE_FROM_PARTS year month day
DATE_PART part date
DATE_TRUNC part date
DAY date
DAYNAME date
DAYOFWEEK date
DAYOFYEAR date
DECODE value search result… [default]
DENSE_RANK
DIV0 dividend divisor
DIV0NULL dividend divisor
EDITDISTANCE text text [max]
ENDSWITH text part
EQUAL_NULL value value
EXP number
FIRST_VALUE value
FLATTEN input
FLOOR number [scale]
GENERATE_SERIES start stop [step]
GET variant key
GET_DDL type name
GET_PATH variant path
GREATEST value…
HASH value…
HOUR timestamp
HEX_ENCODE bytes
IFF condition then else
IFNULL value default
INITCAP text [delimiters]
IS_ARRAY variant
IS_OBJECT variant
JAROWINKLER_SIMILARITY text text
KURTOSIS number
LAG value [offset] [default]
LAST_DAY date [part]
LAST_VALUE value
LEAD value [offset] [default]
LEAST value…
LEFT text length
LENGTH text
LISTAGG text [separator]
LN number
LOG base number
LOWER text
LPAD text length [pad]
LTRIM text [characters]
MAX value
MAX_BY value order [count]
MD5 text
MEDIAN number
MIN value
MINUTE timestamp
MIN_BY value order [count]
MOD number divisor
MODE value
MONTH date
MONTHNAME date
MONTHS_BETWEEN date date
NEXT_DAY date weekday
NTH_VALUE value n
NTILE buckets
NULLIF value value
NVL value default
NVL2 value if_not_null if_null
OBJECT_AGG key value
OBJECT_CONSTRUCT key value…
OBJECT_CONSTRUCT_KEEP_NULL key value…
OBJECT_DELETE object key…
OBJECT_INSERT object key value [update]
OBJECT_KEYS object
OBJECT_PICK object key…
PARSE_JSON text
PARSE_URL text [permissive]
PERCENTILE_CONT fraction
PERCENTILE_DISC fraction
PERCENT_RANK
POSITION part text [start]
POWER number exponent
QUARTER date
RANDOM [seed]
RANDSTR length generator
RANK
RATIO_TO_REPORT number
REGEXP_COUNT text pattern [position] [flags]
REGEXP_INSTR text pattern [position] [occurrence]
REGEXP_LIKE text pattern [flags]
REGEXP_REPLACE text pattern [replacement] [position] [occurrence] [flags]
REGEXP_SUBSTR text pattern [position] [occurrence] [flags] [group]
REGEXP_SUBSTR_ALL text pattern [position] [occurrence] [flags] [group]
REPEAT text times
REPLACE text part [replacement]
RESULT_SCAN query_id
REVERSE text
RIGHT text length
ROUND number [scale]
ROW_NUMBER
RPAD text length [pad]
RTRIM text [characters]
SECOND timestamp
SEQ4
SHA2 text [bits]
SIGN number
SKEW number
SOUNDEX text
SPLIT text separator
SPLIT_PART text separator part
SPLIT_TO_TABLE text separator
SQRT number
STARTSWITH text part
STDDEV number
STDDEV_POP number
STRTOK text [delimiters] [part]
STRTOK_TO_ARRAY text [delimiters]
SUBSTR text start [length]
SUBSTRING text start [length]
SUM number
TIMEADD part number time
TIMESTAMPADD part number timestamp
TIMESTAMPDIFF part from to
TIME_SLICE date length part [start_or_end]
TO_ARRAY value
TO_BINARY value [format]
TO_BOOLEAN value
TO_CHAR value [format]
TO_DATE value [format]
TO_DECIMAL value [format] [precision] [scale]
TO_DOUBLE value [format]
TO_JSON variant
TO_NUMBER value [format] [precision] [scale]
TO_OBJECT variant
TO_TIME value [format]
TO_TIMESTAMP value [format]
TO_TIMESTAMP_LTZ value [format]
TO_TIMESTAMP_NTZ value [format]
TO_TIMESTAMP_TZ value [format]
TO_VARCHAR value [format]
TO_VARIANT value
TRANSLATE text from to
TRIM text [characters]
TRUNC number_or_date [scale_or_part]
TRY_CAST value
TRY_PARSE_JSON text
TRY_TO_BOOLEAN text
TRY_TO_DATE text [format]
TRY_TO_DECIMAL text [format] [precision] [scale]
TRY_TO_DOUBLE text [format]
TRY_TO_NUMBER text [format] [precision] [scale]
TRY_TO_TIME text [format]
TRY_TO_TIMESTAMP text [format]
TYPEOF variant
UNIFORM min max generator
UPPER text
UUID_STRING
VARIANCE number
VAR_POP number
WEEK date
WEEKISO date
WIDTH_BUCKET value min max buckets
YEAR date
ZEROIFNULL number
`;

/** `(text, start, [length])` by the function's name in upper case. */
export const FUNCTION_ARGUMENTS: ReadonlyMap<string, string> = new Map(
  ARGUMENTS.trim()
    .split('\n')
    .map((line) => {
      const [name = '', ...words] = line.split(' ');
      return [name, `(${words.join(', ')})`];
    }),
);
