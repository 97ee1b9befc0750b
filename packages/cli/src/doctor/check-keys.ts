import { failed, ok, warn, type CheckResult } from './finding.ts';

export interface KeyFacts {
  /** Names that are set, and from where; no values. */
  readonly keys: readonly { name: string; origin: 'environment' | 'file' }[];
  /** Why the file of secrets is refused. */
  readonly fileProblem: { message: string; fix: string } | undefined;
  readonly hasLocalEngine: boolean;
}

const ENGINE_KEYS: readonly string[] = ['TINKER_API_KEY', 'TINKER_BASE_URL'];

export function checkKeys({ keys, fileProblem, hasLocalEngine }: KeyFacts): CheckResult {
  if (fileProblem !== undefined) return failed(fileProblem.message, fileProblem.fix);
  const names = keys.map(({ name, origin }) => (origin === 'file' ? `${name} (secrets.env)` : name)).join(', ');
  if (hasLocalEngine || keys.some(({ name }) => ENGINE_KEYS.includes(name))) {
    return ok(names === '' ? 'none set; the engine of this machine needs none' : names);
  }
  return warn(
    `none for training${names === '' ? '' : `; set: ${names}`}`,
    '`lachesis config set TINKER_API_KEY` for the managed service; an engine on this machine needs none.',
  );
}
