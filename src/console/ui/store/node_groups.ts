import { type Signal, signal } from "@preact/signals";
import type { Api } from "../../api.ts";
import { isRecord } from "../../../base/record.ts";

interface NodeGroup {
  name: string;
  text: string;
}

/** The node groups of the master, read at their first use (runner `config.get`). */
export class NodeGroups {
  /** The groups; undefined until they have been read. */
  readonly list: Signal<readonly NodeGroup[] | undefined> = signal(undefined);
  readonly error: Signal<unknown> = signal(undefined);
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  async load(): Promise<void> {
    try {
      const found = await this.#api.runner("config.get", { arg: ["nodegroups"] });
      this.list.value = Object.entries(isRecord(found) ? found : {}).map(([name, value]) => ({
        name,
        text: (Array.isArray(value) ? value.join(" ") : String(value)).slice(0, 200),
      }));
      this.error.value = undefined;
    } catch (error) {
      this.error.value = error;
    }
  }

  forget(): void {
    this.list.value = undefined;
    this.error.value = undefined;
  }
}
