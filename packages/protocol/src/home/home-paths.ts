import { isName, LOCAL_TENANT } from '../auth/names.ts';

/** Where things lie in the folder of Lachesis. The layout is a promise to whoever backs it up; it is known here alone. */
export interface HomePaths {
  readonly home: string;
  /** The SQLite database, where none was named. */
  readonly database: string;
  /** The folder of the payloads. */
  readonly blobs: string;
  /** The folder of outboxes of further tenants, one in each. */
  readonly outboxTenants: string;
  /** The folder of the key and the anchor of the audit log. */
  readonly audit: string;
  /** The token of the person whose home it is; readable by its owner alone, as the two after it. */
  readonly token: string;
  /** The key in the address of the gateway. */
  readonly gatewayKey: string;
  /** What `lachesis config` keeps. */
  readonly secrets: string;
  /** What a person says that calls cost. */
  readonly prices: string;
  /** The folder of a person's own recipes. */
  readonly recipes: string;
  /** The folder of guides that `lachesis agent` follows before ours of the same name. */
  readonly skills: string;
  /** The folder of a local engine. */
  readonly engine: string;
  /** Compiled code of the servers. */
  readonly codeCache: string;
  /** Payloads that were fetched from an object store. May be removed at any time. */
  readonly blobCache: string;
  /** Adapters of models that somebody fetches. May be removed at any time. */
  readonly adapters: string;
  /** The folder in which each run has one of its own. */
  readonly runs: string;
  /** The folder in which each sweep has its plan and what became of its runs. */
  readonly sweeps: string;
  /** The folder of what processes of runs print. */
  readonly logs: string;
  /** The folder of inference tests. */
  readonly inferenceTests: string;
  /** The folder of the demo. */
  readonly demo: string;
}

/** The names in a home, without looking at any: light enough for what stands before every command. */
export function homePaths(home: string): HomePaths {
  const at = (...names: string[]): string => under(home, ...names);
  return {
    home,
    database: at('lachesis.db'),
    blobs: at('blobs'),
    outboxTenants: at('outbox-tenants'),
    audit: at('audit'),
    token: at('token'),
    gatewayKey: at('gateway-key'),
    secrets: at('secrets.env'),
    prices: at('prices.yaml'),
    recipes: at('recipes'),
    skills: at('skills'),
    engine: at('engine'),
    codeCache: at('cache', 'code'),
    blobCache: at('cache', 'blobs'),
    adapters: at('cache', 'adapters'),
    runs: at('runs'),
    sweeps: at('sweeps'),
    logs: at('logs', 'rl_training'),
    inferenceTests: at('logs', 'rl_training', 'inference_tests'),
    demo: at('demo'),
  };
}

/** The folder of one run in a home. */
export const runPath = (home: string, run: string): string => under(home, 'runs', run);

/** Where recorders leave records until somebody brings them into the store. */
export interface OutboxPaths {
  readonly tenantId: string;
  /** Each recorder has a folder in it. */
  readonly directory: string;
  /** Records that the store will never take, with the reason. */
  readonly refused: string;
}

/** The tenant comes from the token and is not written into records, so that each has a folder of its own. */
export function outboxPaths(home: string, tenantId: string = LOCAL_TENANT): OutboxPaths {
  const directory =
    tenantId === LOCAL_TENANT ? under(home, 'outbox') : under(home, 'outbox-tenants', toFolderName(tenantId));
  return { tenantId, directory, refused: under(directory, 'refused.jsonl') };
}

/** Names are checked where tokens are made; one that is older must not lead out of the folder either. */
const toFolderName = (tenantId: string): string =>
  isName('tenant', tenantId) ? tenantId : encodeURIComponent(tenantId).replaceAll('.', '%2E');

/** Whose folder of outboxes it is, by its name. */
export const readTenantFolder = (name: string): string => decodeURIComponent(name);

/** The home of a user who named none. */
export const defaultHome = (userHome: string): string => under(userHome, '.lachesis');

// Without `node:path`, which protocol has not: a slash is understood on every system that Node runs on.
const under = (folder: string, ...names: string[]): string =>
  [folder.endsWith('/') ? folder.slice(0, -1) : folder, ...names].join('/');
