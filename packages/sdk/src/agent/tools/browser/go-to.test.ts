import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createEgressRule } from '../../../egress/create-egress-rule.ts';
import { findChromium } from './find-chromium.ts';
import { goTo } from './go-to.ts';
import { openBrowser } from './open-browser.ts';

const chromium = findChromium();
const ROUNDS = 6;

test.runIf(chromium !== undefined)('a page after a refused one is asked for once', { timeout: 120_000 }, async () => {
  if (chromium === undefined) return;
  let asked = 0;
  const server = createServer((request, reply) => {
    if (request.url === '/') asked += 1;
    reply.writeHead(200, { 'content-type': 'text/html' }).end('<title>Home</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened = await openBrowser({ chromium, allow: [place], rule: createEgressRule({ allow: place }) });
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const refused = await goTo(opened, 'https://example.com/');
      expect(refused.refused?.reason).toContain('not among the hosts');
      expect(opened.page().url()).toMatch(/^chrome-error:/);
      expect(await goTo(opened, `http://${place}/`)).toEqual({ refused: undefined });
      expect({ asked, title: await opened.page().title() }).toEqual({ asked: round, title: 'Home' });
    }
    // Something that is on its way already is waited for, however often the page has to be begun again.
    for (let round = 1; round <= ROUNDS; round += 1) {
      await expect(opened.page().goto('https://example.com/')).rejects.toThrow('ERR_TUNNEL');
      expect(await goTo(opened, `http://${place}/`)).toEqual({ refused: undefined });
    }
  } finally {
    await opened.close();
    server.close();
  }
});
