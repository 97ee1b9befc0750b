/** Calls of one process that may still come back in a prompt. */
const REMEMBERED = 10_000;

const texts = new Map<string, string>();

/** Remembers how the model wrote the arguments of a call. */
export function rememberArguments(callId: string, text: string): void {
  texts.set(callId, text);
  const oldest = texts.size > REMEMBERED ? texts.keys().next().value : undefined;
  if (oldest !== undefined) texts.delete(oldest);
}

/**
 * The arguments of a call in a prompt. The SDK has parsed them since the model wrote them; what it wrote is given back, so
 * that the call in the prompt is the call in the reply, spaces and all. Without it, as most models write them.
 */
export function argumentsOf(callId: string | undefined, input: unknown): string {
  if (typeof input === 'string') return input;
  const plain = JSON.stringify(input ?? {});
  const written = callId === undefined ? undefined : texts.get(callId);
  return written !== undefined && isSame(written, plain) ? written : plain;
}

function isSame(written: string, plain: string): boolean {
  try {
    return JSON.stringify(JSON.parse(written)) === plain;
  } catch {
    // The model wrote no JSON, and the SDK made something else of it.
    return false;
  }
}
