import type { Call } from "../requests/call.ts";
import { checkScope, lowContext } from "./commands.ts";
import { HttpError } from "../wire/errors.ts";
import { type Low, lowstates, publication } from "./lowstate.ts";
import type { Answer } from "../requests/route.ts";

/**
 * Whom commands would be published for: the master expands each target and asks whether this user may, as it does for a job.
 * Answers `{return: [{minions, missing}, …]}`, one for each command; 501 where the master is Salt's own.
 */
export async function previewOf(call: Call): Promise<Answer> {
  const { identity, body } = call;
  const context = lowContext(call);
  if (!["local", "local_async"].some((client) => context.settings.clients.has(client))) {
    throw new HttpError(400, "No jobs are published here: neither local nor local_async is in netapi_enable_clients");
  }
  const results: unknown[] = [];
  for (const low of lowstates(body.data)) {
    const whole: Low = { fun: "test.ping", ...low, client: "local_async", token: identity?.record.token };
    checkScope(identity, whole);
    const found = await context.backend.preview(publication(whole, context));
    if (found === undefined) {
      throw new HttpError(501, "The master cannot be asked whom a target means: it is Salt's own");
    }
    results.push(found);
  }
  return { value: { return: results } };
}
