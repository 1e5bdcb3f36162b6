import { useEffect, useMemo, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Modal,
  ModalOverlay,
  SearchField,
} from 'react-aria-components';
import { wait } from '../api/http';
import '../components/Menu.css';
import { useRemote } from '../components/useRemote';
import './CommandPalette.css';
import { type Command, useCommandSources } from './commands';
import { shownKeys } from './shortcuts';

const SHOWN_MAX = 60;
const PAUSE_MS = 150;

export interface CommandPaletteProps {
  isOpen: boolean;
  onClose: () => void;
}

export function CommandPalette({ isOpen, onClose }: CommandPaletteProps) {
  return (
    <ModalOverlay
      className="palette-veil"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable
    >
      <Modal className="palette">
        <Dialog className="palette-inside" aria-label="Go to anything">
          {/* First of all who hear of it: the field would only empty itself. */}
          <div
            onKeyDownCapture={(event) => {
              if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.stopPropagation();
              onClose();
            }}
          >
            <Finding onClose={onClose} />
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Finding({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const sources = useCommandSources((state) => state.sources);
  const [isPrepared, setPrepared] = useState(false);
  // Tables and worksheets are found from every page.
  useEffect(() => {
    void lists().then(({ prepareFinders }) => prepareFinders().then(() => setPrepared(true)));
  }, []);
  const wanted = text.trim();
  const tables = useRemote(wanted === '' ? null : wanted, (signal) => tablesOf(wanted, signal));
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is prepared is found in other places
  const here = useMemo(
    () => sources.flatMap((find) => find(wanted)),
    [sources, wanted, isPrepared],
  );
  const found = useMemo(() => withoutTwins(here, tables.value ?? []), [here, tables.value]);
  const isSearching = wanted !== '' && tables.isLoading;
  const run = (id: string) => {
    onClose();
    // After the dialogue has given the focus back, so that the command may move it.
    setTimeout(() => found.find((command) => command.id === id)?.run(), 0);
  };
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField
        className="palette-field"
        aria-label="Page, table, worksheet or command"
        autoFocus
      >
        <Input
          className="palette-input"
          role="combobox"
          aria-expanded="true"
          placeholder="Page, table, worksheet or command"
        />
      </SearchField>
      <ListBox
        className="list-box palette-menu"
        aria-label="Found"
        onAction={(key) => run(String(key))}
        renderEmptyState={() => (
          <p className="palette-none">
            {isSearching ? 'Searching …' : (tables.error ?? 'Nothing is called like that.')}
          </p>
        )}
      >
        {groupsOf(found).map(([group, commands]) => (
          <ListBoxSection key={group} id={`group ${group}`}>
            <Header className="palette-group">{group}</Header>
            {commands.map((command) => (
              <PaletteItem key={command.id} command={command} />
            ))}
          </ListBoxSection>
        ))}
      </ListBox>
    </Autocomplete>
  );
}

const lists = () => import('../worksheets/usePageKeys');

/** Asked of the server once typing has paused. */
async function tablesOf(text: string, signal: AbortSignal): Promise<Command[]> {
  await wait(PAUSE_MS, signal);
  return (await lists()).searchTables(text, signal);
}

function withoutTwins(here: readonly Command[], searched: readonly Command[]): Command[] {
  const known = new Set(here.map(({ id }) => id));
  return [...here, ...searched.filter(({ id }) => !known.has(id))].slice(0, SHOWN_MAX);
}

function PaletteItem({ command }: { command: Command }) {
  const { id, name, keys, icon: Icon } = command;
  return (
    <ListBoxItem id={id} textValue={name} className="list-box-item">
      <span className="menu-item-icon">{Icon && <Icon size={15} aria-hidden="true" />}</span>
      <span className="menu-item-text one-line">{name}</span>
      {keys && <span className="menu-item-keys">{shownKeys(keys)}</span>}
    </ListBoxItem>
  );
}

function groupsOf(commands: readonly Command[]): [string, Command[]][] {
  const groups = new Map<string, Command[]>();
  for (const command of commands) {
    const group = groups.get(command.group);
    if (group) group.push(command);
    else groups.set(command.group, [command]);
  }
  return [...groups];
}
