import type { Finding } from "../../daemon/check/finding.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";

/** The results of checking one part of a host. */
export interface Examination {
  /** Lines about what is in order. */
  well: string[];
  findings: Finding[];
}

/** Timeout of a program that is asked for a fact, in milliseconds. */
const MAX_MS = 3000;

/** The stdout of a program, without white space around it; empty if the program fails to run or takes too long. */
export async function printed({ clock, process }: Runtime, argv: readonly string[]): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    const child = await process.spawn({ argv, onStdout: (chunk) => void (text += decoder.decode(chunk)) });
    const late = clock.after(MAX_MS, () => child.kill("SIGKILL"));
    await child.exited;
    late();
    return text.trim();
  } catch {
    return "";
  }
}
