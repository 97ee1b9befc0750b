import { LachesisError } from '@lachesis/protocol';
import { describe, expect, it } from 'vitest';
import { Quotas, type QuotaKind } from './quotas.ts';

const limits = { requestsPerSecond: 10, bytesPerSecond: 1_000, openRequests: 200, openStreams: 2 };
const who = (tenantId: string, tokenId: string | null = `${tenantId}1`) => ({ tenantId, tokenId });

function open() {
  let now = 0;
  const refused: QuotaKind[] = [];
  const quotas = new Quotas({ limits, monotonic: () => now, onRefused: (kind) => refused.push(kind) });
  const refusal = (run: () => unknown): LachesisError | undefined => {
    try {
      run();
      return undefined;
    } catch (error) {
      return LachesisError.isInstance(error) ? error : undefined;
    }
  };
  return { quotas, refused, refusal, pass: (ms: number) => (now += ms) };
}

describe('quotas', () => {
  it('let a wave pass, then what the rate allows, and say when to come back', () => {
    const { quotas, refusal, refused, pass } = open();
    for (let index = 0; index < 100; index += 1) quotas.enter(who('a')).leave();
    expect(refusal(() => quotas.enter(who('a')))).toMatchObject({ status: 429, retryAfterSeconds: 1 });
    expect(refused).toEqual(['requestsPerSecond']);
    pass(100);
    quotas.enter(who('a')).leave();
    expect(refusal(() => quotas.enter(who('a')))?.message).toBe('token a1 is at its limit of 10 requests a second');
  });

  it('hold for each token and, four times as wide, for its tenant; never for another tenant', () => {
    const { quotas, refusal } = open();
    for (let token = 0; token < 4; token += 1) {
      for (let index = 0; index < 100; index += 1) quotas.enter(who('a', `a${token}`)).leave();
    }
    expect(refusal(() => quotas.enter(who('a', 'fresh')))?.message).toContain('tenant a');
    expect(refusal(() => quotas.enter(who('b')))).toBeUndefined();
  });

  it('count bytes when they have come, and refuse the next request', () => {
    const { quotas, refusal, pass } = open();
    quotas.enter(who('a')).charge(12_000);
    expect(refusal(() => quotas.enter(who('a')))).toMatchObject({ status: 429, retryAfterSeconds: 2 });
    pass(2_001);
    expect(refusal(() => quotas.enter(who('a')))).toBeUndefined();
  });

  it('bound what is open at once, and streams apart', () => {
    const { quotas, refusal } = open();
    const first = quotas.enter(who('a'), { isStream: true });
    quotas.enter(who('a'), { isStream: true });
    expect(refusal(() => quotas.enter(who('a'), { isStream: true }))?.message).toContain('event streams');
    expect(refusal(() => quotas.enter(who('a')))).toBeUndefined();
    first.leave();
    first.leave();
    expect(refusal(() => quotas.enter(who('a'), { isStream: true }))).toBeUndefined();
    expect(refusal(() => quotas.enter(who('a'), { isStream: true }))).toBeDefined();
  });

  it('take callers without a token as one tenant', () => {
    const { quotas, refusal } = open();
    for (let index = 0; index < 400; index += 1) quotas.enter(who('local', null)).leave();
    expect(refusal(() => quotas.enter(who('local', null)))?.message).toContain('tenant local');
  });
});
