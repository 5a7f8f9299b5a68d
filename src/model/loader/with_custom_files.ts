import { customFilesOf, type CustomPlace, foreignText } from "./custom_file.ts";
import type { CustomFile } from "./custom_files.ts";

/**
 * Modules of one kind with the custom ones among them, as the directories are now. A custom one replaces one of Brine with its name.
 * Files that cannot be loaded are modules that are not available, and replace nothing.
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
    // First: of several modules that give themselves one name, the custom one counts, as in Salt.
    ...own,
    ...known,
    ...own,
  };
}
