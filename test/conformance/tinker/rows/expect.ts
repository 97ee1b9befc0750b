import assert from 'node:assert/strict';

import type { TinkerEvent } from '@lachesis/tinker';

import type { Answer, Subject } from '../servers/subject.ts';

/** The status of an answer, with its body in the message when it is another. */
export function expectStatus(answer: Answer, ...wanted: number[]): void {
  assert.ok(
    wanted.includes(answer.status),
    `want ${wanted.join(' or ')}, got ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`,
  );
}

/** The error of a kind that a promise must fail with. */
export async function expectError<E extends Error>(
  promise: PromiseLike<unknown>,
  kind: { isInstance(value: unknown): value is E; readonly name: string },
  matches = /./,
): Promise<E> {
  const outcome: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  const got = outcome instanceof Error ? `${outcome.name}: ${outcome.message}` : 'success';
  assert.ok(kind.isInstance(outcome), `want ${kind.name}, got ${got}`);
  assert.match(outcome.message, matches);
  return outcome;
}

/** That the client told of a setting which the server does not follow. */
export function expectDroppedKnob(subject: Subject, operation: string, knob: string): void {
  const wasTold = subject.events.some(
    (event) => event.type === 'knob-dropped' && event.operation === operation && event.knob === knob,
  );
  assert.ok(wasTold, `no knob-dropped event for ${operation}.${knob}`);
}

export function countEvents(subject: Subject, type: TinkerEvent['type']): number {
  return subject.events.filter((event) => event.type === type).length;
}

/** Both sides number by number. */
export function expectSameRows(left: readonly Float32Array[], right: readonly Float32Array[], tolerance: number): void {
  const largest = largestDifference(left, right);
  assert.ok(largest <= tolerance, `the numbers differ by up to ${largest}`);
}

/** The largest |Δ|; infinite when rows are missing or not finite, so that it is above every bar. */
export function largestDifference(left: readonly ArrayLike<number>[], right: readonly ArrayLike<number>[]): number {
  if (left.length !== right.length || left.length === 0) return Number.POSITIVE_INFINITY;
  let largest = 0;
  for (const [index, row] of left.entries()) {
    const other = right[index]!;
    if (row.length !== other.length || row.length === 0) return Number.POSITIVE_INFINITY;
    for (let place = 0; place < row.length; place += 1) {
      const difference = Math.abs(row[place]! - other[place]!);
      if (!Number.isFinite(difference)) return Number.POSITIVE_INFINITY;
      largest = Math.max(largest, difference);
    }
  }
  return largest;
}
