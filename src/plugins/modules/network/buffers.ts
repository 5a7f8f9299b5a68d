import type { JobContext } from "../../../model/loader/family.ts";
import { splitLines } from "../../../language/python/text.ts";
import { str } from "../../../language/python/values.ts";
import { programPath, run } from "../../commands.ts";
import { isDirectory } from "../../linux/paths.ts";

export async function bufferSizes(context: JobContext, iface: unknown): Promise<Record<string, unknown>> {
  if (programPath(context, "ethtool") === undefined) return {};
  const text = await run(context, ["ethtool", "-g", str(iface)], { ignore_retcode: true });
  const sizes: [string, number][] = [];
  let current = false;
  for (const line of splitLines(text)) {
    if (/^Current hardware settings/.test(line)) current = true;
    const match = /^(RX|TX|RX Mini|RX Jumbo):\s+(\d+)/.exec(line);
    if (current && match !== null) sizes.push([match[1]!.toLowerCase(), Number(match[2])]);
  }
  return Object.fromEntries(sizes);
}

const BUFFERS: Record<string, string> = { rx: "rx", tx: "tx", "rx-mini": "rx-mini", "rx-jumbo": "rx-jumbo" };

export async function setBufferSizes(
  context: JobContext,
  iface: unknown,
  sizes: Record<string, unknown>,
): Promise<unknown> {
  const { fs } = context.runtime;
  if (!isDirectory(fs, `/sys/class/net/${str(iface)}`) || programPath(context, "ethtool") === undefined) return false;
  const words = Object.entries(sizes).filter(([name]) => Object.hasOwn(BUFFERS, name))
    .flatMap(([name, size]) => [name, str(size)]);
  if (words.length === 0) return false;
  await run(context, ["ethtool", "-G", str(iface), ...words]);
  return await bufferSizes(context, iface);
}
