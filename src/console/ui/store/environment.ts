import type { Api } from "../../api.ts";
import type { EventStreamOptions } from "../../event_stream.ts";

/** What the store needs from the browser. Tests pass a fake clock and a fake server instead. */
export interface BrowserEnvironment {
  api: Api;
  openEvents: EventStreamOptions["open"];
  now(): number;
  /** Calls back after `ms` milliseconds; returns a function that cancels the call. */
  later(call: () => void, ms: number): () => void;
  random(): number;
  /** False while the tab is in the background. */
  visible(): boolean;
  /** Sets the part of the address after `#`, without a new entry in the browser's history. */
  replaceAddress(hash: string): void;
  /** Keeps the user name and the color theme between visits. */
  storage: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
}

/** The JSON value stored under a key; undefined if it is missing or not JSON. */
export function readStored<T>(storage: BrowserEnvironment["storage"], key: string): T | undefined {
  try {
    const text = storage.getItem(key);
    return text === null ? undefined : JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
