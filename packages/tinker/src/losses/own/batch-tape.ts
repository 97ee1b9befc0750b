import { logSigmoid, sigmoid } from '../log-sigmoid.ts';
import { LossInputError } from '../loss-input-error.ts';
import type { BatchLevel, BatchOperand, BatchValue } from './batch-value.ts';

/** Which sequence each token is of, and which group each sequence. */
export interface BatchLayout {
  readonly sequenceOfToken: Uint32Array;
  readonly groupOfSequence: Uint32Array;
  readonly groups: number;
}

/** Remembers how values were made, and walks the way back. */
export interface BatchTape {
  /** A value whose gradient is wanted. */
  variable(level: BatchLevel, values: Float64Array): BatchValue;
  constant(level: BatchLevel, values: Float64Array): BatchValue;
  /** d output / d of, where output is one number. */
  gradient(output: BatchValue, of: BatchValue): Float64Array;
}

const LEVELS: readonly BatchLevel[] = ['token', 'sequence', 'group', 'batch'];

interface Parent {
  readonly node: number;
  /** Adds its share of this value's gradient to the parent's. */
  readonly pull: (gradient: Float64Array, into: Float64Array) => void;
}

type Slope = (left: number, right: number) => number;

interface Operation {
  readonly compute: (left: number, right: number) => number;
  readonly leftSlope: Slope;
  readonly rightSlope: Slope;
}

/** Of the side that is ahead by so much. */
const shareOf = (ahead: number): number => (ahead === 0 ? 0.5 : ahead > 0 ? 1 : 0);

const ADD: Operation = { compute: (a, b) => a + b, leftSlope: () => 1, rightSlope: () => 1 };
const SUBTRACT: Operation = { compute: (a, b) => a - b, leftSlope: () => 1, rightSlope: () => -1 };
const MULTIPLY: Operation = { compute: (a, b) => a * b, leftSlope: (_, b) => b, rightSlope: (a) => a };
const DIVIDE: Operation = { compute: (a, b) => a / b, leftSlope: (_, b) => 1 / b, rightSlope: (a, b) => -a / (b * b) };
const SMALLER: Operation = {
  compute: Math.min,
  leftSlope: (a, b) => shareOf(b - a),
  rightSlope: (a, b) => shareOf(a - b),
};
const LARGER: Operation = {
  compute: Math.max,
  leftSlope: (a, b) => shareOf(a - b),
  rightSlope: (a, b) => shareOf(b - a),
};

export function createBatchTape(options: {
  /** Name of the loss, for errors. */
  loss: string;
  layout: BatchLayout;
  /** Called with each function of the author's own and where it is used. */
  onMap?: ((call: MapCall) => void) | undefined;
}): BatchTape {
  const { loss, layout } = options;
  const nodes: { readonly length: number; readonly parents: readonly Parent[] }[] = [];
  const places = new WeakMap<BatchValue, number>();
  const refuse = (reason: string): LossInputError => new LossInputError({ loss, reason });
  const findPlace = createPlaces(layout);

  function placeOf(value: BatchValue): number {
    const place = places.get(value);
    if (place === undefined) throw refuse('was given something that is no value of this batch');
    return place;
  }

  function record(level: BatchLevel, values: Float64Array, parents: readonly Parent[] = []): BatchValue {
    const value: BatchValue = {
      ...{ level, values },
      plus: (other) => join(value, other, ADD),
      minus: (other) => join(value, other, SUBTRACT),
      times: (other) => join(value, other, MULTIPLY),
      over: (other) => join(value, other, DIVIDE),
      min: (other) => join(value, other, SMALLER),
      max: (other) => join(value, other, LARGER),
      clip: (low, high) => {
        if (!(low <= high)) throw refuse(`cannot clip between ${low} and ${high}`);
        return each(
          value,
          (x) => Math.min(Math.max(x, low), high),
          (x) => (x >= low && x <= high ? 1 : 0),
        );
      },
      exp: () => each(value, Math.exp, Math.exp),
      log: () => each(value, Math.log, (x) => 1 / x),
      sigmoid: () => each(value, sigmoid, (x) => sigmoid(x) * sigmoid(-x)),
      logSigmoid: () => each(value, logSigmoid, (x) => sigmoid(-x)),
      map: (compute, slope) => {
        options.onMap?.({ values, compute, slope });
        return each(value, compute, slope);
      },
      detached: (change = (x) => x) => record(level, values.map(change)),
      sum: (to = 'batch') => gather(value, to, false),
      mean: (to = 'batch') => gather(value, to, true),
    };
    places.set(value, nodes.length);
    nodes.push({ length: values.length, parents });
    return value;
  }

  const lift = (operand: BatchOperand): BatchValue =>
    typeof operand === 'number' ? record('batch', Float64Array.of(operand)) : operand;

  function each(value: BatchValue, compute: (x: number) => number, slope: (x: number) => number): BatchValue {
    const { level, values } = value;
    return record(
      level,
      values.map((x) => compute(x)),
      [
        {
          node: placeOf(value),
          pull: (gradient, into) => {
            for (let at = 0; at < into.length; at += 1) {
              // A gradient of 0 stays 0 whatever the slope is: behind a clip it may be infinite.
              if (gradient[at] !== 0) into[at]! += gradient[at]! * slope(values[at]!);
            }
          },
        },
      ],
    );
  }

  function join(left: BatchValue, other: BatchOperand, { compute, leftSlope, rightSlope }: Operation): BatchValue {
    const right = lift(other);
    const level = LEVELS.indexOf(left.level) <= LEVELS.indexOf(right.level) ? left.level : right.level;
    const [leftAt, rightAt] = [findPlace(level, left.level), findPlace(level, right.level)];
    const [a, b] = [left.values, right.values];
    const parent = (value: BatchValue, placeAt: (at: number) => number, slope: Slope): Parent => ({
      node: placeOf(value),
      pull: (gradient, into) => {
        for (let at = 0; at < gradient.length; at += 1) {
          if (gradient[at] !== 0) into[placeAt(at)]! += gradient[at]! * slope(a[leftAt(at)]!, b[rightAt(at)]!);
        }
      },
    });
    const parents = [parent(left, leftAt, leftSlope), parent(right, rightAt, rightSlope)];
    const { length } = left.level === level ? a : b;
    const joined = new Float64Array(length);
    for (let at = 0; at < length; at += 1) joined[at] = compute(a[leftAt(at)]!, b[rightAt(at)]!);
    return record(level, joined, parents);
  }

  function gather(value: BatchValue, to: BatchLevel, isMean: boolean): BatchValue {
    if (!LEVELS.includes(to)) throw refuse(`knows no level ${to}; there are ${LEVELS.join(', ')}`);
    if (LEVELS.indexOf(to) < LEVELS.indexOf(value.level)) {
      throw refuse(`cannot take a sum or a mean of each ${to} from numbers of each ${value.level}`);
    }
    const placeAt = findPlace(value.level, to);
    const sums = new Float64Array(lengthOf(to, layout));
    const counts = new Float64Array(sums.length);
    for (const [at, one] of value.values.entries()) {
      sums[placeAt(at)]! += one;
      counts[placeAt(at)]! += 1;
    }
    const shares = counts.map((count) => (isMean && count > 0 ? 1 / count : 1));
    const pull: Parent['pull'] = (gradient, into) => {
      for (let at = 0; at < into.length; at += 1) into[at]! += gradient[placeAt(at)]! * shares[placeAt(at)]!;
    };
    return record(
      to,
      sums.map((sum, at) => sum * shares[at]!),
      [{ node: placeOf(value), pull }],
    );
  }

  return {
    variable: (level, values) => record(level, values),
    constant: (level, values) => record(level, values),
    gradient(output, of) {
      const [last, wanted] = [placeOf(output), placeOf(of)];
      const found: (Float64Array | undefined)[] = [];
      found[last] = Float64Array.of(1);
      // Parents stand before their children, so that one walk from the end meets every gradient complete.
      for (let node = last; node > wanted; node -= 1) {
        const gradient = found[node];
        if (gradient === undefined) continue;
        for (const { node: parent, pull } of nodes[node]!.parents) {
          pull(gradient, (found[parent] ??= new Float64Array(nodes[parent]!.length)));
        }
        found[node] = undefined;
      }
      return found[wanted] ?? new Float64Array(of.values.length);
    },
  };
}

export interface MapCall {
  readonly values: Float64Array;
  readonly compute: (value: number) => number;
  readonly slope: (value: number) => number;
}

function lengthOf(level: BatchLevel, { sequenceOfToken, groupOfSequence, groups }: BatchLayout): number {
  if (level === 'token') return sequenceOfToken.length;
  if (level === 'sequence') return groupOfSequence.length;
  return level === 'group' ? groups : 1;
}

/** Where the number of a coarser level stands that counts for a place of a finer one. */
function createPlaces({ sequenceOfToken, groupOfSequence }: BatchLayout) {
  const same = (at: number): number => at;
  const first = (): number => 0;
  return (from: BatchLevel, to: BatchLevel): ((at: number) => number) => {
    if (from === to) return same;
    if (to === 'batch') return first;
    if (to === 'sequence') return (at) => sequenceOfToken[at]!;
    return from === 'token' ? (at) => groupOfSequence[sequenceOfToken[at]!]! : (at) => groupOfSequence[at]!;
  };
}
