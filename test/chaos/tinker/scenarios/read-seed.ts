/** The chance of a run; a failure prints it, and `LACHESIS_SEED` gives it again. */
export const readSeed = (): number => Number(process.env['LACHESIS_SEED'] ?? 1);
