import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import { signRequest } from './sign-request.ts';

/** The calls that Amazon's own page calculates, with its keys. */
const place = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: undefined,
  region: 'us-east-1',
};
const now = new Date('2013-05-24T00:00:00Z');
const url = (rest: string): URL => new URL(`https://examplebucket.s3.amazonaws.com/${rest}`);
const empty = { 'x-amz-content-sha256': hash('sha256', '') };

it.each([
  [
    'GET',
    'test.txt',
    { range: 'bytes=0-9', ...empty },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  ['GET', '?lifecycle=', empty, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  ['GET', '?max-keys=2&prefix=J', empty, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
])('signs %s %s as its page says', (method, rest, headers, signature) => {
  const { authorization } = signRequest({ place, method, url: url(rest), headers, now });
  expect(authorization).toContain(`Signature=${signature}`);
});

it('has another key on another day, and the token of a session in what it signs', () => {
  const call = { place, method: 'GET', url: url('a') };
  const one = signRequest({ ...call, now });
  const other = signRequest({ ...call, now: new Date('2013-05-25T00:00:00Z') });
  expect(other['authorization']).not.toBe(one['authorization']);
  expect(signRequest({ ...call, now })).toEqual(one);
  const session = signRequest({ ...call, now, place: { ...place, sessionToken: 'token' } });
  expect(session['authorization']).toContain('x-amz-date;x-amz-security-token');
});
