/** Filters the events for a listener, and removes secrets from them. */
import { fnmatch } from "../../../model/event/tag.ts";

/** A test of tags; undefined for a listener that wants every event. @param tag a glob */
export function tagFilter(tag: string | undefined): ((tag: string) => boolean) | undefined {
  return tag === undefined ? undefined : fnmatch(tag);
}

/** The runner that makes eauth tokens. */
const MAKES_TOKENS = "runner.auth.mk_token";

/**
 * An event's data without secrets: the runner that makes tokens has a password among its arguments and a token as its return,
 * and every listener would see both.
 */
export function withoutSecrets(data: Record<string, unknown>): Record<string, unknown> {
  if (data.fun !== MAKES_TOKENS) return data;
  const { return: made, fun_args: _, ...rest } = data;
  return { ...rest, fun_args: ["** hidden **"], ...(made === undefined ? {} : { return: "** hidden **" }) };
}
