/** Bubblewrap twice and the program that waits. */
export const HOLDER_PROCESSES = 3;
/** nsenter, and bubblewrap twice, around each command; one more while they start. */
export const EXEC_PROCESSES = 4;
