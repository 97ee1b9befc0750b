import { expect, test } from 'vitest';
import { readTag, toTagVariables } from './process-tag.ts';

const tag = { library: 'l', tenantId: 'a:b c', runId: 'r', role: 'env', instanceId: 'i' } as const;

test('a tag is read out of the variables it was written into', () => {
  const variables = Object.entries({ PATH: '/bin', ...toTagVariables(tag, 'abcdefgh') });
  expect(readTag(variables.map(([name, value]) => `${name}=${value}`).join('\0'))).toEqual(tag);
  expect(toTagVariables(tag, 'abcdefgh')).toMatchObject({ LACHESIS_RUN_ID: 'abcdefgh', LACHESIS_RUN_ROLE: 'env' });
});

test('variables of others are no tag', () => {
  const texts = [
    '',
    'PATH=/bin',
    'LACHESIS_RUN_TAG=',
    'LACHESIS_RUN_TAG=a:b:c:env',
    'LACHESIS_RUN_TAG=a:b:c:x:d',
    'LACHESIS_RUN_TAG=%:b:c:env:d',
  ];
  expect(texts.map(readTag)).toEqual(texts.map(() => undefined));
});
