import { iterate } from "../../python/iterate.ts";
import { receiver } from "../attributes.ts";
import { asMarkup, Markup } from "../markup.ts";
import type { Filter } from "../runtime.ts";
import { attributeGetter } from "./attribute_getter.ts";
import { filter } from "./filter.ts";
import { inMarkup, softText, TEXT_FILTERS } from "./text.ts";

const marked = (apply: Filter): Filter => (run, value, args, keywords) => asMarkup(apply(run, value, args, keywords));

/** The filters that do otherwise where texts are escaped: they keep markup, and escape what they put into it. */
export const ESCAPING_FILTERS: Readonly<Record<string, Filter>> = {
  join: filter("do_join", ["value", ["d", ""], ["attribute", null]], ({ value, d, attribute }, run) => {
    const get = attribute === null ? (item: unknown) => item : attributeGetter(run, attribute);
    const items = Array.from(iterate(receiver(value)), get);
    if (![d, ...items].some((one) => one instanceof Markup)) return items.map(softText).join(softText(d));
    return new Markup(items.map(inMarkup).join(inMarkup(d)));
  }),
  replace: (run, value, args, keywords) => {
    const isMarkup = value instanceof Markup || args.some((one) => one instanceof Markup);
    if (!isMarkup) return TEXT_FILTERS.replace!(run, value, args, keywords);
    const [old, by, ...rest] = args;
    const given = by === undefined ? [] : [inMarkup(by)];
    return asMarkup(TEXT_FILTERS.replace!(run, inMarkup(value), [old, ...given, ...rest], keywords));
  },
  urlize: marked(TEXT_FILTERS.urlize!),
  xmlattr: marked(TEXT_FILTERS.xmlattr!),
};
