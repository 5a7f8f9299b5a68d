/**
 * The web console: a page for any salt-api, which serves it below its root. The folder above has the logic; code that uses the document
 * is in `ui`.
 */
import "./style.css";
import { options, render, type VNode } from "preact";
import { Api } from "../api.ts";
import { App } from "./app.tsx";
import { Store } from "./store/store.ts";
import { StoreContext } from "./store/store_context.ts";
import { shownText } from "../text.ts";

/** Attributes with text for people. */
const READ = ["title", "aria-label", "placeholder"] as const;

/**
 * Passes every text on the page through {@link shownText}, wherever the text comes from: minions choose their ids, grains,
 * events and returns.
 */
function guardShownText(): void {
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

// The console is served from a folder in the root of the API, wherever the API is mounted.
const api = new Api(import.meta.env.BASE_URL.replace(/\/[^/]*\/$/, ""), (url, init) => fetch(url, init));
const store = new Store({
  api,
  openEvents: () => new EventSource(api.eventsUrl),
  now: () => Date.now(),
  later: (call, ms) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
  visible: () => document.visibilityState === "visible",
  replaceAddress: (hash) => history.replaceState(null, "", hash),
  storage: localStorage,
}, location.hash);
// Set before the first frame, so that a dark theme does not flash white.
document.documentElement.dataset.theme = store.theme.value;
void store.session.resume();
guardShownText();
render(
  <StoreContext.Provider value={store}>
    <App />
  </StoreContext.Provider>,
  document.getElementById("app")!,
);
