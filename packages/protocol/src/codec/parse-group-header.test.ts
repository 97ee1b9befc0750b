import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupHeaderSchema } from './group-header.ts';
import { parseGroupHeader } from './parse-group-header.ts';

const odd = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.integer(),
  fc.string(),
  fc.string({ minLength: 195, maxLength: 205 }),
  fc.array(fc.oneof(fc.uuid(), fc.string()), { maxLength: 3 }),
  fc.object({ maxDepth: 1 }),
);
const uuid = fc.oneof(
  fc.uuid(),
  fc.constantFrom(
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '01890000-0000-7000-0000-000000000000',
  ),
);
const maybe = (good: fc.Arbitrary<unknown>) => fc.oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: odd });
const headers = fc.record(
  {
    group_id: maybe(uuid),
    rollout_ids: maybe(fc.array(uuid, { maxLength: 3 })),
    env_id: maybe(fc.option(fc.integer())),
    environment: maybe(fc.string()),
    environment_digest: maybe(fc.string()),
    verifier_digest: maybe(fc.string()),
    split: maybe(fc.constantFrom('train', 'eval')),
    consent: maybe(fc.string()),
    outcome: maybe(fc.constantFrom('scored', 'failed', 'abstained')),
    reason: maybe(fc.string({ maxLength: 2100 })),
    item: maybe(fc.string()),
    set_aside: maybe(
      fc.record({ groups: maybe(fc.nat()), rollouts: maybe(fc.nat()), reward_sum: maybe(fc.double()), other: odd }),
    ),
    unknown: odd,
  },
  { requiredKeys: [] },
);

test('reads what the schema reads and refuses what it refuses', () => {
  fc.assert(
    fc.property(fc.oneof({ weight: 20, arbitrary: headers }, odd), (header) => {
      const parsed = groupHeaderSchema.safeParse(header);
      expect(parseGroupHeader(header)).toEqual(parsed.success ? parsed.data : null);
    }),
    { numRuns: 5000 },
  );
});

test('writes the fields in the order of the schema', () => {
  const header = { reason: 'r', outcome: 'failed', environment: 'e', group_id: '01890000-0000-7000-8000-000000000000' };
  expect(JSON.stringify(parseGroupHeader(header))).toBe(JSON.stringify(groupHeaderSchema.parse(header)));
});
