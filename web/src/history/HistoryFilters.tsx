import { useEffect, useState } from 'react';
import { SearchField } from '../components/fields';
import { Select } from '../components/Select';
import { useRemote } from '../components/useRemote';
import { useRole } from '../shell/role';
import { loadUsers } from './historyQuery';
import type { HistoryFilter, StateFilter } from './historySearch';

const STATES: readonly { id: StateFilter; name: string }[] = [
  { id: 'all', name: 'Any state' },
  { id: 'running', name: 'Running' },
  { id: 'succeeded', name: 'Succeeded' },
  { id: 'failed', name: 'Failed' },
  { id: 'cancelled', name: 'Cancelled' },
];

const TIMES = [
  { id: '1', name: 'Last hour' },
  { id: '24', name: 'Last day' },
  { id: '168', name: 'Last 7 days' },
  { id: '336', name: 'Last 14 days' },
];

const EVERYBODY = '*';
const TYPING_MS = 300;

interface HistoryFiltersProps {
  filter: HistoryFilter;
  me: string;
  onChange: (filter: HistoryFilter) => void;
}

export function HistoryFilters({ filter, me, onChange }: HistoryFiltersProps) {
  const role = useRole();
  const { value: users } = useRemote(`users ${role}`, (signal) => loadUsers({ role }, signal));
  const others = (users ?? []).filter((user) => user !== me);
  const [text, setText] = useState(filter.text);
  // biome-ignore lint/correctness/useExhaustiveDependencies: waits for the typing alone
  useEffect(() => {
    if (text === filter.text) return;
    const timer = setTimeout(() => onChange({ ...filter, text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search className="history-filters" data-part="filters">
      <Select
        label="Whose statements"
        value={filter.user ?? EVERYBODY}
        choices={[
          { id: me, name: 'Mine' },
          ...(others.length > 0 ? [{ id: EVERYBODY, name: "Everybody's" }] : []),
          ...others.map((user) => ({ id: user, name: user })),
        ]}
        onChange={(user) => onChange({ ...filter, user: user === EVERYBODY ? null : user })}
      />
      <Select
        label="State"
        value={filter.state}
        choices={STATES}
        onChange={(state) => onChange({ ...filter, state: state as StateFilter })}
      />
      <Select
        label="Time"
        value={String(filter.hours)}
        choices={TIMES}
        onChange={(hours) => onChange({ ...filter, hours: Number(hours) })}
      />
      <SearchField label="Find by text or query id" value={text} onChange={setText} />
      <label className="history-check">
        <input
          type="checkbox"
          checked={filter.withOwn}
          onChange={({ target }) => onChange({ ...filter, withOwn: target.checked })}
        />
        The console's own too
      </label>
    </search>
  );
}
