import { stopEngine } from '@lachesis/tinker/engine';
import { defineCommand } from 'citty';
import { failWithEngineError, homeFlag, jsonFlag, readHome } from '../../flags/engine.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

const flags = { ...homeFlag, ...jsonFlag } as const;

export const engineDownCommand = defineCommand({
  meta: { name: 'down', description: 'Stop the engine. Saved checkpoints stay; models that were not saved are gone.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const wasRunning = await stopEngine({ home: readHome(args) }).catch(failWithEngineError);
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify({ stopped: wasRunning })}\n`
        : wasRunning
          ? 'the engine has stopped\n'
          : 'no engine was running\n',
    );
  },
});
