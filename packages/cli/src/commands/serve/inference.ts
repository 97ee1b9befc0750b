import { INFERENCE_SETTINGS, readInferenceSettings, startInference } from '@lachesis/server';
import { defineCommand } from 'citty';
import { openHomeAccess, tokenSwitch } from './home-access.ts';
import { readOrFail } from '../../flags/library/read-or-fail.ts';
import { findSource } from './find-source.ts';
import { runServer } from './run-server.ts';
import { readSettingFlags, toFlags } from '../../flags/setting-flags.ts';
import { writeBaseUrl } from './base-url.ts';

const flags = toFlags(INFERENCE_SETTINGS);

export const serveInferenceCommand = defineCommand({
  meta: {
    name: 'inference',
    description: 'Serve completions of the newest weights as an OpenAI-compatible API, or pass them on to a server.',
  },
  args: { ...flags, ...tokenSwitch, json: { type: 'boolean', description: 'print one JSON line when ready' } },
  async run({ args, rawArgs }) {
    const { values } = readOrFail(() =>
      readInferenceSettings(readSettingFlags(INFERENCE_SETTINGS, args, rawArgs, ['json', 'token']), process.env),
    );
    const settings = { ...values, engineUrl: await findSource(values) };
    const backend = settings.upstreamUrl ?? settings.engineUrl ?? 'the managed service';
    const { gatewayKey } = await openHomeAccess({
      ...settings,
      wantsToken: args.token,
      gatewayTenant: settings.tenant,
    });
    await runServer({
      name: 'server',
      settings,
      start: (onRestart) => startInference({ settings, onRestart }),
      onReady: (url) => {
        process.stdout.write(
          args.json === true
            ? `${JSON.stringify({ url, base_url: writeBaseUrl(url, gatewayKey), pid: process.pid, backend })}\n`
            : `inference on ${url} (from ${backend})\n` +
                `  OpenAI clients:   base URL ${writeBaseUrl(url, gatewayKey)}\n` +
                `  what is served:   ${url}/v1/policy\n` +
                `  trainers publish: POST ${url}/v1/policy\n` +
                (settings.capture
                  ? `  every call is recorded in ${settings.databaseUrl === undefined ? settings.home : 'the database'}, secrets taken out; --no-capture turns it off\n` +
                    `  name a trajectory: put /t/<name> before the /v1 of the base URL\n`
                  : ''),
        );
      },
    });
  },
});
