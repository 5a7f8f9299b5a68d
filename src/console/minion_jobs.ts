import { previewTarget } from "./preview.ts";

/** What is needed of a job to tell whether a minion was its target. */
export interface TargetedJob {
  target: string;
  targetType: string;
}

/**
 * The jobs that a minion is a target of, by what is known of it now: its id and its grains. Of pillar, node groups and ranges
 * the browser knows nothing: such jobs are among them, and the master says which of them it was.
 */
export function jobsOfMinion<Job extends TargetedJob>(
  jobs: readonly Job[],
  id: string,
  grains: Record<string, unknown> | undefined,
): Job[] {
  // A history has few different targets.
  const known = new Map<string, boolean>();
  const isTarget = ({ target, targetType }: Job): boolean => {
    const key = `${targetType} ${target}`;
    let found = known.get(key);
    if (found === undefined) {
      const preview = previewTarget(target, targetType, { ids: [id], grains: () => grains });
      found = preview.kind === "master" || preview.kind === "unknown" ||
        (preview.kind === "here" && preview.matched.length + preview.unknown.length > 0);
      known.set(key, found);
    }
    return found;
  };
  return jobs.filter(isTarget);
}
