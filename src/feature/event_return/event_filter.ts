import { fnmatch } from "../../model/event/tag.ts";

/**
 * Which events are stored: those that a glob of the whitelist matches, all if it is empty; and of these none that a glob of the
 * blacklist matches.
 *
 * @see salt/utils/event.py EventReturn._filter
 */
export function eventFilter(whitelist: readonly unknown[], blacklist: readonly unknown[]): (tag: string) => boolean {
  const white = whitelist.map((glob) => fnmatch(String(glob)));
  const black = blacklist.map((glob) => fnmatch(String(glob)));
  return (tag) =>
    (white.length === 0 || white.some((matches) => matches(tag))) && !black.some((matches) => matches(tag));
}
