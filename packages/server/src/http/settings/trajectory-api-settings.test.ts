import { describe, expect, it } from 'vitest';
import { SettingError } from './setting-error.ts';
import { readTrajectoryApiSettings, TRAJECTORY_API_SETTINGS } from './trajectory-api-settings.ts';

const names = Object.keys(TRAJECTORY_API_SETTINGS);

describe('the settings of the trajectory API', () => {
  it('all have a default, except the database, and say that they come from it', () => {
    const { values, origins } = readTrajectoryApiSettings({}, {});
    expect(values).toMatchObject({
      host: '127.0.0.1',
      port: 8000,
      strictAtropos: false,
      maxStaleness: 8,
      batchLeaseSeconds: 60,
      allowHosts: [],
    });
    expect(values.databaseUrl).toBeUndefined();
    expect(values.home).toMatch(/\.lachesis$/);
    expect(Object.keys(origins)).toEqual(names);
    expect(new Set(Object.values(origins))).toEqual(new Set(['default']));
  });

  it('take an option over the environment, and the environment over the default', () => {
    const env = { LACHESIS_TRAJECTORY_API_PORT: '9001' };
    expect(readTrajectoryApiSettings({}, env)).toMatchObject({
      values: { port: 9001 },
      origins: { port: 'environment', host: 'default' },
    });
    expect(readTrajectoryApiSettings({ port: 9002 }, env)).toMatchObject({
      values: { port: 9002 },
      origins: { port: 'option' },
    });
  });

  it('take an empty variable for an absent one, and zero for a value', () => {
    const { values, origins } = readTrajectoryApiSettings(
      { backPressureSeconds: 0 },
      { LACHESIS_TRAJECTORY_API_PORT: '', LACHESIS_DISK_RESERVE: '0' },
    );
    expect(values).toMatchObject({ port: 8000, backPressureSeconds: 0, diskReserve: 0 });
    expect(origins).toMatchObject({ port: 'default', backPressureSeconds: 'option', diskReserve: 'environment' });
  });

  it('are read from text as the command line gives it', () => {
    const { values } = readTrajectoryApiSettings(
      { port: '1234', strictAtropos: 'true', allowHosts: 'a.example, b.example,,', allowOrigins: ['https://x'] },
      {},
    );
    expect(values).toMatchObject({
      port: 1234,
      strictAtropos: true,
      allowHosts: ['a.example', 'b.example'],
      allowOrigins: ['https://x'],
    });
  });

  it.each([
    ['port', -1],
    ['port', 65_536],
    ['port', 1.5],
    ['port', 'eight'],
    ['host', ''],
    ['home', ''],
    ['databaseUrl', 'mysql://x'],
    ['databaseUrl', ''],
    ['strictAtropos', 'maybe'],
    ['ingestWorkers', 0],
    ['ingestWorkers', 65],
    ['maxBodyBytes', 1023],
    ['maxBodyBytes', 1024 ** 3 + 1],
    ['bodyBudgetBytes', 1024],
    ['maxQueuedGroups', 0],
    ['maxQueuedBytes', 1],
    ['maxStaleness', 0],
    ['batchLeaseSeconds', 0],
    ['batchLeaseSeconds', 3601],
    ['backPressureSeconds', 241],
    ['backPressureSeconds', -1],
    ['diskReserve', 0.91],
    ['diskReserve', Number.NaN],
    ['silentSeconds', 0.5],
    ['silentSeconds', Number.POSITIVE_INFINITY],
    ['logLevel', 'loud'],
    ['allowHosts', 7],
  ])('refuse %s = %j with what it is for', (name, value) => {
    const read = () => readTrajectoryApiSettings({ [name]: value }, {});
    expect(read).toThrow(SettingError);
    const { describe: purpose } = TRAJECTORY_API_SETTINGS[name as keyof typeof TRAJECTORY_API_SETTINGS];
    expect(read).toThrow(purpose);
    expect(read).toThrow(new RegExp(`^setting ${name} is `));
  });

  it('name the environment variable when the value came from there', () => {
    expect(() => readTrajectoryApiSettings({}, { LACHESIS_MAX_STALENESS: 'many' })).toThrow(
      /^environment variable LACHESIS_MAX_STALENESS is "many": /,
    );
  });

  it.each(['prot', 'toString', '__proto__', 'constructor'])('refuse an option called %s', (name) => {
    const options = Object.defineProperty({}, name, { value: 1, enumerable: true }) as Record<string, unknown>;
    expect(() => readTrajectoryApiSettings(options, {})).toThrow(/there is no setting/);
  });

  it('have a purpose each, and no two share a variable', () => {
    const specs = Object.values<{ describe: string; environmentVariable?: string }>(TRAJECTORY_API_SETTINGS);
    expect(specs.every((spec) => spec.describe.length > 10)).toBe(true);
    const variables = specs.map((spec) => spec.environmentVariable).filter((variable) => variable !== undefined);
    expect(new Set(variables).size).toBe(variables.length);
  });
});

it('refuses an address of a database without showing its password', () => {
  const secret = ['S3cret', 'Passw0rd'].join('-');
  for (const url of [`postgres://me:${secret}@db1:5432,db2:port/rep`, `mysql://me:${secret}@db1/rep`]) {
    const read = (): unknown => readTrajectoryApiSettings({}, { DATABASE_URL: url });
    expect(read).toThrow('environment variable DATABASE_URL is');
    expect(read).not.toThrow(secret);
  }
});
