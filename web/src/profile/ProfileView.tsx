import { Gauge, ListTree, Workflow } from 'lucide-react';
import { useState } from 'react';
import { ApiFailure, messageOf } from '../api/failure';
import { fetchProfile, type Profile } from '../api/profile';
import { type StatementContext, submit, untilEnded } from '../api/statements';
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
}

/** Above so many steps a picture helps nobody. */
const PICTURE_STEPS_MAX = 200;

/** Where the time of a statement went: the operators with their rows, as picture or list. */
export function ProfileView({ handle, statement, context }: ProfileViewProps) {
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
      statement={statement && isProfiled(statement) ? statement : null}
      context={context ?? {}}
      onProfiled={setProfiled}
    />
  );
}

/** What changes nothing can be run again without asking. */
function isProfiled(statement: string): boolean {
  return /^\s*(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*(select|with|values)\b/i.test(statement);
}

interface NoProfileProps {
  statement: string | null;
  context: StatementContext;
  onProfiled: (handle: string) => void;
}

function NoProfile({ statement, context, onProfiled }: NoProfileProps) {
  const [state, setState] = useState<{ isRunning: boolean; error: string | null }>({
    isRunning: false,
    error: null,
  });
  const run = async () => {
    if (statement === null) return;
    setState({ isRunning: true, error: null });
    try {
      const parameters = { profile: 'true', use_cached_result: 'false' };
      const answer = await untilEnded(await submit({ statement, ...context, parameters }));
      if (answer.kind === 'failed') throw new ApiFailure(422, answer);
      onProfiled(answer.statementHandle);
    } catch (error) {
      setState({ isRunning: false, error: messageOf(error) });
    }
  };
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
