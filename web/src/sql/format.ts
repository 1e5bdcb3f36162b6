import { formatDialect, snowflake } from 'sql-formatter';

export function format(text: string): string {
  return formatDialect(text, {
    dialect: snowflake,
    tabWidth: 2,
    keywordCase: 'preserve',
    linesBetweenQueries: 1,
  });
}
