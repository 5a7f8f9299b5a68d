import { DEFAULT_LIMITS, type Limits } from "../../jinja/mod.ts";

const atLeastOne = (value: unknown, otherwise: number): number => {
  const number = Number(value ?? otherwise);
  return number >= 1 ? number : otherwise;
};

/** The limits of one render from a configuration: `template_max_steps` rounds and calls, `template_max_size` characters. */
export function templateLimitsOf(opts: Record<string, unknown>): Limits {
  return {
    ...DEFAULT_LIMITS,
    steps: atLeastOne(opts.template_max_steps, DEFAULT_LIMITS.steps),
    characters: atLeastOne(opts.template_max_size, DEFAULT_LIMITS.characters),
  };
}
