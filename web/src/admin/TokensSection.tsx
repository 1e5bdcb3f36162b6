import { Copy, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useIdentity } from '../api/identity';
import { sqlName } from '../api/query';
import { Button } from '../components/Button';
import { copyText } from '../components/copyText';
import { Dialog } from '../components/Dialog';
import { notify } from '../components/notices';
import { PlainTable } from '../components/PlainTable';
import { Select } from '../components/Select';
import { ErrorNote, Waiting } from '../components/States';
import { AddToken, type NewSecret, RemoveToken, RotateToken, SwitchToken } from './TokenForms';
import { type Row, shownTimestamp, useAdminQuery } from './useAdminQuery';

type Task = 'add' | 'rotate' | 'switch' | 'remove';

/** Access tokens of one user at a time. */
export function TokensSection() {
  const me = useIdentity((state) => state.identity?.user ?? '');
  const users = useAdminQuery('SHOW USERS');
  const [chosen, setChosen] = useState(me);
  const tokens = useAdminQuery(`SHOW USER PROGRAMMATIC ACCESS TOKENS FOR USER ${sqlName(chosen)}`);
  const [task, setTask] = useState<{ task: Task; token: Row } | null>(null);
  const [secret, setSecret] = useState<NewSecret | null>(null);
  const names = (users.value ?? []).map(({ name }) => name ?? '');
  const form = {
    user: chosen,
    onClose: () => setTask(null),
    onDone: tokens.reload,
    onSecret: setSecret,
  };
  return (
    <div className="admin-section">
      <div className="admin-bar">
        <Select
          label="User"
          value={chosen}
          choices={(names.includes(me) ? names : [me, ...names]).map((name) => ({
            id: name,
            name,
          }))}
          onChange={setChosen}
        />
        <Button icon={KeyRound} onPress={() => setTask({ task: 'add', token: {} })}>
          New token …
        </Button>
      </div>
      {tokens.error ? (
        <ErrorNote message={tokens.error} />
      ) : tokens.value ? (
        <PlainTable
          label={`Tokens of ${chosen}`}
          rows={tokens.value}
          rowKey={({ name }) => name ?? ''}
          empty={`${chosen} has no access tokens.`}
          columns={[
            { name: 'Name', cell: ({ name }) => name },
            { name: 'State', cell: ({ status }) => status?.toLowerCase() },
            { name: 'Role', cell: (token) => token.role_restriction ?? 'any of the user' },
            { name: 'Good until', cell: (token) => shownTimestamp(token.expires_at) },
            { name: 'Made', cell: (token) => shownTimestamp(token.created_on) },
            { name: 'By', cell: (token) => token.created_by },
            { name: 'Comment', cell: ({ comment }) => comment },
            {
              name: 'What to do',
              look: 'actions',
              cell: (token) => (
                <TokenButtons token={token} onTask={(one) => setTask({ task: one, token })} />
              ),
            },
          ]}
        />
      ) : (
        <Waiting />
      )}
      {task?.task === 'add' && <AddToken {...form} />}
      {task?.task === 'rotate' && <RotateToken {...form} token={task.token} />}
      {task?.task === 'switch' && <SwitchToken {...form} token={task.token} />}
      {task?.task === 'remove' && <RemoveToken {...form} token={task.token} />}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(null)} />}
    </div>
  );
}

function TokenButtons({ token, onTask }: { token: Row; onTask: (task: Task) => void }) {
  const { name, status } = token;
  const isOff = status === 'DISABLED';
  return (
    <>
      {status === 'ACTIVE' && (
        <Button look="quiet" aria-label={`Rotate ${name}`} onPress={() => onTask('rotate')}>
          Rotate …
        </Button>
      )}
      {(status === 'ACTIVE' || isOff) && (
        <Button
          look="quiet"
          aria-label={`${isOff ? 'Enable' : 'Disable'} ${name}`}
          onPress={() => onTask('switch')}
        >
          {isOff ? 'Enable …' : 'Disable …'}
        </Button>
      )}
      <Button look="quiet" aria-label={`Remove ${name}`} onPress={() => onTask('remove')}>
        Remove …
      </Button>
    </>
  );
}

/** The only time that the secret can be read. */
function SecretDialog({ secret, onClose }: { secret: NewSecret; onClose: () => void }) {
  const copy = () =>
    void copyText(secret.secret).then((copied) =>
      notify(copied ? 'The token is copied.' : 'Not copied. Mark it and copy it by hand.'),
    );
  return (
    <Dialog
      title={`Token ${secret.name}`}
      role="alertdialog"
      isOpen
      keepsOpen
      onClose={onClose}
      actions={<Button onPress={onClose}>It is in a safe place</Button>}
    >
      <p>It is shown this once. The server keeps a hash of it, and nobody can read it again.</p>
      <div className="admin-secret">
        <code>{secret.secret}</code>
        <Button look="primary" icon={Copy} onPress={copy}>
          Copy
        </Button>
      </div>
    </Dialog>
  );
}
