// F6 goes from part to part of a page. A part is an element with `data-part`.

/** Moves the focus to the next part, or the one before. */
export function focusNextPart(step: 1 | -1): void {
  const parts = [...document.querySelectorAll<HTMLElement>('[data-part]')].filter(
    (part) => part.offsetParent !== null,
  );
  if (parts.length === 0) return;
  const here = parts.findIndex((part) => part.contains(document.activeElement));
  const start = here === -1 && step === -1 ? 0 : here;
  const next = parts[(start + step + parts.length) % parts.length];
  if (next) focusInside(next);
}

const FOCUSABLE =
  '[data-part-focus], .cm-content, [role=grid], [role=treegrid], [role=listbox], button:not(:disabled), input, a[href], [tabindex="0"]';

export function focusInside(part: HTMLElement): void {
  const preferred = part.querySelector<HTMLElement>('[data-part-focus], .cm-content, [role=grid]');
  const first = preferred ?? part.querySelector<HTMLElement>(FOCUSABLE);
  if (!first) part.tabIndex = -1;
  (first ?? part).focus();
}
