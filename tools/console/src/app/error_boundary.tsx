// Catches what a page can't deal with, so that the rest of the console stays.

import { Component, type ReactNode } from "react";
import { ErrorState } from "../components/feedback";

interface Props {
  readonly onReset: () => void;
  readonly children: ReactNode;
}

export class ErrorBoundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  #reset = () => {
    this.props.onReset();
    this.setState({ error: null });
  };

  override render() {
    if (this.state.error === null) return this.props.children;
    return <ErrorState error={this.state.error} onRetry={this.#reset} />;
  }
}
