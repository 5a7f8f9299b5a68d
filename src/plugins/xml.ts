export interface XmlElement {
  /** Without its namespace. */
  name: string;
  attributes: Record<string, string>;
  /** What stands before its first child. */
  text: string | null;
  children: XmlElement[];
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const TOKEN =
  /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[([^]*?)\]\]>|<!DOCTYPE[^[>]*(?:\[[^]*?\])?[^>]*>|<(\/?)([^\s/>]+)((?:[^>"']|"[^"]*"|'[^']*')*?)(\/?)>|([^<]+)/gi;
const ATTRIBUTE = /([^\s=/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
/** Elements within each other; more than anybody reads. */
const DEEPEST = 200;

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? parseInt(hexadecimal, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name = "", double, single]) => [name, decoded(double ?? single ?? "")]),
  );

/**
 * Reads a document: elements, attributes and text; entities of its own are not known.
 *
 * @throws {SyntaxError} if it is none
 */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: "", attributes: {}, text: null, children: [] };
  const open = [root];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index !== end) break;
    end = match.index + match[0].length;
    const [, cdata, closing, name, inside = "", empty, characters] = match;
    const here = open.at(-1)!;
    const content = cdata ?? (characters === undefined ? undefined : decoded(characters));
    if (content !== undefined && here.children.length === 0) here.text = (here.text ?? "") + content;
    if (name === undefined) continue;
    const bare = name.replace(/^.*:/, "");
    if (closing === "/") {
      if (open.length === 1 || here.name !== bare) throw new SyntaxError(`mismatched tag: ${name}`);
      open.pop();
      continue;
    }
    if (open.length > DEEPEST) throw new SyntaxError("elements are nested too deeply");
    const element = { name: bare, attributes: attributesOf(inside), text: null, children: [] };
    here.children.push(element);
    if (empty !== "/") open.push(element);
  }
  if (end !== text.length || open.length !== 1) throw new SyntaxError("not well-formed");
  if (root.children.length !== 1) throw new SyntaxError("no element found");
  return root.children[0]!;
}

/** All elements of a name below one, in their order. */
export function elementsOf(root: XmlElement, name: string): XmlElement[] {
  return root.children.flatMap((child) => [...(child.name === name ? [child] : []), ...elementsOf(child, name)]);
}

/** An element as a map: the names of its children to their texts, maps, or lists of such. */
export function xmlToMap(element: XmlElement): Record<string, unknown> {
  if (element.children.length === 0) return { [element.name]: element.text };
  const map = new Map<string, unknown>();
  for (const child of element.children) {
    if (!map.has(child.name)) map.set(child.name, child.children.length > 0 ? xmlToMap(child) : child.text);
    else map.set(child.name, [...[map.get(child.name)].flat(), xmlToMap(child)]);
  }
  return Object.fromEntries(map);
}
