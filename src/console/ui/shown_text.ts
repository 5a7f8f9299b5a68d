import { options, type VNode } from "preact";
import { shownText } from "../text.ts";

/** Attributes that are read to a person. */
const READ = ["title", "aria-label", "placeholder"] as const;

/**
 * Passes every text that the page shows through {@link shownText}, wherever it comes from: minions choose their ids, grains,
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
  // A text is a node without a type, whose properties are the text.
  if (typeof vnode.props === "string") vnode.props = shownText(vnode.props);
  else if (typeof vnode.type === "string") {
    const props = vnode.props as VNode<Record<string, unknown>>["props"];
    for (const name of READ) {
      const value = props[name];
      if (typeof value === "string") props[name] = shownText(value);
    }
  }
}
