import type { ReturnerContext, ReturnerModule } from "../../model/loader/family.ts";
import { repr } from "../../language/python/values.ts";
import { wholeReturn } from "./options.ts";

/** Prints each return, and each event of a master, to standard output, as Python shows it. */
export function localReturner(print: (text: string) => void): ReturnerModule {
  return {
    returner: (_context: ReturnerContext, ret) => Promise.resolve(print(repr(wholeReturn(ret)))),
    eventReturn: (_context, { events }) => Promise.resolve(print(repr(events.map(({ data, tag }) => ({ data, tag }))))),
  };
}

export const returner: ReturnerModule = localReturner((text) => console.log(text));
