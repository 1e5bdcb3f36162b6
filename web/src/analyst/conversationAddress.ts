// Each conversation has an address, `/analyst?conversation=NAME`; the empty name is that of one that has no question yet.
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useAddressQuery } from '../shell/addressQuery';
import {
  conversationOf,
  shownConversation,
  startConversation,
  useShownConversation,
} from './conversationStore';
import { asksFirst } from './firstQuestion';
import { useModelDraft } from './modelDraft';
import { openConversation } from './storedConversations';

export const conversationAddress = (name: string): string =>
  `/analyst?${new URLSearchParams({ conversation: name })}`;

/** The conversation that the address names; null if it names none. */
export function conversationWanted(): string | null {
  return new URLSearchParams(location.search).get('conversation');
}

export type AddressState = 'shown' | 'opening' | 'missing';

/** Shows what the address names, and names in the address what is shown. */
export function useConversationAddress(): AddressState {
  const wanted = useAddressQuery().get('conversation');
  const shown = useShownConversation();
  const [missing, setMissing] = useState<string | null>(null);
  useShownFromAddress(wanted, setMissing);
  useAddressOfShown();
  if (wanted === null || wanted === (shown?.name ?? '')) return 'shown';
  return missing === wanted ? 'missing' : 'opening';
}

function useShownFromAddress(wanted: string | null, setMissing: (name: string) => void): void {
  const [, go] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address opens another conversation
  useEffect(() => {
    const shown = shownConversation();
    if (wanted === null) {
      if (shown?.name && !asksFirst()) go(conversationAddress(shown.name), { replace: true });
      return;
    }
    if (shown?.name === wanted) return;
    useModelDraft.setState({ isShown: false });
    if (wanted === '') {
      startConversation(shown?.model ?? null);
      return;
    }
    let isLeft = false;
    void openConversation(wanted, () => isLeft).then((isThere) => {
      if (!isThere) setMissing(wanted);
    });
    return () => {
      isLeft = true;
    };
  }, [wanted]);
}

/** What is shown by other ways than its address: a new one, or one that has got its name. */
function useAddressOfShown(): void {
  const [, go] = useLocation();
  const shown = useShownConversation();
  const { id = null, name = '' } = shown ?? {};
  const before = useRef<string | null>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is shown anew changes the address
  useEffect(() => {
    const beforeId = before.current;
    before.current = id;
    const wanted = conversationWanted();
    const isLed = isFirst.current && wanted !== null;
    isFirst.current = false;
    if (id === null || isLed || asksFirst() || name === (wanted ?? '')) return;
    // One that has its name now, or stands in the place of one that was deleted, is no step to go back over.
    const isStep = beforeId !== null && beforeId !== id && conversationOf(beforeId) !== null;
    go(conversationAddress(name), { replace: wanted === null || !isStep });
  }, [id, name]);
}
