// Catches what a page can't deal with, so that the rest of the console stays.

import { Component, type ReactNode } from "react";
import { ErrorState } from "../components/feedback";
import { connection } from "../service/connection";
import { asServiceError } from "../service/errors";

/** Errors that may be over when the service can be used again. */
const PASSING = new Set(["OFFLINE", "UNAVAILABLE"]);

interface Props {
  readonly onReset: () => void;
  readonly children: ReactNode;
}

export class ErrorBoundary extends Component<Props, { readonly error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  #unsubscribe: (() => void) | undefined;

  override componentDidMount() {
    this.#unsubscribe = connection.subscribe(() => {
      const { error } = this.state;
      if (error !== null && connection.problem() === null && PASSING.has(asServiceError(error).kind))
        this.#reset();
    });
  }

  override componentWillUnmount() {
    this.#unsubscribe?.();
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
