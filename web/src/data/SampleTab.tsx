import { ApiFailure } from '../api/failure';
import { CONSOLE_TAG } from '../api/query';
import { ResultSource } from '../api/resultSource';
import { submit, untilEnded } from '../api/statements';
import { announce } from '../components/announce';
import { ErrorNote, Waiting } from '../components/States';
import { useRemote } from '../components/useRemote';
import { ResultPane } from '../grid';
import { useRole } from '../shell/role';
import { type ObjectRef, refPath } from './objectRef';

export const SAMPLE_ROWS = 100;

export function SampleTab({ object }: { object: ObjectRef }) {
  const role = useRole();
  const path = refPath(object);
  const { value, error } = useRemote(`${role} ${path}`, async (signal) => {
    const first = await submit(
      {
        statement: `SELECT * FROM ${path} LIMIT ${SAMPLE_ROWS}`,
        role,
        database: object.database,
        schema: object.schema ?? null,
        parameters: { query_tag: CONSOLE_TAG },
        isOwn: true,
      },
      signal,
    );
    const answer = await untilEnded(first, signal);
    if (answer.kind === 'failed') throw new ApiFailure(422, answer);
    return new ResultSource(answer);
  });
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting>Reading {SAMPLE_ROWS} rows …</Waiting>;
  return (
    <div className="data-grid">
      <ResultPane
        source={value}
        label={`Sample of ${object.name}`}
        onAnnounce={announce}
        insertTable={path}
      />
    </div>
  );
}
