// The build takes style sheets in where modules name them.
declare module "*.css";
