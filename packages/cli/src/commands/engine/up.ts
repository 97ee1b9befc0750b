import { findEngine, readOutsideServer, startEngine } from '@lachesis/tinker/engine';
import { defineCommand } from 'citty';
import { fail } from '../../terminal/fail.ts';
import { failWithEngineError, homeFlag, jsonFlag, pythonFlag, readMakeOptions } from '../../flags/engine.ts';
import { readWholeNumber } from '../../flags/read-value.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';

type OutsideServer = NonNullable<ReturnType<typeof readOutsideServer>>;

const flags = {
  model: { type: 'string', description: 'model folder in Hugging Face layout; without it a tiny random model is made' },
  port: {
    type: 'string',
    description: 'port on 127.0.0.1 (default: 8100 when it is free, any other) [LACHESIS_ENGINE_PORT]',
  },
  ...homeFlag,
  ...pythonFlag,
  ...jsonFlag,
} as const;

export const engineUpCommand = defineCommand({
  meta: {
    name: 'up',
    description: 'Start the engine, and make it first where it is not made yet (Python 3.12, 0.9 GB).',
  },
  args: flags,
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const port = readWholeNumber('port', args.port ?? (process.env['LACHESIS_ENGINE_PORT'] || undefined));
    const options = readMakeOptions(args);
    const running = await findEngine(options).catch(failWithEngineError);
    const localUrls = [
      ...(running === undefined ? [] : [running.url]),
      ...(port === undefined ? [] : [`http://127.0.0.1:${port}`]),
    ];
    const outside = readOutsideServer({ env: process.env, localUrls });
    if (outside !== undefined) return useOutside(outside, args.json === true);

    const engine = await startEngine({ ...options, model: args.model, port }).catch(failWithEngineError);
    process.stdout.write(
      args.json === true
        ? `${JSON.stringify({ url: engine.url, pid: engine.pid, model: engine.modelDirectory, log: engine.logFile })}\n`
        : `engine on ${engine.url} (pid ${engine.pid})\n` +
            `  model:          ${engine.modelDirectory}\n` +
            `  use it:         export TINKER_BASE_URL=${engine.url} TINKER_API_KEY=tml-local\n` +
            `  another server: set TINKER_BASE_URL and TINKER_API_KEY to it; nothing is started then\n` +
            `  log:            ${engine.logFile}\n` +
            `  stop it:        lachesis engine down\n`,
    );
    // It runs on without us; nothing here has to be waited for.
    process.exit(0);
  },
});

async function useOutside({ url, variable }: OutsideServer, json: boolean): Promise<void> {
  if (url !== undefined) await checkAnswer(url);
  const where = url ?? 'the managed service';
  process.stdout.write(
    json
      ? `${JSON.stringify({ url: url ?? null, variable })}\n`
      : `${variable} is set: ${where} is used, and nothing is started here.\n  the local engine: unset TINKER_BASE_URL and TINKER_API_KEY, then \`lachesis engine up\`\n`,
  );
}

async function checkAnswer(url: string): Promise<void> {
  try {
    const response = await fetch(`${url}/api/v1/healthz`, { signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    // Any answer shows a server; not every one has this route.
    if (response.status < 500) return;
    fail(`TINKER_BASE_URL names ${url}, which answers ${response.status}. Unset it to use the local engine.`);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    fail(`TINKER_BASE_URL names ${url}, which does not answer (${cause}). Unset it to use the local engine.`);
  }
}
