import { WeightsError } from './weights-error.ts';

/** What a checkpoint is for: training goes on from `weights`, sampling from `sampler_weights`, others take `external_weights`. */
export const WEIGHTS_KINDS = Object.freeze(['weights', 'sampler_weights', 'external_weights'] as const);

export type WeightsKind = (typeof WEIGHTS_KINDS)[number];

export interface TinkerPath {
  readonly run: string;
  /** Undefined in the short form `tinker://RUN/NAME`, in which SkyRL names weights for sampling. */
  readonly kind: WeightsKind | undefined;
  readonly name: string;
}

/** Longer than any server's ids; keeps a pasted file out of an address. */
const MAX_PATH_LENGTH = 1024;

/** Segments that stay themselves in a URL. `.` and `..` would be resolved away and name another checkpoint. */
const segmentPattern = /^(?!\.{1,2}$)[\w.:~@+=-]+$/;

/** Reads `tinker://RUN/KIND/NAME` and `tinker://RUN/NAME`. */
export function parseTinkerPath(text: string): TinkerPath {
  const match = text.length > MAX_PATH_LENGTH ? null : /^tinker:\/\/(.*)$/.exec(text);
  if (match === null) throw badPath('does not start with tinker://, or is too long');
  const segments = match[1]!.split('/');
  if (!segments.every((segment) => segmentPattern.test(segment))) {
    throw badPath('has an empty part, or one with characters that no id has');
  }
  const [run, second, third] = segments;
  if (segments.length === 2 && !isWeightsKind(second)) return { run: run!, kind: undefined, name: second! };
  if (segments.length === 3 && isWeightsKind(second)) return { run: run!, kind: second, name: third! };
  throw badPath('is neither tinker://RUN/NAME nor tinker://RUN/KIND/NAME');
}

/** The `tinker://` text of a checkpoint. */
export const formatTinkerPath = ({ run, kind, name }: TinkerPath): string =>
  kind === undefined ? `tinker://${run}/${name}` : `tinker://${run}/${kind}/${name}`;

/** The id of a checkpoint inside its run. Only sampling weights are ever named without a kind. */
export const checkpointId = ({ kind = 'sampler_weights', name }: TinkerPath): string => `${kind}/${name}`;

const isWeightsKind = (value: string | undefined): value is WeightsKind =>
  (WEIGHTS_KINDS as readonly (string | undefined)[]).includes(value);

const badPath = (what: string): WeightsError =>
  new WeightsError({
    reason: 'bad-path',
    message: `The checkpoint path ${what}. Wanted: tinker://RUN/NAME or tinker://RUN/{${WEIGHTS_KINDS.join('|')}}/NAME.`,
  });
