import { isRecord } from "../base/record.ts";

/** The place where a function runs. */
export type Where = "minions" | "runner" | "wheel";

export interface SavedTarget {
  name: string;
  tgt: string;
  type: string;
}

/** A function with its arguments, which the user has named. */
export interface Favourite {
  name: string;
  where: Where;
  fun: string;
  arg: unknown[];
  kwarg: Record<string, unknown>;
}

/** A function that was run recently, without its arguments, which may contain passwords. */
export interface RecentRun {
  where: Where;
  fun: string;
  tgt: string;
  type: string;
}

/** A view of the fleet page that the user has named. */
export interface SavedView {
  name: string;
  query: Record<string, string>;
}

/** The saved data of a user in this browser. */
export interface Saved {
  views: readonly SavedView[];
  targets: readonly SavedTarget[];
  favourites: readonly Favourite[];
  /** The recent runs, latest first. */
  recent: readonly RecentRun[];
}

export const NOTHING_SAVED: Saved = { views: [], targets: [], favourites: [], recent: [] };

/** Saved views and targets, recent commands, and characters of a name: the browser stores a few megabytes for a page. */
const MAX_NAMED = 100;
const MAX_RECENT = 20;
/** The most characters of a saved target; a longer list of minions would take too much storage. */
const MAX_TARGET_CHARACTERS = 200_000;
const MAX_NAME_CHARACTERS = 80;

const isText = (value: unknown): value is string => typeof value === "string";
const isWhere = (value: unknown): value is Where => value === "minions" || value === "runner" || value === "wheel";

const list = <One>(value: unknown, fits: (one: Record<string, unknown>) => boolean, most: number): One[] =>
  (Array.isArray(value) ? value : []).filter((one) => isRecord(one) && fits(one)).slice(0, most) as One[];

/** Reads the browser's storage, which older versions and other programs may have written. */
export function readSaved(value: unknown): Saved {
  if (!isRecord(value)) return NOTHING_SAVED;
  const { views, targets, favourites, recent } = value;
  return {
    views: list(
      views,
      ({ name, query }) => isText(name) && isRecord(query) && Object.values(query).every(isText),
      MAX_NAMED,
    ),
    targets: list(targets, (one) => [one.name, one.tgt, one.type].every(isText), MAX_NAMED),
    favourites: list(
      favourites,
      ({ name, where, fun, arg, kwarg }) =>
        isText(name) && isWhere(where) && isText(fun) && Array.isArray(arg) && isRecord(kwarg),
      MAX_NAMED,
    ),
    recent: list(recent, ({ where, fun, tgt, type }) => isWhere(where) && [fun, tgt, type].every(isText), MAX_RECENT),
  };
}

/** Adds a target; one of the same name is replaced. @throws {RangeError} if it cannot be kept */
export function withTarget(saved: Saved, target: SavedTarget): Saved {
  if (target.tgt.length > MAX_TARGET_CHARACTERS) {
    throw new RangeError("Cannot save the target: it is too long. Use a grain or a pattern instead");
  }
  return { ...saved, targets: named(saved.targets, target) };
}

/** Adds a view; one of the same name is replaced. @throws {RangeError} if it cannot be kept */
export function withSavedView(saved: Saved, view: SavedView): Saved {
  return { ...saved, views: named(saved.views, view) };
}

/** Adds a favourite; one of the same name is replaced. @throws {RangeError} if it cannot be kept */
export function withFavourite(saved: Saved, favourite: Favourite): Saved {
  return { ...saved, favourites: named(saved.favourites, favourite) };
}

function named<One extends { name: string }>(list: readonly One[], one: One): One[] {
  const name = one.name.trim().slice(0, MAX_NAME_CHARACTERS);
  if (name === "") throw new RangeError("Cannot save without a name");
  const others = list.filter((other) => other.name !== name);
  if (others.length >= MAX_NAMED) throw new RangeError(`Cannot save more than ${MAX_NAMED}: delete one first`);
  return [...others, { ...one, name }].sort((left, right) => left.name < right.name ? -1 : 1);
}

export function withRun(saved: Saved, { where, fun, tgt, type }: RecentRun): Saved {
  const kept = tgt.length > MAX_TARGET_CHARACTERS / 100
    ? { where, fun, tgt: "", type: "glob" }
    : { where, fun, tgt, type };
  const others = saved.recent.filter((one) => one.fun !== fun || one.tgt !== kept.tgt || one.where !== where);
  return { ...saved, recent: [kept, ...others].slice(0, MAX_RECENT) };
}
