import { expect, it } from 'vitest';
import { describeOnEachDialect } from '../testing/test-stores.fixture.ts';
import { readSettings, writeSettings } from './settings.ts';

describeOnEachDialect('settings', (createTarget) => {
  it('keep their last value and where it came from, for each scope', async () => {
    await using target = await createTarget();
    const store = await target.open();
    const scope = { store, tenantId: 't', scope: 'server' };
    await writeSettings({
      ...scope,
      settings: [
        { name: 'port', value: 8000, origin: 'default' },
        { name: 'host', value: '', origin: 'option' },
      ],
    });
    await writeSettings({ ...scope, settings: [{ name: 'port', value: 0, origin: 'environment' }] });
    expect(await readSettings(scope)).toEqual([
      { name: 'host', value: '', origin: 'option', updatedAt: expect.any(Number) as number },
      { name: 'port', value: 0, origin: 'environment', updatedAt: expect.any(Number) as number },
    ]);
    expect(await readSettings({ ...scope, scope: 'run:a' })).toEqual([]);
    expect(await readSettings({ ...scope, tenantId: 'u' })).toEqual([]);
  });
});
