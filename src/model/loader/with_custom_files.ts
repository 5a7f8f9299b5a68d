import { customFilesOf, type CustomPlace, foreignText, logForeign } from "./custom_file.ts";
import type { CustomFile, CustomKind } from "./custom_files.ts";
import { lentFiles } from "./lent_files.ts";

/**
 * Adds the custom modules of one kind that the directories have now. A custom module replaces Brine's module of the same name.
 * A file that cannot be loaded becomes an unavailable module, and replaces nothing.
 *
 * @param kind the directory without its underscore: `modules`, `states`
 */
export function withCustomFiles<Loaded>(
  known: Record<string, () => Promise<Loaded>>,
  place: CustomPlace,
  kind: Parameters<typeof customFilesOf>[1],
  of: { load(file: CustomFile): Promise<Loaded>; unavailable(why: string): Loaded },
): Record<string, () => Promise<Loaded>> {
  const { usable, foreign } = customFilesOf(place, kind);
  if (usable.length + foreign.length === 0) return known;
  const own = Object.fromEntries(usable.map((file) => [file.name, () => of.load(file)]));
  return {
    ...Object.fromEntries(foreign.map((file) => [file.name, () => Promise.resolve(of.unavailable(foreignText(file)))])),
    // Custom modules come first: as in Salt, a custom module counts if several give themselves the same name.
    ...own,
    ...known,
    ...own,
  };
}

/**
 * Modules of a family that are looked up by name, as the directories are now: custom ones go over those of Brine, and those that
 * Salt's package lends come behind both.
 */
export function byName<Loaded>(
  known: Readonly<Record<string, () => Promise<Loaded>>>,
  place: CustomPlace,
  kind: CustomKind,
  load: (file: CustomFile) => Promise<Loaded>,
): Record<string, () => Promise<Loaded>> {
  const { usable, foreign } = customFilesOf(place, kind);
  logForeign(place, kind, foreign);
  const entries = (files: readonly CustomFile[]) =>
    Object.fromEntries(files.map((file) => [file.name, () => load(file)]));
  return { ...entries(lentFiles(place, kind)), ...known, ...entries(usable) };
}
