import { findProviderVariable, findServerKey } from '@lachesis/protocol';
import { defineCommand } from 'citty';
import { readHome } from '../../flags/engine.ts';
import { chooseModel } from '../../flags/choose-model.ts';
import { OPENAI_URL, OPENROUTER_URL } from '../../flags/model-server.ts';
import { refuseUnknownFlags } from '../../flags/setting-flags.ts';
import { setSecret } from '../../secrets/change-secrets.ts';
import { secretsPath } from '../../secrets/secrets-file.ts';
import { failWithSentence, fail } from '../../terminal/fail.ts';
import { writeJson } from '../../terminal/screen.ts';

/** Servers that people know by a name. */
const KNOWN: Readonly<Record<string, string>> = {
  ollama: 'http://localhost:11434/v1',
  openai: OPENAI_URL,
  openrouter: OPENROUTER_URL,
};

const flags = {
  model: { type: 'string', description: 'model to ask for; asked for on a terminal when left out' },
  home: { type: 'string', description: 'folder of Lachesis [LACHESIS_HOME]' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

export const inferenceUseCommand = defineCommand({
  meta: {
    name: 'use',
    description: 'Show or set the model server that env, batch, agent and judges ask when nobody names one.',
  },
  args: {
    server: {
      type: 'positional',
      required: false,
      description: `its address with /v1, or one of ${Object.keys(KNOWN).join(', ')}; shows the one in use when left out`,
    },
    ...flags,
  },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    if (args.server === undefined && args.model === undefined) return show(args.json === true);
    const url = readUrl(args.server ?? process.env['OPENAI_BASE_URL']);
    const command = `lachesis inference use ${args.server ?? url} --model <model>`;
    const model = args.model ?? (await chooseModel({ url, apiKey: findServerKey(url, process.env), command }));
    const home = readHome(args);
    const keep = async (name: string, value: string): Promise<void> => setSecret({ home, name, value });
    await keep('OPENAI_BASE_URL', url).catch(failWithSentence);
    await keep('OPENAI_MODEL', model).catch(failWithSentence);
    if (args.json === true) return writeJson({ base_url: url, model, path: secretsPath(home) });
    process.stdout.write(`${model} at ${url} is asked from now on, where nobody names another.\n${describeKey(url)}`);
  },
});

function readUrl(given: string | undefined): string {
  if (given === undefined)
    return fail(`which server? lachesis inference use ollama --model <model>, or an address with /v1.`);
  const url = KNOWN[given] ?? given;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  return fail(
    `${JSON.stringify(given)} is neither an address such as http://localhost:8000/v1 nor one of ${Object.keys(KNOWN).join(', ')}.`,
  );
}

function show(isJson: boolean): void {
  const { OPENAI_BASE_URL: url, OPENAI_MODEL: model } = process.env;
  if (isJson) return writeJson({ base_url: url ?? null, model: model ?? null });
  process.stdout.write(
    url === undefined || url === ''
      ? 'no model server is in use. Choose one:\n' +
          '  lachesis inference use ollama\n' +
          '  lachesis inference use openrouter\n' +
          '  lachesis inference use http://localhost:8000/v1 --model <model>\n'
      : `${model ?? 'the model it has'} at ${url}\n${describeKey(url)}`,
  );
}

function describeKey(url: string): string {
  const variable = findProviderVariable(url);
  if (variable === undefined || (process.env[variable] ?? '') !== '') return '';
  return `  its key is missing: lachesis config set ${variable}\n`;
}
