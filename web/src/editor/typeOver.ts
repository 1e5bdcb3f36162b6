// Typing over a selection. The browser would keep the colour of what it replaces by an inline style,
// which the page's policy reports as a fault; so the editor does it by itself.
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

function typeOver(event: InputEvent, view: EditorView): boolean {
  const { main } = view.state.selection;
  const { data, inputType, isComposing } = event;
  if (inputType !== 'insertText' || data === null || isComposing || main.empty) return false;
  event.preventDefault();
  const insert = () =>
    view.state.update(view.state.replaceSelection(data), {
      userEvent: 'input.type',
      scrollIntoView: true,
    });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (handlers.some((handle) => handle(view, main.from, main.to, data, insert))) return true;
  view.dispatch(insert());
  return true;
}

export const TYPE_OVER: Extension = EditorView.domEventHandlers({ beforeinput: typeOver });
