import { readFileSync } from 'node:fs';

import type { LachesisCommand } from '../../kit/lachesis-command.ts';
import { findLlamaCppPython, startLlamaCpp } from '../../peers/llama-cpp/start-llama-cpp.ts';
import type { ScenarioContext } from '../../scenarios/scenario.ts';
import { MODEL } from '../strict-servers/start-chat-server.ts';
import { startWayTo } from './start-way-to.ts';
import { askForTokens } from './use-in-process.ts';
import { useServer } from './use-server.ts';

const NAME = 'llama.cpp';
const LOCK = new URL('../../peers/llama-cpp/requirements.lock', import.meta.url);

/** The real server: the ways, the reason why there are no tokens, and a request that it refuses. */
export async function useLlamaCpp(context: ScenarioContext, lachesis: LachesisCommand): Promise<void> {
  const python = findLlamaCppPython();
  if (python === undefined) {
    const why = 'LACHESIS_LLAMA_CPP_PYTHON names no interpreter; run .ci/setup, then . .ci/env.sh';
    context.reportNotRun({ name: NAME, why, bar: 'all ways work' });
    return;
  }
  await using real = await startLlamaCpp({ python, model: MODEL });
  const open = () => startWayTo(real);
  const source = `the real server, ${readFileSync(LOCK, 'utf8').trim().split('\n').join(' and ')}`;
  // One waits for its process to start while the other waits for the model.
  await useServer(context, { name: NAME, type: 'openai', lachesis, source, atOnce: 2, open });
  await using way = await open();
  const { reason } = await askForTokens({ server: way, type: 'openai' });
  context.report({
    name: `${NAME}: tokens to train on`,
    figure: reason.slice(0, 160),
    bar: 'none, and the reason',
    ok: /does not tell which tokens/.test(reason),
  });
  const wrong = await askForTokens({ server: way, type: 'openai', extra: { temperature: 'hot' } });
  const refused = way.calls.at(-1)?.refused;
  context.report({
    name: `${NAME}: a temperature that is no number`,
    figure: `${refused === undefined ? 'taken' : `refused by the server (${refused.slice(0, 80)})`}, ${wrong.tokens} tokens`,
    bar: 'caught: refused',
    ok: refused !== undefined && wrong.tokens === 0,
  });
}
