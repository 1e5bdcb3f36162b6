import { TextField } from '../components/fields';
import { Select } from '../components/Select';
import { firstMask, METHODS, type PolicyForm, PROPERTIES } from './policySql';

const TYPES = ['VARCHAR', 'NUMBER', 'FLOAT', 'BOOLEAN', 'DATE', 'TIMESTAMP_NTZ', 'VARIANT'];

interface PolicyFieldsProps {
  form: PolicyForm;
  onChange: (changes: Partial<PolicyForm>) => void;
}

/** What a policy of each kind is made of. */
export function PolicyFields({ form, onChange }: PolicyFieldsProps) {
  switch (form.kind) {
    case 'masking':
      return <MaskFields form={form} onChange={onChange} />;
    case 'row access':
      return (
        <>
          <TextField
            label="Columns that it looks at"
            mono
            value={form.signature}
            placeholder="region VARCHAR, amount NUMBER"
            onChange={(signature) => onChange({ signature })}
          />
          <TextField
            label="A row is shown if"
            mono
            rows={4}
            value={form.body}
            onChange={(body) => onChange({ body })}
          />
        </>
      );
    case 'network':
      return (
        <div className="admin-pair">
          <TextField
            label="Allowed addresses"
            mono
            value={form.allowed}
            placeholder="203.0.113.0/24, 2001:db8::/32"
            onChange={(allowed) => onChange({ allowed })}
          />
          <TextField
            label="Blocked addresses"
            mono
            value={form.blocked}
            placeholder="203.0.113.99"
            onChange={(blocked) => onChange({ blocked })}
          />
        </div>
      );
    case 'authentication':
      return <MethodFields form={form} onChange={onChange} />;
    default:
      return (
        <div className="admin-pair">
          {(PROPERTIES[form.kind] ?? []).map(([property, label]) => (
            <TextField
              key={property}
              label={label}
              inputMode="numeric"
              placeholder="as before"
              value={form.properties[property] ?? ''}
              onChange={(value) =>
                onChange({ properties: { ...form.properties, [property]: value } })
              }
            />
          ))}
        </div>
      );
  }
}

function MaskFields({ form, onChange }: PolicyFieldsProps) {
  const chooseType = (type: string) =>
    onChange({ type, body: form.body === firstMask(form.type) ? firstMask(type) : form.body });
  return (
    <>
      <Select
        label="Type of the column"
        showLabel
        value={form.type}
        choices={TYPES.map((type) => ({ id: type, name: type }))}
        onChange={chooseType}
      />
      <TextField
        label="What is shown of val"
        mono
        rows={4}
        value={form.body}
        onChange={(body) => onChange({ body })}
      />
    </>
  );
}

function MethodFields({ form, onChange }: PolicyFieldsProps) {
  const toggle = (method: string) =>
    onChange({
      methods: METHODS.filter((one) => form.methods.includes(one) !== (one === method)),
    });
  return (
    <fieldset className="admin-methods">
      <legend className="field-label">Ways to sign in</legend>
      {METHODS.map((method) => (
        <label key={method} className="admin-check">
          <input
            type="checkbox"
            checked={form.methods.includes(method)}
            onChange={() => toggle(method)}
          />
          {method.toLowerCase().replaceAll('_', ' ')}
        </label>
      ))}
    </fieldset>
  );
}
