import { describe, expect, it } from 'vitest';

import { createSeccompFilter } from './seccomp-filter.ts';
import { ALLOWED_CALLS, JUDGED_CALLS, MEMORY_CALLS } from './system-calls.ts';

const ALLOW = 0x7fff_0000;
const refused = (errno: number): number => 0x0005_0000 | errno;

/** Runs the filter as the kernel would. */
function decide(
  architecture: 'x64' | 'arm64',
  call: { nr: number; audit?: number; args?: number[]; hasControlGroup?: boolean },
): number {
  const program = createSeccompFilter({ architecture, hasControlGroup: call.hasControlGroup ?? true });
  if (program === undefined) throw new Error('no filter');
  const view = new DataView(program.buffer);
  const data = new Map<number, number>([
    [0, call.nr],
    [4, call.audit ?? (architecture === 'x64' ? 0xc000_003e : 0xc000_00b7)],
    ...(call.args ?? []).map((value, index): [number, number] => [16 + index * 8, value]),
  ]);
  let accumulator = 0;
  for (let index = 0; index < program.length / 8; index += 1) {
    const code = view.getUint16(index * 8, true);
    const value = view.getUint32(index * 8 + 4, true);
    if (code === 0x06) return value;
    if (code === 0x20) accumulator = data.get(value) ?? 0;
    else {
      const isTrue =
        code === 0x15 ? accumulator === value : code === 0x35 ? accumulator >= value : (accumulator & value) !== 0;
      index += view.getUint8(index * 8 + (isTrue ? 2 : 3));
    }
  }
  throw new Error('the filter ran over its end');
}

describe('createSeccompFilter', () => {
  it('lets ordinary calls through', () => {
    for (const nr of [0, 1, 9, 59, 257]) expect(decide('x64', { nr })).toBe(ALLOW);
    for (const nr of [63, 64, 222, 221]) expect(decide('arm64', { nr })).toBe(ALLOW);
  });
  it('refuses tracing, bpf, mounts, io_uring and new namespaces', () => {
    for (const nr of [101, 321, 165, 272, 323, 250]) expect(decide('x64', { nr })).toBe(refused(1));
    for (const nr of [117, 280, 40, 97, 282, 219]) expect(decide('arm64', { nr })).toBe(refused(1));
    for (const nr of [425, 428, 438, 467]) expect(decide('x64', { nr })).toBe(refused(38));
  });
  it('refuses what no kernel has yet, and every number that nobody listed', () => {
    const allowed = (architecture: 'x64' | 'arm64'): number =>
      Array.from({ length: 1_000 }, (_, nr) => decide(architecture, { nr, args: [1] })).filter((each) => each === ALLOW)
        .length;
    expect(allowed('x64')).toBe(Object.keys({ ...ALLOWED_CALLS, ...MEMORY_CALLS, ...JUDGED_CALLS }).length - 1);
    expect(allowed('arm64')).toBeLessThan(allowed('x64'));
    for (const nr of [468, 500, 999, 0x3fff_ffff]) expect(decide('x64', { nr })).toBe(refused(38));
  });
  it('refuses memory that belongs to no process where nothing counts it', () => {
    for (const nr of [319, 29, 68]) {
      expect(decide('x64', { nr })).toBe(ALLOW);
      expect(decide('x64', { nr, hasControlGroup: false })).not.toBe(ALLOW);
    }
  });
  it('gives no handle of the process at the other end of a socket', () => {
    for (const nr of [54, 55]) {
      expect(decide('x64', { nr, args: [0, 1, 77] })).toBe(refused(92));
      expect(decide('x64', { nr, args: [0, 1, 76] })).toBe(refused(92));
      expect(decide('x64', { nr, args: [0, 1, 17] })).toBe(ALLOW);
      expect(decide('x64', { nr, args: [0, 6, 77] })).toBe(ALLOW);
    }
  });
  it('lets threads and children be made, but no namespaces with them', () => {
    expect(decide('x64', { nr: 56, args: [0x0100_0011] })).toBe(ALLOW);
    expect(decide('x64', { nr: 56, args: [0x1000_0011] })).toBe(refused(1));
    expect(decide('x64', { nr: 435 })).toBe(refused(38));
  });
  it('lets four families of sockets through', () => {
    for (const family of [1, 2, 10, 16]) expect(decide('x64', { nr: 41, args: [family] })).toBe(ALLOW);
    for (const family of [17, 38, 40, 44]) expect(decide('x64', { nr: 41, args: [family] })).toBe(refused(97));
  });
  it('refuses to type into terminals', () => {
    expect(decide('x64', { nr: 16, args: [0, 0x5401] })).toBe(ALLOW);
    expect(decide('x64', { nr: 16, args: [0, 0x5412] })).toBe(refused(1));
  });
  it('refuses calls of other machines and of the second table', () => {
    expect(decide('x64', { nr: 20, audit: 0x4000_0003 })).toBe(refused(1));
    expect(decide('x64', { nr: 0x4000_0000 })).toBe(refused(1));
  });
  it('has no filter for a machine it has no table of', () => {
    expect(createSeccompFilter({ architecture: 'riscv64' })).toBeUndefined();
  });
});
