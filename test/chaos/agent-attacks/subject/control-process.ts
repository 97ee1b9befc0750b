/*
 * Real control servers with their real rules, in the folder of one project, each with a home of its own. What they are given
 * comes as JSON in the first argument; a mutant is the same server with one rule taken out.
 */
import { readControlSettings } from '@lachesis/server';
import { createLog } from '@lachesis/server/processes';
import { buildControl } from '../../../../packages/server/src/control/build.ts';
import type { RunReplacements } from '../../../../packages/server/src/control/runs.ts';
import { createToken, openStore } from '@lachesis/store';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mutant } from '../scenarios/mutants.ts';

export interface SubjectServer {
  home: string;
  port: number;
  mutant: Mutant | 'none';
}

export interface SubjectOptions {
  servers: SubjectServer[];
  recipe: string;
  /** All variables of the server; the canaries are among them. */
  env: Record<string, string>;
}

/** What the subject says of each server, once all listen. */
export interface SubjectReady {
  /** `run:admin` and `view` of a tenant, as an agent is given. */
  agentToken: string;
  adminToken: string;
}

const CLI = fileURLToPath(new URL('../../../../packages/cli/src/main.ts', import.meta.url));
const options = JSON.parse(process.argv[2] ?? '{}') as SubjectOptions;

const mutants: Readonly<Record<Mutant | 'none', RunReplacements>> = {
  none: {},
  'kinds ignored': { fieldGuards: (real) => ({ ...real, kindOf: () => 'value' }) },
  'recipe not locked': { fieldGuards: (real) => ({ ...real, isLocked: () => false, isEditable: () => true }) },
  'real path not checked': { fieldGuards: (real) => ({ ...real, followPath: async (given) => resolve(given) }) },
  'egress rule absent': { fieldGuards: (real) => ({ ...real, checkAddress: async () => undefined }) },
  'whole environment passed': {
    variables: (chosen, whole) => ({ ...chosen, ...(whole as Record<string, string>) }),
  },
};

async function serve({ home, port, mutant }: SubjectServer): Promise<SubjectReady> {
  const store = await openStore({ sqlitePath: join(home, 'lachesis.db') });
  const agent = await createToken({ store, tenantId: 'acme', name: 'agent', scopes: ['run:admin', 'view'] });
  const admin = await createToken({ store, tenantId: 'local', name: 'operator', scopes: ['admin'] });
  await store.close();
  const { values: settings } = readControlSettings({ home, port, recipe: options.recipe, logLevel: 'error' }, {});
  const control = await buildControl({
    settings,
    log: createLog({ name: 'control', level: 'error' }),
    env: { ...options.env, LACHESIS_HOME: home, LACHESIS_TOKEN: admin.token },
    program: { file: process.execPath, arguments: ['--conditions=lachesis-source', CLI] },
    replace: { runs: mutants[mutant] },
  });
  await control.app.listen({ host: '127.0.0.1', port });
  return { agentToken: agent.token, adminToken: admin.token };
}

process.stdout.write(`${JSON.stringify(await Promise.all(options.servers.map(serve)))}\n`);
flushCompileCache();
