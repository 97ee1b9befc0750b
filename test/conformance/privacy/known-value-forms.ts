import { Buffer } from 'node:buffer';
import type { Noise, SecretForm } from './secret-form.ts';

/** A value that the redactor knows, in forms that hide it. */
export function knownValueForms(noise: Noise): SecretForm[] {
  const form = (name: string, write: (value: string) => string, value = `kv-${noise(10)}-${noise(10)}`): SecretForm => {
    const written = write(value);
    return { group: 'known value', name, text: `it is <${written}> there`, secret: written, known: value };
  };
  const half = (value: string): [string, string] => [value.slice(0, 11), value.slice(11)];
  return [
    form('as it is', (value) => value),
    form('split by a line break', (value) => half(value).join('\n')),
    form('split and indented', (value) => half(value).join('\r\n      ')),
    form('split in JSON', (value) => half(value).join('\\n')),
    form('split by a backslash', (value) => half(value).join('\\\n')),
    form('split by quotes', (value) => half(value).join('" + "')),
    form('split by quotes in Python', (value) => half(value).join("'\n    '")),
    form('zero-width space', (value) => Array.from(value).join('\u200B')),
    form('zero-width joiner', (value) => half(value).join('\u200D')),
    form('soft hyphen', (value) => half(value).join('\u00AD')),
    form('byte order mark', (value) => half(value).join('\uFEFF')),
    form('percent of signs', (value) => value.replaceAll('-', '%2D')),
    form('percent of all', (value) => Array.from(Buffer.from(value), (byte) => `%${byte.toString(16)}`).join('')),
    form('hex', (value) => Buffer.from(value).toString('hex')),
    form('hex in capitals', (value) => Buffer.from(value).toString('hex').toUpperCase()),
    form('hex with colons', (value) => Array.from(Buffer.from(value), (byte) => byte.toString(16)).join(':')),
    form('escapes of a program', (value) =>
      Array.from(Buffer.from(value), (byte) => `\\x${byte.toString(16)}`).join(''),
    ),
    form('escapes of JSON', (value) => Array.from(value, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`).join('')),
    form('base64', (value) => Buffer.from(value).toString('base64').replaceAll('=', '')),
    form('base64, moved by one', (value) => Buffer.from(`x${value}yz`).toString('base64').replaceAll('=', '')),
    form('base64 in lines', (value) =>
      (
        Buffer.from(value)
          .toString('base64')
          .match(/.{1,12}/g) ?? []
      )
        .join('\n')
        .replaceAll('=', ''),
    ),
    form('base64url', (value) => Buffer.from(value).toString('base64url'), `kv?>~${noise(12)}~~`),
    form('escaped', (value) => JSON.stringify(value).slice(1, -1), `kv"${noise(8)}\\${noise(6)}`),
    form(
      'twice escaped',
      (value) => JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1),
      `kv"${noise(8)}/${noise(6)}`,
    ),
    form('with umlauts in an address', (value) => encodeURIComponent(value), `pässwörd ${noise(6)}`),
    form('a phrase in a form', (value) => value.replaceAll(' ', '+'), `three ${noise(5)} words`),
  ];
}
