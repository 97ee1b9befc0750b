import { createRedactor, type Redactor } from '@lachesis/protocol';
import type { RedactedText } from '../../../packages/protocol/src/redaction/create-redactor.ts';

const MARK = /\[redacted:([\w-]+)\]/g;

/** The rules without those of one kind: what they found is put back. */
export function withoutKind(redactor: Redactor, kind: string): Redactor {
  const restore = (before: string, after: RedactedText): RedactedText => {
    if (after.found === 0) return after;
    const marks = [...after.text.matchAll(MARK)];
    let [text, at, from] = ['', 0, 0];
    for (const [index, mark] of marks.entries()) {
      const plain = after.text.slice(from, mark.index);
      from = mark.index + mark[0].length;
      const next = after.text.slice(from, marks[index + 1]?.index);
      const end = next === '' ? before.length : before.indexOf(next, at + plain.length + 1);
      const taken = before.slice(at + plain.length, end);
      text += plain + (mark[1] === kind ? taken : mark[0]);
      at = end;
    }
    return { text: text + after.text.slice(from), found: after.found };
  };
  return {
    redactText: (text) => restore(text, redactor.redactText(text)),
    redactId: (text) => restore(text, redactor.redactId(text)),
    redactField: (name, value) => (kind === 'named' ? undefined : redactor.redactField(name, value)),
  };
}

/** The seeded fault of time: each distinct secret is looked for in the whole text once more. */
export function createQuadraticRedactor(): Redactor {
  const { redactId, redactField } = createRedactor();
  return {
    redactId,
    redactField,
    redactText(text) {
      let found = 0;
      for (const value of new Set(text.match(/\w{3,}[\w=:-]{16,}/g))) {
        for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + value.length)) found += 1;
      }
      return { text, found };
    },
  };
}
