import { type StateContext, stateFunctions, type StateModule, type StateReturn } from "../../model/loader/states.ts";
import { translateRegexp } from "../../language/python/regexp.ts";
import { type Args, repr, str, truthy } from "../../language/python/values.ts";
import { ownKeywords } from "../keywords.ts";

type Finding = [found: boolean, words: string];

function findText(match: unknown, type: unknown, text: string): Finding[] {
  if (type === "pcre") {
    const found = translateRegexp(str(match)).test(text);
    return [[found, `Match pattern "${str(match)}" was ${found ? "" : "not "}found.`]];
  }
  if (type !== "string") return [];
  const found = text.includes(str(match));
  return [[found, `Match text "${str(match)}" was ${found ? "" : "not "}found.`]];
}

function findStatus(status: unknown, type: unknown, actual: string): Finding[] {
  if (type === "list") {
    const found = (status as unknown[]).filter((one) => str(one) === actual);
    return found.length > 0
      ? found.map((one): Finding => [true, `Status ${str(one)} was found.`])
      : [[false, `Statuses ${repr(status)} were not found.`]];
  }
  if (type !== "pcre" && type !== "string") return [];
  const found = type === "pcre" ? translateRegexp(str(status)).test(actual) : str(status) === actual;
  const word = type === "pcre" ? `Status pattern "${str(status)}"` : `Status ${str(status)}`;
  return [[found, `${word} was ${found ? "" : "not "}found.`]];
}

async function query(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, match, match_type, status, status_type, wait_for, kwargs } = args;
  const ret: StateReturn = { name, result: null, comment: "", changes: {}, data: {} };
  if (match === null && status === null) {
    const comment = " Either match text (match) or a status code (status) is required.";
    return { ...ret, result: false, comment };
  }
  const given: Record<string, unknown> = { decode: false, ...ownKeywords(kwargs) };
  const options = { ...given, text: true, status: true, ...(context.test ? { test: true } : {}) };
  const data =
    (truthy(wait_for)
      ? await context.call("http.wait_for_successful_query", [name], { wait_for, ...options })
      : await context.call("http.query", [name], options)) as { text?: unknown; status?: unknown };
  const findings = [
    ...(match === null ? [] : findText(match, match_type, str(data.text ?? ""))),
    ...(status === null ? [] : findStatus(status, status_type, str(data.status ?? ""))),
  ];
  ret.result = findings.length === 0 ? null : findings.every(([found]) => found);
  ret.comment = findings.map(([, words]) => words).join(" ");
  if (context.test) {
    ret.result = null;
    ret.comment += ` (TEST MODE${"test_url" in given ? `, TEST URL WAS: ${str(given.test_url)}` : ""})`;
  }
  return { ...ret, data };
}

/** Answers of web servers. */
export const states: StateModule = {
  functions: stateFunctions({
    "query(name, match=None, match_type='string', status=None, status_type='string', wait_for=None, **kwargs)": {
      doc: "The answer from that address has a text, or a status.",
      run: query,
    },
    /** Asks again until the answer is right, or the time is over. */
    "wait_for_successful_query(name, wait_for=300, **kwargs)": {
      doc: "The same, within so many seconds.",
      async run(context, args) {
        const { clock } = context.runtime;
        const { name, wait_for: seconds, kwargs } = args;
        const { match = null, match_type = "string", status = null, status_type = "string", ...more } = kwargs;
        const until = clock.now() + Number(seconds) * 1000;
        const pauseMs = Number(kwargs.request_interval ?? 1) * 1000;
        for (;;) {
          context.signal.throwIfAborted();
          try {
            const asked = { name, match, match_type, status, status_type, wait_for: null, kwargs: more };
            const ret = await query(context, asked);
            if (ret.result === true || clock.now() > until) return ret;
          } catch (error) {
            if (clock.now() > until) throw error;
          }
          await clock.sleep(pauseMs);
        }
      },
    },
  }),
};
