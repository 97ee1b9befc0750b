import { expect, test } from 'vitest';

import { batchAckSchema, batchNackSchema, batchRenewSchema, batchRequestSchema, leaseReplySchema } from './batch.ts';
import { toIssues } from './error-body.ts';
import { eventSchema } from './event.ts';
import { groupReceiptSchema } from './group-receipt.ts';
import { isBalanced, ledgerSchema } from './ledger.ts';
import { quarantineListSchema } from './quarantine.ts';
import { registrationReplySchema, registrationRequestSchema } from './registration.ts';

const id = '018bcfe5-6800-7000-8000-000000000001';
const digest = 'ab'.repeat(32);

test('a registration needs a batch size and nothing else', () => {
  expect(registrationRequestSchema.parse({ batch_size: 1 })).toEqual({ batch_size: 1 });
  for (const size of [0, 1_000_001, 1.5, '8', null]) {
    expect(registrationRequestSchema.safeParse({ batch_size: size }).success).toBe(false);
  }
  const reply = { run_id: id, incarnation_id: id, batch_size: 8, current_step: 0 };
  expect(registrationReplySchema.parse(reply)).toEqual(reply);
});

test('a misspelt field is refused by name', () => {
  const refused = registrationRequestSchema.safeParse({ batch_size: 0, max_stalenes: 3 });
  expect(toIssues(refused.error!.issues).map(({ field }) => field)).toEqual(['batch_size', 'max_stalenes']);
});

test('asking for a batch has defaults and bounds', () => {
  expect(batchRequestSchema.parse({})).toEqual({ wait_seconds: 0, consumer: '' });
  const over = [{ wait_seconds: 30.1 }, { lease_seconds: 0 }, { lease_seconds: 3601 }, { consumer: 'x'.repeat(201) }];
  expect(over.every((body) => !batchRequestSchema.safeParse(body).success)).toBe(true);
});

test('settling a batch needs its epoch', () => {
  const schemas = [batchRenewSchema, batchAckSchema, batchNackSchema];
  expect(schemas.some((schema) => schema.safeParse({ reason: 'x' }).success)).toBe(false);
  expect(batchAckSchema.parse({ epoch: 0, policy_version: 0, step: 0 })).toEqual({
    epoch: 0,
    policy_version: 0,
    step: 0,
  });
  expect(batchNackSchema.parse({ epoch: 1, reason: 'out of memory', group_ids: [id] }).group_ids).toEqual([id]);
  expect(batchNackSchema.safeParse({ epoch: 1, reason: '' }).success).toBe(false);
});

test('replies hold what the API promises', () => {
  const group = { group_id: id, digest, bytes: 1, sequence_count: 1, token_count: 1, env_id: null };
  const batch = { batch_id: id, epoch: 1, attempt: 1, lease_seconds: 60, step: 0, groups: [group] };
  expect(leaseReplySchema.parse({ batch })).toEqual({ batch });
  expect(leaseReplySchema.parse({ batch: null })).toEqual({ batch: null });

  const receipt = { group_id: id, status: 'quarantined', reason: 'size', replayed: false, durability: 'local' };
  expect(groupReceiptSchema.parse(receipt)).toEqual(receipt);
  const event = { cursor: 1, kind: 'batch-leased', at: 1, data: {}, hash: digest };
  expect(eventSchema.parse(event)).toEqual(event);
  const { env_id, ...rest } = group;
  const kept = { ...rest, env_id, reason: 'NaN', at: 1, batch_id: null };
  expect(quarantineListSchema.parse({ groups: [kept], next_cursor: null }).groups).toEqual([kept]);
});

test('a ledger balances when the parts add up to what was produced', () => {
  const counts = {
    pending: 1,
    buffered: 2,
    formed: 3,
    leased: 4,
    delivered_unconfirmed: 5,
    trained: 6,
    quarantined: 7,
  };
  const ledger = { run_id: id, incarnation_id: id, produced: 33, ...counts, dropped: { stale: 2, reset: 3 } };
  expect(isBalanced(ledger)).toBe(true);
  expect(isBalanced({ ...ledger, produced: 34 })).toBe(false);
  expect(ledgerSchema.parse({ ...ledger, balanced: true }).dropped).toEqual({ stale: 2, reset: 3 });
});
