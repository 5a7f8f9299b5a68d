import { floatRepr, truthy } from "../../language/python/values.ts";
import { type Colors, shownId } from "./colors.ts";
import type { ShownResult } from "./highstate_data.ts";
import type { OutputOptions } from "./outputter.ts";

const larger = (a: number, b: number) => Math.max(a, b);

/** Counts the states of one host. */
export class Summary {
  readonly #counts = new Map<unknown, number>();
  readonly #serial: number[] = [];
  readonly #parallel: number[] = [];
  changes = 0;

  add(state: ShownResult): void {
    this.#counts.set(state.result, (this.#counts.get(state.result) ?? 0) + state.count);
    (state.parallel ? this.#parallel : this.#serial).push(state.duration);
  }

  /** Counts a state whose warnings were shown. */
  warn(): void {
    this.#counts.set("warnings", (this.#counts.get("warnings") ?? 0) + 1);
  }

  #count(result: unknown): number {
    return this.#counts.get(result) ?? 0;
  }

  lines(host: string, colors: Colors, options: OutputOptions): string[] {
    const counts = [...this.#counts.values()];
    const width = "Succeeded".length + 2 + counts.map((count) => String(count).length).reduce(larger, 0);
    const paint = (color: string, text: string) => `${color}${text}${colors.ENDC}`;
    const row = (label: string, value: string) => `${label}: ${value.padStart(width - label.length - 2)}`;
    const failed = this.#count(false);
    const succeeded = this.#count(true) + this.#count(null);
    const warnings = this.#count("warnings");
    const total = counts.reduce((sum, count) => sum + count, 0) - warnings;
    const failureColor = failed > 0 ? colors.RED : colors.CYAN;
    const stats = [
      ...(this.#count(null) > 0 ? [paint(colors.LIGHT_YELLOW, `unchanged=${this.#count(null)}`)] : []),
      ...(this.changes > 0 ? [paint(colors.GREEN, `changed=${this.changes}`)] : []),
    ];
    const rule = "-".repeat(width);
    const lines = [
      paint(colors.CYAN, `\nSummary for ${shownId(host, options)}\n${rule}`),
      paint(colors.GREEN, row("Succeeded", String(succeeded))) + (stats.length > 0 ? ` (${stats.join(", ")})` : ""),
      paint(failureColor, row("Failed", String(failed))),
    ];
    if (truthy(options.state_output_pct) && total > 0) {
      const percent = (count: number) => floatRepr(Number((count / total * 100).toFixed(2)));
      lines.push(paint(colors.GREEN, row("Success %", percent(succeeded))));
      lines.push(paint(failureColor, row("Failure %", percent(failed))));
    }
    if (warnings > 0) lines.push(paint(colors.LIGHT_RED, row("Warnings", String(warnings))));
    lines.push(paint(colors.CYAN, `${rule}\nTotal states run: ${String(total).padStart(width - 7)}`));
    if (truthy(options.state_output_profile)) {
      lines.push(paint(colors.CYAN, `Total run time: ${this.#time(width - 5)}`));
    }
    return lines;
  }

  /** The sum of the durations; of states that ran in parallel only the longest counts. */
  #time(width: number): string {
    const serial = this.#serial.reduce((sum, duration) => sum + duration, 0);
    const milliseconds = this.#parallel.length > 0 ? serial + this.#parallel.reduce(larger) : serial;
    return milliseconds > 999
      ? `${(milliseconds / 1000).toFixed(3).padStart(width)} s`
      : `${milliseconds.toFixed(3).padStart(width)} ms`;
  }
}
