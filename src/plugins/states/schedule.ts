import { equal, fieldsOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { type StateContext, stateFunction, type StateModule, type StateReturn } from "../../model/loader/states.ts";
import { ownKeywords } from "../keywords.ts";

type Fields = Record<string, unknown>;

/** What a function of the execution module says of a change. */
interface Answer {
  result?: unknown;
  comment?: unknown;
  changes?: unknown;
}

async function scheduleOf(context: StateContext, offline: unknown): Promise<Fields> {
  const asked = { show_all: true, return_yaml: false, ...(offline === undefined ? {} : { offline }) };
  return fieldsOf(await context.call("schedule.list", [], asked));
}

/** Calls a function that changes something; in a dry run it only says what it would do. */
async function change(context: StateContext, fun: string, name: string, given: Fields): Promise<Answer> {
  return await context.call(`schedule.${fun}`, [name], context.test ? { ...given, test: true } : given) as Answer;
}

const answer = (name: string, comment: unknown, changes: unknown = {}, result = true): StateReturn => ({
  name,
  result,
  changes: fieldsOf(changes),
  comment: Array.isArray(comment) ? comment.map(str) : str(comment),
});

/** The return for what a function said, in the words of the state unless it failed or this is a dry run. */
function told(context: StateContext, name: string, said: Answer, done: string, changes: unknown): StateReturn {
  if (!truthy(said.result ?? false)) return answer(name, said.comment, {}, false);
  return answer(name, context.test ? said.comment : done, changes);
}

async function present(context: StateContext, name: string, given: Fields): Promise<StateReturn> {
  const schedule = await scheduleOf(context, given.offline ?? null);
  const now = Object.hasOwn(schedule, name) ? schedule[name] : undefined;
  if (now === undefined) {
    const said = await change(context, "add", name, given);
    return told(context, name, said, `Adding new job ${name} to schedule`, context.test ? {} : said.changes);
  }
  const wanted = await context.call("schedule.build_schedule_item", [name], given);
  if (isMap(wanted) && lookup(wanted, "result") === false) return answer(name, lookup(wanted, "comment"), {}, false);
  if (equal(wanted, now)) return answer(name, `Job ${name} in correct state`);
  const said = await change(context, "modify", name, given);
  return told(context, name, said, `Modifying job ${name} in schedule`, said.changes);
}

async function absent(context: StateContext, name: string, given: Fields): Promise<StateReturn> {
  if (!Object.hasOwn(await scheduleOf(context, given.offline ?? null), name)) return notThere(name);
  const said = await change(context, "delete", name, given);
  return told(context, name, said, `Removed job ${name} from schedule`, context.test ? {} : said.changes);
}

/** Of a job that is not there: enabled and disabled take it as done, as Salt does. */
const notThere = (name: string) => answer(name, `Job ${name} not present in schedule`);

const switched = (fun: string, done: string) => async (context: StateContext, name: string, given: Fields) => {
  if (!Object.hasOwn(await scheduleOf(context, given.offline), name)) return notThere(name);
  return told(context, name, await change(context, fun, name, given), `${done} job ${name} from schedule`, {});
};

const state = (doc: string, run: (context: StateContext, name: string, given: Fields) => Promise<StateReturn>) =>
  stateFunction({
    signature: "name: str, **kwargs",
    doc,
    run: (context, { name, kwargs }) => run(context, name, ownKeywords(kwargs)),
  });

/** Jobs that the minion runs by time. */
export const states: StateModule = {
  functions: {
    present: state(
      "Makes the schedule have a job: `function`, `job_args`, `job_kwargs`, `seconds`, `minutes`, `hours`, `days`, `when`, `cron`, " +
        "`once` and the other fields of schedule.add. `persist: False`: not after a restart. `offline: True`: of a minion that does " +
        "not run.",
      present,
    ),
    absent: state("Makes the schedule have no such job. `persist`, `offline`.", absent),
    enabled: state("Makes a job enabled. `persist`.", switched("enable_job", "Enabled")),
    disabled: state("Makes a job disabled. `persist`.", switched("disable_job", "Disabled")),
  },
};
