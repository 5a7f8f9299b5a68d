import type { ReturnerContext } from "../../model/loader/family.ts";

/** How to open and close connections of one kind. */
interface Connector<Place, Client> {
  connect(place: Place, context: ReturnerContext): Promise<Client>;
  isOpen(client: Client): boolean;
  close(client: Client): Promise<unknown>;
}

/** Connections that are kept open between returns, one per place; opened again after they were lost. */
export class Connections<Place, Client> {
  readonly #connector: Connector<Place, Client>;
  readonly #open = new Map<string, Promise<Client>>();

  constructor(connector: Connector<Place, Client>) {
    this.#connector = connector;
  }

  /** Works with the open connection. A failure to connect is not kept: the next use connects again. */
  async use<T>(context: ReturnerContext, place: Place, work: (client: Client) => PromiseLike<T>): Promise<T> {
    const key = JSON.stringify(place);
    const { isOpen } = this.#connector;
    try {
      const before = this.#open.get(key);
      if (before !== undefined) {
        const client = await before;
        if (isOpen(client)) return await work(client);
        // Unless another use has replaced it in the meantime.
        if (this.#open.get(key) === before) this.#open.delete(key);
      }
      return await work(await this.#connected(key, place, context));
    } catch (error) {
      const client = await this.#open.get(key)?.catch(() => undefined);
      if (client === undefined || !isOpen(client)) this.#open.delete(key);
      throw error;
    }
  }

  async close(): Promise<void> {
    const all = [...this.#open.values()];
    this.#open.clear();
    // Those that failed to connect have nothing to close.
    for (const one of await Promise.allSettled(all)) {
      if (one.status === "fulfilled" && this.#connector.isOpen(one.value)) await this.#connector.close(one.value);
    }
  }

  #connected(key: string, place: Place, context: ReturnerContext): Promise<Client> {
    let client = this.#open.get(key);
    if (client === undefined) this.#open.set(key, client = this.#connector.connect(place, context));
    return client;
  }
}
