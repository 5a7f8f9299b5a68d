import type { Args } from "../../../model/loader/signature.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { orElse, rowsOf } from "./client.ts";

/** The version of the server as it says it; empty if there is no connection. */
export async function serverVersion(context: JobContext, connection: Args): Promise<string> {
  return await orElse("", async () => (await rowsOf(context, "SELECT VERSION() AS v", connection))[0]?.v ?? "");
}

/** True if a version is that one or later, by its numbers. */
export function isAtLeast(version: string, wanted: string): boolean {
  const [have, want] = [version, wanted].map((text) => (/^[\d.]+/.exec(text)?.[0] ?? "").split(".").map(Number));
  for (let at = 0; at < want!.length; at++) if ((have![at] ?? 0) !== want![at]) return (have![at] ?? 0) > want![at]!;
  return true;
}
