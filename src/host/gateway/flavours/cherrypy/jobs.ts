/** `/`, `/run`, `/minions`, `/jobs` and `/token`: commands and their returns. */
import { entriesOf, isMap } from "../../../../language/python/values.ts";
import { CLIENT_NAMES } from "../../commands/clients.ts";
import { type Low, lowstates } from "../../commands/lowstate.ts";
import { runLowstates } from "../../commands/run_lowstate.ts";
import type { Call } from "../../requests/call.ts";
import type { Answer } from "../../requests/route.ts";
import { HttpError } from "../../wire/errors.ts";
import { fieldOf } from "../../wire/json.ts";

/**
 * A page of the return of `jobs.list_jobs`: the latest `?limit=` jobs that started before `?before=`. Without both
 * parameters, the whole return unchanged.
 *
 * @throws {HttpError} 400
 */
function pageOfJobs(jobs: unknown, query: URLSearchParams): unknown {
  const [limit, before] = [query.get("limit"), query.get("before")];
  if ((limit === null && before === null) || !isMap(jobs)) return jobs;
  const most = limit === null ? Infinity : Number(limit);
  if (!(most >= 1) || (limit !== null && !Number.isInteger(most))) {
    throw new HttpError(400, "limit is not a number of jobs");
  }
  if (before !== null && !/^\d{20}(?:_\d+)?$/.test(before)) throw new HttpError(400, "before is not a job id");
  const rows = entriesOf(jobs).filter(([jid]) => before === null || String(jid) < before)
    .sort(([a], [b]) => String(a) < String(b) ? 1 : -1);
  return new Map(rows.slice(0, most === Infinity ? undefined : most));
}

export const welcome = (): Answer => ({ value: { return: "Welcome", clients: CLIENT_NAMES } });

/** `POST /`: runs commands with the session's token. */
export async function run(call: Call): Promise<Answer> {
  return { value: { return: await runLowstates(call, lowstates(call.body.data)) } };
}

/** `POST /run`: runs commands with the credentials in the body; cookie and header are ignored. */
export async function runWithCredentials(call: Call): Promise<Answer> {
  call.identity = undefined;
  return await run(call);
}

export async function grainsOfMinions(call: Call): Promise<Answer> {
  const tgt = call.params.mid ?? call.query.get("mid") ?? "*";
  return { value: { return: await runLowstates(call, [{ client: "local", tgt, fun: "grains.items" }]) } };
}

/** `POST /minions`: starts jobs and does not wait. */
export async function startJobs(call: Call): Promise<Answer> {
  const jobs = await runLowstates(call, lowstates(call.body.data), { client: "local_async" });
  call.status = 202;
  const links = jobs.filter((job) => fieldOf(job, "jid") !== undefined)
    .map((job) => ({ href: `/jobs/${fieldOf(job, "jid")}` }));
  return { value: { return: jobs, _links: { jobs: links } } };
}

/** `GET /jobs` lists jobs, `GET /jobs/<jid>` shows one of them with its returns. */
export async function jobs(call: Call): Promise<Answer> {
  const jid = call.params.jid ?? call.query.get("jid") ?? undefined;
  const timeout = call.query.get("timeout") ?? "";
  const low: Low = { client: "runner", fun: jid === undefined ? "jobs.list_jobs" : "jobs.list_job" };
  if (jid !== undefined) low.jid = jid;
  if (/^\d+$/.test(timeout)) low.timeout = Number(timeout);
  const [found] = await runLowstates(call, [low]);
  if (jid === undefined) return { value: { return: [pageOfJobs(found, call.query)] } };
  const result = fieldOf(found, "Result");
  const returns = isMap(result) ? entriesOf(result) : [];
  const values = returns.map(([id, value]) => [id, fieldOf(value, "return") ?? null] as const);
  return { value: { info: [found], return: [Object.fromEntries(values)] } };
}

/** `POST /token`: makes eauth tokens for `/run`. */
export async function makeTokens(call: Call): Promise<Answer> {
  call.identity = undefined;
  const lows = lowstates(call.body.data).map((low) => {
    const { username, password, eauth } = low;
    if (username === undefined || password === undefined || eauth === undefined) {
      throw new HttpError(400, 'Require "username", "password", and "eauth" params');
    }
    const kwarg = { username, password, eauth };
    return { ...kwarg, client: "runner", fun: "auth.mk_token", kwarg };
  });
  return { value: await runLowstates(call, lows) };
}
