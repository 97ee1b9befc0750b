import { findEngine, readOutsideServer } from '@lachesis/tinker/engine';
import { defineCommand } from 'citty';
import { failWithEngineError, homeFlag, jsonFlag, readHome } from '../../flags/engine.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

const flags = { ...homeFlag, ...jsonFlag } as const;

export const engineStatusCommand = defineCommand({
  meta: { name: 'status', description: 'Show whether the engine runs, where, and with which model.' },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const engine = await findEngine({ home: readHome(args) }).catch(failWithEngineError);
    const outside = readOutsideServer({ env: process.env, localUrls: engine === undefined ? [] : [engine.url] });
    if (args.json === true) {
      const local =
        engine === undefined
          ? { state: 'stopped' }
          : {
              state: engine.state,
              url: engine.url,
              pid: engine.pid,
              model: engine.modelDirectory,
              log: engine.logFile,
              started_at: new Date(engine.startedAtMs).toISOString(),
            };
      const elsewhere = outside === undefined ? null : { url: outside.url ?? null, variable: outside.variable };
      process.stdout.write(`${JSON.stringify({ ...local, outside: elsewhere })}\n`);
      return;
    }
    if (outside !== undefined) {
      process.stdout.write(`${outside.variable} is set: clients use ${outside.url ?? 'the managed service'}\n`);
    }
    process.stdout.write(
      engine === undefined
        ? 'no local engine runs; start it with `lachesis engine up`\n'
        : `engine ${engine.state} on ${engine.url} (pid ${engine.pid}, since ${new Date(engine.startedAtMs).toISOString()})\n` +
            `  model: ${engine.modelDirectory}\n  log:   ${engine.logFile}\n`,
    );
  },
});
