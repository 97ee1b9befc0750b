import {
  CONTROL_SETTINGS,
  INFERENCE_SETTINGS,
  readControlSettings,
  readInferenceSettings,
  startControl,
  startInference,
  type SocketKeeper,
} from '@lachesis/server';
import { defineCommand } from 'citty';
import { fail } from '../fail.ts';
import { readSettingFlags, toFlags } from '../setting-flags.ts';
import { readOrFail } from './keep-serving.ts';

const { port: _port, ...shared } = INFERENCE_SETTINGS;
const flags = toFlags(shared);

/** What both processes take. */
const BOTH = Object.keys(CONTROL_SETTINGS).filter((name) => name in INFERENCE_SETTINGS && name !== 'port');

interface Place {
  host: string;
  port: number;
  /** The option that changes the port. */
  option: string;
}

export const upCommand = defineCommand({
  meta: {
    name: 'up',
    description: 'Start the library and the recording gateway, and say which base URL to use.',
  },
  args: {
    ...flags,
    port: { type: 'string', description: 'port of the gateway; 8001 when left out [LACHESIS_INFERENCE_PORT]' },
    'control-port': { type: 'string', description: 'port of the library; 8080 when left out [LACHESIS_CONTROL_PORT]' },
    json: { type: 'boolean', description: 'print one JSON line when ready' },
  },
  async run({ args, rawArgs }) {
    const given = readSettingFlags(INFERENCE_SETTINGS, args, rawArgs, ['json', 'control-port']);
    const { values: inference } = readOrFail(() => readInferenceSettings(given, process.env));
    const { values: control } = readOrFail(() =>
      readControlSettings(
        {
          ...Object.fromEntries(BOTH.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])),
          ...(args['control-port'] === undefined ? {} : { port: args['control-port'] }),
        },
        process.env,
      ),
    );
    if (inference.engineUrl === undefined && inference.upstreamUrl === undefined && !process.env['TINKER_API_KEY']) {
      fail(
        'there is no model to record. Give one of: --upstream-url https://…/v1 (any OpenAI-compatible server; its key is ' +
          'LACHESIS_UPSTREAM_API_KEY), --engine-url http://… (a Tinker server; `lachesis engine up` starts one here), TINKER_API_KEY (the managed service).',
      );
    }
    const keepers: SocketKeeper[] = [];
    const end = (): Promise<unknown> => Promise.allSettled(keepers.map((keeper) => keeper.stop()));
    const isEnding = { value: false };
    // Each process that serves ends when this one does, however it ends: its channel to us is then closed.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        isEnding.value = true;
        void end();
      });
    }
    const start = async (
      name: string,
      place: Place,
      open: (onRestart: (death: { code: number | null; signal: string | null }) => void) => Promise<SocketKeeper>,
    ): Promise<string> => {
      const keeper = await open(({ code, signal }) => {
        process.stderr.write(`the ${name} process ended (${signal ?? `exit code ${code}`}); starting it again\n`);
      }).catch(async (error: unknown) => {
        await end();
        return fail(`the ${name} did not start: ${describeStart(error, place)}`);
      });
      keepers.push(keeper);
      // The signal came while it started.
      if (isEnding.value) await end();
      const { address, port } = keeper.address;
      return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
    };

    const libraryUrl = await start('library', { ...control, option: '--control-port' }, (onRestart) =>
      startControl({ settings: control, onRestart }),
    );
    const gatewayUrl = await start('gateway', { ...inference, option: '--port' }, (onRestart) =>
      startInference({ settings: inference, onRestart }),
    );
    if (!isEnding.value) {
      const backend = inference.upstreamUrl ?? inference.engineUrl ?? 'the managed service';
      process.stdout.write(
        args.json === true
          ? `${JSON.stringify({ base_url: `${gatewayUrl}/v1`, library_url: libraryUrl, pid: process.pid, backend })}\n`
          : describeReady({ gatewayUrl, libraryUrl, backend, home: control.home }),
      );
    }
    const outcomes = await Promise.allSettled(keepers.map((keeper) => keeper.ended.catch(endOthers)));
    const broken = outcomes.find((outcome) => outcome.status === 'rejected');
    if (broken !== undefined) fail(broken.reason instanceof Error ? broken.reason.message : String(broken.reason));

    /** One alone is of no use: who can never start again takes the other with it. */
    async function endOthers(error: unknown): Promise<never> {
      await end();
      throw error;
    }
  },
});

/** The two have a port each, so the sentence names the option that moves this one. */
function describeStart(error: unknown, { host, port, option }: Place): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken. Stop the program that listens there, or choose another with ${option}.`;
  }
  if (code === 'EACCES') return `this user may not listen on port ${port}. Choose one above 1023 with ${option}.`;
  return message ?? String(error);
}

function describeReady(facts: { gatewayUrl: string; libraryUrl: string; backend: string; home: string }): string {
  const { gatewayUrl, libraryUrl, backend, home } = facts;
  const local = (url: string): string => url.replace('://127.0.0.1:', '://localhost:');
  return [
    `recording calls to ${backend}`,
    '',
    `  OPENAI_BASE_URL=${local(gatewayUrl)}/v1`,
    '',
    `  the library: ${local(libraryUrl)}, kept in ${home}`,
    '  look:        lachesis trajectories list',
    '  rate:        lachesis rate',
    '  end both:    Ctrl-C',
    '',
  ].join('\n');
}
