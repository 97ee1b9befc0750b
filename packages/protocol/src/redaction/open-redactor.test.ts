import { expect, it } from 'vitest';
import { openRedactor, readRedactionSettings } from './open-redactor.ts';

it('takes out what the environment names: fields, values of variables, and a pattern', () => {
  const variables = {
    LACHESIS_REDACT_NAMES: 'badge, locker',
    LACHESIS_REDACT_VARIABLES: 'CUSTOMER',
    LACHESIS_REDACT_PATTERN: String.raw`ACME-\d+`,
    CUSTOMER: 'Wile E. Coyote',
    SERVICE_TOKEN: 'tok-1234567890',
  };
  const redactor = openRedactor(readRedactionSettings(variables), variables);
  const { text } = redactor.redactText('customer ACME-12345, Wile E. Coyote, tok-1234567890');
  for (const secret of ['ACME-12345', 'Coyote', 'tok-1234567890']) expect(text).not.toContain(secret);
  expect(redactor.redactField('badge', 'seven')).toBeDefined();
  expect(redactor.redactField('name', 'seven')).toBeUndefined();
});

it('takes nothing more out where nothing is set, and refuses a pattern that is none', () => {
  expect(readRedactionSettings({ LACHESIS_REDACT_PATTERN: '' })).toEqual({
    redactNames: [],
    redactVariables: [],
    redactPattern: undefined,
  });
  expect(() => readRedactionSettings({ LACHESIS_REDACT_PATTERN: '(' })).toThrow('LACHESIS_REDACT_PATTERN');
});
