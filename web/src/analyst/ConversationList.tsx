import { MessageSquare, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { GridList, GridListItem } from 'react-aria-components';
import { useLocation } from 'wouter';
import { messageOf } from '../api/failure';
import { Button, IconButton } from '../components/Button';
import { SearchField } from '../components/fields';
import { notify } from '../components/notices';
import { shownAgo } from '../components/shownTime';
import { shownKeys } from '../shell/shortcuts';
import './ConversationList.css';
import { conversationAddress } from './conversationAddress';
import { useConversations, useShownConversation } from './conversationStore';
import { useModelDraft } from './modelDraft';
import { deleteConversation } from './storedConversations';

export function ConversationList({ onNew, onDone }: { onNew: () => void; onDone?: () => void }) {
  const { listed, listError } = useConversations();
  const shown = useShownConversation();
  const [text, setText] = useState('');
  const [, go] = useLocation();
  const wanted = text.trim().toLowerCase();
  const found = listed.filter(({ name }) => name.toLowerCase().includes(wanted));
  const open = (name: string) => {
    useModelDraft.setState({ isShown: false });
    go(conversationAddress(name));
    onDone?.();
  };
  return (
    <div className="conversations">
      <div className="conversations-head">
        <Button
          icon={Plus}
          onPress={() => {
            onNew();
            onDone?.();
          }}
        >
          New conversation
        </Button>
        <kbd>{shownKeys('Alt+T')}</kbd>
      </div>
      {listed.length > 8 && (
        <div className="conversations-search">
          <SearchField label="Find conversations" value={text} onChange={setText} />
        </div>
      )}
      {listError && <p className="conversations-note">{listError}</p>}
      <GridList
        className="conversations-list"
        aria-label="Conversations"
        items={found.map((one) => ({ ...one, id: one.name }))}
        dependencies={[shown?.name]}
        onAction={(name) => open(String(name))}
        renderEmptyState={() => (
          <p className="conversations-note">
            {listed.length === 0
              ? 'Conversations are kept here, in your own stage, once a question is asked.'
              : 'None is called like that.'}
          </p>
        )}
      >
        {({ name, changedMs }) => (
          <GridListItem
            id={name}
            textValue={name}
            className={
              name === shown?.name ? 'conversation-row conversation-shown' : 'conversation-row'
            }
          >
            <MessageSquare size={14} aria-hidden="true" />
            <span className="one-line">{name}</span>
            {name === shown?.name && <span className="visually-hidden">, shown</span>}
            <span className="conversation-time">{shownAgo(changedMs)}</span>
            <IconButton
              icon={Trash2}
              label={`Delete ${name}`}
              size={14}
              onPress={() => {
                deleteConversation(name).catch((error: unknown) =>
                  notify(`Not deleted: ${messageOf(error)}`),
                );
              }}
            />
          </GridListItem>
        )}
      </GridList>
    </div>
  );
}
