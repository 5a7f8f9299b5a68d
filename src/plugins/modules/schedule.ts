import { includedFile } from "../../model/config/glob_paths.ts";
import { messageOf } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { type Args, fieldsOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { dump } from "../../language/yaml/dump.ts";
import { askSchedule, current, type Fields, listedSchedule, tell } from "./schedule/ask.ts";
import { buildItem } from "./schedule/item.ts";
import { addJob, modify, purge, removeJob, runScheduled, send, switchAll, switchJob } from "./schedule/jobs.ts";
import { jobStatus, nextFireTime, SCHEDULE_TIME, shift } from "./schedule/times.ts";
import { ownKeywords } from "../keywords.ts";

const givenOf = ({ kwargs }: Args): Fields => ownKeywords(kwargs);

const nameOf = ({ name }: Args) => truthy(name) ? str(name) : "";

/** A function about one job, with what it needs to say of it. */
const ofJob = <R>(
  what: string,
  signature: string,
  example: string,
  run: (context: JobContext, name: string, args: Args, given: Fields) => R,
) =>
  executionFunction({
    signature,
    doc: `${what}\n\n    salt '*' schedule.${example}`,
    run: (context, args) =>
      truthy(args.name)
        ? run(context, nameOf(args), args, args.kwargs === undefined ? {} : givenOf(args))
        : { comment: "Job name is required.", result: false },
  });

/** The jobs that the minion runs by time. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "list(show_all: bool=False, show_disabled: bool=True, where=None, return_yaml: bool=True, offline=False)": {
      doc:
        "The jobs of the schedule, as YAML or a map. `show_all`: those that the minion has by itself, too. `where`: `opts` " +
        "or `pillar` alone. `offline`: what was saved, of a minion that does not run.\n\n    salt '*' schedule.list",
      async run(context, args): Promise<unknown> {
        const { show_all, show_disabled, where, return_yaml, offline } = args;
        const { schedule, saved } = await listedSchedule(context, {
          showAll: show_all,
          showDisabled: show_disabled,
          where,
          offline,
        });
        if (!return_yaml) return schedule;
        const marked = Object.entries(schedule).map(([name, job]) =>
          [
            name,
            isMap(job) ? { ...fieldsOf(job), saved: Object.hasOwn(saved, name) } : job,
          ] as const
        );
        return dump({ schedule: Object.fromEntries(marked) }, { flow: false });
      },
    },
    "is_enabled(name=None)": {
      doc: "One job, or whether the schedule is enabled.\n\n    salt '*' schedule.is_enabled name=nightly",
      async run(context, { name }): Promise<unknown> {
        const schedule = await current(context, { showAll: false });
        if (!truthy(name)) return schedule.enabled ?? true;
        return Object.hasOwn(schedule, str(name)) ? schedule[str(name)] : {};
      },
    },
    "purge(**kwargs)": {
      doc: "Deletes all jobs. `test`, `persist`, `offline`.\n\n    salt '*' schedule.purge",
      run: (context, args) => purge(context, givenOf(args)),
    },
    delete: ofJob(
      "Deletes a job. `test`, `persist`, `offline`.",
      "name, **kwargs",
      "delete nightly",
      (context, name, _args, given) => removeJob(context, name, given),
    ),
    "build_schedule_item(name, **kwargs)": {
      doc: "The entry that schedule.add would add.\n\n    salt '*' schedule.build_schedule_item nightly " +
        "function=state.apply hours=24",
      run: (_context, args) => buildItem(args.name, givenOf(args)),
    },
    add: ofJob(
      "Adds a job: `function`, `job_args`, `job_kwargs`, when it runs (`seconds`, `minutes`, `hours`, `days`, `when`, `cron`, " +
        "`once`) and the other fields of an entry. `test`, `persist`, `offline`.",
      "name, **kwargs",
      "add nightly function=state.apply cron='30 2 * * *'",
      (context, name, _args, given) => addJob(context, name, given),
    ),
    modify: ofJob(
      "Replaces a job by one of these arguments, as in schedule.add. `test`, `persist`, `offline`.",
      "name, **kwargs",
      "modify nightly function=state.apply cron='30 3 * * *'",
      (context, name, _args, given) => modify(context, name, given),
    ),
    run_job: ofJob(
      "Runs a job now; with `force` one that is disabled, too.",
      "name, force=False",
      "run_job nightly",
      (context, name, { force }) => runScheduled(context, name, force),
    ),
    enable_job: ofJob(
      "Enables a job.",
      "name, **kwargs",
      "enable_job nightly",
      (context, name, _args, given) =>
        switchJob(context, name, given, { on: true, isTest: truthy(context.opts.test ?? false) }),
    ),
    disable_job: ofJob(
      "Disables a job. `test`.",
      "name, **kwargs",
      "disable_job nightly",
      (context, name, _args, given) =>
        switchJob(context, name, given, { on: false, isTest: truthy(given.test ?? false) }),
    ),
    "save(**kwargs)": {
      doc: "Writes the schedule, without what is of the pillar, for the next start.\n\n    salt '*' schedule.save",
      async run(context, args): Promise<Fields> {
        if (truthy(givenOf(args).test ?? false)) return { comment: "Schedule would be saved.", result: true };
        return await askSchedule(context, { func: "save_schedule" }, "saved") === undefined
          ? { comment: "Failed to save schedule.", result: false }
          : { comment: "Schedule (non-pillar items) saved.", result: true };
      },
    },
    "enable(**kwargs)": {
      doc: "Enables the schedule. `test`, `persist`.\n\n    salt '*' schedule.enable",
      run: (context, args) => switchAll(context, givenOf(args), true),
    },
    "disable(**kwargs)": {
      doc: "Disables the schedule. `test`, `persist`.\n\n    salt '*' schedule.disable",
      run: (context, args) => switchAll(context, givenOf(args), false),
    },
    /** Reads `schedule.conf` beside the saved schedule, which an operator has put there. */
    "reload()": {
      doc: "Reads `schedule.conf` beside the minion's included configuration, and the pillar.\n\n" +
        "    salt '*' schedule.reload",
      async run(context): Promise<Fields> {
        const comment: string[] = [];
        let result = true;
        const { runtime: { fs }, opts, pillar, master } = context;
        if (Object.hasOwn(pillar, "schedule")) {
          master?.fireLocal("pillar_refresh", {});
          comment.push("Reloaded schedule from pillar on minion.");
        }
        const path = includedFile(opts, "schedule.conf");
        if (path === undefined || fs.stat(path)?.kind !== "file") return { comment, result };
        const { parseYaml } = await import("../../language/yaml/document.ts");
        let saved: unknown;
        try {
          saved = parseYaml(fs.readText(path)).value;
        } catch (error) {
          comment.push(`Unable to read existing schedule file: ${messageOf(error)}`);
        }
        if (isMap(saved) && truthy(lookup(saved, "schedule") ?? null)) {
          tell(context, { func: "reload", schedule: saved });
          comment.push("Reloaded schedule on minion from schedule.conf.");
        } else {
          result = false;
          comment.push("Failed to reload schedule on minion.  Saved file is empty or invalid.");
        }
        return { comment, result };
      },
    },
    move: ofJob(
      "Moves a job to other minions.",
      "name, target, **kwargs",
      "move nightly web2",
      (context, name, { target }, given) =>
        send(context, name, target, given, { past: "moved", done: `Moved Job ${name} from schedule.`, isMoved: true }),
    ),
    copy: ofJob(
      "Copies a job to other minions.",
      "name, target, **kwargs",
      "copy nightly web2",
      (context, name, { target }, given) =>
        send(context, name, target, given, {
          past: "copied",
          done: `Copied Job ${name} from schedule to minion(s).`,
          isMoved: false,
        }),
    ),
    postpone_job: ofJob(
      `Skips a job at a time and runs it at another. \`time_fmt\`: their format, \`${SCHEDULE_TIME}\` by default.`,
      "name, current_time, new_time, **kwargs",
      "postpone_job nightly 2026-03-02T02:30:00 2026-03-02T06:30:00",
      postpone,
    ),
    skip_job: ofJob(
      `Skips a job at a time. \`time_fmt\`: its format, \`${SCHEDULE_TIME}\` by default.`,
      "name, current_time, **kwargs",
      "skip_job nightly 2026-03-02T02:30:00",
      skip,
    ),
    show_next_fire_time: ofJob(
      "When a job runs next.",
      "name, **kwargs",
      "show_next_fire_time nightly",
      (context, name) => nextFireTime(context, name),
    ),
    [`job_status(name: str, time_fmt='${SCHEDULE_TIME}')` as const]: {
      doc: "A job with all that the scheduler knows of it.\n\n    salt '*' schedule.job_status nightly",
      run: (context, { name, time_fmt }) => jobStatus(context, name, str(time_fmt)),
    },
  }),
};

function postpone(context: JobContext, name: string, args: Args, { time_fmt }: Fields): unknown {
  const { current_time, new_time } = args;
  if (!truthy(current_time)) return { comment: "Job current time is required.", result: false };
  if (!truthy(new_time)) return { comment: "Job new_time is required.", result: false };
  return shift(context, name, { time: current_time, new_time, time_fmt }, {
    func: "postpone_job",
    would: "postponed",
    done: `Postponed Job ${name} in schedule.`,
    failed: `Failed to postpone job ${name} in schedule.`,
  });
}

function skip(context: JobContext, name: string, args: Args, { time_fmt }: Fields): unknown {
  return shift(context, name, { time: args.current_time, time_fmt }, {
    func: "skip_job",
    would: "skipped",
    done: `Added Skip Job ${name} in schedule.`,
    failed: `Failed to skip job ${name} in schedule.`,
  });
}
