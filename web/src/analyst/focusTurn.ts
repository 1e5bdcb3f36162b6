/** Once what had the focus has gone from the page, the answer around it takes it. */
export function focusTurn(element: Element | null): void {
  const turn = element?.closest<HTMLElement>('.turn');
  setTimeout(() => {
    if (document.activeElement === document.body) turn?.focus({ preventScroll: true });
  }, 60);
}
