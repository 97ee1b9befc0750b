import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { fetchForField, isSetThroughApi } from './field-fetch.ts';

test('an address that came through the API is held to the egress rule, and one of a person is asked as it is', async () => {
  let asked = 0;
  const server = createServer((_request, reply) => {
    asked += 1;
    reply.end('here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/`;
  const [ofPerson, ofAgent] = [{ api_fields: [] }, { api_fields: ['dataset_path'] }];
  expect([isSetThroughApi(ofPerson, 'dataset_path'), isSetThroughApi(ofAgent, 'dataset_path')]).toEqual([false, true]);
  expect(await (await fetchForField(ofPerson, 'dataset_path')(url)).text()).toBe('here');
  await expect(fetchForField(ofAgent, 'dataset_path', { variables: {} })(url)).rejects.toThrow('may not be asked');
  expect(asked).toBe(1);
  expect(await (await fetchForField(ofAgent, 'eval_dataset_path')(url)).text()).toBe('here');
  const variables = { LACHESIS_EGRESS_ALLOW: `127.0.0.1:${port}` };
  expect(await (await fetchForField(ofAgent, 'dataset_path', { variables })(url)).text()).toBe('here');
});
