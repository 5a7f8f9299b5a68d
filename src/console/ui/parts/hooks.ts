import { useEffect, useState } from "preact/hooks";
import { useStore } from "../store/store_context.ts";

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

/** The time without typing before the address changes, in milliseconds: browsers refuse too frequent changes. */
const TYPING_MS = 200;

/** Keeps the state of a page in its address, without empty values. */
export function useAddress(query: Readonly<Record<string, string>>): void {
  const store = useStore();
  const [visit] = useState(() => store.visit.peek());
  useEffect(() => {
    const timer = setTimeout(() => store.show(query, visit), TYPING_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(query)]);
}

/** The length of a slice in milliseconds: longer work is cut into slices, so that the page answers keys and clicks between them. */
const SLICE_MS = 16;

interface Pauses {
  /** True once the current slice is over. */
  due(): boolean;
  /** Lets the browser do waiting work; then the next slice begins. */
  next(): Promise<void>;
}

export function pauses(): Pauses {
  let until = performance.now() + SLICE_MS;
  return {
    due: () => performance.now() >= until,
    next: async () => {
      await new Promise((resolve) => setTimeout(resolve));
      until = performance.now() + SLICE_MS;
    },
  };
}
