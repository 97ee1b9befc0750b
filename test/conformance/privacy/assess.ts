import { redact, type Redactor } from '@lachesis/protocol';
import type { SecretForm } from './secret-form.ts';

export interface Assessment {
  readonly cases: number;
  readonly missed: readonly { form: SecretForm; place: string; kept: string }[];
  readonly recall: number;
  /** Forms that were found nowhere. */
  readonly unseen: readonly SecretForm[];
}

const escape = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Where an agent's secrets stand in a record, and how the secret is written there. */
const PLACES: Readonly<Record<string, (form: SecretForm) => { value: unknown; secret: string }>> = {
  'a message': ({ text, secret }) => ({ value: { role: 'user', content: text }, secret }),
  'a sentence': ({ text, secret }) => ({
    value: { role: 'assistant', content: [{ type: 'text', text: `Here is what I did: ${text}` }] },
    secret,
  }),
  'a call': ({ text, secret }) => ({
    value: { tool_calls: [{ id: 'c', function: { name: 'run', arguments: JSON.stringify({ command: text }) } }] },
    secret: escape(secret),
  }),
  'a result': ({ text, secret }) => ({
    value: { role: 'tool', content: JSON.stringify({ exit: 0, stdout: JSON.stringify({ output: text }) }) },
    secret: escape(escape(secret)),
  }),
};

/** Puts every form into every place, or into so many of them, and looks whether its secret is still there. */
export function assess(
  forms: readonly SecretForm[],
  open: (known: readonly string[]) => Redactor,
  mostPlaces = Number.POSITIVE_INFINITY,
): Assessment {
  const places = Object.entries(PLACES).slice(0, mostPlaces);
  const plain = open([]);
  const missed: { form: SecretForm; place: string; kept: string }[] = [];
  const unseen: SecretForm[] = [];
  for (const form of forms) {
    const redactor = form.known === undefined ? plain : open([form.known]);
    let seen = 0;
    for (const [place, put] of places) {
      const { value, secret } = put(form);
      const kept = textsOf(redact(value, redactor).value).join('\n');
      if (kept.includes(secret)) missed.push({ form, place, kept });
      else seen += 1;
    }
    if (seen === 0) unseen.push(form);
  }
  const cases = forms.length * places.length;
  return { cases, missed, recall: 1 - missed.length / cases, unseen };
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
