import { Check, ChevronDown } from 'lucide-react';
import {
  Button as AriaButton,
  Select as AriaSelect,
  type Key,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
} from 'react-aria-components';
import './Menu.css';
import './Select.css';

export interface SelectChoice {
  id: string;
  name: string;
  hint?: string;
}

export interface SelectProps {
  label: string;
  /** The label stands above the button, or only speaks. */
  showLabel?: boolean;
  choices: readonly SelectChoice[];
  value: string | null;
  onChange: (id: string) => void;
  placeholder?: string;
  isDisabled?: boolean;
}

export function Select(props: SelectProps) {
  const { label, showLabel = false, choices, value, onChange, placeholder, isDisabled } = props;
  return (
    <AriaSelect
      className="select"
      aria-label={showLabel ? undefined : label}
      value={value}
      onChange={(key: Key | null) => key !== null && onChange(String(key))}
      placeholder={placeholder ?? '—'}
      isDisabled={isDisabled}
    >
      {showLabel && <Label className="field-label">{label}</Label>}
      <AriaButton className="button select-button">
        <SelectValue className="one-line select-value" />
        <ChevronDown size={14} aria-hidden="true" />
      </AriaButton>
      <Popover className="popover" offset={4}>
        <ListBox className="list-box" items={choices}>
          {(choice) => (
            <ListBoxItem id={choice.id} textValue={choice.name} className="list-box-item">
              {({ isSelected }) => (
                <>
                  <span className="menu-item-icon">
                    {isSelected && <Check size={14} aria-hidden="true" />}
                  </span>
                  <span className="menu-item-text one-line">{choice.name}</span>
                  {choice.hint && <span className="menu-item-keys">{choice.hint}</span>}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
