/** What a token may do, one word for each right. */
export const SCOPES = Object.freeze([
  'env:push',
  'trainer:pull',
  'inference:call',
  'feedback:write',
  'records:write',
  'run:admin',
  'run:status',
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
  'records:write': 'Send records of what an application did into the library.',
  'run:admin': 'Create, configure, reset and stop runs, and read everything in them.',
  'run:status': 'Read what a run is set to and how far it is, as its environments and its trainer do.',
  view: 'Read runs, ledgers, events and metrics without changing them.',
  admin: 'Do everything, including making and revoking tokens.',
});

const implied: ReadonlyMap<Scope, readonly Scope[]> = new Map<Scope, readonly Scope[]>([
  ['admin', SCOPES],
  ['run:admin', ['view', 'run:status']],
  ['view', ['run:status']],
  // Who pushes asks how much is wanted before it does, and who pulls asks how far it is.
  ['env:push', ['run:status']],
  ['trainer:pull', ['run:status']],
]);

/** Whether a text is one of `SCOPES`. */
export const isScope = (value: unknown): value is Scope => SCOPES.some((scope) => scope === value);

/** Whether the granted scopes include the needed one, directly or through a wider scope. */
export function hasScope(granted: readonly Scope[], needed: Scope): boolean {
  return granted.some((scope) => scope === needed || (implied.get(scope)?.includes(needed) ?? false));
}
