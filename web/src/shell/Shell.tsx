import { Suspense, useEffect, useMemo, useState } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { loadIdentity, useIdentity } from '../api/identity';
import { useSession } from '../api/session';
import { useAnnouncement } from '../components/announce';
import { Button } from '../components/Button';
import { Notices, notify } from '../components/notices';
import { EmptyState, ErrorNote, Waiting } from '../components/States';
import { CommandPalette } from './CommandPalette';
import { type Command, useCommands } from './commands';
import { KeyHelp } from './KeyHelp';
import { PageBoundary } from './PageBoundary';
import { PAGES, usePages } from './pages';
import { focusNextPart } from './parts';
import { Rail } from './Rail';
import './Shell.css';
import { isTyping, useShortcuts } from './shortcuts';
import { TopBar } from './TopBar';

type Open = 'palette' | 'keys' | null;

export function Shell() {
  const [open, setOpen] = useState<Open>(null);
  const identity = useIdentity();
  useEffect(() => void loadIdentity(), []);
  useSessionNotice();
  usePageCommands();
  useShortcuts({
    'Mod+K': () => setOpen('palette'),
    'Mod+Shift+/': () => setOpen('keys'),
    'Mod+Shift+?': () => setOpen('keys'),
    // With Shift on most keyboards, without on some.
    'Shift+?': (event) => keyUnlessTyping(event, () => setOpen('keys')),
    '?': (event) => keyUnlessTyping(event, () => setOpen('keys')),
    F6: () => focusNextPart(1),
    'Shift+F6': () => focusNextPart(-1),
  });
  return (
    <div className="shell">
      <Rail />
      <div className="shell-page">
        <TopBar onPalette={() => setOpen('palette')} onKeys={() => setOpen('keys')} />
        <main className="shell-main">
          {identity.error && !identity.identity ? (
            <ErrorNote
              message={identity.error}
              actions={<Button onPress={() => void loadIdentity()}>Try again</Button>}
            />
          ) : (
            <Pages />
          )}
        </main>
      </div>
      <CommandPalette isOpen={open === 'palette'} onClose={() => setOpen(null)} />
      <KeyHelp isOpen={open === 'keys'} onClose={() => setOpen(null)} />
      <Notices />
      <Announcer />
    </div>
  );
}

/** A link whose token was refused, in a page that stays signed in. */
function useSessionNotice(): void {
  const notice = useSession((state) => state.notice);
  useEffect(() => {
    if (notice === null) return;
    notify(notice);
    useSession.setState({ notice: null });
  }, [notice]);
}

function keyUnlessTyping(event: KeyboardEvent, act: () => void): void {
  if (!isTyping(event)) act();
}

function Pages() {
  const [location] = useLocation();
  return (
    <PageBoundary key={location.split('/')[1]}>
      <Suspense fallback={<Waiting />}>
        <Switch>
          <Route path="/">
            <Redirect to="/worksheets" replace />
          </Route>
          {PAGES.map(({ path, component }) => (
            <Route key={path} path={`${path}/*?`} component={component} />
          ))}
          <Route>
            <EmptyState title="There is no such page." />
          </Route>
        </Switch>
      </Suspense>
    </PageBoundary>
  );
}

function usePageCommands(): void {
  const [, go] = useLocation();
  const pages = usePages();
  const commands = useMemo(
    () =>
      pages.map(
        ({ path, name, icon }): Command => ({
          id: `page ${path}`,
          name,
          group: 'Go to',
          icon,
          run: () => go(path),
        }),
      ),
    [go, pages],
  );
  useCommands(commands);
}

function Announcer() {
  const message = useAnnouncement((state) => state.message);
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {message}
    </div>
  );
}
