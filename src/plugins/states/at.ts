import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { needs, outcome, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { checkTag } from "../modules/at.ts";
import { ownKeywords } from "../keywords.ts";

interface Jobs {
  jobs: Record<string, unknown>[];
  error?: unknown;
}

async function present(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, timespec, tag, user, unique_tag } = args;
  const job = truthy(args.job) ? args.job : name;
  const added = `job ${str(job)} added and will run`;
  checkTag(tag);
  if (str(timespec).startsWith("-")) return outcome(name, false, "invalid timespec");
  if (context.test) return outcome(name, null, `${added} on ${str(timespec)}`);
  if (truthy(unique_tag)) {
    if (!truthy(tag)) return outcome(name, false, "no tag provided and unique_tag is set to True");
    const { jobs } = await context.call("at.jobcheck", [], { tag }) as Jobs;
    if (jobs.length > 0) return outcome(name, true, `atleast one job with tag ${str(tag)} exists.`);
  }
  if (truthy(user) && !truthy(await context.call("user.info", [user]))) {
    return outcome(name, false, `user ${str(user)} does not exists`);
  }
  const options = truthy(user) ? { tag, runas: user } : { tag };
  const done = await context.call("at.at", [timespec, job], options) as Jobs;
  const changes = done.jobs?.[0] ?? {};
  if (done.error !== undefined) return outcome(name, false, str(done.error), changes);
  return outcome(name, true, `${added}${truthy(user) ? ` as ${str(user)}` : ""} on ${str(timespec)}`, changes);
}

interface Removed {
  jobs: { removed: unknown[] };
}

async function removeOne(context: StateContext, name: unknown, jobid: unknown): Promise<StateReturn | undefined> {
  const { jobs } = await context.call("at.atq", [jobid]) as Jobs;
  if (jobs.length === 0) return outcome(name, true, `job with id ${str(jobid)} not present`);
  if (jobs.length > 1) return outcome(name, false, `more than one job was return for job with id ${str(jobid)}`);
  if (!truthy(jobs[0]!.job)) return undefined;
  const { removed } = (await context.call("at.atrm", [jobid]) as Removed).jobs;
  const gone = removed.map(str).includes(str(jobid));
  const comment = gone ? `job with id ${str(jobid)} was removed` : `failed to remove job with id ${str(jobid)}`;
  return outcome(name, gone, comment, { removed });
}

const JOB = "name, timespec, tag=None, user=None, job=None, unique_tag=False";

/** Jobs that at runs once. */
export const states: StateModule = {
  virtual: needs("at.at", "at module could not be loaded"),
  functions: stateFunctions({
    [`present(${JOB})` as const]: { doc: "The command is added, to be run at that time.", run: present },
    "absent(name, jobid=None, **kwargs)": {
      doc: "No such job waits: of that number, tag, user or time, or of any.",
      async run(context, { name, jobid, kwargs }) {
        const wanted = ownKeywords(kwargs);
        if ("limit" in kwargs) return outcome(name, false, `limit parameter not supported ${str(name)}`);
        if (context.test) return outcome(name, null, "removed ? job(s)");
        if (truthy(jobid)) {
          const one = await removeOne(context, name, jobid);
          if (one !== undefined) return one;
        }
        let which: unknown[] = ["all"];
        if (truthy(wanted)) {
          const { jobs } = await context.call("at.jobcheck", [], wanted) as Jobs;
          which = jobs.map(({ job }) => str(job));
        }
        const { removed } = (await context.call("at.atrm", which) as Removed).jobs;
        return outcome(name, true, `removed ${removed.length} job(s)`, removed.length > 0 ? { removed } : {});
      },
    },
    [`watch(${JOB})` as const]: {
      doc: "The command is added when a state that this one watches has changed something.",
      run: (_context, { name }) => outcome(name, true, ""),
    },
    "mod_watch(name, timespec=None, tag=None, user=None, job=None, unique_tag=False, sfun=None, **kwargs)": {
      doc: "Adds the job of `at.watch`.",
      run: (context, args) => args.sfun === "watch" ? present(context, args) : outcome(args.name, false, ""),
    },
  }),
};
