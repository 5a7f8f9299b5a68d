/** Compares by minion id, the order in which every job cache returns what belongs to a job. */
export const byMinion = (a: { minion: string }, b: { minion: string }): number => a.minion < b.minion ? -1 : 1;

/** The targets of a job from the lists that its master and its syndics saved: sorted, each once. */
export function allMinions(lists: Iterable<readonly string[]>): string[] {
  const all = new Set<string>();
  for (const list of lists) for (const id of list) all.add(id);
  return [...all].sort();
}
