import { describe, expect, it } from 'vitest';
import { BodyLedger, SMALL_BODY_BYTES } from './body-ledger.ts';

const KIB = 1024;
const MIB = KIB * KIB;
const LOCAL = { tenantId: 'local', tokenId: null };
const owner = (tenantId: string, tokenId = tenantId) => ({ tenantId, tokenId });

describe('the ledger of bodies', () => {
  it('charges what has arrived and gives it back once', () => {
    const ledger = new BodyLedger(MIB);
    const account = ledger.open(LOCAL);
    expect(ledger.used).toBe(0);
    expect(account.take(100)).toBeUndefined();
    expect(ledger.used).toBe(100);
    account.release();
    account.release();
    expect(ledger.used).toBe(0);
    expect(account.take(5)).toBeUndefined();
    expect(ledger.used).toBe(0);
  });

  it('lets a small body pass however full it is', () => {
    const ledger = new BodyLedger(MIB);
    const large = [ledger.open(LOCAL), ledger.open(LOCAL)];
    expect(large[0]?.take(MIB)).toBeUndefined();
    expect(large[1]?.take(MIB)).toBeUndefined();
    expect(ledger.open(LOCAL).take(SMALL_BODY_BYTES)).toBeUndefined();
  });

  it('lets one body read on beyond the whole, and the next when that one is gone', async () => {
    const ledger = new BodyLedger(MIB);
    const [first, second, third] = [ledger.open(LOCAL), ledger.open(LOCAL), ledger.open(LOCAL)];
    expect(first.take(MIB - 1)).toBeUndefined();
    expect(second.take(MIB)).toBeUndefined();
    const waiting = third.take(MIB);
    const fourth = ledger.open(LOCAL).take(MIB);
    expect(waiting).toBeInstanceOf(Promise);
    second.release();
    await waiting;
    expect(await isDone(fourth)).toBe(false);
  });

  it('makes a token wait at half of it and a tenant at three quarters, and nobody else', () => {
    const ledger = new BodyLedger(16 * MIB);
    for (let index = 0; index < 4; index += 1) void ledger.open(owner('a', 'a1')).take(2 * MIB);
    // The first one over the share of a1 goes on alone.
    expect(ledger.open(owner('a', 'a1')).take(MIB)).toBeUndefined();
    expect(ledger.open(owner('a', 'a1')).take(MIB)).toBeInstanceOf(Promise);
    expect(ledger.open(owner('a', 'a2')).take(2 * MIB)).toBeUndefined();
    expect(ledger.open(owner('a', 'a2')).take(MIB)).toBeUndefined();
    expect(ledger.open(owner('a', 'a2')).take(MIB)).toBeInstanceOf(Promise);
    expect(ledger.open(owner('b')).take(MIB)).toBeUndefined();
  });

  it('never leaves half-read bodies waiting for each other', async () => {
    const ledger = new BodyLedger(2 * MIB);
    const order: number[] = [];
    const send = async (index: number): Promise<void> => {
      const account = ledger.open(owner('a'));
      for (let sent = 0; sent < MIB; sent += 64 * KIB) {
        await account.take(64 * KIB);
        await new Promise(setImmediate);
      }
      order.push(index);
      account.release();
    };
    await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
    expect(order).toHaveLength(20);
    expect(ledger.used).toBe(0);
  });

  it('wakes who left while waiting', async () => {
    const ledger = new BodyLedger(MIB);
    void ledger.open(LOCAL).take(2 * MIB);
    const gone = ledger.open(LOCAL);
    const waiting = gone.take(MIB);
    gone.release();
    await waiting;
    expect(ledger.used).toBe(2 * MIB);
  });
});

async function isDone(promise: Promise<unknown> | undefined): Promise<boolean> {
  let done = false;
  void promise?.then(() => (done = true));
  await new Promise(setImmediate);
  return done;
}
