import { MessageSquare } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { Group, Panel, Separator } from 'react-resizable-panels';
import { useLocation } from 'wouter';
import { useIdentity } from '../api/identity';
import { Button } from '../components/Button';
import { EmptyState, Waiting } from '../components/States';
import { useIsNarrow } from '../components/useDevice';
import { type Command, useCommands } from '../shell/commands';
import { isDialogOpen, useShortcuts } from '../shell/shortcuts';
import { PageTitle } from '../shell/TopBar';
import './AnalystPage.css';
import { stop } from './asking';
import { ConversationList } from './ConversationList';
import {
  conversationAddress,
  conversationWanted,
  useConversationAddress,
} from './conversationAddress';
import {
  openConversations,
  startConversation,
  useConversations,
  useShownConversation,
} from './conversationStore';
import { Dialogue } from './Dialogue';
import { askFromAddress } from './firstQuestion';
import { ModelEditor } from './ModelEditor';
import { useModelDraft } from './modelDraft';
import { focusQuestion } from './QuestionBox';
import { refreshConversations } from './storedConversations';

export default function AnalystPage() {
  const user = useIdentity((state) => state.identity?.user ?? null);
  const isOpen = useConversations((state) => state.user !== null && state.user === user);
  useEffect(() => {
    if (user === null) return;
    openConversations(user, conversationWanted());
    // Which names are taken is known before a first question makes one.
    void refreshConversations().then(askFromAddress);
  }, [user]);
  return (
    <>
      <PageTitle>Analyst</PageTitle>
      {isOpen ? <OpenAnalyst /> : <Waiting />}
    </>
  );
}

function OpenAnalyst() {
  const isNarrow = useIsNarrow();
  const conversation = useShownConversation();
  const state = useConversationAddress();
  const [, go] = useLocation();
  const draft = useModelDraft((state) => state.draft);
  const isEditing = useModelDraft((state) => state.isShown);
  const [isListOpen, setListOpen] = useState(false);
  const startAnother = () => {
    useModelDraft.setState({ isShown: false });
    startConversation(conversation?.model ?? null);
    if (conversationWanted()) go(conversationAddress(''));
    focusQuestion();
  };
  useShortcuts({
    Escape: () => conversation && !isDialogOpen() && stop(conversation.id),
    'Mod+.': () => conversation && stop(conversation.id),
    'Alt+T': () => !isDialogOpen() && startAnother(),
  });
  useAnalystCommands(startAnother);
  const main =
    isEditing && draft ? (
      <ModelEditor key={draft.id} draft={draft} />
    ) : state === 'missing' ? (
      <NoConversation
        onList={isNarrow ? () => setListOpen(true) : undefined}
        onNew={startAnother}
      />
    ) : state === 'opening' ? (
      <Waiting>Opening the conversation …</Waiting>
    ) : (
      conversation && (
        <Dialogue
          key={conversation.id}
          conversation={conversation}
          onList={isNarrow ? () => setListOpen(true) : undefined}
          onNew={startAnother}
        />
      )
    );
  if (isNarrow) {
    return (
      <>
        {main}
        <ModalOverlay
          className="side-drawer-veil"
          isOpen={isListOpen}
          onOpenChange={setListOpen}
          isDismissable
        >
          <Modal className="side-drawer">
            <Dialog aria-label="Conversations">
              <ConversationList onNew={startAnother} onDone={() => setListOpen(false)} />
            </Dialog>
          </Modal>
        </ModalOverlay>
      </>
    );
  }
  return (
    <Group orientation="horizontal">
      <Panel
        id="conversations"
        minSize={160}
        maxSize={460}
        defaultSize={236}
        groupResizeBehavior="preserve-pixel-size"
      >
        <aside className="analyst-side" aria-label="Conversations" data-part="conversations">
          <ConversationList onNew={startAnother} />
        </aside>
      </Panel>
      <Separator className="panel-line" aria-label="Width of the list" />
      <Panel id="dialogue" minSize={320}>
        {main}
      </Panel>
    </Group>
  );
}

/** Of somebody else, deleted, or never there: nobody is told which. */
function NoConversation({ onList, onNew }: { onList?: () => void; onNew: () => void }) {
  return (
    <EmptyState
      icon={MessageSquare}
      title="You have no such conversation"
      actions={
        <>
          {onList && <Button onPress={onList}>Conversations</Button>}
          <Button onPress={onNew}>New conversation</Button>
        </>
      }
    >
      An address shows a conversation only to whoever had it.
    </EmptyState>
  );
}

function useAnalystCommands(startAnother: () => void): void {
  const newest = useRef(startAnother);
  newest.current = startAnother;
  const commands = useMemo(
    (): Command[] => [
      {
        id: 'new conversation',
        name: 'New conversation',
        group: 'Analyst',
        keys: 'Alt+T',
        run: () => newest.current(),
      },
    ],
    [],
  );
  useCommands(commands);
}
