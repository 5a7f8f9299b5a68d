import { type Signal, signal } from "@preact/signals";
import type { Favourite, RecentRun, Saved, SavedTarget, SavedView } from "../../saved.ts";
import { NOTHING_SAVED, readSaved, withFavourite, withRun, withSavedView, withTarget } from "../../saved.ts";
import { type BrowserEnvironment, readStored } from "./environment.ts";
import type { Notices } from "./notices.ts";

/** The saved targets, views and functions in this browser, separate for each user. */
export class SavedStore {
  readonly current: Signal<Saved> = signal(NOTHING_SAVED);
  readonly #storage: BrowserEnvironment["storage"];
  readonly #notices: Notices;
  #key = "";

  constructor({ storage }: BrowserEnvironment, notices: Notices) {
    this.#storage = storage;
    this.#notices = notices;
  }

  open(user: string, eauth: string): void {
    this.#key = `brine.saved.${eauth}.${user}`;
    this.current.value = this.#stored();
  }

  forget(): void {
    this.#key = "";
    this.current.value = NOTHING_SAVED;
  }

  saveTarget(target: SavedTarget): void {
    this.#change((saved) => withTarget(saved, target));
  }

  deleteTarget(name: string): void {
    this.#change((saved) => ({ ...saved, targets: saved.targets.filter((one) => one.name !== name) }));
  }

  saveView(view: SavedView): void {
    this.#change((saved) => withSavedView(saved, view));
  }

  deleteView(name: string): void {
    this.#change((saved) => ({ ...saved, views: saved.views.filter((one) => one.name !== name) }));
  }

  saveFavourite(favourite: Favourite): void {
    this.#change((saved) => withFavourite(saved, favourite));
  }

  deleteFavourite(name: string): void {
    this.#change((saved) => ({ ...saved, favourites: saved.favourites.filter((one) => one.name !== name) }));
  }

  noteRun(run: RecentRun): void {
    this.#change((saved) => withRun(saved, run));
  }

  #stored(): Saved {
    return readSaved(readStored(this.#storage, this.#key));
  }

  /** Changes the stored data, which is read first, since another tab may have changed it. */
  #change(how: (saved: Saved) => Saved): void {
    if (this.#key === "") return;
    try {
      const saved = how(this.#stored());
      this.#storage.setItem(this.#key, JSON.stringify(saved));
      this.current.value = saved;
    } catch (error) {
      this.#notices.fail(error);
    }
  }
}
