import { terminalText } from "../../src/base/printable.ts";

/** Writes to a stream. On a terminal control characters are removed, because much of the text comes from other hosts. */
export function writerTo(stream: { write(text: string): unknown; isTTY?: boolean }): (text: string) => void {
  return (text) => void stream.write(stream.isTTY === true ? terminalText(text) : text);
}
