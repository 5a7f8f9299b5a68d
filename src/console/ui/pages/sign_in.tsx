import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Problem } from "../parts/problem.tsx";
import { useStore } from "../store/store_context.ts";

/** The external authentication systems (eauth) of Salt and of Brine. */
const EAUTH = [
  "pam",
  "file",
  "ldap",
  "sharedsecret",
  "jwt",
  "oidc",
  "rest",
  "auto",
  "mysql",
  "django",
  "keystone",
  "pki",
  "yubico",
];

/** The authentication systems that the form offers: those of the master, if the server reports them. */
function useSystems(last: string) {
  const { api } = useStore();
  const [eauth, setEauth] = useState(last);
  const [systems, setSystems] = useState<readonly string[]>(EAUTH);
  useEffect(() => {
    void api.signInSystems().then((names) => {
      if (names === undefined || names.length === 0) return;
      setSystems(names);
      if (!names.includes(last)) setEauth(names[0]!);
    });
  }, []);
  return { eauth, setEauth, systems };
}

/** The sign-in form. When a session has expired, it covers the page, which keeps its contents. */
export function SignInPage({ expired }: { expired: boolean }) {
  const store = useStore();
  const last = store.session.lastName;
  const [username, setUsername] = useState(last.username);
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const { eauth, setEauth, systems } = useSystems(last.eauth);
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  useEffect(() => (username === "" ? first : second).current?.focus(), []);

  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await store.session.signIn({ username, password, eauth });
    } catch (caught) {
      setError(caught);
      setPassword("");
      second.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <div
      class={`sign-in ${expired ? "over" : ""}`}
      role={expired ? "dialog" : "main"}
      aria-modal={expired || undefined}
      aria-label="Sign in"
    >
      <form onSubmit={submit}>
        <h1>
          <Brand />
        </h1>
        <p class="muted">
          {expired
            ? "Your session has expired. Sign in again; the page keeps its contents."
            : "Sign in with an account from the master's external_auth."}
        </p>
        <label>
          <span>Username</span>
          <input
            ref={first}
            name="username"
            type="text"
            autocomplete="username"
            autocapitalize="off"
            spellcheck={false}
            required
            value={username}
            onInput={(event) => setUsername(event.currentTarget.value)}
          />
        </label>
        <label>
          <span>Password</span>
          <input
            ref={second}
            name="password"
            type="password"
            autocomplete="current-password"
            required
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </label>
        <label>
          <span>Authentication system</span>
          <select name="eauth" value={eauth} onChange={(event) => setEauth(event.currentTarget.value)}>
            {[...new Set([...systems, eauth])].map((name) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
        <Problem error={error} />
        <Button type="submit" kind="primary" disabled={busy}>{busy ? "Signing in…" : "Sign in"}</Button>
      </form>
    </div>
  );
}

export function Brand() {
  return (
    <span class="brand">
      <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <path class="brand-cube" d="M12 2l9 5v10l-9 5-9-5V7z" />
        <path class="brand-edge" d="M3 7l9 5 9-5M12 12v10" />
      </svg>
      Brine
    </span>
  );
}
