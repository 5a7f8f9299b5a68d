import { messageOf } from "../../base/errors.ts";
import { hex } from "../../protocol/crypto/hex.ts";
import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { needs, outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { type CronJob, type CronTable, isMeant, type Special, TIMES } from "../modules/cron/table.ts";
import { fails } from "./outcome.ts";
import { ownKeywords } from "../keywords.ts";

type Status = "absent" | "present" | "update";

const text = (value: unknown): string | undefined => value === null || value === undefined ? undefined : str(value);

/** True if an entry is not as wanted; what is not said is as it shall be, and `random` may be anything but `*`. */
function differs(now: unknown, wanted: string | boolean | undefined): boolean {
  if (wanted === undefined || (now ?? undefined) === wanted) return false;
  return wanted === "random" ? now === "*" : true;
}

async function tableOf(context: StateContext, user: unknown): Promise<CronTable> {
  return await context.call("cron.list_tab", [user]) as CronTable;
}

/** How the entry stands that is meant. */
async function statusOf(context: StateContext, args: Args, name: string): Promise<Status> {
  const { user, special } = args;
  const identifier = text(args.identifier);
  const table = await tableOf(context, user);
  const entries: (CronJob | Special)[] = (special ?? null) === null ? table.crons : table.special;
  const entry = entries.find((one) => isMeant(one, name, identifier)) as Record<string, unknown> | undefined;
  if (entry === undefined) return "absent";
  const wanted: Record<string, string | boolean | undefined> = {
    identifier,
    cmd: name,
    comment: text(args.comment),
    commented: args.commented === undefined ? undefined : args.commented === true,
    ...((special ?? null) === null
      ? Object.fromEntries(TIMES.map((time) => [time, text(args[time])?.toLowerCase()]))
      : { spec: text(special) }),
  };
  return Object.entries(wanted).some(([field, value]) => differs(entry[field], value)) ? "update" : "present";
}

function told(name: unknown, user: unknown, subject: string, answer: unknown): StateReturn {
  const changes = { [str(user)]: name };
  if (answer === "present") return outcome(name, true, `${subject} already present`);
  if (answer === "absent") return outcome(name, true, `${subject} already absent`);
  if (answer === "new") return outcome(name, true, `${subject} added to ${str(user)}'s crontab`, changes);
  if (answer === "updated") return outcome(name, true, `${subject} updated`, changes);
  if (answer === "removed") return outcome(name, true, `${subject} removed from ${str(user)}'s crontab`, changes);
  return outcome(name, false, `${subject} for user ${str(user)} failed to commit with error \n${str(answer)}`);
}

function predictedPresent(name: unknown, subject: string, status: Status): StateReturn {
  if (status === "present") return outcome(name, true, `${subject} already present`);
  return outcome(name, null, `${subject} is set to be ${status === "absent" ? "added" : "updated"}`);
}

const predictedAbsent = (name: string, subject: string, status: Status): StateReturn =>
  status === "absent"
    ? outcome(name, true, `${subject} is absent`)
    : outcome(name, null, `${subject} is set to be removed`);

/** The words for a failure to remove have no line feed. */
const removed = (ret: StateReturn): StateReturn => ({
  ...ret,
  comment: str(ret.comment).replace("error \n", "error "),
});

const named = (args: Args): [string, Args] => {
  const name = str(args.name).trim();
  return [name, { ...args, identifier: args.identifier === false ? name : args.identifier }];
};

async function variable(context: StateContext, user: unknown, name: string, value: unknown): Promise<Status> {
  const found = (await tableOf(context, user)).env.find((one) => one.name === name);
  if (found === undefined) return "absent";
  return found.value === (value ?? "") ? "present" : "update";
}

/** Runs `use` with a copy of a user's table in a file that only we may read. */
async function withCopy(
  context: StateContext,
  user: unknown,
  use: (path: string, isEmpty: boolean) => Promise<StateReturn>,
): Promise<StateReturn> {
  const { crypto, fs } = context.runtime;
  const directory = str(context.opts.cachedir ?? "/var/cache/salt/minion");
  const path = `${directory}/crontab-${hex(crypto.randomBytes(8))}`;
  const table = str(await context.call("cron.raw_cron", [user]));
  fs.mkdir(directory);
  fs.write(path, table.endsWith("\n") ? table : `${table}\n`, { how: "create", mode: 0o600 });
  try {
    return await use(path, table.trim() === "");
  } finally {
    fs.remove(path);
  }
}

async function install(context: StateContext, args: Args, path: string, group: string): Promise<StateReturn> {
  const { name, source_hash, source_hash_name, user, template, context: values, defaults, backup, kwargs } = args;
  const common = { name: path, user, group, mode: "0600", attrs: [], saltenv: context.saltenv };
  const rendering = { template, context: values, defaults, ...ownKeywords(kwargs) };
  if (context.test) {
    const wanted = { ...common, source: name, source_hash, source_hash_name, ...rendering };
    const [result, comment] = await context.call("file.check_managed", [], wanted) as [boolean | null, string];
    return outcome(name, result, comment);
  }
  const [source, hash] = await context.call("file.source_list", [name, source_hash, context.saltenv]) as unknown[];
  const unable = fails("Unable to manage file: ", messageOf);
  const fetched = { ...common, source, source_hash: hash, source_hash_name, skip_verify: false, ...rendering };
  const [sfn, sum, problem] = await context.call("file.get_managed", [], fetched).catch(unable) as unknown[];
  if (truthy(problem)) return outcome(name, false, str(problem));
  const managed = { ...common, sfn, ret: outcome(name, true, ""), source, source_sum: sum, backup };
  const ret = await context.call("file.manage_file", [], managed).catch(unable) as StateReturn;
  if (!("diff" in ret.changes)) {
    if (!truthy(ret.result)) return { ...ret, name };
    return outcome(name, true, `Crontab for user ${str(user)} is in the correct state`);
  }
  const written = await context.call("cron.write_cron_file_verbose", [user, path]) as {
    retcode: number;
    stderr: string;
  };
  return written.retcode === 0
    ? outcome(name, true, `Crontab for user ${str(user)} was updated`, ret.changes)
    : outcome(name, false, `Unable to update user ${str(user)} crontab ${path}. Error: ${written.stderr}`);
}

export const states: StateModule = {
  virtual: needs("cron.list_tab", "cron module could not be loaded"),
  functions: stateFunctions({
    present: stateFunction({
      signature: `name, user='root', minute='*', hour='*', daymonth='*', month='*', dayweek='*', comment=None,
        commented=False, identifier=False, special=None`,
      doc: "The command is in the user's table at these times, or at a special one such as @daily.",
      async run(context, given) {
        const [name, args] = named(given);
        const { user, special, comment, commented, identifier } = args;
        const subject = `Cron ${name}`;
        if (context.test) return predictedPresent(name, subject, await statusOf(context, args, name));
        const common = { user, cmd: name, comment, commented, identifier };
        const times = Object.fromEntries(TIMES.map((time) => [time, args[time]]));
        const answer = special === null
          ? await context.call("cron.set_job", [], { ...common, ...times })
          : await context.call("cron.set_special", [], { ...common, special });
        return told(name, user, subject, answer);
      },
    }),
    "absent(name, user='root', identifier=False, special=None, **kwargs)": {
      doc: "The command is not in the user's table.",
      async run(context, given) {
        const [name, args] = named(given);
        const { user, special, identifier } = args;
        const subject = `Cron ${name}`;
        if (context.test) {
          const status = await statusOf(context, { user, identifier, special }, name);
          return predictedAbsent(name, subject, status);
        }
        const answer = special === null
          ? await context.call("cron.rm_job", [user, name], { identifier })
          : await context.call("cron.rm_special", [user, name], { special, identifier });
        return removed(told(name, user, subject, answer));
      },
    },
    file: stateFunction({
      signature: `name, source_hash='', source_hash_name=None, user='root', template=None, context=None,
        replace: bool=True, defaults=None, backup='', **kwargs`,
      doc: "The user's table is that file.",
      async run(context, args) {
        const { name, user, replace } = args;
        const info = await context.call("user.info", [user]) as { groups?: string[] };
        const group = info.groups?.[0];
        if (group === undefined) return outcome(name, false, `Could not identify group for user ${str(user)}`);
        return await withCopy(context, user, async (path, isEmpty) => {
          if (!replace && !isEmpty) {
            return outcome(name, true, `User ${str(user)} already has a crontab. No changes made`);
          }
          return await install(context, args, path, group);
        });
      },
    }),
    "env_present(name, value=None, user='root')": {
      doc: "The variable is in the user's table, with that value.",
      async run(context, { name, value, user }) {
        const subject = `Cron env ${str(name)}`;
        if (context.test) return predictedPresent(name, subject, await variable(context, user, str(name), value));
        return told(name, user, subject, await context.call("cron.set_env", [user, name], { value }));
      },
    },
    "env_absent(name: str, user='root')": {
      doc: "The variable is not in the user's table.",
      async run(context, args) {
        const name = args.name.trim();
        const subject = `Cron env ${name}`;
        if (context.test) return predictedAbsent(name, subject, await variable(context, args.user, name, null));
        return removed(told(name, args.user, subject, await context.call("cron.rm_env", [args.user, name])));
      },
    },
  }),
};
