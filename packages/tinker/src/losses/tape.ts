import { logSigmoid, sigmoid } from './log-sigmoid.ts';
import { LossInputError } from './loss-input-error.ts';

/** A value on a tape: an array, or a scalar as an array of one. Its numbers are read, never changed. */
export interface TapeValue {
  readonly values: Float64Array;
}

/** A plain number stands for a constant scalar. */
export type TapeOperand = TapeValue | number;

/**
 * Reverse-mode differentiation over arrays. Operands have one length, or are scalars, which are repeated. Each method
 * computes at once and remembers how its gradient flows back.
 */
export interface Tape {
  /** A value whose gradient is wanted. The array is copied. */
  variable(values: ArrayLike<number>): TapeValue;
  /** A value that takes no gradient. The array is copied. */
  constant(values: ArrayLike<number> | number): TapeValue;
  /** The same numbers, cut off from where they came from. */
  detach(value: TapeValue): TapeValue;
  add(a: TapeOperand, b: TapeOperand): TapeValue;
  sub(a: TapeOperand, b: TapeOperand): TapeValue;
  mul(a: TapeOperand, b: TapeOperand): TapeValue;
  neg(a: TapeOperand): TapeValue;
  exp(a: TapeOperand): TapeValue;
  log(a: TapeOperand): TapeValue;
  sigmoid(a: TapeOperand): TapeValue;
  logSigmoid(a: TapeOperand): TapeValue;
  sum(a: TapeOperand): TapeValue;
  mean(a: TapeOperand): TapeValue;
  /** Σ mask·a. Where the mask is 0, `a` is not read, so that a masked -Infinity does no harm. */
  maskedSum(a: TapeValue, mask: ArrayLike<number>): TapeValue;
  /** Between the bounds, both included, the gradient passes; outside it stops. */
  clamp(a: TapeOperand, low: number, high: number): TapeValue;
  /** The smaller of each two; where they are equal each side takes half of the gradient. */
  min(a: TapeOperand, b: TapeOperand): TapeValue;
  /** Gradients of a scalar with respect to values of this tape, in their order. May be called again. */
  gradients(output: TapeValue, of: readonly TapeValue[]): Float64Array[];
}

type Partial2 = (a: number, b: number, out: number) => number;

interface Parent {
  readonly node: number;
  /** Adds its share of this value's gradient to the parent's. */
  readonly pull: (gradient: Float64Array, into: Float64Array) => void;
}

interface Node {
  readonly value: TapeValue;
  readonly parents: readonly Parent[];
}

export function createTape(): Tape {
  const nodes: Node[] = [];
  const places = new WeakMap<TapeValue, number>();

  function record(values: Float64Array, parents: readonly Parent[]): TapeValue {
    const value: TapeValue = { values };
    places.set(value, nodes.length);
    nodes.push({ value, parents });
    return value;
  }

  function placeOf(value: TapeValue): number {
    const place = places.get(value);
    if (place === undefined) throw new LossInputError({ loss: 'tape', reason: 'was given a value of another tape' });
    return place;
  }

  const constant = (values: ArrayLike<number> | number): TapeValue =>
    record(typeof values === 'number' ? Float64Array.of(values) : Float64Array.from(values), []);

  const lift = (operand: TapeOperand): TapeValue => (typeof operand === 'number' ? constant(operand) : operand);

  /** An operation on each element of one value; `slope` gets the element and what it became. */
  function each(operand: TapeOperand, compute: (a: number) => number, slope: (a: number, out: number) => number) {
    const a = lift(operand);
    const node = placeOf(a);
    const out = a.values.map(compute);
    return record(out, [
      {
        node,
        pull: (gradient, into) => {
          for (let at = 0; at < out.length; at += 1)
            into[at]! += passed(gradient[at]!, () => slope(a.values[at]!, out[at]!));
        },
      },
    ]);
  }

  /** An operation on each two elements. A scalar's step is 0: it stays on its one element and gathers every gradient. */
  function both(
    left: TapeOperand,
    right: TapeOperand,
    compute: (a: number, b: number) => number,
    slopes: readonly [Partial2, Partial2],
  ): TapeValue {
    const [a, b] = [lift(left), lift(right)];
    const length = commonLength(a.values.length, b.values.length);
    const steps = [a, b].map(({ values }) => (values.length === 1 ? 0 : 1)) as [number, number];
    const out = new Float64Array(length);
    for (let at = 0; at < length; at += 1) out[at] = compute(a.values[at * steps[0]]!, b.values[at * steps[1]]!);
    const parent = (value: TapeValue, side: 0 | 1): Parent => ({
      node: placeOf(value),
      pull: (gradient, into) => {
        for (let at = 0; at < length; at += 1) {
          into[at * steps[side]]! += passed(gradient[at]!, () =>
            slopes[side](a.values[at * steps[0]]!, b.values[at * steps[1]]!, out[at]!),
          );
        }
      },
    });
    return record(out, [parent(a, 0), parent(b, 1)]);
  }

  /** Σ weight·a, the one shape behind sum, mean and maskedSum. */
  function weightedSum(operand: TapeOperand, weightAt: (at: number) => number): TapeValue {
    const a = lift(operand);
    let total = 0;
    for (let at = 0; at < a.values.length; at += 1) {
      const weight = weightAt(at);
      if (weight !== 0) total += weight * a.values[at]!;
    }
    return record(Float64Array.of(total), [
      {
        node: placeOf(a),
        pull: (gradient, into) => {
          for (let at = 0; at < into.length; at += 1) into[at]! += gradient[0]! * weightAt(at);
        },
      },
    ]);
  }

  return {
    variable: (values) => record(Float64Array.from(values), []),
    constant,
    detach: ({ values }) => record(values, []),
    add: (a, b) => both(a, b, (x, y) => x + y, [() => 1, () => 1]),
    sub: (a, b) => both(a, b, (x, y) => x - y, [() => 1, () => -1]),
    mul: (a, b) => both(a, b, (x, y) => x * y, [(_, y) => y, (x) => x]),
    neg: (a) =>
      each(
        a,
        (x) => -x,
        () => -1,
      ),
    exp: (a) => each(a, Math.exp, (_, out) => out),
    log: (a) => each(a, Math.log, (x) => 1 / x),
    sigmoid: (a) => each(a, sigmoid, (x, out) => out * sigmoid(-x)),
    logSigmoid: (a) => each(a, logSigmoid, (x) => sigmoid(-x)),
    sum: (a) => weightedSum(a, () => 1),
    mean: (operand) => {
      const a = lift(operand);
      if (a.values.length === 0) throw new LossInputError({ loss: 'tape', reason: 'has no mean of an empty array' });
      return weightedSum(a, () => 1 / a.values.length);
    },
    maskedSum: (a, mask) => {
      if (mask.length !== a.values.length) {
        const reason = `has a mask of ${mask.length} for an array of ${a.values.length}`;
        throw new LossInputError({ loss: 'tape', reason });
      }
      const kept = Float64Array.from(mask);
      return weightedSum(a, (at) => kept[at]!);
    },
    clamp: (a, low, high) => {
      if (!(low <= high)) throw new LossInputError({ loss: 'tape', reason: `cannot clamp from ${low} to ${high}` });
      return each(
        a,
        (x) => Math.min(Math.max(x, low), high),
        (x) => (x >= low && x <= high ? 1 : 0),
      );
    },
    min: (a, b) => both(a, b, Math.min, [smallerShare, (x, y) => smallerShare(y, x)]),
    gradients: (output, of) => {
      if (output.values.length !== 1) {
        const reason = `has gradients of scalars; this value has ${output.values.length} numbers`;
        throw new LossInputError({ loss: 'tape', reason });
      }
      const last = placeOf(output);
      const found = new Map<number, Float64Array>([[last, Float64Array.of(1)]]);
      const gradientAt = (node: number): Float64Array => {
        const known = found.get(node) ?? new Float64Array(nodes[node]!.value.values.length);
        found.set(node, known);
        return known;
      };
      // Parents always stand before their children, so one walk from the end sees every gradient complete.
      for (let node = last; node >= 0; node -= 1) {
        const gradient = found.get(node);
        if (gradient === undefined) continue;
        for (const parent of nodes[node]!.parents) parent.pull(gradient, gradientAt(parent.node));
      }
      return of.map((value) => gradientAt(placeOf(value)).slice());
    },
  };
}

/** A gradient of 0 stays 0 whatever the slope is: behind a mask the slope may be infinite or NaN. */
const passed = (gradient: number, slope: () => number): number => (gradient === 0 ? 0 : gradient * slope());

function smallerShare(own: number, other: number): number {
  if (own === other) return 0.5;
  return own < other ? 1 : 0;
}

function commonLength(a: number, b: number): number {
  if (a === b || b === 1) return a;
  if (a === 1) return b;
  throw new LossInputError({ loss: 'tape', reason: `cannot join arrays of ${a} and ${b} numbers` });
}
