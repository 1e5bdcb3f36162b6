import type { LucideIcon } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import {
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps as AriaMenuItemProps,
  MenuTrigger,
  Popover,
  type PopoverProps,
  Separator,
} from 'react-aria-components';
import './Menu.css';

export interface MenuButtonProps {
  /** A Button or IconButton. */
  button: ReactElement;
  label: string;
  children: ReactNode;
  placement?: PopoverProps['placement'];
  /** The id of the item that is chosen, where the menu is a choice of one. */
  chosen?: string | null;
}

export function MenuButton({
  button,
  label,
  children,
  placement = 'bottom start',
  chosen,
}: MenuButtonProps) {
  const selection = chosen !== undefined && {
    selectionMode: 'single' as const,
    selectedKeys: chosen === null ? [] : [chosen],
  };
  return (
    <MenuTrigger>
      {button}
      <Popover className="popover" placement={placement} offset={4}>
        <AriaMenu className="menu" aria-label={label} {...selection}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

export interface MenuItemProps extends Omit<AriaMenuItemProps, 'children' | 'className'> {
  icon?: LucideIcon;
  keys?: string;
  danger?: boolean;
  children: ReactNode;
}

export function MenuItem({ icon: Icon, keys, danger, children, ...rest }: MenuItemProps) {
  const className = danger ? 'menu-item menu-item-danger' : 'menu-item';
  const textValue = rest.textValue ?? (typeof children === 'string' ? children : undefined);
  return (
    <AriaMenuItem {...rest} textValue={textValue} className={className}>
      <span className="menu-item-icon">{Icon && <Icon size={15} aria-hidden="true" />}</span>
      <span className="menu-item-text one-line">{children}</span>
      {keys && <span className="menu-item-keys">{keys}</span>}
    </AriaMenuItem>
  );
}

export function MenuLine() {
  return <Separator className="menu-line" />;
}
