import { previewTargetOf } from "./preview.ts";

/** The fields of a job that decide whether a minion was its target. */
interface TargetedJob {
  target: string;
  targetType: string;
}

/**
 * The jobs with a minion as a target, by its current id and grains. The browser does not know pillar, node groups and ranges: jobs
 * with such targets are included, and the master decides.
 */
export function jobsOfMinion<Job extends TargetedJob>(
  jobs: readonly Job[],
  id: string,
  grains: Record<string, unknown> | undefined,
): Job[] {
  // The results are kept by target, since a history has few different targets.
  const known = new Map<string, boolean>();
  const isTarget = ({ target, targetType }: Job): boolean => {
    const key = `${targetType} ${target}`;
    let found = known.get(key);
    if (found === undefined) {
      const preview = previewTargetOf(target, targetType, { ids: [id], grains: () => grains });
      found = preview.kind === "master" || preview.kind === "unknown" ||
        (preview.kind === "here" && preview.matched.length + preview.unknown.length > 0);
      known.set(key, found);
    }
    return found;
  };
  return jobs.filter(isTarget);
}
