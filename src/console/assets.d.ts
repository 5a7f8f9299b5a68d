// The build includes style sheets that modules import.
declare module "*.css";

interface ImportMeta {
  /** Values that the build sets. */
  readonly env: {
    /** Path of the console, with slashes at both ends. */
    readonly BASE_URL: string;
  };
}
