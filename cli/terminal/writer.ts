import { terminalText } from "../../src/printable.ts";

/** Writes to a stream; if it is a terminal, without what would steer it: much of what is shown others have chosen. */
export function writerTo(stream: { write(text: string): unknown; isTTY?: boolean }): (text: string) => void {
  return (text) => void stream.write(stream.isTTY === true ? terminalText(text) : text);
}
