/** Headings of a document, and the anchors that forges and the site give them. */

/** A heading as it is printed, without its marks. */
export function plainHeading(text: string): string {
  return text.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/`/g, "").replace(/(\*\*|__)(.+?)\1/g, "$2").trim();
}

/** The anchor of a heading, as forges make it: `2.1 Sockets` → `21-sockets`. */
export function anchorOf(heading: string): string {
  return plainHeading(heading).toLowerCase().replace(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, "").replaceAll(" ", "-");
}

/** Gives each heading of one document its anchor: a second one of the same text ends in `-1`. */
export function anchors(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const anchor = anchorOf(heading);
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  };
}

export interface Heading {
  level: number;
  text: string;
  anchor: string;
}

/** The headings of a document, those in code left out. */
export function headingsOf(markdown: string): Heading[] {
  const next = anchors();
  return [...markdown.replace(/^```[\s\S]*?^```/gm, "").matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks, text]) => ({
    level: marks!.length,
    text: plainHeading(text!),
    anchor: next(text!),
  }));
}
