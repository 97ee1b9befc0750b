import { readYamlFile } from '@lachesis/sdk/config';
import { rm, writeFile } from 'node:fs/promises';

export interface PythonArguments extends AsyncDisposable {
  readonly argv: readonly string[];
}

type Section = Readonly<Record<string, unknown>>;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const CONFIG = '--config';

/**
 * Lets a Python environment prove who it is to stations of this machine. Its library takes a key and an address with a
 * password from its configuration, and knows no variable for them; arguments can be read by everybody on the machine. So
 * it is given a copy of its file with both in it, which only its owner can read and which goes when the process ends.
 */
export async function addCredentials(
  argv: readonly string[],
  { token, processId = process.pid }: { token: string | undefined; processId?: number },
): Promise<PythonArguments> {
  const place = argv.findIndex((word) => word === CONFIG || word.startsWith(`${CONFIG}=`));
  const word = argv[place];
  const file = word === CONFIG ? argv[place + 1] : word?.slice(CONFIG.length + 1);
  if (token === undefined || token === '' || file === undefined) return { argv, [Symbol.asyncDispose]: async () => {} };
  const config = (await readYamlFile(file)) as { env?: Section; openai?: Section | readonly Section[] };
  const copy = `${file}.${processId}.yaml`;
  await writeFile(copy, JSON.stringify(withToken(config, token)), { mode: 0o600 });
  const changed = word === CONFIG ? argv.with(place + 1, copy) : argv.with(place, `${CONFIG}=${copy}`);
  return { argv: changed, [Symbol.asyncDispose]: async () => await rm(copy, { force: true }) };
}

/** Only for what is on this machine and has no credential yet. */
function withToken({ env, openai, ...rest }: { env?: Section; openai?: Section | readonly Section[] }, token: string) {
  const withKey = (server: Section): Section => {
    const isOurs = isLocal(server['base_url']) && (server['api_key'] ?? '') === '';
    return isOurs ? { ...server, api_key: token } : server;
  };
  const url = env?.['rollout_server_url'];
  return {
    ...rest,
    ...(openai === undefined
      ? {}
      : { openai: Array.isArray(openai) ? openai.map(withKey) : withKey(openai as Section) }),
    ...(env === undefined
      ? {}
      : { env: isLocal(url) ? { ...env, rollout_server_url: withPassword(url, token) } : env }),
  };
}

const isLocal = (url: unknown): url is string =>
  typeof url === 'string' && URL.canParse(url) && LOOPBACK.has(new URL(url).hostname);

function withPassword(text: string, token: string): string {
  const url = new URL(text);
  if (url.password !== '') return text;
  url.username = 'lachesis';
  url.password = token;
  return url.href.replace(/\/$/, '');
}
