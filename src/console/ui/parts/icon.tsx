const ICONS: Record<string, string> = {
  fleet: "M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01",
  run: "M4 5l5 5-5 5M11 15h6",
  jobs: "M4 5h12M4 10h12M4 15h7",
  keys:
    "M12.5 3a4.5 4.5 0 1 0-3.9 6.7L3 15.300V17h3v-2h2v-2h1.600l1.600-1.800A4.500 4.500 0 0 0 12.500 3zM13.500 6.500h.01",
  events: "M2 10h4l2-6 4 12 2-6h4",
  ok: "M4 10.500l4 4 8-9",
  bad: "M5 5l10 10M15 5L5 15",
  warn: "M10 3l8 14H2zM10 8v4M10 14.500h.01",
  clock: "M10 3a7 7 0 1 0 .01 0M10 6v4l3 2",
  off: "M10 3a7 7 0 1 0 .01 0M5 15L15 5",
  question: "M10 3a7 7 0 1 0 .01 0M8 8a2 2 0 1 1 2.500 2c-.5.200-.5.500-.5 1M10 13.500h.01",
  play: "M6 4l10 6-10 6z",
  pause: "M7 4v12M13 4v12",
  search: "M9 4a5 5 0 1 0 .01 0M13 13l4 4",
  copy: "M7 7h9v9H7zM4 12V4h9",
  again: "M16 10a6 6 0 1 1-2-4.500M14 2v4h-4",
  sun:
    "M10 7a3 3 0 1 0 .01 0M10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.500 4.500l1 1M14.500 14.500l1 1M4.500 15.500l1-1M14.500 5.500l1-1",
  moon: "M16 12A7 7 0 1 1 8 4a5.500 5.500 0 0 0 8 8z",
  auto: "M10 3a7 7 0 1 0 .01 0M10 3v14M12.500 4v12M15 6v8",
  out: "M8 4H4v12h4M12 6l4 4-4 4M16 10H8",
  right: "M8 5l5 5-5 5",
  down: "M5 8l5 5 5-5",
  up: "M5 12l5-5 5 5",
  stop: "M5 5h10v10H5z",
  more: "M10 5v.01M10 10v.01M10 15v.01",
  save: "M10 3v9M6 8.500l4 4 4-4M4 16.500h12",
  star: "M10 3l2.200 4.600 5 .700-3.600 3.500.900 5L10 14.400 5.500 16.800l.900-5L2.800 8.300l5-.700z",
  bolt: "M11 2.500L4.500 11.500H9.500L8.500 17.500L15.500 8.500H10.500z",
  filter: "M3 4h14l-5.500 6.500V16l-3-1.500v-4z",
  eye: "M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5zM10 8a2 2 0 1 0 .01 0",
};

/** A decorative icon beside a word; hidden from screen readers. */
export function Icon({ name, size = 16 }: { name: string; size?: number }) {
  return (
    <svg
      class={`icon icon-${name}`}
      width={size}
      height={size}
      viewBox="0 0 20 20"
      aria-hidden="true"
      focusable="false"
    >
      <path d={ICONS[name] ?? ""} />
    </svg>
  );
}
