// In the one file of all programs, for several masters as one and for jobs in PostgreSQL.
export { default } from "postgres";
