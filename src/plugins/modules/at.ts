import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandNotFoundError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str, truthy } from "../../language/python/values.ts";
import { splitWords } from "../../language/python/text.ts";
import { programPath, run } from "../commands.ts";
import { keywords } from "../keywords.ts";
import { MONTH_NAMES } from "../../model/job/jid.ts";

/** A job that waits. */
interface AtJob {
  job: number;
  /** As 2026-11-21, and as 10:30:00. */
  date: string;
  time: string;
  queue: string;
  user: string;
  /** What stands in its first line, for Salt. */
  tag: string;
}

async function stdout(context: JobContext, program: string, words: string[] = []): Promise<string> {
  const path = programPath(context, program);
  if (path === undefined) throw new CommandNotFoundError(`${program}: command not found`);
  return str(await context.call("cmd.run_stdout", [[path, ...words]], { python_shell: false }));
}

const two = (text: string) => text.padStart(2, "0");

/** A line of atq: `7<TAB>Sat Nov 21 10:30:00 2026 a root`. */
function parseLine(line: string): Omit<AtJob, "tag"> | undefined {
  const [job = "", rest = ""] = line.split("\t");
  const [, month = "", day = "", time = "", year = "", queue = "", user = ""] = splitWords(rest);
  const number = MONTH_NAMES.indexOf(month) + 1;
  if (!/^\d+$/.test(job) || number === 0) return undefined;
  return {
    job: Number(job),
    date: `${year}-${two(String(number))}-${two(day)}`,
    time: `${time.slice(0, 5)}:00`,
    queue,
    user,
  };
}

/** Jobs that wait: all, or those of a tag or number. */
async function atq(context: JobContext, tag: unknown = null): Promise<{ jobs: AtJob[] }> {
  const redHat = context.grains.os_family === "RedHat";
  const text = redHat ? await stdout(context, "at", ["-l"]) : await stdout(context, "atq");
  const jobs: AtJob[] = [];
  for (const line of text.split("\n")) {
    const found = parseLine(line);
    if (found === undefined) continue;
    const script = await stdout(context, "at", ["-c", String(found.job)]);
    const own = /^### SALT: (\w+)/m.exec(script)?.[1] ?? "";
    if (!truthy(tag) || tag === own || str(tag) === String(found.job)) jobs.push({ ...found, tag: own });
  }
  return { jobs };
}

/** @throws {SaltInvocationError} if a job cannot have that tag */
export function checkTag(tag: unknown): void {
  if (tag === undefined || tag === null || /^\w+$/.test(str(tag))) return;
  throw new SaltInvocationError(`A tag has letters, digits and underscores only, not "${str(tag)}"`);
}

/** Jobs that at runs once. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "at") === undefined
      ? { unavailable: "The at module could not be loaded: at command not found" }
      : true,
  functions: executionFunctions({
    "atq(tag=None)": {
      doc: "Jobs that wait; with `tag` those of that tag or number.\n\n    salt '*' at.atq",
      run: (context, { tag }) => atq(context, tag),
    },
    "atrm(*args)": {
      doc:
        "Removes jobs by their numbers, or `all`, of a tag.\n\n    salt '*' at.atrm 7 8\n    salt '*' at.atrm all tag",
      async run(context, { args }): Promise<unknown> {
        if (args.length === 0) return { jobs: { removed: [], tag: null } };
        const [first, second] = args.map(str);
        const tag = first === "all" ? second ?? null : null;
        const { jobs } = await atq(context, tag);
        const numbers = jobs.map(({ job }) => String(job)).filter((job) =>
          first === "all" || args.map(str).includes(job)
        );
        if (numbers.length > 0) await stdout(context, "at", ["-d", ...numbers]);
        return { jobs: { removed: numbers, tag } };
      },
    },
    "at(*args, **kwargs)": {
      doc: "Adds a job: the time, then the command. `tag` names it, `runas` is its user.\n\n" +
        "    salt '*' at.at 12:05am '/sbin/reboot' tag=reboot",
      async run(context, { args, kwargs }): Promise<unknown> {
        if (args.length < 2) return { jobs: [] };
        const { tag, runas } = kwargs;
        const [when, ...command] = args.map(str);
        checkTag(tag);
        // `-` begins an option, and a file to read is one.
        if (when!.startsWith("-")) return { jobs: [], error: "invalid timespec" };
        const mark = "tag" in kwargs ? `### SALT: ${str(tag)}\n` : "";
        const said = await run(context, [programPath(context, "at")!, when!], {
          stdin: `${mark}${command.join(" ")}\n`,
          ...(truthy(runas) ? { runas } : {}),
        });
        if (said.trimEnd().endsWith("Garbled time")) return { jobs: [], error: "invalid timespec" };
        const number = /^job (\d+) /m.exec(said)?.[1];
        return number === undefined ? { jobs: [], error: said } : await atq(context, Number(number));
      },
    },
    "atc(jobid: str)": {
      doc: "The script of a job.\n\n    salt '*' at.atc 7",
      async run(context, { jobid }) {
        const text = await stdout(context, "at", ["-c", jobid]);
        return text === "" ? { error: `invalid job id '${jobid}'` } : text;
      },
    },
    /** Jobs that all conditions hold for. */
    "jobcheck(**kwargs)": {
      doc: "Jobs of a user, a tag or a time.\n\n    salt '*' at.jobcheck runas=jam day=13",
      async run(context, { kwargs }): Promise<unknown> {
        const wanted = keywords(kwargs, "runas", "tag", "hour", "minute", "day", "month", "year");
        if (Object.keys(wanted).length === 0) return { error: "You have given a condition" };
        const number = (value: unknown) => two(String(Number(value)));
        const year = truthy(wanted.year) && str(wanted.year).length === 2 ? `20${str(wanted.year)}` : wanted.year;
        const { jobs } = await atq(context);
        if (jobs.length === 0) return { jobs };
        const found = jobs.filter(({ user, tag, date, time }) =>
          (!truthy(wanted.runas) || wanted.runas === user) &&
          (!truthy(wanted.tag) || wanted.tag === tag) &&
          (!truthy(wanted.hour) || number(wanted.hour) === time.split(":")[0]) &&
          (!truthy(wanted.minute) || number(wanted.minute) === time.split(":")[1]) &&
          (!truthy(wanted.day) || number(wanted.day) === date.split("-")[2]) &&
          (!truthy(wanted.month) || number(wanted.month) === date.split("-")[1]) &&
          (!truthy(year) || str(year) === date.split("-")[0])
        );
        return found.length > 0 ? { jobs: found } : { jobs: found, note: "No match jobs or time format error" };
      },
    },
  }),
};
