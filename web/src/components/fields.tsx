import { Search, X } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import {
  Button as AriaButton,
  SearchField as AriaSearchField,
  type SearchFieldProps as AriaSearchFieldProps,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from 'react-aria-components';
import './fields.css';

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'children' | 'className'> {
  label: string;
  hint?: ReactNode;
  error?: string | null;
  placeholder?: string;
  /** More than one: a text area of so many lines. */
  rows?: number;
  mono?: boolean;
  inputRef?: Ref<HTMLInputElement>;
}

export function TextField(props: TextFieldProps) {
  const { label, hint, error, placeholder, rows = 1, mono, inputRef, ...rest } = props;
  const className = mono ? 'field-input mono' : 'field-input';
  return (
    <AriaTextField
      {...rest}
      className="field"
      isInvalid={Boolean(error) || rest.isInvalid}
      // The browser's own check would keep a form from being sent again after an error.
      validationBehavior="aria"
    >
      <Label className="field-label">{label}</Label>
      {rows > 1 ? (
        <TextArea className={className} rows={rows} placeholder={placeholder} />
      ) : (
        <Input className={className} placeholder={placeholder} ref={inputRef} />
      )}
      {hint && (
        <Text slot="description" className="field-hint">
          {hint}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </AriaTextField>
  );
}

export interface SearchFieldProps extends Omit<AriaSearchFieldProps, 'children' | 'className'> {
  label: string;
  placeholder?: string;
  /** The list below is chosen from with the keys of this field. */
  hasList?: boolean;
}

export function SearchField({ label, placeholder, hasList, ...rest }: SearchFieldProps) {
  const combobox = hasList ? ({ role: 'combobox', 'aria-expanded': true } as const) : {};
  return (
    <AriaSearchField {...rest} aria-label={label} className="search-field">
      <Search size={14} aria-hidden="true" />
      <Input className="search-field-input" placeholder={placeholder ?? label} {...combobox} />
      <AriaButton className="search-field-clear" aria-label="Clear">
        <X size={13} aria-hidden="true" />
      </AriaButton>
    </AriaSearchField>
  );
}
