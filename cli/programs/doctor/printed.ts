import type { Runtime } from "../../../src/runtime/runtime.ts";

/** Milliseconds that a program may take which is only asked for a fact. */
const MOST_MS = 3000;

/** What a program prints on stdout, without the white space around it; empty if it cannot be run or takes too long. */
export async function printed({ clock, process }: Runtime, argv: readonly string[]): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    const child = await process.spawn({ argv, onStdout: (chunk) => void (text += decoder.decode(chunk)) });
    const late = clock.after(MOST_MS, () => child.kill("SIGKILL"));
    await child.exited;
    late();
    return text.trim();
  } catch {
    return "";
  }
}
