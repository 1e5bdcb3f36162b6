import { chooseChart } from '../charts/chooseChart';
import { keptResult } from '../worksheets/run/resultSources';
import type { Turn } from './conversation';
import { useConversations } from './conversationStore';
import type { ModelChoice } from './model';
import { Suggestions } from './Suggestions';
import { useStart } from './start';

interface FollowUpsProps {
  conversationId: string;
  model: ModelChoice;
  turn: Turn;
  onAsk: (question: string) => void;
}

const SHOWN_MAX = 4;

/** What can be asked next: of this answer, and of the model what was not asked yet. */
export function FollowUps({ conversationId, model, turn, onAsk }: FollowUpsProps) {
  const asked = useConversations(({ loaded }) => loaded[conversationId]?.turns);
  const { start } = useStart(model);
  const before = new Set(asked?.map(({ question }) => question));
  const questions = [...refinements(turn), ...(start?.suggestions ?? [])].filter(
    (question) => !before.has(question),
  );
  return <Suggestions questions={questions.slice(0, SHOWN_MAX)} label="Ask next" onAsk={onAsk} />;
}

const TOP = 5;

/** A list with a figure for each row can be cut to its greatest. */
function refinements(turn: Turn): string[] {
  const source = turn.run?.handle ? keptResult(turn.run.handle) : undefined;
  if (!source || source.rowCount <= TOP || turn.chosen !== null) return [];
  return chooseChart(source)?.type === 'bar' ? [`Only the top ${TOP}`] : [];
}
