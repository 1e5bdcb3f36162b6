import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Tip } from './Tip';
import './Button.css';

type Look = 'primary' | 'plain' | 'quiet' | 'danger';

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'> {
  look?: Look;
  icon?: LucideIcon;
  children: ReactNode;
}

export function Button({ look = 'plain', icon: Icon, children, ...rest }: ButtonProps) {
  return (
    <AriaButton {...rest} className={`button button-${look}`}>
      {Icon && <Icon size={15} aria-hidden="true" />}
      <span className="one-line">{children}</span>
    </AriaButton>
  );
}

export interface IconButtonProps extends Omit<AriaButtonProps, 'children' | 'className' | 'style'> {
  icon: LucideIcon;
  /** Its accessible name, and the tip that shows on hover and focus. */
  label: string;
  /** Shown in the tip behind the name. */
  keys?: string;
  size?: number;
}

export function IconButton({ icon: Icon, label, keys, size = 16, ...rest }: IconButtonProps) {
  return (
    <Tip text={keys ? `${label} (${keys})` : label}>
      <AriaButton {...rest} aria-label={label} className="button button-icon">
        <Icon size={size} aria-hidden="true" />
      </AriaButton>
    </Tip>
  );
}
