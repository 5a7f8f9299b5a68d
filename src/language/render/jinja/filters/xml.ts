import { type AnyMap, entriesOf, isMap, str } from "../../../python/values.ts";
import { PythonError } from "../../../python/python_error.ts";

interface Element {
  name: string;
  attributes: [string, string][];
  children: (Element | string)[];
}

/** A valid XML name: other characters are dropped, and the name does not begin with a digit. */
function nameOf(key: unknown): string {
  return str(key);
}

function build(parent: Element, name: string, value: unknown): void {
  if (Array.isArray(value)) {
    if (value.length === 0) throw new PythonError("IndexError", "list index out of range");
    for (const item of value) build(parent, name, item);
    return;
  }
  const element: Element = { name, attributes: [], children: [] };
  parent.children.push(element);
  if (isMap(value)) fill(element, value);
  else element.children.push(str(value));
}

function fill(element: Element, map: AnyMap): void {
  for (const [key, value] of entriesOf(map)) {
    if (isMap(value) || Array.isArray(value)) build(element, nameOf(key), value);
    else element.attributes.push([nameOf(key), str(value)]);
  }
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function write({ name, attributes, children }: Element, level: number): string {
  const blank = " ".repeat(level);
  const own = attributes.map(([key, value]) => ` ${key}="${escape(value).replaceAll('"', "&quot;")}"`).join("");
  if (children.length === 0) return `${blank}<${name}${own}/>\n`;
  if (children.every((child) => typeof child === "string")) {
    return `${blank}<${name}${own}>${escape(children.join(""))}</${name}>\n`;
  }
  const inner = children.map((child) => typeof child === "string" ? escape(child) : write(child, level + 1)).join("");
  return `${blank}<${name}${own}>\n${inner}${blank}</${name}>\n`;
}

/** Writes a map or list as an XML document: the first key is the root, scalars of a map are attributes. */
export function dumpXml(value: AnyMap | readonly unknown[]): string {
  const holder: Element = { name: "", attributes: [], children: [] };
  for (const item of Array.isArray(value) ? value : [value]) {
    if (!isMap(item)) continue;
    for (const [key, inner] of entriesOf(item)) build(holder, nameOf(key), inner);
  }
  const roots = holder.children.filter((child): child is Element => typeof child !== "string");
  return `<?xml version="1.0" ?>\n${roots.map((root) => write(root, 0)).join("")}`;
}
