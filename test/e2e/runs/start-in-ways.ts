import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { useRealTransformers } from '../../peers/atropos/real-transformers.ts';
import type { Place } from '../first-run/fresh-machine.ts';
import type { Lachesis } from '../first-run/lachesis.ts';

const PEERS = fileURLToPath(new URL('../../peers/atropos', import.meta.url));
const VOWELS = join(PEERS, 'vowels_env.py');
const STEPS = 2;

/** What of a server the ways over it need. */
export interface Served {
  readonly url: string;
  readonly token: string;
}

export interface Way {
  readonly name: string;
  readonly kind: string;
  /** Starts a run and waits until it has ended, where the way waits; gives its name. */
  start(options: { lachesis: Lachesis; place: Place; served: Served }): Promise<string>;
}

const TINY = ['--config', 'cpu_tiny', '--any-port', '--env.total_steps', String(STEPS)];

/** Those that every commit starts. */
export const WAYS: readonly Way[] = [
  {
    name: 'train',
    kind: 'rl',
    async start({ lachesis }) {
      await lachesis.type(['train', ...TINY, '--environment', 'digits', '--run', 'by-train']);
      return 'by-train';
    },
  },
  {
    name: 'train sft',
    kind: 'sft',
    async start({ lachesis, place }) {
      const rows = Array.from({ length: 16 }, (_, index) => ({
        messages: [
          { role: 'user', content: `say ${index % 10}` },
          { role: 'assistant', content: String(index % 10) },
        ],
      }));
      await writeRows(join(place.folder, 'talk.jsonl'), rows);
      await lachesis.type(['data', 'import', 'talk.jsonl', '--name', 'talk']);
      await lachesis.type([
        'train',
        'sft',
        '--dataset',
        'talk',
        '--run',
        'by-sft',
        '--max-steps',
        String(STEPS),
        '--batch-size',
        '4',
      ]);
      return 'by-sft';
    },
  },
  {
    name: 'runs start',
    kind: 'rl',
    async start({ lachesis }) {
      const given = ['--recipe', 'cpu_tiny', '--environment', 'digits', '--set', `total_steps=${STEPS}`];
      const { run_id: runId } = await lachesis.json<{ run_id: string }>(['runs', 'start', ...given]);
      return runId;
    },
  },
  {
    name: 'HTTP',
    kind: 'rl',
    async start({ served }) {
      const reply = await fetch(`${served.url}/runs`, {
        method: 'POST',
        headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ environment: 'digits', max_steps: STEPS }),
      });
      const { run_id: runId, error } = (await reply.json()) as { run_id?: string; error?: unknown };
      if (runId === undefined) throw new Error(`POST /runs answered ${reply.status}: ${JSON.stringify(error)}`);
      return runId;
    },
  },
  {
    name: 'MCP',
    kind: 'rl',
    async start({ place, served }) {
      const client = new Client({ name: 'runs', version: '1.0.0' });
      const command = join(place.home, 'lachesis-packages', 'node_modules', '.bin', 'lachesis');
      const args = ['mcp', '--server', served.url];
      await client.connect(
        new StdioClientTransport({ command, args, cwd: place.folder, env: { ...place.env }, stderr: 'ignore' }),
      );
      const call = async (name: string, input: Record<string, unknown>): Promise<Record<string, unknown>> => {
        const reply = await client.callTool({ name, arguments: input });
        const [content] = reply.content as { text: string }[];
        if (reply.isError === true) throw new Error(`${name}: ${content?.text}`);
        return JSON.parse(content?.text ?? 'null') as Record<string, unknown>;
      };
      try {
        await call('rl_select_environment', { name: 'digits' });
        const { run_id: runId } = await call('rl_start_training', { max_steps: STEPS });
        if (typeof runId !== 'string') throw new Error('rl_start_training gave no run');
        return runId;
      } finally {
        await client.close();
      }
    },
  },
];

/** Of these a commit starts one, by its hash; `--full` all of them. */
export const OTHER_WAYS: readonly Way[] = [
  {
    name: 'train dpo',
    kind: 'dpo',
    async start({ lachesis, place }) {
      const rows = Array.from({ length: 8 }, (_, index) => ({
        prompt: [{ role: 'user', content: `say ${index}` }],
        chosen: [{ role: 'assistant', content: String(index) }],
        rejected: [{ role: 'assistant', content: 'no' }],
      }));
      await writeRows(join(place.folder, 'pairs.jsonl'), rows);
      await lachesis.type(['data', 'import', 'pairs.jsonl', '--name', 'pairs']);
      await lachesis.type([
        'train',
        'dpo',
        '--dataset',
        'pairs',
        '--run',
        'by-dpo',
        '--max-steps',
        String(STEPS),
        '--batch-size',
        '4',
      ]);
      return 'by-dpo';
    },
  },
  {
    name: 'demo',
    kind: 'demo',
    async start({ lachesis }) {
      await lachesis.type(['demo', '--steps', String(STEPS)], { codes: [0, 1] });
      const { runs } = await lachesis.json<{ runs: { run_id: string; kind: string }[] }>(['runs', 'list']);
      const found = runs.find(({ kind }) => kind === 'demo');
      if (found === undefined) throw new Error('the demo left no run');
      return found.run_id;
    },
  },
  {
    name: 'Python environment',
    kind: 'rl',
    async start({ lachesis, place }) {
      const transformers = useRealTransformers();
      await copyFile(VOWELS, join(place.folder, 'vowels_env.py'));
      const tokenizer = join(place.home, '.lachesis', 'engine', 'models', 'tiny-qwen3');
      // As docs/get-started/from-atropos.md says: Python finds the tokenizer by both names.
      const names = ['--env.tokenizer_name', tokenizer, '--openai.model_name', tokenizer];
      const given = ['--environment', 'vowels_env.py', '--run', 'by-python', ...names];
      // What it earns at the beginning is another suite's to show.
      await lachesis.type(['train', ...TINY, ...given, '--tinker.warm_up', 'none', '--tinker.allow_flat_reward'], {
        env: {
          ...transformers,
          PYTHONPATH: `${transformers['PYTHONPATH']}:${PEERS}`,
          LACHESIS_ATROPOS_PYTHON: process.env['LACHESIS_ATROPOS_PYTHON'] ?? 'python3',
        },
      });
      return 'by-python';
    },
  },
];

const writeRows = (file: string, rows: readonly object[]): Promise<void> =>
  writeFile(file, `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`);
