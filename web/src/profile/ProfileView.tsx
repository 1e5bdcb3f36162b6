import { Gauge, ListTree, Workflow } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiFailure, isAbort, messageOf } from '../api/failure';
import { fetchProfile, type Profile } from '../api/profile';
import { cancelStatement, type StatementContext, submit, untilEnded } from '../api/statements';
import { Button } from '../components/Button';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { shownDuration } from '../components/shownTime';
import { useRemote } from '../components/useRemote';
import { ProfileList } from './ProfileList';
import { ProfilePicture } from './ProfilePicture';
import './ProfileView.css';
import { operatorTree } from './operatorTree';

interface ProfileViewProps {
  handle: string;
  /** If given, it can be run once more with a profile. */
  statement?: string;
  context?: StatementContext;
  /** Runs it once more unasked, if it ran without a profile. */
  isRunUnasked?: boolean;
  /** The run that has the profile, if it is another one. */
  onProfiled?: (handle: string) => void;
}

/** Above so many steps a picture helps nobody. */
const PICTURE_STEPS_MAX = 200;

/** Where the time of a statement went: the operators with their rows, as picture or list. */
export function ProfileView(props: ProfileViewProps) {
  const { handle, statement, context = {}, isRunUnasked = false, onProfiled } = props;
  const [profiled, setProfiled] = useState(handle);
  const { value, error, reload } = useRemote(profiled, (signal) => fetchProfile(profiled, signal));
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  if (value.kind === 'profile') return <ProfileOf profile={value.profile} />;
  if (value.kind === 'running') {
    return (
      <EmptyState
        icon={Gauge}
        title="It is still running"
        actions={<Button onPress={reload}>Look again</Button>}
      />
    );
  }
  return (
    <NoProfile
      statement={statement && changesNothing(statement) ? statement : null}
      context={context}
      isRunUnasked={isRunUnasked}
      onProfiled={(found) => {
        setProfiled(found);
        onProfiled?.(found);
      }}
    />
  );
}

/** What changes nothing can be run again. A sequence would go on. */
function changesNothing(statement: string): boolean {
  const isQuery = /^\s*(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*\(*\s*(select|with|values)\b/i;
  return isQuery.test(statement) && !/\bnextval\b|\bsystem\$/i.test(statement);
}

interface NoProfileProps {
  statement: string | null;
  context: StatementContext;
  isRunUnasked: boolean;
  onProfiled: (handle: string) => void;
}

function NoProfile({ statement, context, isRunUnasked, onProfiled }: NoProfileProps) {
  const isAtOnce = isRunUnasked && statement !== null;
  const [state, setState] = useState<{ isRunning: boolean; error: string | null }>({
    isRunning: isAtOnce,
    error: null,
  });
  const run = async (signal?: AbortSignal) => {
    if (statement === null) return;
    setState({ isRunning: true, error: null });
    try {
      onProfiled(await runProfiled(statement, context, signal));
    } catch (error) {
      if (!isAbort(error)) setState({ isRunning: false, error: messageOf(error) });
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the profile is looked for
  useEffect(() => {
    if (!isAtOnce) return;
    const abort = new AbortController();
    void run(abort.signal);
    return () => abort.abort();
  }, []);
  if (isAtOnce && state.isRunning) return <Waiting>Running it once more with a profile …</Waiting>;
  return (
    <>
      <EmptyState
        icon={Gauge}
        title="It ran without a profile"
        actions={
          statement !== null && (
            <Button isDisabled={state.isRunning} onPress={() => void run()}>
              {state.isRunning ? 'Running …' : 'Run it once more with a profile'}
            </Button>
          )
        }
      >
        Steps are measured where the parameter PROFILE or EXPLAIN ANALYZE asks for it.
      </EmptyState>
      {state.error && <ErrorNote message={state.error} />}
    </>
  );
}

/** Runs a query with a profile. Whoever looks away meanwhile stops it. */
async function runProfiled(
  statement: string,
  context: StatementContext,
  signal?: AbortSignal,
): Promise<string> {
  const parameters = { profile: 'true', use_cached_result: 'false' };
  const first = await submit({ statement, ...context, parameters, async: true }, signal);
  try {
    const answer = await untilEnded(first, signal);
    if (answer.kind === 'failed') throw new ApiFailure(422, answer);
    return answer.statementHandle;
  } catch (error) {
    if (isAbort(error) && first.statementHandle) void cancelStatement(first.statementHandle);
    throw error;
  }
}

function ProfileOf({ profile }: { profile: Profile }) {
  const { operators, milliseconds } = profile;
  const mayDraw = operators.length <= PICTURE_STEPS_MAX;
  const [view, setView] = useState<'picture' | 'list'>(mayDraw ? 'picture' : 'list');
  const tree = operatorTree(operators);
  if (operators.length === 0) return <EmptyState icon={Gauge} title="It took no steps" />;
  return (
    <div className="profile">
      <div className="profile-head">
        <span className="numbers">
          {operators.length} steps, {shownDuration(milliseconds)}
        </span>
        {mayDraw ? (
          <Button
            icon={view === 'picture' ? ListTree : Workflow}
            onPress={() => setView(view === 'picture' ? 'list' : 'picture')}
          >
            {view === 'picture' ? 'As a list' : 'As a picture'}
          </Button>
        ) : (
          <span className="secondary">Too many steps for a picture</span>
        )}
      </div>
      {view === 'picture' ? (
        <>
          <ProfilePicture tree={tree} />
          <div className="visually-hidden">
            <ProfileList roots={tree.roots} />
          </div>
        </>
      ) : (
        <div className="profile-list-frame">
          <ProfileList roots={tree.roots} />
        </div>
      )}
    </div>
  );
}
