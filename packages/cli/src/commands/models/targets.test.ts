import { expect, test } from 'vitest';
import { planHandOff, type HandOffFacts } from './targets.ts';

const facts: HandOffFacts = {
  ...{
    target: 'vllm',
    name: 'support-3',
    out: '/x',
    adapter: '/x/adapter',
    merged: '/x/merged',
    base: 'Qwen/Qwen3-8B',
  },
  rank: 12,
};
const commands = (changes: Partial<HandOffFacts>): string[] =>
  planHandOff({ ...facts, ...changes }).steps.map(({ command }) => command);

test('vLLM gets the merged model, and the adapter with a rank it takes', () => {
  const [merged, adapter] = commands({});
  expect(merged).toBe('vllm serve /x/merged --served-model-name support-3');
  expect(adapter).toBe('vllm serve Qwen/Qwen3-8B --enable-lora --max-lora-rank 16 --lora-modules support-3=/x/adapter');
  expect(commands({ merged: undefined })[0]).toBe(adapter);
});

test('SGLang gets the merged model, and the adapter by name', () => {
  expect(commands({ target: 'sglang' }).slice(0, 2)).toEqual([
    'sglang serve --model-path /x/merged --served-model-name support-3',
    'sglang serve --model-path Qwen/Qwen3-8B --lora-paths support-3=/x/adapter',
  ]);
  expect(commands({ target: 'sglang', merged: undefined })[0]).toContain('--lora-paths');
  expect(commands({ target: 'sglang' }).at(-1)).toContain(':30000/v1');
});

test('llama.cpp gets a GGUF of the merged model, or of the adapter alone', () => {
  expect(commands({ target: 'llamacpp' })[0]).toBe(
    'python convert_hf_to_gguf.py /x/merged --outfile /x/support-3.gguf --outtype auto',
  );
  expect(commands({ target: 'llamacpp', merged: undefined })[0]).toContain('convert_lora_to_gguf.py /x/adapter');
});

test('Ollama gets a Modelfile', () => {
  const { files, steps } = planHandOff({ ...facts, target: 'ollama', out: "/a b/it's" });
  expect(files).toEqual({ Modelfile: 'FROM ./merged\n' });
  expect(steps[0]?.command).toBe(String.raw`ollama create support-3 -f '/a b/it'\''s/Modelfile'`);
  expect(planHandOff({ ...facts, target: 'ollama', merged: undefined }).files['Modelfile']).toBe(
    'FROM Qwen/Qwen3-8B\nADAPTER ./adapter\n',
  );
});
