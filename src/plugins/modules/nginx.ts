import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions } from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { str } from "../../language/python/values.ts";
import { type CommandOutcome, programPath, runAll } from "../commands.ts";

const SIGNALS = ["start", "reopen", "stop", "quit", "reload"];

const pathOf = (context: JobContext): string => programPath(context, "nginx") ?? "nginx";

const nginx = (context: JobContext, ...words: string[]): Promise<CommandOutcome> =>
  runAll(context, [pathOf(context), ...words]);

/** nginx tells of itself on its standard error. */
const said = async (context: JobContext, ...words: string[]): Promise<string[]> => {
  const { stdout, stderr } = await nginx(context, ...words);
  return splitLines(stdout === "" ? stderr : `${stdout}\n${stderr}`);
};

async function send(context: JobContext, signal: string): Promise<string> {
  const words = signal === "start" ? [] : ["-s", signal];
  const { stdout, stderr } = await nginx(context, ...words);
  return stderr.trim() || stdout.trim() ||
    `Command: "${[pathOf(context), ...words].join(" ")}" completed successfully!`;
}

/** The page of the module stub_status: four lines. */
async function status(context: JobContext, url: string): Promise<Record<string, number> | null> {
  const { body, error } = await context.call("http.query", [url]) as Record<string, unknown>;
  if (error !== undefined && body === undefined) throw new CommandExecutionError(`Cannot read ${url}: ${str(error)}`);
  const lines = splitLines(str(body ?? ""));
  if (lines.length !== 4) return null;
  const [active, , requests, states] = lines.map(splitWords) as [string[], string[], string[], string[]];
  return {
    "active connections": Number(active[2]),
    accepted: Number(requests[0]),
    handled: Number(requests[1]),
    requests: Number(requests[2]),
    reading: Number(states[1]),
    writing: Number(states[3]),
    waiting: Number(states[5]),
  };
}

/** The web server nginx. */
export const module: ExecutionModule = {
  virtual: (context) =>
    programPath(context, "nginx") !== undefined ||
    { unavailable: "The nginx execution module cannot be loaded: nginx is not installed." },
  functions: executionFunctions({
    "version()": {
      doc: "The version of nginx.\n\n    salt '*' nginx.version",
      run: async (context) => (await said(context, "-v"))[0]?.replace(/^.*\//, "") ?? "",
    },
    "build_info()": {
      doc: "How nginx was built.\n\n    salt '*' nginx.build_info",
      async run(context): Promise<Record<string, string[]>> {
        const found: Record<string, string[]> = { info: [] };
        for (const line of await said(context, "-V")) {
          if (!line.startsWith("configure argument")) found.info!.push(line);
          else found["build arguments"] = (line.match(/[^\s]*'.*'|[^\s]+/g) ?? []).slice(2);
        }
        return found;
      },
    },
    "configtest()": {
      doc: "Whether the configuration is right.\n\n    salt '*' nginx.configtest",
      async run(context) {
        const { retcode, stderr } = await nginx(context, "-t");
        return retcode === 0
          ? { comment: "Syntax OK", stdout: stderr, result: true }
          : { comment: "Syntax Error", stderr, result: false };
      },
    },
    "signal(signal: str=None)": {
      doc: "Starts nginx, or sends it a signal.\n\n    salt '*' nginx.signal reload\n\n" +
        "signal: start, reopen, stop, quit or reload",
      run: async (context, { signal }) => SIGNALS.includes(signal) ? await send(context, signal) : null,
    },
    "status(url: str='http://127.0.0.1/status')": {
      doc: "The numbers that stub_status shows.\n\n    salt '*' nginx.status",
      run: (context, { url }) => status(context, url),
    },
  }),
};
