// Functions of INFORMATION_SCHEMA that tell of the whole account are called from within a database.
import { useIdentity } from './identity';
import { runObjects } from './query';
import type { StatementContext } from './statements';

const firstByRole = new Map<string, string>();

/** The context with a database: the user's own, else the first that the role sees. */
export async function inSomeDatabase(
  context: StatementContext,
  signal?: AbortSignal,
): Promise<StatementContext> {
  const { identity } = useIdentity.getState();
  if (identity?.database) return context;
  const key = `${identity?.user} ${context.role}`;
  const known = firstByRole.get(key);
  if (known !== undefined) return { ...context, database: known };
  const [first] = await runObjects('SHOW TERSE DATABASES', { role: context.role }, signal);
  if (!first?.name) throw new Error('Your role sees no database, and the history is read in one.');
  firstByRole.set(key, first.name);
  return { ...context, database: first.name };
}
