import { defineCommand } from 'citty';
import { fail } from '../terminal/fail.ts';
import { listSecrets, setSecret, unsetSecret } from '../secrets/change-secrets.ts';
import { refuseSecretName } from '../secrets/secret-name.ts';
import { SecretsError } from '../secrets/secrets-error.ts';
import { secretsPath } from '../secrets/secrets-file.ts';
import { refuseUnknownFlags } from '../flags/setting-flags.ts';
import { readHiddenValue } from '../terminal/read-hidden-value.ts';
import { readHome } from '../flags/engine.ts';

const flags = {
  home: { type: 'string', description: 'folder of Lachesis; the file is secrets.env in it [LACHESIS_HOME]' },
  json: { type: 'boolean', description: 'print JSON' },
} as const;

const nameArgument = {
  name: { type: 'positional', required: true, description: 'name of the variable, such as TINKER_API_KEY' },
} as const;

const set = defineCommand({
  meta: { name: 'set', description: 'Keep a key in a file that only you can read. Commands see it as a variable.' },
  args: {
    ...nameArgument,
    value: {
      type: 'positional',
      required: false,
      description:
        'the value; better left out: it is then asked for, or read from a pipe, and stays out of the shell’s history',
    },
    ...flags,
  },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    checkName(args.name);
    const value = (args.value ?? (await askFor(args.name)) ?? '').trim();
    if (value === '') fail(`no value was given for ${args.name}. \`lachesis config unset ${args.name}\` removes it.`);
    // A line break would begin another variable.
    if (/\p{Cc}/u.test(value)) fail(`the value of ${args.name} has line breaks or other control characters.`);
    const home = readHome(args);
    await setSecret({ home, name: args.name, value }).catch(failWithSecretsError);
    const shadow = process.env[args.name];
    print(
      args.json,
      { name: args.name, set: true, path: secretsPath(home), hidden_by_environment: shadow !== undefined },
      `kept ${args.name} in ${secretsPath(home)}\n` +
        (shadow === undefined ? '' : `  ${args.name} is also set in this shell, and that goes before the file\n`),
    );
  },
});

const unset = defineCommand({
  meta: { name: 'unset', description: 'Remove a key from the file.' },
  args: { ...nameArgument, ...flags },
  async run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const home = readHome(args);
    const wasThere = await unsetSecret({ home, name: args.name }).catch(failWithSecretsError);
    if (!wasThere) fail(`${args.name} is not in ${secretsPath(home)}. \`lachesis config list\` shows what is.`);
    print(args.json, { name: args.name, set: false }, `removed ${args.name}\n`);
  },
});

const get = defineCommand({
  meta: { name: 'get', description: 'Say whether a key is set and where it comes from. Its value is never shown.' },
  args: { ...nameArgument, ...flags },
  run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const kept = readList(readHome(args)).find(({ name }) => name === args.name);
    const origin = (process.env[args.name] ?? '') !== '' ? 'environment' : kept === undefined ? null : 'file';
    print(
      args.json,
      { name: args.name, origin, set_at: kept?.setAt ?? null },
      origin === null
        ? `${args.name} is not set. Keep it with \`lachesis config set ${args.name}\`\n`
        : `${args.name} is set in ${origin === 'file' ? secretsPath(readHome(args)) : 'the environment'}\n`,
    );
    if (origin === null) process.exitCode = 1;
  },
});

const list = defineCommand({
  meta: { name: 'list', description: 'Show the names that are kept, and when each was set.' },
  args: flags,
  run({ args, rawArgs }) {
    refuseUnknownFlags(flags, rawArgs);
    const home = readHome(args);
    const all = readList(home);
    const width = Math.max(0, ...all.map(({ name }) => name.length));
    print(
      args.json,
      all.map(({ name, setAt }) => ({ name, set_at: setAt ?? null, hidden_by_environment: isSet(name) })),
      all.length === 0
        ? `nothing is kept in ${secretsPath(home)}. Keep a key with \`lachesis config set TINKER_API_KEY\`\n`
        : all
            .map(
              ({ name, setAt }) =>
                `${name.padEnd(width)}  ${setAt === undefined ? 'written by hand' : `set ${setAt}`}${isSet(name) ? '  (the one of this shell goes before it)' : ''}\n`,
            )
            .join(''),
    );
  },
});

export const configCommand = defineCommand({
  meta: { name: 'config', description: 'Keep keys such as TINKER_API_KEY in a file that only you can read.' },
  subCommands: { get, list, set, unset },
});

const askFor = (name: string): Promise<string | undefined> =>
  readHiddenValue({ name, input: process.stdin, write: (text) => void process.stderr.write(text) });

const isSet = (name: string): boolean => (process.env[name] ?? '') !== '';

function checkName(name: string): void {
  const refusal = refuseSecretName(name);
  if (refusal !== undefined) fail(`${refusal}.`);
}

function readList(home: string): ReturnType<typeof listSecrets> {
  try {
    return listSecrets({ home });
  } catch (error) {
    return failWithSecretsError(error);
  }
}

function failWithSecretsError(error: unknown): never {
  if (SecretsError.isInstance(error)) return fail(error.message);
  throw error;
}

function print(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(json === true ? `${JSON.stringify(value)}\n` : text);
}
