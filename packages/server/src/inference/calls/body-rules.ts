import { LachesisError } from '@lachesis/protocol';
import type { BodyRules } from '../../http/read-body.ts';

/** What does not fit is 400, as with OpenAI: its clients know no other refusal of parameters. */
export const OPENAI_BODY: BodyRules = {
  code: 'bad-request',
  empty: 'not-json',
  message: (first) => (first === undefined ? 'the body does not fit this request' : `${first.field}: ${first.message}`),
};

/** One parameter that cannot be used, with what to do instead. */
export const badParameter = (field: string, message: string, hint?: string): LachesisError =>
  new LachesisError({
    code: 'bad-request',
    message: `${field} ${message}`,
    issues: [{ sequence: null, field, message }],
    ...(hint === undefined ? {} : { hint }),
  });
