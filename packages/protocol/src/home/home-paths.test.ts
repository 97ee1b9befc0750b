import { expect, it } from 'vitest';
import { defaultHome, homePaths, outboxPaths, readTenantFolder, runPath } from './home-paths.ts';

it('puts everything of a home into the home', () => {
  for (const home of ['/h', '/h/', './h', '/', 'C:\\h']) {
    for (const path of Object.values(homePaths(home)))
      expect(path.startsWith(home.replace(/(?<=.)\/$/, ''))).toBe(true);
  }
  expect(homePaths('/h/').database).toBe('/h/lachesis.db');
  expect(homePaths('/').blobs).toBe('/blobs');
  expect(runPath('/h', 'ab12')).toBe('/h/runs/ab12');
  expect(defaultHome('/u')).toBe('/u/.lachesis');
});

it('gives each tenant an outbox that another cannot name', () => {
  expect(outboxPaths('/h')).toEqual({ tenantId: 'local', directory: '/h/outbox', refused: '/h/outbox/refused.jsonl' });
  expect(outboxPaths('/h', 'acme').directory).toBe('/h/outbox-tenants/acme');
  for (const tenantId of ['..', '../..', 'a/b', '.', 'a..b', '%2E', 'ä', 'local/']) {
    const { directory } = outboxPaths('/h', tenantId);
    const name = directory.slice('/h/outbox-tenants/'.length);
    expect(name).not.toMatch(/\/|^\.|\.\./);
    expect(readTenantFolder(name)).toBe(tenantId);
  }
});
