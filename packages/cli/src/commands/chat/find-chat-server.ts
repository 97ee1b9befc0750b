import { setTimeout as sleep } from 'node:timers/promises';
import { homePaths } from '@lachesis/protocol/home';
import { readPrivateFile } from '@lachesis/sdk/home';
import { listModels } from '@lachesis/sdk/agent';
import { readInferenceSettings, startInference, SettingError } from '@lachesis/server';
import { withModels } from '../../flags/library/models.ts';
import { nameOf } from '../../flags/library/name-model.ts';
import { nameAsTyped } from '../../flags/setting-flags.ts';
import { fail } from '../../terminal/fail.ts';
import { writeBaseUrl } from '../serve/base-url.ts';
import { openHomeAccess } from '../serve/home-access.ts';
import { findSource } from '../serve/find-source.ts';
import type { ChatServer } from './ask-model.ts';

export interface FindChatServerOptions {
  /** `name`, or `name@version`. */
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface FoundServer extends AsyncDisposable {
  readonly server: ChatServer;
  /** What a person is told before the first word. */
  readonly note: string;
}

/** The server that was named; else the one of this home that serves the model; else one that is started for this talk. */
export async function findChatServer(options: FindChatServerOptions): Promise<FoundServer> {
  const { model, baseUrl, env } = options;
  if (baseUrl !== undefined) {
    if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
      fail(`--base-url wants an address such as http://localhost:11434/v1, and ${JSON.stringify(baseUrl)} was given.`);
    }
    return keep({ baseUrl, apiKey: findKey(baseUrl, env), model }, `${model} at ${new URL(baseUrl).host}`);
  }
  return (await findRunning(options)) ?? (await start(options));
}

const keep = (server: ChatServer, note: string): FoundServer => ({
  ...{ server, note },
  [Symbol.asyncDispose]: async () => undefined,
});

function findKey(url: string, env: FindChatServerOptions['env']): string | undefined {
  const isOpenRouter = url.startsWith('https://openrouter.ai/');
  const key = isOpenRouter ? env['OPENROUTER_API_KEY'] : env['OPENAI_API_KEY'];
  return key === '' ? undefined : key;
}

/** The gateway of `lachesis up`, or a `serve inference`, where one of them serves this name. */
async function findRunning({ model, home, env }: FindChatServerOptions): Promise<FoundServer | undefined> {
  const { values } = readInferenceSettings({ home }, env);
  const url = `http://127.0.0.1:${values.port}`;
  const baseUrl = writeBaseUrl(url, readPrivateFile(homePaths(home).gatewayKey)?.text);
  const names = await listModels({ url: baseUrl, signal: AbortSignal.timeout(2_000) }).catch((): string[] => []);
  const [name] = model.split('@');
  if (!names.includes(model) && !names.includes(name ?? model)) return undefined;
  return keep({ baseUrl, apiKey: undefined, model }, `${model}, served at ${url}`);
}

const WAYS =
  '`lachesis engine up` (starts one here), TINKER_BASE_URL=http://… (a Tinker server), TINKER_API_KEY (the managed service), ' +
  '--base-url http://…/v1 (any OpenAI-compatible server).';

/** A name that is in no registry would be answered by the base model, and nobody would hear of it. */
async function checkServed(model: string, home: string): Promise<string> {
  let version = model;
  await withModels({ home }, async (library) => {
    const { models } = model.includes('@') ? { models: [] } : await library.listModels({ name: model });
    // A name means what it serves, which need not be its newest version.
    const found = models.find((each) => each.is_promoted) ?? (await library.readModel(model)).model;
    const name = nameOf(found);
    version = name;
    if (found.is_promoted) return;
    fail(
      `${name} is not what ${found.name} serves. \`lachesis models promote ${name}\` puts it into service; then chat again.`,
    );
  });
  return version;
}

async function start({ model, home, env }: FindChatServerOptions): Promise<FoundServer> {
  const version = await checkServed(model, home);
  const [name = model] = model.split('@');
  // Its lines would stand between those of the talk; what goes wrong is still told.
  const { values } = readInferenceSettings(
    { home, model: name, port: 0 },
    { ...env, LACHESIS_LOG_LEVEL: env['LACHESIS_LOG_LEVEL'] || 'error' },
  );
  // Another server may be named by a variable; its models are not those of the registry.
  const settings = {
    ...values,
    upstreamUrl: undefined,
    engineUrl: await findSource({ ...values, upstreamUrl: undefined }, WAYS),
  };
  const { gatewayKey } = await openHomeAccess({ ...settings, wantsToken: true, gatewayTenant: settings.tenant });
  const supervisor = await startInference({ settings }).catch((error: unknown) =>
    fail(
      error instanceof SettingError
        ? nameAsTyped(error.message)
        : error instanceof Error
          ? error.message
          : String(error),
    ),
  );
  const baseUrl = writeBaseUrl(`http://127.0.0.1:${supervisor.address.port}`, gatewayKey);
  const isThere = await waitForVersion(version, () => listModels({ url: baseUrl, signal: AbortSignal.timeout(5_000) }));
  if (!isThere) {
    await supervisor.stop();
    fail(`the weights of ${version} were not loaded within a minute. \`lachesis engine status\` looks at the engine.`);
  }
  return {
    server: { baseUrl, apiKey: undefined, model },
    note: `${model}, from ${settings.engineUrl ?? 'the managed service'}; what is said is recorded in ${home}`,
    [Symbol.asyncDispose]: async () => {
      await supervisor.stop();
    },
  };
}

const LOAD_MS = 60_000;
const LOOK_MS = 250;

/** Until the weights are loaded the base model answers under the same name: a talk begins when the version is listed. */
export async function waitForVersion(
  version: string,
  list: () => Promise<readonly string[]>,
  { tries = LOAD_MS / LOOK_MS, pause = () => sleep(LOOK_MS) }: { tries?: number; pause?: () => Promise<unknown> } = {},
): Promise<boolean> {
  for (let left = tries; left > 0; left -= 1) {
    const names = await list().catch((): string[] => []);
    if (names.includes(version)) return true;
    await pause();
  }
  return false;
}
