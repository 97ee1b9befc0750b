/** What opens something, by a name that a report may show. */
export type Secrets = ReadonlyMap<string, string>;

const TOKEN = /lch_[0-9a-f-]{36}_[A-Za-z0-9_-]{43}/g;

/** The names of all secrets in a text, and the tokens in it that nobody gave a name. */
export function findSecrets(text: string, secrets: Secrets): { known: string[]; unknownTokens: string[] } {
  const known = [...secrets].flatMap(([name, value]) => (text.includes(value) ? name : []));
  const values = new Set(secrets.values());
  const unknownTokens = [...new Set(text.match(TOKEN) ?? [])].filter((token) => !values.has(token));
  return { known, unknownTokens };
}

/** What a canary saw that is not its own, each once. Tokens without a name are processes' own, and never for others. */
export function findLeaks(
  seen: readonly unknown[],
  { secrets, allowed }: { secrets: Secrets; allowed: readonly string[] },
): string[] {
  const found = seen.flatMap((each) => {
    const { known, unknownTokens } = findSecrets(JSON.stringify(each), secrets);
    return [...known.filter((name) => !allowed.includes(name)), ...unknownTokens.map(() => 'a token of a process')];
  });
  return [...new Set(found)];
}
