/** A block of commands of a document, run as its comments ask for. */
import assert from "node:assert/strict";
import { type Commands, printed } from "./blocks.ts";
import type { Place } from "./place.ts";

/** Runs a block as often as it asks for; what it prints has to be what the document says. */
export async function paste(place: Place, block: Commands): Promise<void> {
  const { until, exit, prints, text, savedAs } = block;
  if (savedAs !== undefined) return place.save(savedAs, text);
  const once = () => place.run(text);
  const result = until === undefined ? once() : await place.until(once, ({ text }) => until.test(text));
  assert.equal(result.code, exit, `${text}\nended with ${result.code} and printed\n${result.text}`);
  if (prints !== undefined) assert.match(`${result.text.trimEnd()}\n`, printed(prints), text);
}
