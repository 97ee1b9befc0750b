import { INFERENCE_SETTINGS, readInferenceSettings, SettingError, startInference } from '@lachesis/server';
import { defineCommand } from 'citty';
import { fail } from '../fail.ts';
import { readSettingFlags, toFlags } from '../setting-flags.ts';

const flags = toFlags(INFERENCE_SETTINGS);

export const serveInferenceCommand = defineCommand({
  meta: {
    name: 'inference',
    description: 'Serve completions of the newest weights as an OpenAI-compatible API, or pass them on to a server.',
  },
  args: { ...flags, json: { type: 'boolean', description: 'print one JSON line when ready' } },
  async run({ args, rawArgs }) {
    const { values: settings } = readOrFail(() =>
      readInferenceSettings(readSettingFlags(INFERENCE_SETTINGS, args, rawArgs, ['json']), process.env),
    );
    if (settings.engineUrl === undefined && settings.upstreamUrl === undefined && !process.env['TINKER_API_KEY']) {
      fail(
        'there is nothing to sample from. Give one of: --engine-url http://… (a Tinker server; `lachesis engine up` starts one here), ' +
          'TINKER_API_KEY (the managed service), --upstream-url http://…/v1 (any OpenAI-compatible server).',
      );
    }
    const keeper = await startInference({
      settings,
      onRestart: ({ code, signal }) => {
        process.stderr.write(`the server process ended (${signal ?? `exit code ${code}`}); starting it again\n`);
      },
    }).catch((error: unknown) => fail(describeStart(error, settings)));

    const { address, port } = keeper.address;
    const url = `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
    const backend = settings.upstreamUrl ?? settings.engineUrl ?? 'the managed service';
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify({ url, pid: process.pid, backend })}\n`
        : `inference on ${url} (from ${backend})\n` +
            `  OpenAI clients:   base URL ${url}/v1\n` +
            `  what is served:   ${url}/v1/policy\n` +
            `  trainers publish: POST ${url}/v1/policy\n`,
    );
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void keeper.stop());
    await keeper.ended.catch((error: unknown) => fail(describeStart(error, settings)));
  },
});

function readOrFail<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingError) return fail(error.message);
    throw error;
  }
}

function describeStart(error: unknown, { host, port }: { host: string; port: number }): string {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'EADDRINUSE') {
    return `port ${port} on ${host} is taken. Stop the program that listens there, or choose another with --port.`;
  }
  if (code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine. Choose another with --host.`;
  if (code === 'EACCES') return `this user may not listen on port ${port}. Choose one above 1023 with --port.`;
  return message ?? String(error);
}
