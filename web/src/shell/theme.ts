import { create } from 'zustand';

export type ThemeChoice = 'system' | 'light' | 'dark';
export type Theme = 'light' | 'dark';

const THEME_KEY = 'firn.theme';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

interface ThemeState {
  choice: ThemeChoice;
  /** What is shown: the choice, or the system's. Charts and the editor draw themselves anew by it. */
  theme: Theme;
}

function stateOf(choice: ThemeChoice): ThemeState {
  if (choice === 'system') return { choice, theme: systemIsDark.matches ? 'dark' : 'light' };
  return { choice, theme: choice };
}

function keptChoice(): ThemeChoice {
  const kept = localStorage.getItem(THEME_KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export const useTheme = create<ThemeState>(() => stateOf(keptChoice()));

export function chooseTheme(choice: ThemeChoice): void {
  localStorage.setItem(THEME_KEY, choice);
  useTheme.setState(stateOf(choice));
}

/** Puts the theme on the page, now and whenever it changes. */
export function followTheme(): void {
  const show = ({ theme }: ThemeState) => {
    document.documentElement.dataset.theme = theme;
  };
  show(useTheme.getState());
  useTheme.subscribe(show);
  systemIsDark.addEventListener('change', () => {
    const { choice } = useTheme.getState();
    if (choice === 'system') useTheme.setState(stateOf(choice));
  });
}
