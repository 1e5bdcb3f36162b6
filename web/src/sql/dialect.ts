import { SQLDialect } from '@codemirror/lang-sql';
import { FUNCTION_NAMES } from './functionNames';

export const KEYWORDS = `
account add after all alter always and any apply as asc asof at authorization autoincrement
before begin between binding break by call cascade case caller cast change changes clone close cluster
clustering collate column columns comment commit comments compute connect connect_by_root constraint
continue copy create cross cube current cursor database databases declare
default delete desc describe dimensions distinct do drop dynamic each else elseif elsif enable end
enforced escape except exception exclude execute exists explain extension external fact facts
false fetch file files fill filter first flatten following for force foreign format from full function
functions future generator global grant grants group grouping having history identifier identity if
ignore ilike immediate in include increment inner input insert intersect into is
iterate join key last lateral left let like limit list local location lock loop manage masking match
match_condition match_recognize matched materialized measures merge metrics minus
model modify monitor natural network no not null nulls object objects of off offset on one only open
operate option or order ordinality out outer over overwrite owner ownership parameters partition
pattern per percent pivot policies policy prepare primary privileges procedure procedures purge qualify
raise range read recursive references refresh regexp relationships remove rename repeat replace resource
result resume return returning returns revoke right rlike role roles rollback rollup row rows
sample schema schemas secondary secure select semantic sequence session set sets share show skip some
stage stages start starts statement storage stream streams strict suspend swap synonyms table tables
tablesample tag tags task tasks template temp temporary tables then to top transaction transactions
transient true truncate type types unbounded undrop union unique unpivot unset until update usage use
user users using validate values variables view views volatile warehouse warehouses when
where while window with within without work
`
  .trim()
  .split(/\s+/);

/** The words of most queries, which completion shows before the others. */
export const COMMON_KEYWORDS: ReadonlySet<string> = new Set(
  `all and as asc between by case create cross delete desc distinct drop else end exists from full group
  having ilike in inner insert into is join left like limit not null on or order outer over partition
  qualify select set table then union update using values view when where with`.split(/\s+/),
);

export const TYPES = `
array bigint binary boolean byteint char character date datetime dec decfloat decimal double float
float4 float8 geography geometry int integer map nchar number numeric nvarchar object precision real
smallint string text time timestamp timestamp_ltz timestamp_ntz timestamp_tz tinyint uuid varbinary
varchar variant vector
`
  .trim()
  .split(/\s+/);

export const FIRN = SQLDialect.define({
  keywords: KEYWORDS.join(' '),
  types: TYPES.join(' '),
  builtin: FUNCTION_NAMES.join(' ').toLowerCase(),
  backslashEscapes: true,
  slashComments: true,
  doubleDollarQuotedStrings: true,
  operatorChars: '*+-%<>!=&|~^/:',
  specialVar: '$?@',
  caseInsensitiveIdentifiers: true,
});
