import { terminalText } from "../../src/base/printable.ts";

/** Writes to a stream; if it is a terminal, without control characters: much of what is shown was chosen by others. */
export function writerTo(stream: { write(text: string): unknown; isTTY?: boolean }): (text: string) => void {
  return (text) => void stream.write(stream.isTTY === true ? terminalText(text) : text);
}
