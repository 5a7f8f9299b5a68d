import type { Call } from "../requests/call.ts";
import { checkScope } from "../auth/api_keys.ts";
import { HttpError } from "../wire/errors.ts";
import { type Low, lowContext, lowstates } from "./lowstate.ts";
import { publication } from "./publication.ts";
import type { Answer } from "../requests/route.ts";

/**
 * `POST /preview`: the minions that commands would be published for. The master expands each target and checks the user's
 * permissions as it does for a job. Answers `{return: [{minions, missing}, …]}`, one for each command.
 *
 * @throws {HttpError} 501 if the master is Salt
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
      throw new HttpError(501, "A Salt master cannot preview the minions of a target");
    }
    results.push(found);
  }
  return { value: { return: results } };
}
