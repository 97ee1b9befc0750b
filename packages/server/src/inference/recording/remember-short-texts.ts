import type { Redactor } from '@lachesis/protocol';

type RedactedText = ReturnType<Redactor['redactText']>;

/** Names of fields, roles and tools: short, few, and in every call. */
const LONGEST = 200;
const MOST = 20_000;

/** The same rules, which look at a short text once. A conversation is sent again with each call, and its field names with each message. */
export function rememberShortTexts(redactor: Redactor): Redactor {
  const known = new Map<string, RedactedText>();
  return {
    ...redactor,
    redactText(text) {
      if (text.length >= LONGEST) return redactor.redactText(text);
      const before = known.get(text);
      if (before !== undefined) return before;
      const redacted = redactor.redactText(text);
      if (known.size >= MOST) known.clear();
      known.set(text, redacted);
      return redacted;
    },
  };
}
