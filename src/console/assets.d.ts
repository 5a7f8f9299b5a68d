// The build takes style sheets in where modules name them.
declare module "*.css";

interface ImportMeta {
  /** Set by the build. */
  readonly env: {
    /** Path of the console, with slashes at both ends. */
    readonly BASE_URL: string;
  };
}
