import { createHash } from 'node:crypto';
import { z } from 'zod';
import { conversationKey } from '../records/message-parts.ts';
import type { Check } from './check.ts';

export const duplicateCheck: Check = {
  name: 'duplicate',
  severity: 'warning',
  what: 'The rows say the same as an earlier one: they count more than once.',
  fix: 'Make the set with the transform `dedupe`.',
  start() {
    const first = new Map<string, number>();
    return {
      see({ index, digests }) {
        const before = first.get(digests.whole);
        if (before === undefined) first.set(digests.whole, index);
        return before === undefined ? [] : [`the same as row ${before}`];
      },
    };
  },
};

export const equalPairCheck: Check = {
  name: 'equal-pair',
  severity: 'error',
  what: 'The better and the worse reply of a pair are the same: there is nothing to prefer.',
  fix: 'Leave them out; pairs made by Lachesis are never equal.',
  start: () => ({
    see({ record }) {
      if (record.kind !== 'preference') return [];
      const isEqual = conversationKey(record.chosen) === conversationKey(record.rejected);
      return isEqual ? ['chosen and rejected are the same but for the ids of calls'] : [];
    },
  }),
};

export const heldOutCheck: Check = {
  name: 'held-out',
  severity: 'error',
  what: 'The rows are in a held-out set: training on them makes its figures worthless.',
  fix: 'Leave them out; exports and sets made by Lachesis do so by themselves.',
  start: () => ({ see: ({ heldOut }) => (heldOut === undefined ? [] : [`it is in ${heldOut}`]) }),
};

/** What `toDataRecords` notes about a row whose turns do not extend each other. */
const joinedSchema = z.looseObject({
  tokens_missing: z.literal('prefix-break'),
  tokens_missing_at: z.int().nullish(),
});

export const prefixBreakCheck: Check = {
  name: 'prefix-break',
  severity: 'warning',
  what: 'A trajectory was rewritten on the way (a changed system message, a compaction): its rows do not extend each other, so that its beginning is trained more than once and its tokens cannot be one sequence.',
  fix: 'Keep what changes, such as the time, out of the system message; or keep the last row of each trajectory.',
  start() {
    const seen = new Map<string, { row: number; marks: readonly string[]; roles: readonly string[] }[]>();
    return {
      see({ index, record }) {
        if (record.kind !== 'conversation' || record.trajectory_id === null) return [];
        // The tokens of its turns were looked at when the row was made.
        const joined = joinedSchema.safeParse(record.extra['lachesis']).data;
        if (joined !== undefined) {
          return [`the prompt of turn ${joined.tokens_missing_at ?? '?'} does not begin with the tokens before it`];
        }
        const roles = record.messages.map(({ role }) => role);
        const marks = record.messages.map((message) =>
          createHash('sha1').update(JSON.stringify(message)).digest('base64'),
        );
        const others = seen.get(record.trajectory_id) ?? [];
        seen.set(record.trajectory_id, [...others, { row: index, marks, roles }]);
        return others.flatMap((other) => {
          const at = findDifference(marks, other.marks);
          // Two replies to the same words are a fork, and both are what the model wrote.
          if (at === undefined || (roles[at] === 'assistant' && other.roles[at] === 'assistant')) return [];
          return [`it differs from row ${other.row} of the same trajectory at message ${at}`];
        });
      },
    };
  },
};

/** Where both still speak and say something different; undefined when one begins with the other. */
function findDifference(left: readonly string[], right: readonly string[]): number | undefined {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) if (left[index] !== right[index]) return index;
  return undefined;
}
