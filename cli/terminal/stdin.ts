/** Reads standard input: completely, by line, or one line without echo. */

declare const process: {
  stdin: AsyncIterable<Uint8Array> & { isTTY?: boolean; setRawMode?(raw: boolean): void };
  stderr: { write(text: string): boolean };
  exit(code: number): never;
};

/** Reads all of standard input as text. */
export async function readStdin(): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of process.stdin) {
    parts.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  }
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}

/** Returns a function that reads one line of stdin at each call. */
export function lineReader(): () => Promise<string | undefined> {
  let buffered = "";
  let input: AsyncIterator<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  return async () => {
    for (;;) {
      const at = buffered.indexOf("\n");
      if (at >= 0) {
        const line = buffered.slice(0, at);
        buffered = buffered.slice(at + 1);
        return line;
      }
      input ??= process.stdin[Symbol.asyncIterator]();
      const { value, done } = await input.next();
      if (done) {
        const rest = buffered;
        buffered = "";
        return rest === "" ? undefined : rest;
      }
      buffered += typeof value === "string" ? value : decoder.decode(value, { stream: true });
    }
  };
}

const [INTERRUPT, END, BACKSPACE, DELETE] = ["\x03", "\x04", "\b", "\x7f"];

/** Reads a line from a terminal without echo; undefined if input ends first. */
export async function hiddenLine(): Promise<string | undefined> {
  const { stdin } = process;
  const decoder = new TextDecoder();
  let line = "";
  stdin.setRawMode!(true);
  try {
    const input = stdin[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await input.next();
      if (done) return undefined;
      for (const char of typeof value === "string" ? value : decoder.decode(value, { stream: true })) {
        if (char === "\r" || char === "\n") return line;
        if (char === INTERRUPT) process.exit(130);
        if (char === END) return line === "" ? undefined : line;
        line = char === BACKSPACE || char === DELETE ? [...line].slice(0, -1).join("") : line + char;
      }
    }
  } finally {
    stdin.setRawMode!(false);
    process.stderr.write("\n");
  }
}
