/** Names that people know from elsewhere. */
export const ENVIRONMENT_ALIASES: Readonly<Record<string, string>> = { gsm8k_tinker: 'gsm8k' };

export const resolveAlias = (name: string): string =>
  Object.hasOwn(ENVIRONMENT_ALIASES, name) ? (ENVIRONMENT_ALIASES[name] ?? name) : name;
