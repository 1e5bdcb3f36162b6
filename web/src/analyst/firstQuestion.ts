// A question in the address (`/analyst?question=…`), as the introduction gives one, or the semantic view
// to ask (`/analyst?view=…`), as its page does.
import { listSemanticViews } from '../api/semanticModels';
import { currentRole } from '../shell/role';
import { askQuestion } from './asking';
import { startConversation, useConversations } from './conversationStore';
import { keepModel, keptModel } from './localConversations';
import type { ModelChoice } from './model';

const DEMO = 'DEMO.PUBLIC.RETAIL';

/** Whether the address asks for something that is yet to be done. */
export function asksFirst(): boolean {
  const query = new URLSearchParams(location.search);
  return query.has('question') || query.has('view');
}

export async function askFromAddress(): Promise<void> {
  if (!asksFirst()) return;
  const query = new URLSearchParams(location.search);
  const question = query.get('question');
  const view = query.get('view');
  history.replaceState(history.state, '', location.pathname);
  const model = view === null ? await modelForFirst() : keptAs({ kind: 'view', path: view });
  const conversation = startConversation(model);
  if (model && question !== null) await askQuestion(conversation.id, question);
}

/** The model that was asked last, else that of the demo data, else the only one there is. */
async function modelForFirst(): Promise<ModelChoice | null> {
  const { user } = useConversations.getState();
  const kept = user === null ? null : keptModel(user);
  if (kept !== null) return kept;
  const views = await listSemanticViews(currentRole()).catch(() => []);
  const view = views.find(({ path }) => path === DEMO) ?? (views.length === 1 ? views[0] : null);
  if (!view) return null;
  return keptAs({ kind: 'view', path: view.path });
}

function keptAs(model: ModelChoice): ModelChoice {
  const { user } = useConversations.getState();
  if (user !== null) keepModel(user, model);
  return model;
}
