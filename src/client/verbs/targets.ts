import type { Targets } from "../salt.ts";
import type { SaltLink } from "../salt_link.ts";

/** Implements {@link Salt.targets}. */
export function verbTargets(link: SaltLink): Targets {
  return { preview: (request, options) => link.preview({ fun: "test.ping", ...request }, options) };
}
