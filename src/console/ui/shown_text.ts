import { options, type VNode } from "preact";
import { shownText } from "../text.ts";

/** Attributes with text for people. */
const READ = ["title", "aria-label", "placeholder"] as const;

/**
 * Passes every text on the page through {@link shownText}, wherever the text comes from: minions choose their ids, grains,
 * events and returns.
 */
export function guardShownText(): void {
  const before = options.vnode;
  options.vnode = (vnode) => {
    guard(vnode as { type: unknown; props: unknown });
    before?.(vnode);
  };
}

function guard(vnode: { type: unknown; props: unknown }): void {
  // A text node has no type, and its properties are the text.
  if (typeof vnode.props === "string") vnode.props = shownText(vnode.props);
  else if (typeof vnode.type === "string") {
    const props = vnode.props as VNode<Record<string, unknown>>["props"];
    for (const name of READ) {
      const value = props[name];
      if (typeof value === "string") props[name] = shownText(value);
    }
  }
}
