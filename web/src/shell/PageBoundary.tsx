import { Component, type ReactNode } from 'react';
import { messageOf } from '../api/failure';
import { Button } from '../components/Button';
import { ErrorNote } from '../components/States';

interface State {
  error: unknown;
}

/** A fault in one page leaves the others alone. */
export class PageBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: unknown): State {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <ErrorNote
        title="This page met a fault of its own."
        message={messageOf(this.state.error)}
        actions={<Button onPress={() => this.setState({ error: null })}>Show it again</Button>}
      />
    );
  }
}
