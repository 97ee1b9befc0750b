/** How the values of a ScoredData field are read: numbers at the leaves of lists, or JSON kept as it came. */
export type ScoredDataKind = 'int' | 'float' | 'json';

export interface ScoredDataField {
  readonly key: string;
  readonly kind: ScoredDataKind;
  /** How many lists are around each number: 0 a single value, 1 per sequence, 2 per token, 3 per token and candidate. */
  readonly depth: 0 | 1 | 2 | 3;
  /** A required field may be neither absent nor null. */
  readonly required: boolean;
}

/** The fields of a group on the Atropos wire, in the order in which replies carry them. */
export const SCORED_DATA_FIELDS = Object.freeze([
  { key: 'tokens', kind: 'int', depth: 2, required: true },
  { key: 'masks', kind: 'int', depth: 2, required: true },
  { key: 'scores', kind: 'float', depth: 1, required: true },
  { key: 'advantages', kind: 'float', depth: 2, required: false },
  { key: 'ref_logprobs', kind: 'float', depth: 2, required: false },
  { key: 'messages', kind: 'json', depth: 0, required: false },
  { key: 'generation_params', kind: 'json', depth: 0, required: false },
  { key: 'inference_logprobs', kind: 'float', depth: 2, required: false },
  { key: 'overrides', kind: 'json', depth: 0, required: false },
  { key: 'group_overrides', kind: 'json', depth: 0, required: false },
  { key: 'images', kind: 'json', depth: 0, required: false },
  { key: 'env_id', kind: 'int', depth: 0, required: false },
  { key: 'distill_token_ids', kind: 'int', depth: 3, required: false },
  { key: 'distill_logprobs', kind: 'float', depth: 3, required: false },
] as const satisfies readonly ScoredDataField[]);

export type ScoredDataKey = (typeof SCORED_DATA_FIELDS)[number]['key'];

type KeyOfKind<Kind extends ScoredDataKind> = Extract<(typeof SCORED_DATA_FIELDS)[number], { kind: Kind }>['key'];

const keysOfKind = <Kind extends ScoredDataKind>(kind: Kind): readonly KeyOfKind<Kind>[] =>
  Object.freeze(SCORED_DATA_FIELDS.filter((field) => field.kind === kind).map((field) => field.key as KeyOfKind<Kind>));

/** All fourteen keys in wire order; a reply always has every one, null where absent. */
export const SCORED_DATA_KEYS: readonly ScoredDataKey[] = Object.freeze(SCORED_DATA_FIELDS.map(({ key }) => key));

export const SCORED_DATA_INT_KEYS = keysOfKind('int');
export const SCORED_DATA_FLOAT_KEYS = keysOfKind('float');
export const SCORED_DATA_JSON_KEYS = keysOfKind('json');

/** What GET /latest_example holds, each an empty list, before any group was queued. */
export const EMPTY_EXAMPLE_KEYS = Object.freeze([
  'tokens',
  'masks',
  'scores',
  'advantages',
  'ref_logprobs',
  'generation_params',
  'inference_logprobs',
  'messages',
  'images',
] as const satisfies readonly ScoredDataKey[]);

/** A group as it stands in replies of GET /batch and GET /latest_example. */
export interface ScoredData {
  tokens: number[][];
  masks: number[][];
  scores: number[];
  advantages: number[][] | null;
  ref_logprobs: number[][] | null;
  messages: Record<string, unknown>[][] | null;
  generation_params: Record<string, unknown> | null;
  inference_logprobs: number[][] | null;
  overrides: Record<string, unknown>[] | null;
  group_overrides: Record<string, unknown> | null;
  images: unknown;
  env_id: number | null;
  distill_token_ids: number[][][] | null;
  distill_logprobs: number[][][] | null;
}
