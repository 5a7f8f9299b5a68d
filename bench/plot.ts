/** Panels of lines over the size of a fleet, as SVG text: both axes by powers of ten, in colours that read on light and dark. */

/** One line: `[minions, cost][]`. */
export interface Series {
  name: string;
  points: readonly (readonly [number, number])[];
}

export interface Panel {
  /** With the unit: `a return, µs`. */
  title: string;
  series: readonly Series[];
}

const COLOURS = ["#2f7d4f", "#c2571a", "#3a6fb7", "#8a4fa3"];
const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT] = [320, 240, 46, 34, 34, 14];

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/** Powers of ten, from below the least to above the most. */
function decades(values: readonly number[]): { from: number; to: number } {
  const from = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
  return { from, to: Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9)) };
}

function panelText({ title, series }: Panel, left: number): string {
  const points = series.flatMap((one) => one.points);
  const [across, up] = [decades(points.map(([x]) => x)), decades(points.map(([, y]) => y))];
  const place = (value: number, { from, to }: { from: number; to: number }, length: number) =>
    (Math.log10(value) - from) / (to - from) * length;
  const x = (value: number) => left + LEFT + place(value, across, WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - place(value, up, HEIGHT - TOP - BOTTOM);
  const parts = [`<text x="${left + LEFT}" y="18" font-weight="bold">${escaped(title)}</text>`];
  for (let power = up.from; power <= up.to; power++) {
    const at = y(10 ** power).toFixed(1);
    parts.push(`<path d="M${left + LEFT} ${at}H${left + WIDTH - RIGHT}" stroke="#888" stroke-opacity=".35"/>`);
    parts.push(`<text x="${left + LEFT - 6}" y="${Number(at) + 4}" text-anchor="end">${10 ** power}</text>`);
  }
  for (let power = across.from; power <= across.to; power++) {
    const at = x(10 ** power).toFixed(1);
    parts.push(`<text x="${at}" y="${HEIGHT - 14}" text-anchor="middle">${(10 ** power).toLocaleString("en")}</text>`);
  }
  for (const [index, { points }] of series.entries()) {
    const colour = COLOURS[index % COLOURS.length];
    const line = points.map(([px, py], at) => `${at === 0 ? "M" : "L"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join(
      "",
    );
    parts.push(`<path d="${line}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const [px, py] of points) {
      parts.push(`<circle cx="${x(px).toFixed(1)}" cy="${y(py).toFixed(1)}" r="3" fill="${colour}"/>`);
    }
  }
  return parts.join("\n");
}

/** An SVG document with the panels side by side and one legend. */
export function plot(panels: readonly Panel[]): string {
  const names = [...new Set(panels.flatMap(({ series }) => series.map(({ name }) => name)))];
  const width = WIDTH * panels.length;
  const legend = names.map((name, index) =>
    `<circle cx="${LEFT + index * 180}" cy="${HEIGHT + 8}" r="4" fill="${COLOURS[index % COLOURS.length]}"/>` +
    `<text x="${LEFT + 10 + index * 180}" y="${HEIGHT + 12}">${escaped(name)}</text>`
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${
      HEIGHT + 24
    }" font-family="sans-serif" font-size="11" fill="#777">`,
    ...panels.map((panel, index) => panelText(panel, index * WIDTH)),
    ...legend,
    "</svg>\n",
  ].join("\n");
}
