import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { corpora } from './corpus/corpora.ts';
import { type VllmAnswer, answersFile, digestReply, listAsked } from './vllm-answers.ts';

const [python, folder, commit] = process.argv.slice(2);
if (python === undefined || folder === undefined || commit === undefined) {
  process.stderr.write('Usage: main.ts <python with regex and pydantic> <folder of vllm/tool_parsers> <its commit>\n');
  process.exit(2);
}

/** Records what vLLM makes of the corpus. */
const asked = Object.fromEntries(corpora.map((corpus) => [corpus.format, listAsked(corpus)]));
const script = fileURLToPath(new URL('ask_vllm.py', import.meta.url));
const { status, stdout, stderr } = spawnSync(python, [script, folder], {
  input: JSON.stringify(asked),
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  timeout: 120_000,
});
if (status !== 0) throw new Error(`vLLM's parsers could not be asked: ${stderr}`);
const given = JSON.parse(stdout) as Record<string, VllmAnswer[]>;
const answers = Object.fromEntries(
  corpora.map((corpus) => [
    corpus.format,
    Object.fromEntries(listAsked(corpus).map(({ text }, index) => [digestReply(text), given[corpus.format]?.[index]])),
  ]),
);
await writeFile(answersFile, `${JSON.stringify({ commit, answers }, null, 1)}\n`);
