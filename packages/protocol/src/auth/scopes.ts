/** What a token may do. */
export const SCOPES = Object.freeze([
  'env:push',
  'trainer:pull',
  'inference:call',
  'feedback:write',
  'run:admin',
  'view',
  'admin',
] as const);

export type Scope = (typeof SCOPES)[number];

/** One sentence per scope, shown wherever a token is made or refused. */
export const SCOPE_DESCRIPTIONS: Readonly<Record<Scope, string>> = Object.freeze({
  'env:push': 'Register environments and push groups of rollouts.',
  'trainer:pull': 'Register a trainer, lease batches and settle them.',
  'inference:call': 'Ask the inference server for completions.',
  'feedback:write': 'Rate trajectories that were recorded.',
  'run:admin': 'Create, configure, reset and stop runs, and read everything in them.',
  view: 'Read runs, ledgers, events and metrics without changing them.',
  admin: 'Do everything, including making and revoking tokens.',
});

const implied: ReadonlyMap<Scope, readonly Scope[]> = new Map<Scope, readonly Scope[]>([
  ['admin', SCOPES],
  ['run:admin', ['view']],
]);

export const isScope = (value: unknown): value is Scope => SCOPES.some((scope) => scope === value);

/** Whether the granted scopes include the needed one, directly or through a wider scope. */
export function hasScope(granted: readonly Scope[], needed: Scope): boolean {
  return granted.some((scope) => scope === needed || (implied.get(scope)?.includes(needed) ?? false));
}
