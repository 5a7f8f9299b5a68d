import { useState } from "preact/hooks";

/** A request that a button starts: whether it is in progress, and the error of the last one. */
interface Attempt {
  busy: boolean;
  error: unknown;
  /** Runs the work; an error is stored in {@link error}. */
  attempt(work: () => Promise<unknown>): Promise<void>;
}

export function useAttempt(): Attempt {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, attempt };
}
