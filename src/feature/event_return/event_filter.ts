import { fnmatch } from "../../model/event/tag.ts";

/**
 * Decides which events are stored: those that match a glob of the whitelist (all events if it is empty), and match no glob of the
 * blacklist.
 *
 * @see salt/utils/event.py EventReturn._filter
 */
export function eventFilter(whitelist: readonly unknown[], blacklist: readonly unknown[]): (tag: string) => boolean {
  const white = whitelist.map((glob) => fnmatch(String(glob)));
  const black = blacklist.map((glob) => fnmatch(String(glob)));
  return (tag) =>
    (white.length === 0 || white.some((matches) => matches(tag))) && !black.some((matches) => matches(tag));
}
