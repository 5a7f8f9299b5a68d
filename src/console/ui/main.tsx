/**
 * The web console: a page for any salt-api. It is served below the API, and asks whatever stands there; everything that it
 * decides is in the modules above, everything that touches the document is here in `ui`.
 */
import { render } from "preact";
import { Api } from "../api.ts";
import { App } from "./app.tsx";
import { Store } from "./store/store.ts";
import { StoreContext } from "./store/store_context.ts";
import "./style.css";

// The console's folder lies in the root of the API, wherever that is mounted.
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
  storage: localStorage,
}, location.hash);
// Before the first drawing, so that nobody who wants it dark is dazzled.
document.documentElement.dataset.theme = store.theme.value;
void store.session.resume();
render(
  <StoreContext.Provider value={store}>
    <App />
  </StoreContext.Provider>,
  document.getElementById("app")!,
);
