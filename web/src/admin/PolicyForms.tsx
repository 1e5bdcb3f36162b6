import { useState } from 'react';
import { useIdentity } from '../api/identity';
import { sqlPath } from '../api/query';
import { TextField } from '../components/fields';
import { Select } from '../components/Select';
import { PolicyFields } from './PolicyFields';
import { KINDS, type Policy, type PolicyKind } from './policyKinds';
import { createPolicy, FIRST_FILTER, firstMask, type PolicyForm, problemOf } from './policySql';
import { StatementDialog } from './StatementDialog';

interface FormProps {
  onClose: () => void;
  onDone: () => void;
}

export function CreatePolicy({ onClose, onDone }: FormProps) {
  const identity = useIdentity((state) => state.identity);
  const [form, setForm] = useState<PolicyForm>({
    kind: 'masking',
    name: '',
    place: identity?.database ? sqlPath(identity.database, identity.schema ?? 'PUBLIC') : '',
    type: 'VARCHAR',
    signature: 'region VARCHAR',
    body: firstMask('VARCHAR'),
    allowed: '',
    blocked: '',
    properties: {},
    methods: ['KEYPAIR'],
    comment: '',
  });
  const change = (changes: Partial<PolicyForm>) => setForm({ ...form, ...changes });
  const chooseKind = (id: string) => {
    const kind = id as PolicyKind['id'];
    change({ kind, body: kind === 'row access' ? FIRST_FILTER : firstMask(form.type) });
  };
  return (
    <StatementDialog
      title="New policy"
      verb="Create"
      statements={[createPolicy(form)]}
      problem={problemOf(form)}
      onClose={onClose}
      onDone={onDone}
    >
      <div className="admin-pair">
        <Select
          label="Kind"
          showLabel
          value={form.kind}
          choices={KINDS.map(({ id }) => ({ id, name: KIND_NAMES[id] }))}
          onChange={chooseKind}
        />
        <TextField label="Name" value={form.name} onChange={(name) => change({ name })} autoFocus />
      </div>
      {form.kind !== 'network' && (
        <TextField
          label="Schema"
          mono
          value={form.place}
          placeholder="DEMO.PUBLIC"
          onChange={(place) => change({ place })}
        />
      )}
      <PolicyFields form={form} onChange={change} />
      <TextField label="Comment" value={form.comment} onChange={(comment) => change({ comment })} />
    </StatementDialog>
  );
}

const KIND_NAMES: Record<PolicyKind['id'], string> = {
  masking: 'Masking: hides values of a column',
  'row access': 'Row access: hides rows of a table',
  network: 'Network: addresses that may sign in',
  password: 'Password: how passwords must be',
  session: 'Session: when sessions end',
  authentication: 'Authentication: ways to sign in',
};

interface PolicyFormProps extends FormProps {
  policy: Policy;
}

/** Changes the expression of a mask or a row filter. It counts at once where the policy is set. */
export function EditPolicyBody(props: PolicyFormProps & { body: string }) {
  const { policy, body: before, onClose, onDone } = props;
  const [body, setBody] = useState(before);
  const text = body.trim();
  const problem =
    text === ''
      ? 'Write the expression.'
      : text === before.trim()
        ? 'Nothing is changed yet.'
        : null;
  return (
    <StatementDialog
      title={`Change ${policy.row.name}`}
      verb="Change"
      statements={[`ALTER ${policy.kind.words} ${policy.path} SET BODY ->\n  ${text}`]}
      problem={problem}
      onClose={onClose}
      onDone={onDone}
    >
      <TextField label="Expression" mono rows={6} value={body} onChange={setBody} autoFocus />
    </StatementDialog>
  );
}

export function DropPolicy({ policy, onClose, onDone }: PolicyFormProps) {
  return (
    <StatementDialog
      title={`Drop ${policy.row.name}?`}
      verb="Drop"
      isDangerous
      statements={[`DROP ${policy.kind.words} ${policy.path}`]}
      onClose={onClose}
      onDone={onDone}
    >
      <p>A policy that is set somewhere must be taken off first.</p>
    </StatementDialog>
  );
}
