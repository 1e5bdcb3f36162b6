import { Ellipsis, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../components/Button';
import { SearchField } from '../components/fields';
import { MenuButton, MenuItem, MenuLine } from '../components/Menu';
import { PlainTable } from '../components/PlainTable';
import { ErrorNote, Waiting } from '../components/States';
import { CreateUser, EditUser } from './UserForms';
import { UserRoles } from './UserRoles';
import { DropUser, ResetPassword, SwitchUser, UnlockUser } from './UserSwitches';
import { type Row, shownTimestamp, useAdminQuery } from './useAdminQuery';

type Task = 'create' | 'edit' | 'password' | 'roles' | 'switch' | 'unlock' | 'drop';

const SHOWN_MAX = 300;

export function UsersSection() {
  const { value, error, reload } = useAdminQuery('SHOW USERS');
  const [text, setText] = useState('');
  const [task, setTask] = useState<{ task: Task; user: Row } | null>(null);
  if (error) return <ErrorNote message={error} />;
  if (!value) return <Waiting />;
  const wanted = text.trim().toLowerCase();
  const found = value.filter(({ name, email, comment }) =>
    [name, email, comment].some((part) => part?.toLowerCase().includes(wanted)),
  );
  const close = () => setTask(null);
  return (
    <div className="admin-section">
      <div className="admin-bar">
        <SearchField label="Find users" value={text} onChange={setText} />
        <Button icon={UserPlus} onPress={() => setTask({ task: 'create', user: {} })}>
          New user …
        </Button>
      </div>
      <PlainTable
        label="Users"
        rows={found.slice(0, SHOWN_MAX)}
        rowKey={({ name }) => name ?? ''}
        empty="Nobody is called like that."
        columns={[
          { name: 'Name', cell: ({ name }) => name },
          { name: 'State', cell: (user) => stateOf(user) },
          { name: 'Kind', cell: ({ type }) => type?.toLowerCase() },
          { name: 'Default role', cell: (user) => user.default_role },
          { name: 'Signs in by', cell: (user) => entriesOf(user) },
          { name: 'Last login', cell: (user) => shownTimestamp(user.last_success_login) },
          { name: 'Owner', cell: ({ owner }) => owner },
          { name: 'Comment', cell: ({ comment }) => comment },
          {
            name: 'What to do',
            look: 'actions',
            cell: (user) => (
              <UserMenu user={user} onTask={(chosen) => setTask({ task: chosen, user })} />
            ),
          },
        ]}
      />
      {found.length > SHOWN_MAX && (
        <p className="secondary">The first {SHOWN_MAX}; type a part of a name to find others.</p>
      )}
      {task && <UserTask {...task} onClose={close} onDone={reload} />}
    </div>
  );
}

function stateOf(user: Row): string {
  if (user.disabled === 'true') return 'disabled';
  if (user.snowflake_lock === 'true' || user.locked_until_time) return 'locked';
  if (user.must_change_password === 'true') return 'must change the password';
  return 'active';
}

function entriesOf(user: Row): string {
  return [
    ...(user.has_password === 'true' ? ['password'] : []),
    ...(user.has_rsa_public_key === 'true' ? ['key pair'] : []),
  ].join(', ');
}

function UserMenu({ user, onTask }: { user: Row; onTask: (task: Task) => void }) {
  const isOff = user.disabled === 'true';
  return (
    <MenuButton
      label={user.name ?? ''}
      placement="bottom end"
      button={<IconButton icon={Ellipsis} label={`What to do with ${user.name}`} />}
    >
      <MenuItem onAction={() => onTask('roles')}>Roles …</MenuItem>
      <MenuItem onAction={() => onTask('edit')}>Change …</MenuItem>
      <MenuItem onAction={() => onTask('password')}>Reset the password …</MenuItem>
      <MenuItem onAction={() => onTask('unlock')}>Unlock …</MenuItem>
      <MenuLine />
      <MenuItem onAction={() => onTask('switch')}>{isOff ? 'Enable …' : 'Disable …'}</MenuItem>
      <MenuItem danger onAction={() => onTask('drop')}>
        Drop …
      </MenuItem>
    </MenuButton>
  );
}

interface UserTaskProps {
  task: Task;
  user: Row;
  onClose: () => void;
  onDone: () => void;
}

function UserTask({ task, user, onClose, onDone }: UserTaskProps) {
  const props = { user, name: user.name ?? '', onClose, onDone };
  if (task === 'create') return <CreateUser onClose={onClose} onDone={onDone} />;
  if (task === 'edit') return <EditUser {...props} />;
  if (task === 'password') return <ResetPassword {...props} />;
  if (task === 'roles') return <UserRoles {...props} />;
  if (task === 'switch') return <SwitchUser {...props} />;
  if (task === 'unlock') return <UnlockUser {...props} />;
  return <DropUser {...props} />;
}
