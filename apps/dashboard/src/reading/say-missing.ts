const MISSING: Readonly<Record<string, string>> = {
  'backend-returns-none': 'The upstream returns no token ids: a closed API, or a server that was not asked for them.',
  'no-logprobs': 'The upstream returned ids without log probabilities.',
  'length-mismatch': 'Ids and log probabilities differ in length, so neither can be trusted.',
  interrupted: 'The reply did not arrive whole.',
  failed: 'The call failed, so that there is no reply.',
  'recorded-as-text': 'It was recorded as text, by an application or an import.',
  redacted: 'The text held a secret, and its tokens spell it.',
};

/** Why a reply has no tokens, in a sentence. */
export const sayMissing = (reason: string): string => MISSING[reason] ?? reason;
