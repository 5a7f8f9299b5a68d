// For the single-file program, for clusters of masters and for jobs in PostgreSQL.
export { default } from "postgres";
