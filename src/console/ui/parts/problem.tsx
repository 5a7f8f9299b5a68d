import { ApiError } from "../../api.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import type { ComponentChildren } from "preact";

/** An error with its remedy; nothing without an error. */
export function Problem({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  if (error === undefined || (error instanceof ApiError && error.kind === "signed out")) return null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div class="problem" role="alert">
      <Icon name="warn" />
      <div>
        <p>{message}</p>
        {error instanceof ApiError && <p class="muted">{error.remedy}</p>}
      </div>
      {retry !== undefined && <Button icon="again" onClick={retry}>Try again</Button>}
    </div>
  );
}

/** Shown instead of an empty list: why it is empty, and what to do. */
export function Empty({ icon, title, children }: { icon: string; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="muted">{children}</div>}
    </div>
  );
}
