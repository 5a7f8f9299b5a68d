/** One entry of an `Accept` header. */
interface MediaRange {
  type: string;
  quality: number;
}

function rangesOf(header: string): MediaRange[] {
  return header.split(",").map((entry) => {
    const [type, ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    return { type: type ?? "", quality: Number.isFinite(quality) ? Math.min(Math.max(quality, 0), 1) : 0 };
  }).filter(({ type }) => type !== "");
}

function covers(range: string, type: string): boolean {
  return range === type || range === "*/*" || (range.endsWith("/*") && type.startsWith(range.slice(0, -1)));
}

/**
 * The type to answer with; undefined if none of `offered` is acceptable. Ranges of the same quality count in the order in
 * which they are listed, those without wildcards first; a missing header accepts everything.
 *
 * @param offered best first
 */
export function accepted(header: string | null, offered: readonly string[]): string | undefined {
  if (header === null || header.trim() === "") return offered[0];
  const wildness = ({ type }: MediaRange) => type === "*/*" ? 2 : type.endsWith("/*") ? 1 : 0;
  const ranges = rangesOf(header).filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || wildness(a) - wildness(b));
  for (const { type } of ranges) {
    const found = offered.find((offer) => covers(type, offer));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As {@link accepted}, by the rules of tornado's server: qualities are ignored, and the first listed range that matches wins. */
export function firstAccepted(header: string | null, offered: readonly string[]): string | undefined {
  if (header === null || header.trim() === "") return offered[0];
  for (const { type } of rangesOf(header)) {
    const found = offered.find((offer) => covers(type, offer));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The media type of a `Content-Type` header, without its parameters. */
export function mediaType(header: string | null): string {
  return (header ?? "").split(";")[0]!.trim().toLowerCase();
}
