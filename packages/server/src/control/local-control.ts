import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { TokenDirectory } from '../http/access/authenticate.ts';
import { LOCAL_PRINCIPAL } from '../http/access/principal.ts';
import { createLog } from '../http/logs/create-log.ts';
import { readControlSettings } from '../http/settings/control-settings.ts';
import { findOwnProgram } from '../services/runs/programs/program.ts';
import { buildControl } from './build.ts';

/** A control server inside this process, for one command: it looks after no run, and only this process can speak to it. */
export interface LocalControl extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
}

const HOST = '127.0.0.1';

/** Opens the same routes over a home that a server would, so that a command has one way to ask. */
export async function openLocalControl(options: {
  home: string;
  databaseUrl?: string | undefined;
  recipe?: string | undefined;
}): Promise<LocalControl> {
  const { home, databaseUrl, recipe } = options;
  const given = { home, host: HOST, port: 0, recipe, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
  const { values: settings } = readControlSettings(given, process.env);
  const token = randomBytes(32).toString('base64url');
  const control = await buildControl({
    settings,
    log: createLog({ name: 'control', level: 'silent' }),
    program: findOwnProgram(),
    hasChores: false,
    replace: { tokens: knowOnly(token), runs: { isSupervising: false, isStarter: true } },
  });
  await control.app.listen({ host: HOST, port: 0 });
  const { port } = control.app.server.address() as AddressInfo;
  return {
    ...{ url: `http://${HOST}:${port}`, token },
    async [Symbol.asyncDispose]() {
      await control.close();
    },
  };
}

/** Tokens of the home are for its servers; this one is for this process. */
function knowOnly(token: string): TokenDirectory {
  const own = Buffer.from(token);
  return {
    async find(given) {
      const other = Buffer.from(given);
      if (other.length !== own.length || !timingSafeEqual(other, own)) return null;
      return LOCAL_PRINCIPAL;
    },
    count: async () => 1,
  };
}
