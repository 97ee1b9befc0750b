import { readRewardSettings, REWARD_SETTINGS, startReward } from '@lachesis/server';
import { defineCommand } from 'citty';
import { readSettingFlags, toFlags } from '../../flags/setting-flags.ts';
import { readOrFail } from '../../flags/library/read-or-fail.ts';
import { runServer } from './run-server.ts';
import { findEngineUrl } from '../../flags/find-engine.ts';

export const serveRewardCommand = defineCommand({
  meta: {
    name: 'reward',
    description: 'Answer with a reward model what a reply is worth: POST /v1/rewards.',
  },
  args: { ...toFlags(REWARD_SETTINGS), json: { type: 'boolean', description: 'print one JSON line when ready' } },
  async run({ args, rawArgs }) {
    const { values } = readOrFail(() =>
      readRewardSettings(readSettingFlags(REWARD_SETTINGS, args, rawArgs, ['json']), process.env),
    );
    const engineUrl = await findEngineUrl({ tinker: {} }, { home: values.home, given: values.engineUrl });
    const settings = { ...values, engineUrl };
    await runServer({
      name: 'server',
      settings,
      start: (onRestart) => startReward({ settings, onRestart }),
      onReady: (url) => {
        process.stdout.write(
          args.json === true
            ? `${JSON.stringify({ url, pid: process.pid, model: settings.model })}\n`
            : `reward model ${settings.model} on ${url}\n` +
                `  in an environment: createRewardModel({ url: '${url}' })\n` +
                `  by hand:           POST ${url}/v1/rewards {"messages": […], "reply": "…"}\n`,
        );
      },
    });
  },
});
