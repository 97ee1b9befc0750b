import { INFERENCE_SETTINGS, readInferenceSettings, startInference } from '@lachesis/server';
import { defineCommand } from 'citty';
import { fail } from '../fail.ts';
import { keepServing, readOrFail } from './keep-serving.ts';
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
    const backend = settings.upstreamUrl ?? settings.engineUrl ?? 'the managed service';
    await keepServing({
      name: 'server',
      settings,
      start: (onRestart) => startInference({ settings, onRestart }),
      onReady: (url) => {
        process.stdout.write(
          args.json === true
            ? `${JSON.stringify({ url, pid: process.pid, backend })}\n`
            : `inference on ${url} (from ${backend})\n` +
                `  OpenAI clients:   base URL ${url}/v1\n` +
                `  what is served:   ${url}/v1/policy\n` +
                `  trainers publish: POST ${url}/v1/policy\n` +
                (settings.capture
                  ? `  every call is recorded in ${settings.databaseUrl === undefined ? settings.home : 'the database'}, secrets taken out; --no-capture turns it off\n` +
                    `  name a trajectory: base URL ${url}/t/<key>/v1\n`
                  : ''),
        );
      },
    });
  },
});
