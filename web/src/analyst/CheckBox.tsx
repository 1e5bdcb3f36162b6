import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox } from 'react-aria-components';
import './CheckBox.css';

interface CheckBoxProps {
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  children: ReactNode;
}

export function CheckBox({ isSelected, onChange, children }: CheckBoxProps) {
  return (
    <AriaCheckbox className="check-box" isSelected={isSelected} onChange={onChange}>
      <span className="check-box-mark">{isSelected && <Check size={13} aria-hidden="true" />}</span>
      <span>{children}</span>
    </AriaCheckbox>
  );
}
