// How every editor looks. The colours are the page's variables, so that both themes share one style.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { NONCE } from './nonce';

const view = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--bg)', color: 'var(--text)', fontSize: '13px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px' },
  '.cm-content': { caretColor: 'var(--text)', padding: '6px 0' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground':
    { backgroundColor: 'var(--selection)' },
  '.cm-activeLine': { backgroundColor: 'transparent' },
  '.cm-gutters': {
    backgroundColor: 'var(--bg)',
    color: 'var(--text-2)',
    border: 'none',
    fontFamily: 'var(--mono)',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 10px 0 8px', minWidth: '34px' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '.cm-statement-line': { boxShadow: 'inset -2px 0 0 var(--accent)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--hover)',
    outline: '1px solid var(--border-strong)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--match)' },
  '.cm-searchMatch': { backgroundColor: 'var(--match)' },
  '.cm-searchMatch-selected': { outline: '2px solid var(--accent)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--hover)',
    border: 'none',
    color: 'var(--text-2)',
  },
  '.cm-placeholder': { color: 'var(--text-2)' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--text)' },
  '.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panel.cm-search': {
    fontFamily: 'var(--font)',
    fontSize: '12px',
    padding: '6px 28px 6px 8px',
  },
  '.cm-panel.cm-search label': { fontSize: '12px' },
  '.cm-textfield': {
    backgroundColor: 'var(--bg)',
    border: '1px solid var(--border-strong)',
    borderRadius: '4px',
    color: 'var(--text)',
    fontSize: '12px',
  },
  '.cm-button': {
    backgroundColor: 'var(--raised)',
    backgroundImage: 'none',
    border: '1px solid var(--border)',
    borderRadius: '4px',
    fontSize: '12px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    border: 'none',
    borderRadius: '6px',
    boxShadow: 'var(--shadow)',
    color: 'var(--text)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: '12px',
    maxHeight: '260px',
    padding: '4px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    display: 'flex',
    alignItems: 'baseline',
    padding: '2px 6px',
    borderRadius: '3px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-fill)',
    color: 'var(--on-accent)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected] .cm-completionDetail': {
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': {
    flex: '1',
    marginLeft: '16px',
    color: 'var(--text-2)',
    fontStyle: 'normal',
    textAlign: 'right',
  },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionIcon': {
    width: '14px',
    padding: '0',
    marginRight: '8px',
    color: 'var(--text-2)',
    fontSize: '11px',
    opacity: '1',
    textAlign: 'center',
  },
  'ul li[aria-selected] .cm-completionIcon': { color: 'var(--on-accent)' },
  '.cm-completionIcon-property::after': { content: '"c"' },
  '.cm-completionIcon-class::after': { content: '"T"' },
  '.cm-completionIcon-namespace::after': { content: '"S"' },
  '.cm-completionIcon-variable::after': { content: '"a"' },
  '.cm-completionIcon-function::after': { content: '"ƒ"' },
  '.cm-completionIcon-keyword::after': { content: '"k"' },
  '.cm-completionIcon-type::after': { content: '"t"' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--error) 1.5px',
    textUnderlineOffset: '3px',
  },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--error)' },
  '.cm-diagnostic': { fontFamily: 'var(--font)', padding: '6px 10px', whiteSpace: 'pre-wrap' },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.lineComment, tags.blockComment, tags.comment], color: 'var(--code-comment)' },
  { tag: [tags.typeName], color: 'var(--code-type)' },
  { tag: [tags.standard(tags.name), tags.function(tags.name)], color: 'var(--code-function)' },
  { tag: [tags.definition(tags.propertyName), tags.propertyName], color: 'var(--code-function)' },
  { tag: [tags.special(tags.name)], color: 'var(--code-type)' },
]);

export const LOOK: Extension = [
  EditorView.cspNonce.of(NONCE),
  view,
  syntaxHighlighting(colours, { fallback: true }),
];
