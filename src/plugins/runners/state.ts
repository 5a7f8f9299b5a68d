import { runnerFunctions, type RunnerModule, SaltInvocationError } from "../../model/loader/family.ts";
import { printable } from "../../base/printable.ts";
import { encodeBase64 } from "../../language/python/binascii.ts";
import { entriesOf, isMap, repr, str, truthy } from "../../language/python/values.ts";
import { matchExpression } from "../../model/target/expression.ts";
import { PatternCache } from "../../model/target/patterns.ts";
import { textOf } from "../bytes.ts";
import { jsonOutput } from "../outputters/json.ts";
import { control, high, ORCHESTRATE, PAUSE, RESUME, SHOW_SLS, single } from "./state/orchestrate.ts";

/** Values as JSON has them: bytes are text if they can be, base64 otherwise. */
function shown(value: unknown): unknown {
  if (value instanceof Uint8Array) return textOf(value) ?? encodeBase64(value);
  if (Array.isArray(value)) return value.map(shown);
  if (isMap(value)) return new Map(entriesOf(value).map(([key, item]) => [shown(key), shown(item)]));
  return value;
}

// Control characters that JSON does not escape: the sender of an event chooses its texts.
const CONTROLS = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

function line(tag: string, data: unknown, pretty: boolean): string {
  const text = jsonOutput(shown(data), { output_indent: pretty ? "pretty" : null });
  return `${printable(tag)}\t${text.replace(CONTROLS, escaped)}`;
}

export const runner: RunnerModule = {
  functions: runnerFunctions({
    orchestrate: ORCHESTRATE,
    orch: { ...ORCHESTRATE, doc: "The same as state.orchestrate." },
    sls: { ...ORCHESTRATE, doc: "The same as state.orchestrate." },
    orchestrate_single: single,
    orchestrate_high: high,
    orchestrate_show_sls: SHOW_SLS,
    orch_show_sls: { ...SHOW_SLS, doc: "The same as state.orchestrate_show_sls." },
    pause: PAUSE,
    set_pause: { ...PAUSE, doc: "The same as state.pause." },
    resume: RESUME,
    rm_pause: { ...RESUME, doc: "The same as state.resume." },
    "soft_kill(jid, state_id=None)": {
      doc: "Has an orchestration end before the state of this id, or before the next one.\n\n" +
        "    salt-run state.soft_kill 20260101120000000000 deploy",
      run: (context, { jid, state_id }) => control(context, "soft_kill", [jid, state_id]),
    },
    /** Shows events until so many have come; with a negative count for ever. */
    "event(tagmatch='*', count=-1, quiet: bool=False, sock_dir=None, pretty: bool=False, node='master')": {
      doc: "Shows the events of the bus as they come: the tag, a tab, and the data as JSON.\n\n" +
        "    salt-run state.event 'salt/minion/web1/start' count=1 quiet=True\n" +
        "    salt-run state.event 'salt/job/*/ret/*' | while read -r tag data; do echo \"$data\" | jq .return; done\n\n" +
        "tagmatch: a glob or a regular expression. count: how many to wait for; -1 for no end. quiet: only wait.\n" +
        "pretty: JSON over several lines. node: the bus of the master or of a minion on this host. sock_dir: where its\n" +
        "sockets are. A bus that is not there is waited for; a runner that the master runs waits an hour at most.",
      async run(context, args): Promise<null> {
        const pattern = str(args.tagmatch);
        const patterns = new PatternCache();
        if (typeof args.count !== "number") {
          throw new SaltInvocationError(`count must be a number of events, or -1 for no end, not ${repr(args.count)}`);
        }
        const choice = {
          node: args.node === "master" ? "master" as const : "minion" as const,
          sockDir: truthy(args.sock_dir) ? str(args.sock_dir) : undefined,
        };
        let left = args.count;
        for await (const { tag, data } of context.events(choice, (tag) => matchExpression(tag, pattern, patterns))) {
          if (!args.quiet) context.write(line(tag, data, args.pretty));
          if (left > 0) left--;
          if (left === 0) break;
        }
        return null;
      },
    },
  }),
};
