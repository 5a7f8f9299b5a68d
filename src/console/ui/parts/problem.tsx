import { ApiError } from "../../api.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

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
