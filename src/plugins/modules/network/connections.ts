import { CommandExecutionError, executionFunction } from "../../../model/loader/family.ts";
import { splitLines, splitWords } from "../../../language/python/text.ts";
import { programPath, run } from "../../commands.ts";
import { tcpSockets } from "../../linux/sockets.ts";

/** The sockets that netstat lists. */
export const netstat = executionFunction({
  signature: "",
  doc: "The open sockets with their programs.\n\n    salt '*' network.netstat",
  async run(context): Promise<Record<string, unknown>[]> {
    if (programPath(context, "netstat") === undefined) {
      throw new CommandExecutionError("The program netstat is missing: install net-tools");
    }
    const found: Record<string, unknown>[] = [];
    for (const line of splitLines(await run(context, ["netstat", "-tulpnea"]))) {
      const words = splitWords(line);
      if (!/^(?:tcp|udp)/.test(words[0] ?? "")) continue;
      const head = {
        proto: words[0],
        "recv-q": words[1],
        "send-q": words[2],
        "local-address": words[3],
        "remote-address": words[4],
      };
      const rest = words.slice(5);
      // Only connections have a state.
      const state = words[0]!.startsWith("tcp") ? { state: rest.shift() } : {};
      found.push({ ...head, ...state, user: rest[0], inode: rest[1], program: rest[2] });
    }
    return found;
  },
});

/** Open connections over IPv4, numbered. */
export const activeTcp = executionFunction({
  signature: "",
  doc: "The open TCP connections over IPv4.\n\n    salt '*' network.active_tcp",
  run({ runtime: { fs } }): Record<number, unknown> {
    const open = tcpSockets(fs).filter(({ state, local }) => state === "01" && !local.address.includes(":"));
    return Object.fromEntries(open.map(({ local, remote }, at) => [at, {
      local_addr: local.address,
      local_port: local.port,
      remote_addr: remote.address,
      remote_port: remote.port,
    }]));
  },
});
