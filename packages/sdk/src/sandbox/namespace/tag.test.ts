import { describe, expect, it } from 'vitest';

import { describeMaker, hashOwner, isMakerAlive, readTag, writeTag } from './tag.ts';

const tag = { owner: 'run 1/../environment', ...describeMaker(), id: 'abc123' };

describe('a sandbox tag', () => {
  it('comes back as it was written, the owner as a hash', () => {
    const { owner, ...rest } = tag;
    expect(readTag(writeTag(tag))).toEqual({ ...rest, ownerHash: hashOwner(owner) });
  });
  it('is one name of a folder, whatever the owner is called', () => {
    expect(writeTag(tag)).toMatch(/^[\w-]+$/);
  });
  it('knows names that are none', () => {
    expect(readTag('lachesis-sandbox-x')).toBeUndefined();
    expect(readTag('user.slice')).toBeUndefined();
  });
  it('tells a living maker from another process with its number', () => {
    expect(isMakerAlive(tag)).toBe(true);
    expect(isMakerAlive({ ...tag, startTicks: tag.startTicks - 1 })).toBe(false);
  });
  it('does not judge a maker whose number means nothing here', () => {
    expect(isMakerAlive({ ...tag, pidNamespace: 1, startTicks: 0 })).toBe(true);
  });
});
