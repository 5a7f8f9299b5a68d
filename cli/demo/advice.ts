/** The text that the demonstration prints at the end: commands that work in the user's directory. */
import { relative } from "node:path";
import { DEPLOY } from "./tree.ts";

/** How the demonstration was started. */
interface Launch {
  /** `node`, `bun` or `deno`. */
  runtime: string;
  /** `npm_config_user_agent`, if a package script started it. */
  userAgent: string | undefined;
  directory: string;
}

/**
 * The words of the command before the options of `salt`. Under npm they are npm's: the user's own Node may be too old for
 * TypeScript, and npm finds the Node that came with the project.
 *
 * @param cwd the directory in which the user types the command
 */
export function saltCommand({ runtime, userAgent, directory }: Launch, cwd: string): string {
  if (runtime === "node" && userAgent?.startsWith("npm/") === true) return "npm run -s salt --";
  const away = relative(cwd, directory);
  const file = away === "" ? "cli/salt.ts" : `${away}/cli/salt.ts`;
  return `${runtime === "deno" ? "deno run -A" : runtime} ${file}`;
}

interface Running {
  /** The words before the options of `salt`: see {@link saltCommand}. */
  salt: string;
  conf: string;
  /** Address of the console, if there is one. */
  console: string | undefined;
  /** Address of the HTTP API. */
  api: string;
  password: string;
  root: string;
}

/** The text for a demonstration that keeps running. */
export function leftRunning({ salt, conf, console, api, password, root }: Running): string {
  const browser = console === undefined
    ? `The HTTP API, for user demo with the password ${password} (authentication system: file), is at\n\n    ${api}\n\n` +
      "# The console is not built. To build it: npm run build:console"
    : `In a browser, as user demo with the password ${password} (authentication system: file):\n\n    ${console}`;
  return `Left running. ${browser}\n\n# In another terminal:\n\n    ${salt} -c ${conf} '*' test.ping\n\n` +
    `# web2 differs from its states. This shows how, and without test=True brings it in line:\n\n` +
    `    ${salt} -c ${conf} web2 state.apply test=True\n\n` +
    `# The reactor applies the states of a minion that sends this event:\n\n` +
    `    ${salt} -c ${conf} web2 event.send ${DEPLOY}\n\n` +
    `# States, pillar and reactions to change: ${root}/states, ${root}/pillar, ${root}/reactor\n\n` +
    `# Ctrl-C stops everything and removes ${root}`;
}
