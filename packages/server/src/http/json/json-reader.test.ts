import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createJsonReader, isNotJson } from './json-reader.ts';
import { measureJson } from './measure-json.ts';

const limits = { depth: 8, containers: 100, values: 1_000, elements: 60 };
const reader = createJsonReader({ limits });
afterAll(() => reader.close());

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = async (text: string, listKey?: string): Promise<unknown> =>
  (await reader.open(bytesOf(text), { listKey })).parse();
const refusalOf = (text: string, listKey?: string): Promise<unknown> =>
  read(text, listKey).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('JSON that others sent', () => {
  it('is read as JSON.parse reads it, whole and element by element', async () => {
    const json = fc.json({ depthSize: 'small', maxDepth: 5 });
    await fc.assert(
      fc.asyncProperty(json, fc.array(json, { maxLength: 5 }), json, async (before, list, after) => {
        const text = `{ "a" : ${before}, "list":[${list.join(' , ')}] ,"z":${after}}`;
        const generous = createJsonReader();
        const opened = await generous.open(bytesOf(text), { listKey: 'list' });
        expect(await opened.parse()).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    '{"list":[1,]}',
    '{"list":[,1]}',
    '{"list":[1,,2]}',
    '{"list":[{]}',
    '{"list":[1}]',
    '{"list":[[1}]]',
    '{"list":["a]}',
    '{"list":[1] 2}',
    '{"list":[1]',
    'list',
    '',
    '"\\',
  ])('is refused as no JSON: %s', async (text) => {
    expect(isNotJson(await refusalOf(text, 'list'))).toBe(true);
  });

  it('may name its list twice, or write the key in another way, or be another value', async () => {
    expect(await read('{"list":[1,2],"list":[3]}', 'list')).toEqual({ list: [3] });
    expect(await read('{"l\\u0069st":[1]}', 'list')).toEqual({ list: [1] });
    expect(await read('{"list":{"a":[1,2]}}', 'list')).toEqual({ list: { a: [1, 2] } });
    expect(await read('{"x":{"list":[1,2]},"list":[ ]}', 'list')).toEqual({ x: { list: [1, 2] }, list: [] });
    expect(await read('[1]', 'list')).toEqual([1]);
  });

  it('is refused with 400 when it nests too deep and with 413 when it holds too much', async () => {
    expect(await read('['.repeat(8) + ']'.repeat(8))).toBeDefined();
    expect(await refusalOf('['.repeat(9) + ']'.repeat(9))).toMatchObject({ status: 400 });
    expect(await refusalOf('{"a":'.repeat(100_000))).toMatchObject({ status: 400 });
    expect(await refusalOf(JSON.stringify(Array.from({ length: 200 }, () => ({}))))).toMatchObject({ status: 413 });
    expect(await refusalOf(JSON.stringify(Array.from({ length: 2_000 }, () => 1)))).toMatchObject({ status: 413 });
  });

  it('counts each element of a list that is read piece by piece for itself', async () => {
    const list = Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => [1]));
    expect(await read(JSON.stringify({ list }), 'list')).toEqual({ list });
    expect(await refusalOf(JSON.stringify({ list }))).toMatchObject({ status: 413 });
    const many = JSON.stringify({ list: Array.from({ length: 61 }, () => 1) });
    expect(await refusalOf(many, 'list')).toMatchObject({ status: 413 });
  });

  it('does not count what stands in a text', () => {
    expect(measureJson(bytesOf('"[[[[[[[[[[[[[{{{{{{,,,,,\\"[[[["'), { limits })).toEqual({});
  });

  it('comes back with its bytes, also from the thread', async () => {
    const text = JSON.stringify({ text: 'x'.repeat(300_000) });
    const { bytes, parse } = await reader.open(bytesOf(text));
    expect(await parse()).toEqual(JSON.parse(text));
    expect(Buffer.from(bytes).toString()).toBe(text);
    const broken = await reader.open(bytesOf(`${text},`));
    expect(Buffer.from(broken.bytes).toString()).toBe(`${text},`);
    await expect(broken.parse()).rejects.toThrow('is not JSON');
  });
});
