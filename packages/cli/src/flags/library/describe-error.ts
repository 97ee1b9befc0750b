import { LachesisError } from '@lachesis/protocol';
import { ClientError } from '@lachesis/sdk';

/** What a client sees where no server of ours gave a reason: then the call is part of the sentence. */
const NO_ANSWER: readonly string[] = ['connection', 'timeout', 'unreadable-reply', 'http', 'unauthorized', 'forbidden'];

/** What was refused, in the words of the rule, whoever held to it. */
export function describeLibraryError(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && path !== undefined) return `there is no file ${path}. Check the path.`;
  if (LachesisError.isInstance(error)) return joinSentences(error.message, error.hint);
  if (!ClientError.isInstance(error) || NO_ANSWER.includes(error.code)) {
    return error instanceof Error ? error.message : String(error);
  }
  const places = (error.issues ?? []).slice(0, 3).map(({ field, message }) => `${field} ${message}`);
  return joinSentences(places.length === 0 ? error.reason : `${error.reason} (${places.join('; ')})`, error.hint);
}

const joinSentences = (message: string, hint: string | undefined): string =>
  hint === undefined ? message : `${message.replace(/\.$/, '')}. ${hint}`;
