import {
  CONTROL_SETTINGS,
  INFERENCE_SETTINGS,
  readControlSettings,
  readInferenceSettings,
  startControl,
  startInference,
  type SocketSupervisor,
} from '@lachesis/server';
import { createControlClient } from '@lachesis/sdk';
import { defineCommand } from 'citty';
import { basename } from 'node:path';
import { EXIT_CODES } from '../../terminal/exit-codes.ts';
import { fail } from '../../terminal/fail.ts';
import { readSettingFlags, toFlags } from '../../flags/setting-flags.ts';
import { failWithEngineError } from '../../flags/engine.ts';
import { findPageFolder } from '../serve/find-page-folder.ts';
import { openHomeAccess, tokenSwitch } from '../serve/home-access.ts';
import { readOrFail } from '../../flags/library/read-or-fail.ts';
import { openUpEngine, type UpEngine } from './engine.ts';
import { describeUp, describeUpAsJson } from './describe.ts';
import { findNamedRecipe, readRecipeFile } from '../train/recipe-file.ts';
import { askOnce } from './ask-once.ts';
import { describeRunsLeft, findRunsLeft } from './runs.ts';
import { writeBaseUrl } from '../serve/base-url.ts';
import { makePageAddress, toLocal } from '../../flags/page-address.ts';
import { findTokenFor } from '../../flags/server-token.ts';
import { readWholeNumber } from '../../flags/read-value.ts';

const { port: _port, ...shared } = INFERENCE_SETTINGS;

/** What only the control server takes: the recipe, and what a run may cost. */
const OWN_OF_CONTROL = Object.fromEntries(
  Object.entries(CONTROL_SETTINGS).filter(([name]) => !(name in INFERENCE_SETTINGS)),
);
const flags = toFlags({ ...shared, ...OWN_OF_CONTROL });

/** The port is that of the gateway. */
const OF_CONTROL = Object.keys(CONTROL_SETTINGS).filter((name) => name !== 'port');

interface Place {
  host: string;
  port: number;
  /** The option that changes the port. */
  option: string;
}

export const upCommand = defineCommand({
  meta: {
    name: 'up',
    description:
      'Start everything on this machine: control, the recording gateway, and an engine when the recipe wants one.',
  },
  args: {
    ...flags,
    port: { type: 'string', description: 'port of the gateway (default: 8001) [LACHESIS_INFERENCE_PORT]' },
    'control-port': {
      type: 'string',
      description: 'port of the control server (default: 8080) [LACHESIS_CONTROL_PORT]',
    },
    'engine-port': {
      type: 'string',
      description: 'port of the engine that is started (default: 8100, or any free one) [LACHESIS_ENGINE_PORT]',
    },
    ...tokenSwitch,
    json: { type: 'boolean', description: 'print one JSON line when ready' },
  },
  async run({ args, rawArgs }) {
    const given = readSettingFlags({ ...INFERENCE_SETTINGS, ...OWN_OF_CONTROL }, args, rawArgs, [
      'json',
      'control-port',
      'engine-port',
      'token',
    ]);
    const pick = (names: readonly string[]): Record<string, unknown> =>
      Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]));
    const { values: asked } = readOrFail(() =>
      readInferenceSettings(pick(Object.keys(INFERENCE_SETTINGS)), process.env),
    );
    const { values: controlAsked } = readOrFail(
      () =>
        readControlSettings(
          {
            ...pick(OF_CONTROL),
            ...(args['control-port'] === undefined ? {} : { port: args['control-port'] }),
          },
          process.env,
        ),
      { port: 'control-port' },
    );
    const { home } = controlAsked;
    const recipePath =
      controlAsked.recipe === undefined ? undefined : findNamedRecipe({ given: controlAsked.recipe, home });
    const control = { ...controlAsked, recipe: recipePath };
    const hasKey = (process.env['TINKER_API_KEY'] ?? '') !== '';
    const supervisors: SocketSupervisor[] = [];
    const end = (): Promise<unknown> => Promise.allSettled(supervisors.map((supervisor) => supervisor.stop()));
    const isEnding = { value: false };
    // Each process that serves ends when this one does, however it ends: its channel to us is then closed.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        isEnding.value = true;
        void end();
      });
    }
    const opened: UpEngine | undefined = await openUpEngine({
      home,
      recipe: recipePath === undefined ? undefined : await readRecipeFile(recipePath),
      port: readWholeNumber('engine-port', args['engine-port'] ?? (process.env['LACHESIS_ENGINE_PORT'] || undefined)),
      engineUrl: asked.engineUrl,
      hasModel: asked.upstreamUrl !== undefined || hasKey,
    }).catch((error: unknown) => (isEnding.value ? process.exit(EXIT_CODES.done) : failWithEngineError(error)));
    const engineUrl = asked.engineUrl ?? opened?.engine.url;
    const inference = { ...asked, engineUrl };
    if (engineUrl === undefined && asked.upstreamUrl === undefined && !hasKey) {
      fail(
        'there is no model to record. Give one of: --upstream-url https://…/v1 (any OpenAI-compatible server; its key is ' +
          'LACHESIS_UPSTREAM_API_KEY), --engine-url http://… (a Tinker server), TINKER_API_KEY (the managed service), ' +
          '--recipe cpu_tiny (starts a small engine on this machine).',
      );
    }
    // The processes of runs are started by the control server, which knows the engine by this name.
    if (asked.engineUrl !== undefined) process.env['TINKER_BASE_URL'] = asked.engineUrl;
    const start = async (
      name: string,
      place: Place,
      open: (onRestart: (death: { code: number | null; signal: string | null }) => void) => Promise<SocketSupervisor>,
    ): Promise<string> => {
      const supervisor = await open(({ code, signal }) => {
        process.stderr.write(`the ${name} process ended (${signal ?? `exit code ${code}`}); starting it again\n`);
      }).catch(async (error: unknown) => {
        await end();
        if (opened?.isOurs === true) await opened.engine.stop();
        return fail(`the ${name} did not start: ${describeStart(error, place)}`);
      });
      supervisors.push(supervisor);
      // The signal came while it started.
      if (isEnding.value) await end();
      const { address, port } = supervisor.address;
      return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
    };

    const { gatewayKey, tokenFile } = await openHomeAccess({
      ...control,
      wantsToken: args.token,
      gatewayTenant: inference.tenant,
    });
    // Tests of inference ask the engine's model through the gateway. Another server wants a model by its name, and a port
    // that the system chooses is not known yet: then they ask only what is configured.
    const isOwnModel = inference.upstreamUrl === undefined && inference.port !== 0;
    const testedUrl = isOwnModel ? `http://127.0.0.1:${inference.port}` : undefined;
    const controlUrl = await start('control server', { ...control, option: '--control-port' }, (onRestart) =>
      startControl({
        settings: { ...control, gatewayUrl: control.gatewayUrl ?? testedUrl },
        pageFolder: findPageFolder(),
        onRestart,
      }),
    );
    const gatewayUrl = await start('gateway', { ...inference, option: '--port' }, (onRestart) =>
      startInference({ settings: inference, onRestart }),
    );
    let silence: string | undefined;
    if (!isEnding.value) {
      silence = await askOnce({
        baseUrl: writeBaseUrl(gatewayUrl, gatewayKey),
        isOwnModel: inference.upstreamUrl === undefined,
      });
      if (silence !== undefined) process.stderr.write(`lachesis: ${silence}\n`);
    }
    if (!isEnding.value) {
      const facts = {
        ...{
          pageUrl: await findPage(controlUrl, home),
          gatewayUrl,
          gatewayKey,
          controlUrl,
          engineUrl: opened?.engine.url,
          home,
          tokenFile,
        },
        isSilent: silence !== undefined,
        backend: inference.upstreamUrl ?? inference.engineUrl ?? 'the managed service',
        recipe: recipePath === undefined ? undefined : basename(recipePath).replace(/\.ya?ml$/, ''),
      };
      process.stdout.write(args.json === true ? describeUpAsJson({ ...facts, pid: process.pid }) : describeUp(facts));
    }
    const outcomes = await Promise.allSettled(supervisors.map((supervisor) => supervisor.ended.catch(endOthers)));
    const left = await findRunsLeft(control);
    process.stderr.write(describeRunsLeft(left, { hasEngine: opened !== undefined }));
    if (opened?.isOurs === true && left.length === 0) await opened.engine.stop();
    const broken = outcomes.find((outcome) => outcome.status === 'rejected');
    if (broken !== undefined) fail(broken.reason instanceof Error ? broken.reason.message : String(broken.reason));

    /** One alone is of no use: who can never start again takes the other with it. */
    async function endOthers(error: unknown): Promise<never> {
      await end();
      throw error;
    }
  },
});

/** Where the token of the home is not good here, the page is opened with a code of somebody else's. */
async function findPage(url: string, home: string): Promise<string> {
  const client = createControlClient({ url, token: await findTokenFor(url, { home }) });
  return await makePageAddress(client).catch(() => `${toLocal(url)}/`);
}

/** The two have a port each, so the sentence names the option that moves this one. */
function describeStart(error: unknown, { host, port, option }: Place): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken. Stop the program that listens there, or choose another with ${option}.`;
  }
  if (code === 'EACCES') return `this user may not listen on port ${port}. Choose one above 1023 with ${option}.`;
  return message ?? String(error);
}
