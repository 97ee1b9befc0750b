import { EXIT_CODES } from './exit-codes.ts';

/** Ends a process that others watch with the reason why starting it again would change nothing. */
export function refuse(message: string): never {
  process.stderr.write(`lachesis: ${message}\n`);
  process.exit(EXIT_CODES.refused);
}

/** Ends the command with one sentence for the person who typed it. */
export function fail(message: string): never {
  process.stderr.write(`lachesis: ${message}\n`);
  process.exit(EXIT_CODES.failed);
}

/** Ends the command that was typed wrongly; the sentence says which word, and what to type. */
export function failUsage(message: string): never {
  process.stderr.write(`lachesis: ${message}\n`);
  process.exit(EXIT_CODES.usage);
}

/** For `.catch`: the sentence alone. */
export function failWithSentence(error: unknown): never {
  return fail(error instanceof Error ? error.message : String(error));
}
