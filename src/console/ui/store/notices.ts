import { type Signal, signal } from "@preact/signals";
import { ApiError } from "../../api.ts";
import type { BrowserEnvironment } from "./environment.ts";

/** A message in the corner of the page. */
interface Notice {
  key: number;
  kind: "bad" | "ok";
  text: string;
  remedy: string;
  /** True for a message that the server or its master cannot be reached. */
  away: boolean;
}

const SHOWN = 4;
const OK_MS = 5000;

/** The messages in the corner of the page: errors stay until they are dismissed, confirmations for five seconds. */
export class Notices {
  readonly list: Signal<Notice[]> = signal([]);
  readonly #later: BrowserEnvironment["later"];
  #nextKey = 0;

  constructor(later: BrowserEnvironment["later"]) {
    this.#later = later;
  }

  /** Shows a message, unless the same text is shown already. */
  add(kind: Notice["kind"], text: string, remedy = "", away = false): void {
    if (this.list.value.some((notice) => notice.text === text)) return;
    const key = this.#nextKey++;
    this.list.value = [...this.list.value.slice(1 - SHOWN), { key, kind, text, remedy, away }];
    if (kind === "ok") this.#later(() => this.dismiss(key), OK_MS);
  }

  /** Shows an error; the sign-in form itself shows that a session has ended. */
  fail(error: unknown): void {
    if (error instanceof ApiError) {
      const away = error.kind === "unreachable" || error.status === 503;
      if (error.kind !== "signed out") this.add("bad", error.message, error.remedy, away);
    } else this.add("bad", error instanceof Error ? error.message : String(error));
  }

  /** Removes the errors that said that the master cannot be reached. */
  dismissAway(): void {
    this.list.value = this.list.value.filter(({ away }) => !away);
  }

  dismiss(key: number): void {
    this.list.value = this.list.value.filter((notice) => notice.key !== key);
  }

  clear(): void {
    this.list.value = [];
  }
}
