import type { Targets } from "../salt.ts";
import type { SaltLink } from "../job_run.ts";

/** Implements {@link Salt.targets}. */
export function verbTargets(link: SaltLink): Targets {
  return { preview: (request, options) => link.preview({ fun: "test.ping", ...request }, options) };
}
