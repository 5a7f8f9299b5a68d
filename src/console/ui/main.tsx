/**
 * The web console: a page for any salt-api, which serves it below its root. The folder above has the logic; code that uses the document
 * is in `ui`.
 */
import { render } from "preact";
import { Api } from "../api.ts";
import { App } from "./app.tsx";
import { guardShownText } from "./shown_text.ts";
import { Store } from "./store/store.ts";
import { StoreContext } from "./store/store_context.ts";
import "./style.css";

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
