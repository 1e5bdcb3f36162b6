// Whether the person used a key or a pointer last: what a list does on Enter and on a click may differ.
let wasKey = false;

function follow(type: 'keydown' | 'pointerdown', isKey: boolean): void {
  const note = () => {
    wasKey = isKey;
  };
  window.addEventListener(type, note, { capture: true });
}

follow('keydown', true);
follow('pointerdown', false);

export function wasLastInputKey(): boolean {
  return wasKey;
}
