import { escapeMarkup, Markup } from "../markup.ts";

interface UrlizeOptions {
  /** The most characters of a link that are shown; undefined for all. */
  limit: number | undefined;
  noFollow: boolean;
  target: string | undefined;
  rel: string;
}

const HTTP =
  /^((https?:\/\/|www\.)(([\w%-]+\.)+)?([a-z]{2,63}|xn--[\w%]{2,59})|([\w%-]{2,63}\.)+(com|net|int|edu|gov|org|info|mil)|(https?:\/\/)((([\d]{1,3})(\.[\d]{1,3}){3})|(\[([\da-f]{0,4}:){2}([\da-f]{0,4}:?){1,6}\])))(:[\d]{1,5})?(?:[/?#]\S*)?$/i;
const MAIL = /^\S+@\w[\w.-]*\.\w+$/;
const PAIRS: readonly [string, string][] = [["(", ")"], ["<", ">"], ["&lt;", "&gt;"]];

/** Splits brackets and punctuation off both ends of a word. */
function peeled(word: string): [head: string, middle: string, tail: string] {
  const head = /^(?:[(<]|&lt;)+/.exec(word)?.[0] ?? "";
  let middle = word.slice(head.length);
  let tail = "";
  const end = /(?:[)>.,\n]|&gt;)+$/.exec(middle)?.[0];
  if (end !== undefined) {
    tail = end;
    middle = middle.slice(0, -end.length);
  }
  const count = (text: string, part: string) => text.split(part).length - 1;
  for (const [open, close] of PAIRS) {
    // A bracket that was opened in the link belongs to the link.
    let missing = count(middle, open) - count(middle, close);
    while (missing-- > 0 && tail.startsWith(close)) {
      middle += close;
      tail = tail.slice(close.length);
    }
  }
  return [head, middle, tail];
}

/** Jinja2's `urlize`: addresses in a text become links. */
export function urlize(text: string | Markup, { limit, noFollow, target, rel }: UrlizeOptions): string {
  const rels = new Set(rel.split(/\s+/).filter((word) => word !== ""));
  if (noFollow) rels.add("nofollow");
  rels.add("noopener");
  const attributes = ` rel="${[...rels].sort().join(" ")}"${target === undefined ? "" : ` target="${target}"`}`;
  const shown = (url: string) => limit !== undefined && url.length > limit ? `${url.slice(0, limit)}...` : url;
  const link = (url: string, label: string, own = attributes) => `<a href="${url}"${own}>${label}</a>`;
  return (text instanceof Markup ? text : escapeMarkup(text)).text.split(/(\s+)/).map((word) => {
    const [head, middle, tail] = peeled(word);
    let linked = middle;
    if (HTTP.test(middle)) {
      linked = /^https?:\/\//.test(middle) ? link(middle, shown(middle)) : link(`https://${middle}`, shown(middle));
    } else if (/^mailto:/.test(middle) && MAIL.test(middle.slice(7))) linked = link(middle, middle.slice(7), "");
    else if (middle.includes("@") && !/^www\./.test(middle) && !middle.includes(":") && MAIL.test(middle)) {
      linked = link(`mailto:${middle}`, middle, "");
    }
    return head + linked + tail;
  }).join("");
}
