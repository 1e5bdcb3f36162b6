import { sql } from '@codemirror/lang-sql';
import { yaml } from '@codemirror/lang-yaml';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { FIRN } from '../sql/dialect';
import './CodeView.css';
import { LOOK } from './look';

export interface CodeViewProps {
  text: string;
  /** Its accessible name. */
  label: string;
  language?: 'sql' | 'yaml' | 'text';
}

/** Highlighted text to read, select and copy. */
export function CodeView({ text, label, language = 'sql' }: CodeViewProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current === null) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          LOOK,
          language === 'sql' ? sql({ dialect: FIRN }) : language === 'yaml' ? yaml() : [],
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.editable.of(false),
          EditorView.lineWrapping,
        ],
      }),
    });
    return () => view.destroy();
  }, [text, label, language]);
  return <div className="code-view" ref={place} />;
}
