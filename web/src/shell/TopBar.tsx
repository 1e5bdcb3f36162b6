import { CircleUserRound, Keyboard, LogOut, Monitor, Moon, Search, Sun } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { useIdentity } from '../api/identity';
import { logOut } from '../api/login';
import { Button, IconButton } from '../components/Button';
import { MenuButton, MenuItem, MenuLine } from '../components/Menu';
import { RoleItems } from './RoleItems';
import { shownKeys } from './shortcuts';
import './TopBar.css';
import { chooseTheme, type ThemeChoice, useTheme } from './theme';

const PLACE = 'top-bar-place';

export interface TopBarProps {
  onPalette: () => void;
  onKeys: () => void;
}

export function TopBar({ onPalette, onKeys }: TopBarProps) {
  return (
    <header className="top-bar">
      <div id={PLACE} className="top-bar-place" />
      <IconButton
        icon={Search}
        label="Go to anything"
        keys={shownKeys('Mod+K')}
        onPress={onPalette}
      />
      <ThemeButton />
      <UserMenu onKeys={onKeys} />
    </header>
  );
}

/** What a page shows in the bar: its title, its tabs. */
export function InTopBar({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  useEffect(() => setPlace(document.getElementById(PLACE)), []);
  return place && createPortal(children, place);
}

export function PageTitle({ children }: { children: string }) {
  useEffect(() => {
    document.title = `${children} · firn`;
  }, [children]);
  return (
    <InTopBar>
      <h1 className="top-bar-title">{children}</h1>
    </InTopBar>
  );
}

const THEMES: readonly { id: ThemeChoice; name: string; icon: typeof Sun }[] = [
  { id: 'system', name: "The system's", icon: Monitor },
  { id: 'light', name: 'Light', icon: Sun },
  { id: 'dark', name: 'Dark', icon: Moon },
];

function ThemeButton() {
  const { choice, theme } = useTheme();
  const icon = theme === 'dark' ? Moon : Sun;
  return (
    <MenuButton
      label="Colours"
      placement="bottom end"
      button={<IconButton icon={icon} label="Colours" />}
    >
      {THEMES.map(({ id, name, icon: Icon }) => (
        <MenuItem key={id} icon={Icon} onAction={() => chooseTheme(id)} textValue={name}>
          {choice === id ? `${name} ✓` : name}
        </MenuItem>
      ))}
    </MenuButton>
  );
}

function UserMenu({ onKeys }: { onKeys: () => void }) {
  const identity = useIdentity((state) => state.identity);
  return (
    <MenuButton
      label="User"
      placement="bottom end"
      button={
        <Button look="quiet" icon={CircleUserRound} aria-label={`User ${identity?.user ?? ''}`}>
          {identity?.user ?? 'User'}
        </Button>
      }
    >
      <RoleItems />
      <MenuLine />
      <MenuItem icon={Keyboard} keys="?" onAction={onKeys}>
        Keys
      </MenuItem>
      <MenuItem icon={LogOut} onAction={() => void logOut()}>
        Sign out
      </MenuItem>
    </MenuButton>
  );
}
