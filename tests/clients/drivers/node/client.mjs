// The driver for Node, as a program uses it: prints one line of JSON for each step.
import snowflake from 'snowflake-sdk';

snowflake.configure({ logLevel: 'OFF', additionalLogToConsole: false });
const { host, port, account, token, database } = JSON.parse(process.argv[2]);
const connection = snowflake.createConnection({
  account, username: 'ADMIN', password: token, database, schema: 'PUBLIC', warehouse: 'COMPUTE_WH',
  accessUrl: `http://${host}:${port}`,
});

const connected = () => new Promise((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())));
const ask = (sqlText, options = {}) => new Promise((resolve, reject) => connection.execute({
  sqlText, ...options, complete: (error, statement, rows) => (error ? reject(error) : resolve({ statement, rows })),
}));
const say = (step, value) => console.log(JSON.stringify({ step, value }));

await connected();
say('values', (await ask("SELECT 1 AS N, 2.50::NUMBER(5,2) AS Q, 'ä' AS T, TRUE AS B, NULL AS Z, '2024-02-29'::DATE AS D, PARSE_JSON('{\"a\":[1]}') AS V")).rows);
await ask('CREATE TEMPORARY TABLE T (A INT, B VARCHAR, C BOOLEAN)');
say('inserted', (await ask('INSERT INTO T VALUES (?, ?, ?)', { binds: [[1, 'one', true], [2, null, false], [3, "it's", null]] })).statement.getNumUpdatedRows());
say('read', (await ask('SELECT * FROM T ORDER BY A')).rows);
say('bound', (await ask('SELECT ? AS N, ? AS T, :1 AS AGAIN', { binds: [7, 'x'] })).rows);
await ask('BEGIN');
await ask('DELETE FROM T');
await ask('ROLLBACK');
say('kept', (await ask('SELECT COUNT(*) AS N FROM T')).rows);
const many = (await ask("SELECT SEQ8() AS N, REPEAT('x', 100) AS T FROM TABLE(GENERATOR(ROWCOUNT => 200000))")).rows;
say('many', [many.length, many.reduce((sum, row) => sum + row.N, 0)]);
const { statement } = await ask("SELECT SEQ8() AS N FROM TABLE(GENERATOR(ROWCOUNT => 5000))", { streamResult: true });
let streamed = 0;
await new Promise((resolve, reject) => statement.streamRows().on('data', () => { streamed += 1; }).on('end', resolve).on('error', reject));
say('streamed', streamed);
const several = await new Promise((resolve, reject) => {
  const found = [];
  connection.execute({
    sqlText: 'SELECT 1 AS N; SELECT 2 AS N', parameters: { MULTI_STATEMENT_COUNT: 2 },
    complete: (error, statement, rows) => {
      if (error) return reject(error);
      found.push(rows);
      if (statement.hasNext()) statement.NextResult(); else resolve(found);
    },
  });
});
say('several', several);
await ask('SELECT * FROM NOT_THERE').catch((error) => say('refused', [error.code, error.sqlState]));
await new Promise((resolve, reject) => connection.destroy((error) => (error ? reject(error) : resolve())));
say('left', connection.isUp());
